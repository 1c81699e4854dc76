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

    def forward(
        self, values: Float[Tensor, "*N T H"], mask: Float[Tensor, "*#N #T H"] | None = None
    ) -> Float[Tensor, "*N T H"]:
        if not self.training or self.share == 0.0:
            return values
        if not self.variational:
            return F.dropout(values, self.share)
        kept = self.mask(values) if mask is None else mask
        return values if kept is None else values * kept

    def mask(self, like: Float[Tensor, "*N T H"]) -> Float[Tensor, "*N #T H"] | None:
        """What a loop draws before its first step and hands in at every one; None where each step draws its own."""
        if not self.training or self.share == 0.0 or not self.variational:
            return None
        return F.dropout(torch.ones_like(like[..., :1, :]), self.share)

    def extra_repr(self) -> str:
        return f"{self.share}{', one mask a sequence' if self.variational else ''}"
