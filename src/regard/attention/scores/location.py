"""Location-based: softmax(W s), by the place alone, whatever stands there.

Unusual here: it is a dot product whose keys are the rows of W, the same for every memory.
"""

import math
from collections.abc import Sequence
from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from regard.attention.scores.score import Score
from regard.attention.sizes import Sizes
from regard.errors import RegardError
from regard.memory import Memory
from regard.parts import Options


class LocationOptions(Options):
    """e = (W s)_j: by place alone; answers no source longer than the longest of training."""

    type: Literal["location"] = "location"


class Location(Score):
    """e_j = (W s)_j, W with as many rows as the longest source of training, masked to each one's length
    (Luong et al. 2015, "location"). On grids a row for every place of the tallest and widest, whatever the batch."""

    name = "location"
    pairing = "dot"
    Options = LocationOptions

    def __init__(self, sizes: Sizes):
        super().__init__()
        if sizes.shape is None:
            raise RegardError('the score "location" needs to know the most places that it will meet')
        self.shape = sizes.shape
        self.rows = nn.Linear(sizes.query, math.prod(sizes.shape), bias=False)

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        # padding may reach beyond what is known, so what counts is the last place, along each side, that anything keeps
        kept = memory.keep.any(0).view(memory.shape).nonzero()
        longest = (kept.max(0).values + 1).tolist() if len(kept) else []
        if any(side > known for side, known in zip(longest, self.shape, strict=False)):
            raise RegardError(
                f'a source of {_by(longest)} places came, and the score "location" knows only the first'
                f" {_by(self.shape)}, the longest of its training; shorten it, or train with another score"
            )
        rows = self.rows.weight.view(*self.shape, self.rows.in_features)
        more = [(0, size - known) for size, known in zip(memory.shape, self.shape, strict=True)]
        rows = F.pad(rows, [0, 0, *(number for side in reversed(more) for number in side)])  # below 0 it cuts off
        return rows.flatten(0, -2).expand(len(memory.keep), -1, -1)

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return state


def _by(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))
