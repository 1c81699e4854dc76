"""Coverage: to look again where one has looked before costs. Against answers that say the same thing twice.

Legend: B batch, T target steps, S places.
"""

from typing import Literal

from jaxtyping import Float
from torch import Tensor

from regard.batch import Total
from regard.memory import Glance
from regard.terms.term import Term, TermOptions, guided


class CoverageOptions(TermOptions):
    """Σ_t Σ_j min(α_{t,j}, c_{t,j}), c the weights of the steps before: against looking at a place again."""

    type: Literal["coverage"] = "coverage"


def looked_at_again(weights: Float[Tensor, "B T S"]) -> Float[Tensor, "B T"]:
    """Σ_j min(α_{t,j}, c_{t,j}) of every step, c_t = Σ_{t' < t} α_{t'}: 0 at the first, at most 1 after it."""
    return weights.minimum(weights.cumsum(1) - weights).sum(-1)


class Coverage(Term):
    """L = Σ_t Σ_j min(α_{t,j}, c_{t,j}) (See et al. 2017, equations 12 and 13; their λ is `weight`).

    How ours differs: theirs comes in for the last updates of a training, together with a score that is told of c; ours
    is there from the first update, whatever the score. It is counted a target symbol, as the usual loss is. A place
    that two symbols need (x, which is said K S) pays, too: where that is usual, λ is to be small.
    """

    name = "coverage"
    Options = CoverageOptions
    needs = ("glances.{look}", "weights")

    def forward(self, glance: Glance, counts: Float[Tensor, "B T"]) -> Total:
        return Total((looked_at_again(guided(glance)) * counts).sum(), counts.sum())
