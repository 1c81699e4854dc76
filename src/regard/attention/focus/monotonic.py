"""Monotonic attention: from the place of the step before, go on until a place is chosen, and never back.

Legend: B batch, N beams (1 in training), S places. Unusual here: it remembers its last weights. In training those are
the chances of having stopped at each place, in use they are one place, and where the end was passed there are none.
"""

from typing import Any, Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from regard.attention.focus.focus import Choice, Focus, need_a_line, precise
from regard.attention.sizes import Sizes
from regard.memory import Glance, Memory
from regard.parts import Options


class MonotonicOptions(Options):
    """From the last place on, stop at each with chance sigmoid(e + r); never back. In use, the first with 1/2."""

    type: Literal["monotonic"] = "monotonic"
    bias: float = Field(0.0, description="r at the beginning, learned: the higher, the sooner it stops")
    noise: float = Field(1.0, ge=0, description="spread of the noise of training, which drives chances to 0 and 1")


def expected(
    logits: Float[Tensor, "B N S"], keep: Bool[Tensor, "B #N S"], last: Float[Tensor, "B N S"]
) -> Float[Tensor, "B N S"]:
    """α_j = p_j q_j, q_j = (1 − p_{j−1}) q_{j−1} + last_j, p = sigmoid(logits): the chance of stopping at each place.

    Worked out at once as log q_j = C_j + log Σ_{k≤j} exp(log last_k − C_k), C_j = Σ_{k<j} log(1 − p_k). The published
    form divides by exp(C), which is 0 in a long source; in logarithms nothing is.
    """
    passed = F.logsigmoid(-logits).masked_fill(~keep, 0.0)
    before = passed.cumsum(-1) - passed
    came = last.clamp(min=torch.finfo(last.dtype).tiny).log()
    reached = before + (came - before).logcumsumexp(-1)
    return (reached + F.logsigmoid(logits)).exp().masked_fill(~keep, 0.0)


def first_stop(
    logits: Float[Tensor, "B N S"], keep: Bool[Tensor, "B #N S"], last: Float[Tensor, "B N S"]
) -> Float[Tensor, "B N S"]:
    """1 at the first kept place, from the last one on, with p ≥ 1/2; zeros where there is none."""
    stops = keep & (logits >= 0) & (last.cumsum(-1) > 0)
    return (stops & (stops.cumsum(-1) == 1)).to(logits.dtype)


class Monotonic(Focus):
    """p_{t,j} = sigmoid(e_{t,j} + r); each step goes on from the last place and stops at j with chance p_{t,j}
    (Raffel et al. 2017). In training α_t is the expectation of that, α_{t,j} = p_{t,j} Σ_{k≤j} α_{t−1,k}
    Π_{k≤l<j} (1 − p_{t,l}), with noise added to the energies so that p learns to be near 0 or 1; in use the first place
    with p ≥ 1/2 is taken.

    **Rows may sum to less than 1**: what passes the end without stopping looks at nothing, as in the paper, and in the
    steps after it as well, in training and in use alike. How ours differs: e is of any score, without the paper's
    weight normalisation; the recursion is in logarithms (`expected`).
    """

    name = "monotonic"
    Options = MonotonicOptions
    remembers = True
    sums_to_one = False

    def __init__(self, sizes: Sizes | None = None, bias: float = 0.0, noise: float = 1.0):
        super().__init__(sizes)
        need_a_line(self.name, sizes)
        self.bias, self.noise = nn.Parameter(torch.tensor(bias)), noise

    def start(self, memory: Memory) -> Float[Tensor, "B S"]:
        """All at the first place."""
        last = precise(torch.zeros_like(memory.values[..., 0]))
        last[:, :1] = 1.0
        return last

    def remember(self, past: Any, glance: Glance) -> Float[Tensor, "B N S"]:
        return glance.weights

    def weigh(
        self,
        energies: Float[Tensor, "B N W"],
        keep: Bool[Tensor, "B #N W"],
        choice: Choice | None = None,
        past: Any = None,
    ) -> Glance:
        assert past is not None, "a look that remembers is told what it saw last"
        logits = precise(energies) + self.bias
        if not self.training:
            return Glance(first_stop(logits, keep, past))
        return Glance(expected(logits + self.noise * torch.randn_like(logits), keep, past))
