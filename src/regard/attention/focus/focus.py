"""What a focus is: how energies become weights. It may choose its places before anything is scored.

Legend: B batch, N queries of an example (steps or beams), S places, W places in a window, Q query width.
Unusual here: a focus keeps nothing. What it must remember of its own looks goes out (`start`, `remember`) and comes in
again (`past`), so that it travels with the beam; one that remembers is asked step by step, all others at once.
"""

from typing import Any, ClassVar, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.attention.sizes import Sizes
from regard.errors import RegardError
from regard.memory import Glance, Memory
from regard.parts import Options


class Choice(NamedTuple):
    """The places that a focus chose before anything was scored: cost then grows with W and not with S."""

    places: Int[Tensor, "B N W"] | None  # always within the memory, none twice; None: W is all of S, nothing to gather
    keep: Bool[Tensor, "B N W"]  # False: chosen in name only (the window reaches beyond the source)
    aim: Float[Tensor, "B N"] | None = None  # the place that the window lies about, where that is learned


class Focus(nn.Module):
    """energies -> Glance. A subclass sets `name` and `Options` and gives `weigh`; the rest where it needs it."""

    name: ClassVar[str]
    Options: ClassVar[type[Options]]
    timed: bool = False  # whether it must be told how many steps went before
    remembers: bool = False  # whether its weights depend on those of the steps before
    sums_to_one: bool = True  # whether a row is one over the kept places, where there are any; else it may be less
    taught_by: ClassVar[str | None] = None  # the term that must teach it, where no gradient passes through its choice

    def __init__(self, sizes: Sizes | None = None):
        super().__init__()

    def choose(
        self, query: Float[Tensor, "B N Q"], memory: Memory, lengths: Int[Tensor, "B"], time: Int[Tensor, "B #N"] | None
    ) -> Choice | None:
        """The places to score, of `lengths` kept ones that come first; None: all."""
        return None

    def weigh(
        self,
        energies: Float[Tensor, "B N W"],
        keep: Bool[Tensor, "B #N W"],
        choice: Choice | None = None,
        past: Any = None,
    ) -> Glance:
        """The weights of each query over the places that are kept of those that were chosen."""
        raise NotImplementedError

    def start(self, memory: Memory) -> Any:
        """What is remembered before the first look, or drawn once for all looks of an example: a tree of tensors
        (B, …)."""
        return None

    def remember(self, past: Any, glance: Glance) -> Any:
        """What is remembered after one more look: the same tree, (B, K, …); asked only of one that `remembers`."""
        return past


def precise(energies: Float[Tensor, "*N W"]) -> Float[Tensor, "*N W"]:
    """In float32 at least: half precision is too coarse to draw from and to add up."""
    return energies.to(torch.promote_types(energies.dtype, torch.float32))


def need_a_line(name: str, sizes: Sizes | None) -> None:
    """Refuse a grid, for a focus that asks which place comes next."""
    if sizes is not None and sizes.shape is not None and len(sizes.shape) > 1:
        grid = " × ".join(map(str, sizes.shape))
        raise RegardError(
            f'the focus "{name}" needs places in a line, and this memory is a grid of up to {grid}; set focus=soft'
        )
