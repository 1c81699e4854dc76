"""The usual emission: P(y) = softmax(W f + b).

Legend: B batch, T steps, *N B K or B T, F feature width, V vocabulary, E embedding width.
"""

from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from regard.batch import PAD, START, UNKNOWN
from regard.decoders.emissions.emission import Emission
from regard.parts import Options


class LinearOptions(Options):
    """softmax(W f + b) over the target's symbols."""

    type: Literal["linear"] = "linear"


class Linear(Emission):
    """P(y) = softmax(W f + b); `tied` takes W from the target's embeddings (Press and Wolf 2017)."""

    name = "linear"
    Options = LinearOptions

    def __init__(self, width: int, size: int, tied: nn.Parameter | None = None):
        super().__init__()
        self.output = nn.Linear(width, size)
        if tied is not None:
            self.output.weight = tied

    def loss(
        self,
        features: Float[Tensor, "B T F"],
        targets: Int[Tensor, "B T"],
        keep: Bool[Tensor, "B T"],
        smoothing: float = 0.0,
    ) -> Float[Tensor, "B T"]:
        """Cross-entropy with label smoothing: (1−ε) of the mass on the target, ε spread over all V symbols."""
        kept = keep.reshape(-1).nonzero().squeeze(1)  # padding never meets the output layer
        logits = self.output(features.flatten(0, 1)[kept]).float()
        losses = F.cross_entropy(logits, targets.reshape(-1)[kept], reduction="none", label_smoothing=smoothing)
        return losses.new_zeros(keep.numel()).index_copy(0, kept, losses).view_as(keep)

    def log_probs(self, features: Float[Tensor, "*N F"]) -> Float[Tensor, "*N V"]:
        logits = self.output(features).float()
        never = torch.tensor([PAD, START, UNKNOWN], device=logits.device)
        return logits.index_fill(-1, never, float("-inf")).log_softmax(-1)
