"""The dot product: e = h_j · s. No parameters; query and memory must have the same size."""

from typing import ClassVar, Literal

from jaxtyping import Float
from torch import Tensor

from regard.attention.scores.score import Score
from regard.attention.sizes import Sizes
from regard.errors import RegardError
from regard.memory import Memory
from regard.parts import Options


class DotOptions(Options):
    """e = h·s; the memory and the query must have the same size."""

    type: Literal["dot"] = "dot"


class Dot(Score):
    """e = h_j · s (Luong et al. 2015, "dot")."""

    name = "dot"
    pairing = "dot"
    Options: ClassVar[type[Options]] = DotOptions

    def __init__(self, sizes: Sizes):
        super().__init__()
        if sizes.query != sizes.memory:
            raise RegardError(
                f'the score "{self.name}" needs a query as wide as the memory, but the query has {sizes.query} and the'
                f' memory {sizes.memory}; make the sizes equal or use score = "general"'
            )

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        return memory.values

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return state
