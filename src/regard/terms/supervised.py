"""Supervised attention: where it is known which words belong together, the look is shown where to look.

Legend: B batch, T target steps, S places.
"""

from typing import Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from regard.batch import LINKS, Total
from regard.errors import RegardError
from regard.memory import Glance
from regard.terms.term import Term, TermOptions, guided

Loss = Literal["cross-entropy", "squared"]


class SupervisedOptions(TermOptions):
    """−Σ_j α*_{t,j} log α_{t,j}: for looking where true links say, of the steps that have one."""

    type: Literal["supervised"] = "supervised"
    loss: Loss = Field("cross-entropy", description="how far weights are from the true ones: cross-entropy or squared")


def distance(
    weights: Float[Tensor, "*N S"], links: Float[Tensor, "*N S"], loss: Loss = "cross-entropy"
) -> Float[Tensor, "*N"]:
    """−Σ_j α*_j log α_j, or Σ_j (α*_j − α_j)², for α* the links of a row divided by their sum; 0 where it has none."""
    total = links.sum(-1, keepdim=True)
    true = links / total.clamp(min=torch.finfo(links.dtype).tiny)
    if loss == "squared":
        return ((true - weights).square() * (total > 0)).sum(-1)
    return -(true * weights.clamp(min=torch.finfo(weights.dtype).tiny).log()).sum(-1)


class Supervised(Term):
    """L = −Σ_t Σ_j α*_{t,j} log α_{t,j}, the mean over the steps that have links (Mi et al. 2016, Chen et al. 2016).

    α* are the true links of a target symbol, alike and summing to 1; `squared` has Σ_t Σ_j (α*_{t,j} − α_{t,j})²
    instead (Liu et al. 2016). How ours differs: steps without links are left out, where others let them look at a
    place of their own or at all alike; and links are between words: a symbol has those of its word, with all symbols of
    the other.
    """

    name = "supervised"
    Options = SupervisedOptions
    needs = ("glances.{look}", f"batch.columns.{LINKS}.links", "weights")

    def __init__(self, loss: Loss = "cross-entropy", weight: float = 1.0, look: str | None = None):
        super().__init__(weight, look)
        self.loss: Loss = loss

    def forward(self, glance: Glance, links: Float[Tensor, "B T L"], counts: Float[Tensor, "B T"]) -> Total:
        weights = guided(glance)
        if links.shape[-1] > weights.shape[-1]:
            raise RegardError(
                f"the term {self.name!r} guides a look whose places are not the symbols of what is read: let it guide"
                " one at the encoder itself"
            )
        links = F.pad(links, (0, weights.shape[-1] - links.shape[-1]))  # columns joined to the first come after it
        counts = counts * (links.sum(-1) > 0)
        return Total((distance(weights, links, self.loss) * counts).sum(), counts.sum())
