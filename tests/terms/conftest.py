"""What a term is given: random weights over random places, written out where a test asks for numbers by hand."""

from types import SimpleNamespace

import pytest
import torch

from regard.batch import Batch, Tokens
from regard.masks import keep_places, masked_softmax
from regard.memory import Glance, Memory
from regard.terms import Seen


def seen(sources=(4, 2), targets=(3, 1), window=None, more=0):
    """A batch of random looks: `window` places of each step, else all; `more` columns of padding on both sides."""
    torch.manual_seed(0)
    places = keep_places(torch.tensor(sources), size=max(sources) + more)
    steps = keep_places(torch.tensor(targets), size=max(targets) + more)
    energies = torch.randn(len(sources), max(targets), max(sources), dtype=torch.float64)
    energies = torch.nn.functional.pad(energies, (0, more, 0, more)).requires_grad_()
    weights = masked_softmax(energies, places[:, None])
    chosen = None
    if window is not None:
        chosen = torch.stack([torch.randperm(places.shape[1])[:window] for _ in range(steps.numel())])
        chosen = chosen.view(*steps.shape, window)
        weights = weights.gather(-1, chosen)
    losses = torch.rand(steps.shape, dtype=torch.float64) * steps
    examples = torch.tensor([1.0, 3.0])[: len(sources)]
    memory = Memory(torch.zeros(*places.shape, 1), places, torch.zeros(len(sources), 1), (places.shape[1],))
    batch = Batch({"links": Tokens(torch.zeros_like(steps, dtype=torch.long), steps)}, torch.arange(len(sources)),
                  examples)  # fmt: skip
    counts = examples[:, None] * steps
    made = Seen(batch, losses, steps, counts, {"source": Glance(weights, chosen)}, {"source": memory})
    return SimpleNamespace(seen=made, energies=energies)


@pytest.fixture
def looks():
    return seen
