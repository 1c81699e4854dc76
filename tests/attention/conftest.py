"""Memories to look at: written out, or random ones of given lengths."""

import pytest
import torch

from regard.masks import keep_places
from regard.memory import Memory


@pytest.fixture
def memory_of():
    """One example's memory of these places."""

    def make(places, keep=None):
        values = torch.tensor([places])
        kept = torch.tensor([[True] * len(places) if keep is None else keep])
        return Memory(values, kept, values[:, 0], (len(places),))

    return make


@pytest.fixture
def random_memory():
    """A memory of random places, in double precision; padding holds numbers too, so that what leaks is seen."""

    def make(lengths, width, more=0):
        keep = keep_places(torch.tensor(lengths), size=max(lengths) + more)
        values = torch.randn(*keep.shape, width, dtype=torch.float64)
        return Memory(values, keep, values.new_zeros(len(lengths), 1), (keep.shape[1],))

    return make
