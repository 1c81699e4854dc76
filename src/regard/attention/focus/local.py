"""Local attention: only the places near an alignment position are scored.

Legend: B batch, N queries of an example, S places, W places in the window, Q query width. Unusual here: the window is
chosen before anything is scored, so a step costs as much in a source of fifty places as in one of five thousand. At
the borders the window is moved back into the memory, so that no place is in it twice, and what is then too far from
its middle is not kept.
"""

from typing import Any, Literal

import torch
from jaxtyping import Bool, Float, Int
from pydantic import Field
from torch import Tensor, nn

from regard.attention.focus.focus import Choice, Focus, need_a_line, precise
from regard.attention.sizes import Sizes
from regard.errors import RegardError
from regard.masks import masked_softmax
from regard.memory import Glance, Memory
from regard.parts import Options


class LocalOptions(Options):
    """A window of 2·width + 1 places about the step's own number (monotonic) or about a predicted place."""

    type: Literal["local"] = "local"
    kind: Literal["monotonic", "predictive"] = Field(
        "predictive", description="the window lies about place t at step t, or about a place that the query predicts"
    )
    width: int = Field(10, gt=0, description="places on each side of the middle; sigma of the Gaussian is half of it")
    renormalise: bool = Field(False, description="predictive: rows sum to 1 again after the Gaussian")

    def idle(self) -> list[str]:
        unused = self.kind == "monotonic" and "renormalise" in self.model_fields_set
        return ["renormalise (a monotonic window has no Gaussian, and its rows sum to 1)"] if unused else []


class Local(Focus):
    """α over the window [p − D, p + D], D = `width` (Luong et al. 2015).

    `monotonic` (local-m): p = t, and α is the softmax over the window. `predictive` (local-p):
    p = S · sigmoid(vᵀ tanh(W s)), S the number of kept places, and α_j = softmax_j(e) · exp(−(j − p)² / 2σ²), σ = D/2;
    the gradient reaches p through the Gaussian. **A predictive row then sums to less than 1**, as in the paper; with
    `renormalise` it is the softmax of e_j − (j − p)² / 2σ², whose rows sum to 1.

    How ours differs: places count from 0, the middle of the window is p rounded, and it stays at the last place where t
    or p lies behind it, so that no answer is too long to look at anything.
    """

    name = "local"
    Options = LocalOptions

    def __init__(
        self, sizes: Sizes | None = None, kind: str = "predictive", width: int = 10, renormalise: bool = False
    ):
        super().__init__(sizes)
        need_a_line(self.name, sizes)
        self.predicts, self.width, self.renormalise = kind == "predictive", width, renormalise
        self.timed = not self.predicts
        self.sums_to_one = not self.predicts or renormalise
        if self.predicts:
            if sizes is None:
                raise RegardError('the focus "local" needs to know the width of the query that predicts its place')
            self.hidden = nn.Linear(sizes.query, sizes.query, bias=False)
            self.vector = nn.Linear(sizes.query, 1, bias=False)

    def predict(self, query: Float[Tensor, "B N Q"], lengths: Int[Tensor, "B"]) -> Float[Tensor, "B N"]:
        """p = S · sigmoid(vᵀ tanh(W s))."""
        return lengths[:, None] * precise(self.vector(torch.tanh(self.hidden(query)))[..., 0]).sigmoid()

    def choose(
        self, query: Float[Tensor, "B N Q"], memory: Memory, lengths: Int[Tensor, "B"], time: Int[Tensor, "B #N"] | None
    ) -> Choice:
        size, aim, middle = memory.keep.shape[1], None, time
        if self.predicts:
            aim = self.predict(query, lengths)
            middle = aim.detach().round().long()
        assert middle is not None, "a timed focus is told the time"
        middle = middle.expand(query.shape[:2]).minimum((lengths - 1).clamp(min=0)[:, None])[..., None]
        wide = min(2 * self.width + 1, size)
        first = (middle - self.width).clamp(min=0, max=size - wide)
        places = first + torch.arange(wide, device=first.device)
        keep = ((places - middle).abs() <= self.width) & (places < lengths[:, None, None])
        return Choice(None if wide == size else places, keep, aim)

    def weigh(
        self,
        energies: Float[Tensor, "B N W"],
        keep: Bool[Tensor, "B #N W"],
        choice: Choice | None = None,
        past: Any = None,
    ) -> Glance:
        assert choice is not None, "a local look chooses its places"
        if choice.aim is None:
            return Glance(masked_softmax(energies, keep), choice.places)
        places = torch.arange(keep.shape[-1], device=keep.device) if choice.places is None else choice.places
        away = ((places - choice.aim[..., None]) / (self.width / 2)).square() / 2
        if self.renormalise:
            return Glance(masked_softmax(energies - away, keep), choice.places)
        return Glance(masked_softmax(energies, keep) * (-away).exp(), choice.places)
