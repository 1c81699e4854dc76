"""What an encoder is: columns' tensors in, a Memory out, and for each place of that Memory where it lies in a column.

Unusual here: an encoder knows columns by their indices only (the third symbol; rows 8 to 16 of the picture). What
lies there in what a person gave, the column knows: so a Look needs to know neither encoders nor kinds of columns.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from torch import nn

from regard.memory import Glance, Memory, MemorySizes
from regard.parts import Options


class Origin(NamedTuple):
    """Where a place comes from: a box in a column's own indices (symbols; rows, columns; frames, rows, columns)."""

    column: str
    start: tuple[int, ...]
    end: tuple[int, ...]  # the first index after it
    parent: int | None = None  # its place in the level above, where there is one


class Encoder(nn.Module):
    """A subclass sets `name`, `Options`, in `__init__(extents, **options)` `reads` and `sizes`, and gives the rest."""

    name: ClassVar[str]
    Options: ClassVar[type[Options]]
    level: ClassVar[str] = "places"  # what its memory's places are called
    reads: tuple[str, ...]  # the columns that it looks for
    sizes: MemorySizes

    def forward(self, columns: Mapping[str, Any]) -> tuple[Memory, dict[str, Glance]]:
        """(memory, glances) of a batch's columns; an encoder that attends inside names each glance after its level."""
        raise NotImplementedError

    def places(self, columns: Mapping[str, Any]) -> dict[str, tuple[Origin, ...]]:
        """For one example alone (a batch of one, nothing padded), each level's places in their order."""
        raise NotImplementedError
