"""Coverage: looking again where one has looked before costs.

Legend: B batch, T target steps, S places.
"""

from typing import Literal

from jaxtyping import Float
from torch import Tensor

from regard.batch import Total
from regard.terms.term import Term, TermOptions


class CoverageOptions(TermOptions):
    """Σ_t Σ_j min(α_{t,j}, c_{t,j}), c what the steps before looked at: against looking at a place again."""

    type: Literal["coverage"] = "coverage"


def overlap(weights: Float[Tensor, "B T S"]) -> Float[Tensor, "B T"]:
    """Σ_j min(α_{t,j}, c_{t,j}) of every step, c_t = Σ_{t' < t} α_{t'}: between 0 and 1, and 0 at the first."""
    return weights.minimum(weights.cumsum(1) - weights).sum(-1)


class Coverage(Term):
    """See et al. 2017, equations 12 and 13, λ = `weight`.

    How ours differs: theirs also tells the score of c (that is the score "coverage"), and begins late in training;
    ours is there from the beginning. Counted a target symbol, as the usual loss is.
    """

    name = "coverage"
    Options = CoverageOptions
    needs = ("glances.{look}.weights", "weights")

    def forward(self, weights: Float[Tensor, "B T S"], counts: Float[Tensor, "B T"]) -> Total:
        return Total((overlap(weights) * counts).sum(), counts.sum())
