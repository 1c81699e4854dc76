"""Hard attention: one place a step, drawn from the softmax while training, the most likely one in use.

Legend: B batch, N queries of an example, W places to choose from. Unusual here: the choice carries no gradient. What
is handed on with it, the logarithm of its probability, does, and a term of the training (`reinforce`) makes a gradient
of that. Whether an example is soft for once is drawn before its first look and travels with it like a past.
"""

from typing import Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor

from regard.attention.focus.focus import Choice, Focus, precise
from regard.attention.focus.gumbel import gumbel_noise
from regard.attention.sizes import Sizes
from regard.masks import largest_place, masked_softmax
from regard.memory import Glance, Memory
from regard.parts import Options


class HardOptions(Options):
    """One place, drawn from the softmax in training, the most likely one in use; the term `reinforce` teaches it."""

    type: Literal["hard"] = "hard"
    soft_share: float = Field(
        0.5, ge=0, le=1, description="share of the examples of training that see the soft context instead"
    )


def log_chances(energies: Float[Tensor, "*N W"], keep: Bool[Tensor, "*#N W"]) -> Float[Tensor, "*N W"]:
    """log α_j over the kept places; 0 elsewhere, so that an empty row adds nothing."""
    if energies.shape[-1] == 0:
        return energies
    return energies.masked_fill(~keep, torch.finfo(energies.dtype).min).log_softmax(-1).masked_fill(~keep, 0.0)


class Hard(Focus):
    """j ~ α in training, j = argmax α in use (of equals the first); weight 1 on it, with log α_j and all of α
    (Xu et al. 2015, "Show, Attend and Tell", the stochastic form).

    `soft_share`: so many examples of training, each for all of its steps, get Σ_j α_j h_j instead of a drawn place (one
    half in that paper). Nothing is drawn there, so their `log_prob` is 0 and has no gradient, and a score-function term
    gets nothing of them; their gradient comes through the weights. How ours differs: drawn by adding Gumbel noise to
    the energies, which is the same distribution; the baseline and the entropy term belong to the training.
    """

    name = "hard"
    Options = HardOptions
    taught_by = "reinforce"

    def __init__(self, sizes: Sizes | None = None, soft_share: float = 0.5):
        super().__init__(sizes)
        self.soft_share = soft_share

    def start(self, memory: Memory) -> Bool[Tensor, "B"] | None:
        """Which examples are soft; None where none is."""
        if not self.training or self.soft_share == 0:
            return None
        return torch.rand(len(memory.keep), device=memory.keep.device) < self.soft_share

    def weigh(
        self,
        energies: Float[Tensor, "B N W"],
        keep: Bool[Tensor, "B #N W"],
        choice: Choice | None = None,
        past: Bool[Tensor, "B #N"] | None = None,
    ) -> Glance:
        energies = precise(energies)
        chances = masked_softmax(energies, keep)
        drawn = energies.detach()
        weights = largest_place(drawn + gumbel_noise(drawn) if self.training else drawn, keep)
        log_prob = (weights * log_chances(energies, keep)).sum(-1)
        if past is not None:
            weights = torch.where(past[..., None], chances, weights)
            log_prob = log_prob.masked_fill(past, 0.0)
        return Glance(weights, None if choice is None else choice.places, log_prob, chances)
