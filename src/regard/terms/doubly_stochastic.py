"""Doubly stochastic attention: the weights of a step sum to 1, and those of a place over all steps are to do so too.

Legend: B batch, T target steps, S places. Unusual here: wherever the rows do sum to 1, the target sum τ moves the loss
and not its gradient, since Σ_j (τ − a_j)² = Sτ² − 2τT + Σ_j a_j²: what is asked for is evenness, whatever τ.
"""

from typing import Literal

from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor

from regard.batch import Total
from regard.memory import Glance
from regard.terms.term import Term, TermOptions, guided


class DoublyStochasticOptions(TermOptions):
    """Σ_j (τ − Σ_t α_{t,j})²: for looking at every place, and equally much."""

    type: Literal["doubly_stochastic"] = "doubly_stochastic"
    target: float = Field(1.0, gt=0, description="τ: what the weights of a place should add up to over the steps")


def unevenness(
    weights: Float[Tensor, "B T S"], steps: Bool[Tensor, "B T"], places: Bool[Tensor, "B S"], target: float = 1.0
) -> Float[Tensor, "B"]:
    """Σ_j (τ − Σ_t α_{t,j})² of each example, over its real steps and places."""
    sums = (weights * steps[..., None]).sum(1)
    return ((target - sums).square() * places).sum(-1)


class DoublyStochastic(Term):
    """L = Σ_j (τ − Σ_t α_{t,j})² (Xu et al. 2015, equation 14, where τ = 1; their λ is `weight`).

    How ours differs: padding counts neither as a step nor as a place. The sum over the examples is divided by their
    target symbols, as the usual loss is, so that the two stand to one another as in the paper, and a sum over places
    does not outweigh a mean over steps in long sources. τ has an effect where rows need not sum to 1 (a window whose
    weights are not renormalised).
    """

    name = "doubly_stochastic"
    Options = DoublyStochasticOptions
    needs = ("glances.{look}", "memories.{look}.keep", "keep", "batch.weights", "weights")

    def __init__(self, target: float = 1.0, weight: float = 1.0, look: str | None = None):
        super().__init__(weight, look)
        self.target = target

    def forward(
        self,
        glance: Glance,
        places: Bool[Tensor, "B S"],
        steps: Bool[Tensor, "B T"],
        examples: Float[Tensor, "B"],
        counts: Float[Tensor, "B T"],
    ) -> Total:
        return Total((unevenness(guided(glance), steps, places, self.target) * examples).sum(), counts.sum())
