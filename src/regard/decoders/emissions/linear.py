"""The usual emission: P(y) = softmax(W f + b).

Legend: B batch, T steps, K beams, F feature width, V vocabulary, E embedding width.
"""

from typing import Any, Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from regard.batch import PAD, START, UNKNOWN
from regard.decoders.emissions.emission import Emission, Said, Surroundings
from regard.parts import Options


class LinearOptions(Options):
    """softmax(W f + b) over the target's symbols."""

    type: Literal["linear"] = "linear"


def output_layer(around: Surroundings) -> nn.Linear:
    """W and b; W is the target's embeddings where they are tied (Press and Wolf 2017)."""
    layer = nn.Linear(around.features, around.size)
    if isinstance(around.tied, nn.Parameter):
        layer.weight = around.tied
    return layer


def log_softmax_of_answers(logits: Float[Tensor, "*N V"]) -> Float[Tensor, "*N V"]:
    """In float32, over the symbols that an answer can hold: neither padding nor start nor unknown."""
    never = torch.tensor([PAD, START, UNKNOWN], device=logits.device)
    return logits.float().index_fill(-1, never, float("-inf")).log_softmax(-1)


class Linear(Emission):
    """P(y) = softmax(W f + b); `tied` takes W from the target's embeddings (Press and Wolf 2017)."""

    name = "linear"
    Options = LinearOptions

    def __init__(self, around: Surroundings):
        super().__init__(around)
        self.output = output_layer(around)

    def loss(
        self,
        said: Said,
        bound: Any,
        targets: Int[Tensor, "B T"],
        keep: Bool[Tensor, "B T"],
        smoothing: float = 0.0,
    ) -> Float[Tensor, "B T"]:
        """Cross-entropy with label smoothing: (1−ε) of the mass on the target, ε spread over all V symbols."""
        kept = keep.reshape(-1).nonzero().squeeze(1)  # padding never meets the output layer
        logits = self.output(said.features.flatten(0, 1)[kept]).float()
        losses = F.cross_entropy(logits, targets.reshape(-1)[kept], reduction="none", label_smoothing=smoothing)
        return losses.new_zeros(keep.numel()).index_copy(0, kept, losses).view_as(keep)

    def log_probs(self, said: Said, bound: Any, past: Any) -> tuple[Float[Tensor, "B K V"], Any]:
        return log_softmax_of_answers(self.output(said.features)), past
