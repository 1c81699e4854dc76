"""How the learning rate moves over a run, as a function of how far the run is.

Unusual here: progress is a share of the run from 0 to 1 (of its epochs, or of its minutes where those end first), so
that nothing needs to know beforehand how many updates there will be.
"""

from math import cos, pi
from typing import Literal


def rate_at(progress: float, warmup: float, decay: Literal["linear", "cosine", "none"]) -> float:
    """The share of the highest rate: rising from 0 to 1 over `warmup`, then falling to 0 (or staying)."""
    if progress < warmup:
        return progress / warmup
    rest = min(1.0, (progress - warmup) / (1 - warmup))
    return {"linear": 1 - rest, "cosine": (1 + cos(pi * rest)) / 2, "none": 1.0}[decay]


def epochs_for(rows: int) -> int:
    """How many passes a table deserves: 40 for 3,600 rows, fewer (by the cube root) for more, between 4 and 100.

    Found on tables of 3,600 to 44,000 rows (docs/log.md).
    """
    return round(min(100.0, max(4.0, 40 * (3600 / max(rows, 1)) ** (1 / 3))))


def batch_for(rows: int) -> int:
    """How many examples (of mean length) a batch holds: 32 up to 20,000 rows, 64 above."""
    return 32 if rows <= 20_000 else 64
