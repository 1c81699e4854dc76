"""Additive attention: one hidden layer over state and place, e = vᵀ tanh(W_k h_j + W_q s)."""

from typing import Literal

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
    Options = AdditiveOptions

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
