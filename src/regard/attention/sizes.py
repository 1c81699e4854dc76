"""What scores and focuses must know of what they will meet."""

from typing import NamedTuple


class Sizes(NamedTuple):
    """Widths, and how the places lie."""

    query: int
    memory: int
    shape: tuple[int, ...] | None = None  # how the places of the largest memory of training lie, where it is bounded
