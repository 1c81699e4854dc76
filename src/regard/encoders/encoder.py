"""What an encoder is: columns' tensors in, a Memory out.

An encoder that attends inside also reports its glances, by a name of its own choice.
"""

from typing import ClassVar

from torch import nn

from regard.batch import Tokens
from regard.memory import Glance, Memory
from regard.parts import Options


class Encoder(nn.Module):
    """A subclass sets `name` and `Options`, its widths in `__init__(extents, **options)`, and gives `forward`."""

    name: ClassVar[str]
    Options: ClassVar[type[Options]]
    reads: tuple[str, ...]  # the columns that lie in its memory, end to end
    width: int  # of the memory's values
    summary_width: int
    places: int | None  # the most places in training, where they are bounded

    def forward(self, columns: dict[str, Tokens]) -> tuple[Memory, dict[str, Glance]]:
        """(memory, glances) of a batch's columns."""
        raise NotImplementedError
