"""Location-based: softmax(W s), by the place alone, whatever stands there.

Unusual here: it is a dot product whose keys are the rows of W, the same for every memory.
"""

from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.scores.score import Score, Sizes
from regard.errors import RegardError
from regard.memory import Memory
from regard.parts import Options


class LocationOptions(Options):
    """e = (W s)_j: by place alone; answers no source longer than the longest of training."""

    type: Literal["location"] = "location"


class Location(Score):
    """e_j = (W s)_j, W with as many rows as the longest source of training, masked to each one's length
    (Luong et al. 2015, "location"). On grids a row a place."""

    name = "location"
    pairing = "dot"
    Options = LocationOptions

    def __init__(self, sizes: Sizes):
        super().__init__()
        if sizes.places is None:
            raise RegardError('the score "location" needs to know the most places that it will meet')
        self.rows = nn.Linear(sizes.query, sizes.places, bias=False)

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        # padding may reach beyond the last row, so what counts is the last place that anything keeps
        kept, known = memory.keep.any(0).nonzero(), self.rows.out_features
        longest = int(kept[-1]) + 1 if len(kept) else 0
        if longest > known:
            raise RegardError(
                f'a source of {longest} places came, and the score "location" knows only the first {known}, the longest'
                f" of its training; shorten it, or train with another score"
            )
        rows, size = self.rows.weight, memory.keep.shape[1]
        rows = rows[:size] if size <= known else nn.functional.pad(rows, (0, 0, 0, size - known))
        return rows.expand(len(memory.keep), -1, -1)

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return state
