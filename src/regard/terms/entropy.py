"""Entropy: to look at many places at once costs, so that looks become narrow.

Legend: B batch, T target steps, S places. Unusual here: it stands where an L1 norm is often written, which cannot do
it. Weights are positive and sum to 1, so |α_t|_1 = Σ_j α_{t,j} = 1 whatever the energies: a constant, without gradient.
A test proves it.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from regard.batch import Total
from regard.memory import Glance
from regard.terms.term import Term, TermOptions, guided


class EntropyOptions(TermOptions):
    """−Σ_j α_{t,j} log α_{t,j}: against looking at many places at once."""

    type: Literal["entropy"] = "entropy"


def entropy(weights: Float[Tensor, "*N S"]) -> Float[Tensor, "*N"]:
    """H = −Σ_j α_j log α_j in nats: 0 for one place, log S for all alike; where α_j = 0 its gradient is finite."""
    return -(weights * weights.clamp(min=torch.finfo(weights.dtype).tiny).log()).sum(-1)


class Entropy(Term):
    """L = −Σ_t Σ_j α_{t,j} log α_{t,j}, its mean over the target symbols.

    How ours differs: the L1 norm that is published for narrow looks, λ Σ_t |α_t|_1, is constant for weights that are
    normalised (each |α_t|_1 is 1), hence it has no gradient and narrows nothing. The entropy (Grandvalet and Bengio
    2005, for labels) is least, 0, where all the weight lies on one place.
    """

    name = "entropy"
    Options = EntropyOptions
    needs = ("glances.{look}", "weights")

    def forward(self, glance: Glance, counts: Float[Tensor, "B T"]) -> Total:
        return Total((entropy(guided(glance)) * counts).sum(), counts.sum())
