"""REINFORCE: what teaches a look that draws its places, through which no gradient passes.

Legend: B batch, T target steps, S places. Unusual here: the value of this loss means nothing, only its gradient does.
Together with the usual loss it is, on the mean over all draws, the gradient of the expected loss; a test enumerates all
draws of a small model and finds the two equal.
"""

from typing import Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor

from regard.batch import Total
from regard.terms.entropy import entropy
from regard.terms.term import Term, TermOptions


class ReinforceOptions(TermOptions):
    """−log p(place) · (reward − baseline): makes places likelier that led to a smaller loss, for hard looks."""

    type: Literal["reinforce"] = "reinforce"
    reward: Literal["onward", "step"] = Field(
        "onward",
        description="what a place is praised for: the step itself and all after it, or the step alone (right where no"
        " context feeds the recurrence, and less noisy there)",
    )
    decay: float = Field(0.9, ge=0, lt=1, description="of the moving average of rewards, an update: the baseline")
    entropy: float = Field(0.01, ge=0, description="how much the entropy of what is drawn from is praised")


def onward(values: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """Σ_{t' ≥ t} values_{t'}."""
    return values.flip(1).cumsum(1).flip(1)


class Reinforce(Term):
    """L = −Σ_t [ log p(a_t) · (R_t − b_t) + entropy · H_t ], neither R nor b with a gradient (Williams 1992).

    a_t is the place that was drawn, H_t the entropy of what it was drawn from. R_t = Σ_{t' ≥ t} log P(y_{t'})
    (`onward`), or log P(y_t) alone (`step`), as the usual loss has it, smoothing included. b_t = b · (steps from t on),
    or b, where b is the moving average of the mean reward a step, over the batches before this one.

    How ours differs from Xu et al. 2015 (λ_r is `weight`, λ_e `weight` · `entropy`): they reward every place with the
    log-probability of the whole sentence, earlier words too, and take off one number for long and short sentences
    alike. That our baseline knows how many steps are left, and that our average does not begin at 0, leaves the
    expectation as it is and makes it less noisy. Steps that drew no place (log p = 0: an empty source, or a step that
    looked softly) contribute nothing.
    """

    name = "reinforce"
    Options = ReinforceOptions
    needs = ("glances.{look}.log_prob", "glances.{look}.chances", "losses", "keep", "weights")
    rewards: Tensor
    mass: Tensor

    def __init__(
        self,
        reward: Literal["onward", "step"] = "onward",
        decay: float = 0.9,
        entropy: float = 0.01,
        weight: float = 1.0,
        look: str | None = None,
    ):
        super().__init__(weight, look)
        self.onward, self.decay, self.entropy = reward == "onward", decay, entropy
        self.register_buffer("rewards", torch.zeros(()))  # the moving average, which begins at 0 …
        self.register_buffer("mass", torch.zeros(()))  # … and how much of it is rewards by now

    @property
    def baseline(self) -> Float[Tensor, ""]:
        """b: the mean reward a step that is to be expected; 0 before the first batch."""
        return self.rewards / self.mass.clamp(min=1e-6)

    def forward(
        self,
        log_probs: Float[Tensor, "B T"],
        chances: Float[Tensor, "B T S"],
        losses: Float[Tensor, "B T"],
        keep: Bool[Tensor, "B T"],
        counts: Float[Tensor, "B T"],
    ) -> Total:
        drawn = counts * (log_probs != 0)
        rewards, left = -losses.detach(), keep.to(losses.dtype)
        surprise = rewards - self.baseline * left
        surprise = onward(surprise) if self.onward else surprise
        praise = log_probs * surprise + self.entropy * entropy(chances)
        if self.training:
            self._remember(rewards, drawn)
        return Total(-(praise * drawn).sum(), counts.sum())

    @torch.no_grad()
    def _remember(self, rewards: Tensor, drawn: Tensor) -> None:
        """One batch more; one that drew nothing leaves the average as it is."""
        count = drawn.sum()
        mean = (rewards * drawn).sum() / count.clamp(min=1e-6)
        step = ((1 - self.decay) * (count > 0)).to(self.rewards.dtype)
        self.rewards.lerp_(mean.to(self.rewards.dtype), step)
        self.mass.lerp_(torch.ones_like(self.mass), step)
