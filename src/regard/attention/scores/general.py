"""The projected dot product: e = h_jᵀ W s, for sizes that may differ."""

from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.scores.score import Score
from regard.attention.sizes import Sizes
from regard.memory import Memory
from regard.parts import Options


class GeneralOptions(Options):
    """e = h'Ws: a dot product after one projection."""

    type: Literal["general"] = "general"


class General(Score):
    """e = h_jᵀ W s (Luong et al. 2015, "general"). Ours projects the memory, once, and not the query at every step."""

    name = "general"
    pairing = "dot"
    Options = GeneralOptions

    def __init__(self, sizes: Sizes):
        super().__init__()
        self.project = nn.Linear(sizes.memory, sizes.query, bias=False)  # Wᵀ

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        return self.project(memory.values)

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return state
