"""Dropout over sequences: anew at every step, or (variational) one mask for all steps of a sequence."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


class Dropout(nn.Module):
    """Zeroes a share of the values while training and scales up the rest.

    `variational` (Gal and Ghahramani 2016) draws one mask an example and keeps it over all its steps; ours does so on
    inputs and between layers, not inside the recurrence, so that fused recurrences still serve.
    """

    def __init__(self, share: float, variational: bool = False):
        super().__init__()
        self.share, self.variational = share, variational

    def forward(self, values: Float[Tensor, "*N T H"]) -> Float[Tensor, "*N T H"]:
        if not self.training or self.share == 0.0:
            return values
        if not self.variational:
            return F.dropout(values, self.share)
        mask = torch.ones_like(values.narrow(-2, 0, min(1, values.shape[-2])))
        return values * F.dropout(mask, self.share)

    def extra_repr(self) -> str:
        return f"{self.share}{', one mask a sequence' if self.variational else ''}"
