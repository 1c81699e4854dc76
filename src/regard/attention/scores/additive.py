"""Additive attention: one hidden layer over state and place, e = vᵀ tanh(W_k h_j + W_q s); and what those scores
share that add what they remember of a place.

Legend: B batch, N steps or beams, S places, W places in a window, M memory width, Q query width, A attention width,
D numbers remembered of a place.
"""

from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from regard.attention.scores.score import Score
from regard.attention.sizes import Sizes
from regard.memory import Memory
from regard.parts import Options


class AdditiveOptions(Options):
    """e = v'tanh(Wh + Us): a hidden layer of its own; the concat form v'tanh(W[h; s]) is the same."""

    type: Literal["additive"] = "additive"
    width: int = Field(256, gt=0, description="width of the hidden layer")


class Additive(Score):
    """e = vᵀ tanh(W_k h_j + W_q s + b) (Bahdanau et al. 2015; "concat" of Luong et al. 2015 is vᵀ tanh(W [h_j; s]),
    the same with W = [W_k, W_q]). Ours adds one bias b, with the keys."""

    name = "additive"
    pairing = "additive"
    Options: ClassVar[type[Options]] = AdditiveOptions

    def __init__(self, sizes: Sizes, width: int = 256):
        super().__init__()
        self.project_memory = nn.Linear(sizes.memory, width)
        self.project_query = nn.Linear(sizes.query, width, bias=False)
        self.vector = nn.Parameter(torch.empty(width))
        nn.init.uniform_(self.vector, -(width**-0.5), width**-0.5)

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        return self.project_memory(memory.values)

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return self.project_query(state)


class AdditiveWithHistory(Additive):
    """e = vᵀ tanh(W_k h_j + W_q s + b + U r_j), r_j the D numbers that a subclass remembers of the place. U starts at
    zero: training starts as that of the additive score."""

    remembers = True

    def __init__(self, sizes: Sizes, width: int, remembered: int):
        super().__init__(sizes, width)
        self.project_history = nn.Linear(remembered, width, bias=False)
        nn.init.zeros_(self.project_history.weight)

    def renew(self, keys: Float[Tensor, "B #N W A"], recalled: Float[Tensor, "B N W D"]) -> Float[Tensor, "B N W A"]:
        return keys + self.project_history(recalled)
