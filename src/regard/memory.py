"""The words that all rooms share: what can be looked at (Memory), one act of looking (Glance).

Legend: B batch, S source places, T target steps, K beams, W places in a window, M memory width, N summary width.
Unusual here: these are NamedTuples of tensors and nothing else, so that a recurrence, a search or an exported graph
can take them apart, reorder them and put them together without knowing what they mean (`map_tensors`).
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


class Level(NamedTuple):
    """The level above: sentences over words. A look reaches it as `encoder.name`."""

    name: str  # "sentences"
    parent: Int[Tensor, "B S"]  # for each place below, its place above
    memory: "Memory"  # that level's own Memory; its summary may be empty (N = 0) where the one below says it all


class Memory(NamedTuple):
    """What there is to look at. Where shapes in a batch differ, each example has the first rows and columns."""

    values: Float[Tensor, "B S M"]
    keep: Bool[Tensor, "B S"]  # True = a real place
    summary: Float[Tensor, "B N"]  # the encoder's last word
    shape: tuple[int, ...]  # how S lies in the input: (S,), (rows, columns), (frames, rows, columns)
    above: Level | None = None


class LevelSizes(NamedTuple):
    """What is known of a level above before there is one."""

    name: str
    memory: "MemorySizes"


class MemorySizes(NamedTuple):
    """What is known of a Memory before there is one."""

    width: int  # M
    summary: int  # N
    shape: tuple[int, ...] | None = None  # the largest of training, where it is bounded
    above: LevelSizes | None = None
    columns: tuple[str, ...] = ()  # where places are the symbols of text: of these columns, one after the other


def levels(name: str, memory: Any) -> dict[str, Any]:
    """A Memory (or its sizes) and all levels above it: {"source": …, "source.sentences": …}."""
    found = {name: memory}
    while memory.above is not None:
        found[f"{name}.{memory.above.name}"] = memory.above.memory
        memory = memory.above.memory
    return found


class Glance(NamedTuple):
    """One act of looking. `*N` is B, B T (all steps at once), or B K (beams)."""

    weights: Float[Tensor, "*N W"]
    places: Int[Tensor, "*N W"] | None = None  # None: W is all of S; local attention names its window
    log_prob: Float[Tensor, "*N"] | None = None  # of a sampled place (hard attention)
    chances: Float[Tensor, "*N W"] | None = None  # what it was drawn from
    forced: Bool[Tensor, "*N"] | None = None  # what if: whether it was made to look there


class Encoded(NamedTuple):
    """What the encoders made of a batch; an encoder that attends inside (documents) reports its glances."""

    memories: dict[str, Memory]  # by encoder; levels above by `encoder.level`
    glances: dict[str, Glance]  # by `encoder.level`, the level that was looked at; weights (B, S)
    columns: Mapping[str, Any] = {}  # what was read, for emissions that copy
    forced: Mapping[str, Int[Tensor, "B T"]] = {}  # what if: by look, the place that each step must look at (< 0: any)


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
