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
Step = Literal["own", "next"]


class SupervisedOptions(TermOptions):
    """−Σ_j α*_{t,j} log α_{t,j}: for looking where true links say, of the steps that have one."""

    type: Literal["supervised"] = "supervised"
    loss: Loss = Field("cross-entropy", description="how far weights are from the true ones: cross-entropy or squared")
    step: Step = Field(
        "own",
        description="which look is shown a symbol's links: own, that of the step which writes it; next, that of the"
        " step after, which has read it (better links, but maps come a row late)",
    )


def distance(
    weights: Float[Tensor, "*N S"], links: Float[Tensor, "*N S"], loss: Loss = "cross-entropy"
) -> Float[Tensor, "*N"]:
    """−Σ_j α*_j log α_j, or Σ_j (α*_j − α_j)², for α* the links of a row divided by their sum; 0 where it has none."""
    total = links.sum(-1, keepdim=True)
    true = links / total.clamp(min=torch.finfo(links.dtype).tiny)
    if loss == "squared":
        return ((true - weights).square() * (total > 0)).sum(-1)
    return -(true * weights.clamp(min=torch.finfo(weights.dtype).tiny).log()).sum(-1)


def at_step(links: Float[Tensor, "B T S"], step: Step) -> Float[Tensor, "B T S"]:
    """What each step is shown: the links of its own symbol, or of the one before."""
    return F.pad(links, (0, 0, 1, 0))[:, :-1] if step == "next" else links


class Supervised(Term):
    """L = −Σ_t Σ_j α*_{t,j} log α_{t,j}, the mean over the steps that have links (Mi et al. 2016, Chen et al. 2016).

    α* are the true links of a target symbol, alike and summing to 1; `squared` has Σ_t Σ_j (α*_{t,j} − α_{t,j})²
    instead (Liu et al. 2016). How ours differs: steps without links are left out, where others let them look at a
    place of their own or at all alike; and links are between words: a symbol has those of its word, with all symbols of
    the other. A look that writes a symbol must guess which it will be; one that has read it need not, so with `step =
    "next"` it is the look one step later that is shown the links, and that links are read from (Chen et al. 2020, who
    shift the looks of a model that was shown none). It must be one with the state after the cell (`when = "after"`).
    """

    name = "supervised"
    Options = SupervisedOptions
    needs = ("glances.{look}", f"batch.columns.{LINKS}.links", "weights")

    def __init__(self, loss: Loss = "cross-entropy", step: Step = "own", weight: float = 1.0, look: str | None = None):
        super().__init__(weight, look)
        self.loss: Loss = loss
        self.step: Step = step

    def forward(self, glance: Glance, links: Float[Tensor, "B T L"], counts: Float[Tensor, "B T"]) -> Total:
        weights = guided(glance)
        if links.shape[-1] > weights.shape[-1]:
            raise RegardError(
                f"the term {self.name!r} guides a look whose places are not the symbols of what is read: let it guide"
                " one at the encoder itself"
            )
        links = F.pad(
            at_step(links, self.step), (0, weights.shape[-1] - links.shape[-1])
        )  # columns joined to the first come after it
        counts = counts * (links.sum(-1) > 0)
        return Total((distance(weights, links, self.loss) * counts).sum(), counts.sum())
