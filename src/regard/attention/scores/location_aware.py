"""Location-aware: what stands at a place, and how the last look lay about it, e = vᵀ tanh(W_k h_j + W_q s + U f_j).

Legend: B batch, N steps or beams, S places, C channels (the last look, the sum of all, or both), D filters, *P how
the places lie: (S,), (rows, columns), (frames, rows, columns). Unusual here: what is remembered keeps that form, so
that filters see neighbours of a picture above and below as well; padding has no weight, so nothing of it is seen.
"""

from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from regard.attention.scores.additive import AdditiveWithHistory
from regard.attention.sizes import Sizes
from regard.errors import RegardError
from regard.memory import Glance, Memory
from regard.parts import Options

History = Literal["last", "sum", "both"]
CONVOLUTIONS: dict[int, Any] = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}


class LocationAwareOptions(Options):
    """e = v'tanh(Wh + Us + Vf), f = F * weights of the last look: it can go on from where it was."""

    type: Literal["location-aware"] = "location-aware"
    width: int = Field(256, gt=0, description="width of the hidden layer")
    filters: int = Field(10, gt=0, description="number of filters")
    reach: int = Field(3, gt=0, description="how many places a filter sees to either side")
    history: History = Field(
        "last", description="what filters see: weights of the last look, the sum of all looks, or both"
    )


class Seen(NamedTuple):
    """Weights of the looks before."""

    last: Float[Tensor, "B *P"]  # or B N *P
    total: Float[Tensor, "B *P"]  # in float32 at least: bfloat16 would lose small weights


def first_place(memory: Memory) -> Float[Tensor, "B S"]:
    """All weight on the first place that is kept; none where there is none."""
    return (memory.keep & (memory.keep.cumsum(1) == 1)).to(memory.values.dtype)


class LocationAware(AdditiveWithHistory):
    """e = vᵀ tanh(W_k h_j + W_q s + b + U f_j), f = F * α_{t−1} (Chorowski et al. 2015; `history = "both"`, with
    Σ_{i<t} α_i beside it, as in Tacotron 2, Shen et al. 2018).

    The paper does not say what α_0 is. Ours has all weight on the first place: a look before the first one, at where
    reading begins, as sharp as those that follow and the same for any length (a uniform one would be a shape that the
    filters never see again). The sum starts at nothing, since nothing was looked at. Filters see 2·reach + 1 places,
    on a picture as many in each direction; the paper's, for sound, see 201."""

    name = "location-aware"
    Options = LocationAwareOptions

    def __init__(self, sizes: Sizes, width: int = 256, filters: int = 10, reach: int = 3, history: History = "last"):
        super().__init__(sizes, width, filters)
        self.history, self.sides = history, 1 if sizes.shape is None else len(sizes.shape)
        channels = 2 if history == "both" else 1
        self.filters = CONVOLUTIONS[self.sides](channels, filters, 2 * reach + 1, padding=reach, bias=False)

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        if len(memory.shape) != self.sides:
            raise RegardError(
                f'places of {len(memory.shape)} sides came, and the score "location-aware" was made for {self.sides}'
                ' (sizes.shape says how many); use another score, such as "coverage"'
            )
        return super().keys(memory)

    def start(self, memory: Memory) -> Seen:
        first = first_place(memory).unflatten(1, memory.shape)
        return Seen(first, torch.zeros_like(first, dtype=torch.promote_types(first.dtype, torch.float32)))

    def recall(self, past: Seen) -> Float[Tensor, "B N S D"]:
        seen = torch.stack({"last": [past.last], "sum": [past.total], "both": [*past]}[self.history], 2)  # (B, N, C, P)
        if not seen.numel():
            return seen.new_zeros(*seen.shape[:2], seen.shape[3:].numel(), self.filters.out_channels)
        features = self.filters(seen.flatten(0, 1)).flatten(2)  # (B N, D, S)
        return features.transpose(1, 2).unflatten(0, seen.shape[:2])

    def remember(self, past: Seen, state: Float[Tensor, "B N Q"], glance: Glance, bound: Any) -> Seen:
        last = glance.weights.unflatten(-1, past.last.shape[2:])
        return Seen(last, past.total + last)
