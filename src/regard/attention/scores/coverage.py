"""Coverage: how much was seen of a place until now joins its key, e = vᵀ tanh(W_k h_j + W_q s + V C_j).

Legend: B batch, N steps or beams, S places, D numbers remembered of a place, Q query width. Unusual here: one file for
three ways of remembering, which differ in one line each. A place's coverage depends on that place alone, so padding
cannot leak, and how places lie does not matter.
"""

from typing import Any, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from regard.attention.scores.additive import AdditiveWithHistory
from regard.attention.sizes import Sizes
from regard.memory import Glance, Memory
from regard.parts import Options

Form = Literal["sum", "fertility", "gru"]
LEAST = 1e-3  # of the most: the least fertility, so that no place counts as seen without end


class CoverageOptions(Options):
    """e = v'tanh(Wh + Us + VC), C what was seen of the place until now: it can leave what it has seen."""

    type: Literal["coverage"] = "coverage"
    width: int = Field(256, gt=0, description="width of the hidden layer")
    form: Form = Field(
        "sum", description="sum: of weights; fertility: as a share of what the place is good for; gru: learned"
    )
    most: float = Field(2.0, gt=0, description="fertility: the most that one place is good for")
    size: int = Field(10, gt=0, description="gru: how many numbers are remembered of a place")

    def idle(self) -> list[str]:
        forms = {"most": "fertility", "size": "gru"}
        return [
            f"{key} (only form = {form!r} has it)"
            for key, form in forms.items()
            if key in self.model_fields_set and form != self.form
        ]


class Coverage(AdditiveWithHistory):
    """e = vᵀ tanh(W_k h_j + W_q s + b + V C_j), C_{0,j} = 0, and after each look

    - sum: C_{t,j} = C_{t−1,j} + α_{t,j} (See et al. 2017);
    - fertility: C_{t,j} = C_{t−1,j} + α_{t,j} / Φ_j, Φ_j = N · sigmoid(u · h_j) (Tu et al. 2016, "linguistic", N = 2);
    - gru: C_{t,j} = GRU(C_{t−1,j}, [α_{t,j}; h_j; s]) (Tu et al. 2016, "neural", 10 wide).

    Ours differs in that the GRU is torch's (reset after the product), what it takes of h_j is worked out once, and Φ_j
    is at least a thousandth of N. The penalty on what is seen twice (See et al.) is no part of a score: it is a loss
    term.
    """

    name = "coverage"
    Options = CoverageOptions

    def __init__(self, sizes: Sizes, width: int = 256, form: Form = "sum", most: float = 2.0, size: int = 10):
        super().__init__(sizes, width, size if form == "gru" else 1)
        self.form, self.most = form, most
        if form == "fertility":
            self.fertility = nn.Linear(sizes.memory, 1, bias=False)
        elif form == "gru":
            self.cell = nn.GRUCell(1 + sizes.memory + sizes.query, size)  # of [α; h; s]

    def bind(self, memory: Memory) -> Float[Tensor, "B S _"] | None:
        if self.form == "fertility":
            return self.most * torch.sigmoid(self.fertility(memory.values)).clamp(min=LEAST)
        if self.form == "gru":
            return F.linear(memory.values, self.cell.weight_ih[:, 1 : 1 + memory.values.shape[2]], self.cell.bias_ih)
        return None

    def start(self, memory: Memory) -> Float[Tensor, "B S D"]:
        exact = torch.promote_types(memory.values.dtype, torch.float32)  # a sum in bfloat16 would lose small weights
        return memory.values.new_zeros(*memory.keep.shape, self.project_history.in_features, dtype=exact)

    def recall(self, past: Float[Tensor, "B N S D"]) -> Float[Tensor, "B N S D"]:
        return past

    def remember(
        self, past: Float[Tensor, "B N S D"], state: Float[Tensor, "B N Q"], glance: Glance, bound: Any
    ) -> Float[Tensor, "B N S D"]:
        weights = glance.weights[..., None]
        if self.form == "gru":
            of_weights, of_state = self.cell.weight_ih[:, 0], self.cell.weight_ih[:, -state.shape[2] :]
            new = bound[:, None] + weights * of_weights + F.linear(state, of_state)[:, :, None]
            return gru(new, F.linear(past, self.cell.weight_hh, self.cell.bias_hh), past)
        return past + (weights if bound is None else weights / bound[:, None])


def gru(
    new: Float[Tensor, "*N three_D"], old: Float[Tensor, "*N three_D"], past: Float[Tensor, "*N D"]
) -> Float[Tensor, "*N D"]:
    """(1 − z) tanh(n + r n') + z past, of what comes of the input (r, z, n) and of the past (r', z', n')."""
    reset, update = torch.sigmoid((new + old)[..., : 2 * past.shape[-1]]).chunk(2, -1)
    candidate = torch.tanh(new.chunk(3, -1)[2] + reset * old.chunk(3, -1)[2])
    return candidate + update * (past - candidate)
