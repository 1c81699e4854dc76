"""A score of a third party: the nearer a place lies to the decoder's state, the better it matches.

Legend: B batch, N queries of an example, S places, A attention width, Q query width.
"""

from typing import Literal

from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from regard.attention import Score, Sizes
from regard.memory import Memory
from regard.parts import Options


class DistanceOptions(Options):
    """e = -sharpness · |Wh - s|² / 2: the nearer, the better."""

    type: Literal["distance"] = "distance"
    sharpness: float = Field(1.0, gt=0, description="how fast the energy falls with the distance")


class Distance(Score):
    """e_j = -λ |W h_j - s|² / 2."""

    name = "distance"
    pairing = "own"
    Options = DistanceOptions

    def __init__(self, sizes: Sizes, sharpness: float = 1.0):
        super().__init__()
        self.project = nn.Linear(sizes.memory, sizes.query, bias=False)
        self.sharpness = sharpness

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        return self.project(memory.values)

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return state

    def pair(self, query: Float[Tensor, "B N A"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B N S"]:
        return -self.sharpness / 2 * (query[:, :, None] - keys[:, None]).square().sum(-1)
