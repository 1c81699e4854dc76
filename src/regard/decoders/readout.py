"""The readout: what the decoder knows at a step, joined and folded into the features that the emission reads.

Legend: *N B K or B T, I joined width, F feature width. One function a layer: linear, tanh, or maxout.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

ReadoutLayer = Literal["linear", "tanh", "maxout"]


def maxout(values: Float[Tensor, "*N I"]) -> Float[Tensor, "*N F"]:
    """f_i = max(v_{2i}, v_{2i+1}) (Goodfellow et al. 2013): half as wide as what comes in."""
    return values.unflatten(-1, (-1, 2)).amax(-1)


class Readout(nn.Module):
    """f = layer(W [x_1; x_2; …] + b)."""

    def __init__(self, inputs: int, width: int, layer: ReadoutLayer):
        super().__init__()
        self.layer = layer
        self.project = nn.Linear(inputs, 2 * width if layer == "maxout" else width)
        self.width = width

    def forward(self, parts: list[Tensor]) -> Tensor:
        values = self.project(torch.cat(parts, -1))
        if self.layer == "maxout":
            return maxout(values)
        return torch.tanh(values) if self.layer == "tanh" else values
