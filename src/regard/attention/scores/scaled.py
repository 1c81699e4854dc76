"""The scaled dot product: e = h_j · s / √d."""

from typing import Literal

from jaxtyping import Float
from torch import Tensor

from regard.attention.scores.dot import Dot
from regard.parts import Options


class ScaledOptions(Options):
    """e = h·s/√d; the memory and the query must have the same size."""

    type: Literal["scaled"] = "scaled"


class Scaled(Dot):
    """e = h_j · s / √d, d the width of both (Vaswani et al. 2017)."""

    name = "scaled"
    Options = ScaledOptions

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return state * state.shape[-1] ** -0.5
