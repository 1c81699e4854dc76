"""Soft attention: every kept place, weighted by the softmax of its energy."""

from typing import Any, Literal

from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention.focus.focus import Choice, Focus, precise
from regard.masks import masked_softmax
from regard.memory import Glance
from regard.parts import Options


class SoftOptions(Options):
    """All places, weighted by softmax."""

    type: Literal["soft"] = "soft"


class Soft(Focus):
    """α_j = exp e_j / Σ_k exp e_k over the kept places."""

    name = "soft"
    Options = SoftOptions

    def weigh(
        self,
        energies: Float[Tensor, "B N W"],
        keep: Bool[Tensor, "B #N W"],
        choice: Choice | None = None,
        past: Any = None,
    ) -> Glance:
        return Glance(masked_softmax(precise(energies), keep), None if choice is None else choice.places)
