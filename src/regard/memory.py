"""The words that all rooms share: what can be looked at (Memory), one act of looking (Glance).

Legend: B batch, S source places, T target steps, K beams, W places in a window, M memory width, N summary width.
Unusual here: these are NamedTuples of tensors and nothing else, so that a recurrence, a search or an exported graph
can take them apart, reorder them and put them together without knowing what they mean (`map_tensors`).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


class Level(NamedTuple):
    """The level above: sentences over words."""

    parent: Int[Tensor, "B S"]  # for each place below, its place above
    memory: "Memory"  # that level's own Memory


class Memory(NamedTuple):
    """What there is to look at."""

    values: Float[Tensor, "B S M"]
    keep: Bool[Tensor, "B S"]  # True = a real place
    summary: Float[Tensor, "B N"]  # the encoder's last word
    shape: tuple[int, ...]  # how S lies in the input: (S,), (rows, columns), (frames, rows, columns)
    above: Level | None = None


class Glance(NamedTuple):
    """One act of looking. `*N` is B, B T (all steps at once), or B K (beams)."""

    weights: Float[Tensor, "*N W"]
    places: Int[Tensor, "*N W"] | None = None  # None: W is all of S; local attention names its window
    log_prob: Float[Tensor, "*N"] | None = None  # of a sampled place (hard attention)


class Encoded(NamedTuple):
    """What the encoders made of a batch; an encoder that attends inside (documents) reports its glances."""

    memories: dict[str, Memory]
    glances: dict[str, Glance]


def map_tensors(tree: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """The same tree of tuples, NamedTuples, dicts and None, each tensor replaced by `change(tensor)`."""
    if isinstance(tree, Tensor):
        return change(tree)
    if isinstance(tree, tuple):
        parts = [map_tensors(part, change) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if isinstance(tree, dict):
        return {name: map_tensors(part, change) for name, part in tree.items()}
    return tree


def reorder_beams(moving: Any, parents: Int[Tensor, "B K"]) -> Any:
    """Give each beam its parent's state: every tensor of the tree is (B, K, …)."""
    rows = torch.arange(parents.shape[0], device=parents.device)[:, None]
    return map_tensors(moving, lambda tensor: tensor[rows, parents])
