"""A score that is a small network: e = MLP([h_j; s]) with one linear output.

Unusual here: its pairing is its own, so no fast kernel serves it, and it costs layers × width² for every pair.
"""

from typing import Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from regard.attention.scores.score import Score
from regard.attention.sizes import Sizes
from regard.memory import Memory
from regard.parts import Options


class MLPOptions(Options):
    """e = MLP([h; s]) with `layers` hidden layers; with one it is the additive score with an output bias."""

    type: Literal["mlp"] = "mlp"
    width: int = Field(128, gt=0, description="width of each hidden layer")
    layers: int = Field(2, gt=0, description="number of hidden layers")


class MLP(Score):
    """e = w · z_n + b, z_i = tanh(W_i z_{i-1} + b_i), z_0 = [h_j; s]. The first layer is split between memory and
    query, so that its larger half is worked out once."""

    name = "mlp"
    pairing = "own"
    Options = MLPOptions

    def __init__(self, sizes: Sizes, width: int = 128, layers: int = 2):
        super().__init__()
        self.project_memory = nn.Linear(sizes.memory, width)
        self.project_query = nn.Linear(sizes.query, width, bias=False)
        self.hidden = nn.ModuleList(nn.Linear(width, width) for _ in range(layers - 1))
        self.output = nn.Linear(width, 1)

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        return self.project_memory(memory.values)

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return self.project_query(state)

    def pair(self, query: Float[Tensor, "B N A"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B N S"]:
        layer = torch.tanh(query[:, :, None] + keys[:, None])
        for hidden in self.hidden:
            layer = torch.tanh(hidden(layer))
        return self.output(layer).squeeze(-1)
