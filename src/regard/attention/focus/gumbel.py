"""Straight-through Gumbel-softmax: one place a step forwards, a soft choice backwards.

Legend: B batch, N queries of an example, W places to choose from. Unusual here: it has a temperature that falls while
training goes on (`anneal`). It is worked out of the share of the run that is done and saved nowhere, so a run that is
resumed has the right one from its first update on.
"""

from typing import Any, Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor

from regard.attention.focus.focus import Choice, Focus, precise
from regard.attention.sizes import Sizes
from regard.masks import largest_place, masked_softmax
from regard.memory import Glance
from regard.parts import Options


class GumbelOptions(Options):
    """One place, drawn with Gumbel noise; gradients go through a softmax at a temperature that falls."""

    type: Literal["gumbel"] = "gumbel"
    temperature: float = Field(1.0, gt=0, description="temperature at the beginning of training")
    last_temperature: float = Field(0.5, gt=0, description="temperature at its end, reached by even factors")


def gumbel_noise(like: Float[Tensor, "*N W"]) -> Float[Tensor, "*N W"]:
    """g = −log(−log u), u uniform: argmax(e + g) is a draw from softmax(e)."""
    return -torch.empty_like(like).exponential_().log()


class Gumbel(Focus):
    """Forwards 1 at argmax(e + g), backwards the gradient of softmax((e + g) / τ), g Gumbel noise (Jang et al. 2017,
    "straight-through Gumbel-softmax"; Maddison et al. 2017). In use the most likely place, of equals the first.

    τ = τ_first^(1−share) · τ_last^share, `share` of the run done (Jang et al.: exp(−rt), not below 0.5). How ours
    differs: it goes over kept places only, and in use there is no noise.

    **The gradient is biased.** On a tiny model (three places, each with its own logits of two symbols, cross-entropy;
    `tests/attention/focus/test_gumbel.py`) its mean is away from the exact gradient, found by enumeration, by 63 %,
    41 %, 22 % and 7 % of that gradient's length at the temperatures 2, 1, 0.5 and 0.1, while its spread grows: 0.33,
    0.65, 1.2 and 3.5 times that length. What is left near 0 comes of the bend of the loss between two places.
    """

    name = "gumbel"
    Options = GumbelOptions
    temperature: Tensor

    def __init__(self, sizes: Sizes | None = None, temperature: float = 1.0, last_temperature: float = 0.5):
        super().__init__(sizes)
        self.first, self.last = temperature, last_temperature
        self.register_buffer("temperature", torch.tensor(temperature), persistent=False)

    def anneal(self, share: float) -> None:
        """Set the temperature for this share of the training done, from 0 to 1."""
        self.temperature.fill_(self.first ** (1 - share) * self.last**share)

    def weigh(
        self,
        energies: Float[Tensor, "B N W"],
        keep: Bool[Tensor, "B #N W"],
        choice: Choice | None = None,
        past: Any = None,
    ) -> Glance:
        energies = precise(energies)
        chances = masked_softmax(energies, keep)
        if self.training:
            noisy = energies + gumbel_noise(energies)
            soft = masked_softmax(noisy / self.temperature, keep)
            weights = largest_place(noisy.detach(), keep) + (soft - soft.detach())  # exactly 0: forwards it is hard
        else:
            weights = largest_place(energies.detach(), keep)
        return Glance(weights, None if choice is None else choice.places, chances=chances)
