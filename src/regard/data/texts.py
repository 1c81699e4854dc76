"""Strings of a column, read again and again without ever being all in memory.

`fit` needs two passes over a column, and a column may be larger than memory: so what is handed round is anything that
can be iterated more than once and gives strings, and `chunks` cuts it into lists that are worth a library call.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa

CHUNK = 8192  # rows at a time


@dataclass(frozen=True)
class Strings:
    """The cells of one Arrow column, of some rows or of all; iterating reads a chunk at a time."""

    column: pa.ChunkedArray
    rows: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.column) if self.rows is None else len(self.rows)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), CHUNK):
            yield from self.slice(start, start + CHUNK)

    def slice(self, start: int, stop: int) -> list[str]:
        if self.rows is None:
            return self.column.slice(start, stop - start).to_pylist()
        return take(self.column, self.rows[start:stop])


def take(column: pa.ChunkedArray, rows: np.ndarray) -> list[str]:
    """The cells of these rows, in this order. Arrow does not join the chunks for it, so this stays small."""
    return column.take(pa.array(rows)).to_pylist()


def chunks(texts: Iterable[str], size: int = CHUNK) -> Iterator[list[str]]:
    """Lists of at most `size` strings."""
    walk = iter(texts)
    while chunk := list(islice(walk, size)):
        yield chunk


def sample(texts: Strings, size: int) -> list[str]:
    """At most `size` cells, evenly spread over the column."""
    every = max(1, -(-len(texts) // size))
    picked = np.arange(0, len(texts), every)
    return take(texts.column, picked if texts.rows is None else texts.rows[picked])
