"""The moving average of the weights: what is evaluated, kept and answered with.

a ← a + (1 − d_t)(w − a), d_t = min(d, (1 + t) / (10 + t)): the average begins with the weights of the first updates
and not with the random ones.
"""

from copy import deepcopy

import torch
from torch import Tensor, nn

from regard.model import Model


class Average:
    """A second model whose weights follow those of the first. With `decay` 0 it is the first itself."""

    def __init__(self, model: Model, decay: float):
        self.decay, self.updates = decay, 0
        self.model = deepcopy(model).requires_grad_(False).eval() if decay else model
        for part in self.model.modules():
            if isinstance(part, nn.RNNBase):
                part.flatten_parameters()  # a copy's lie apart, which cuDNN would mend at every call
        self._ours: list[Tensor] = list(self.model.parameters())
        self._theirs: list[Tensor] = list(model.parameters())

    @torch.no_grad()
    def update(self) -> None:
        self.updates += 1
        if self.decay:
            decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
            torch._foreach_lerp_(self._ours, self._theirs, 1 - decay)
