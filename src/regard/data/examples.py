"""Rows as ids, and batches of rows of like length.

Legend: B examples of a batch, N rows. Unusual here: a column's ids lie end to end in one flat array in an unnamed file
that is memory-mapped, so that rows are encoded once, tables larger than memory train, and a small table is simply in
the page cache. A batch is cut by a budget of padded symbols and not by a number of rows: short rows come many at once.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from regard.batch import LINKS, Batch, CopiedTokens, Tokens
from regard.data.columns import TextColumn
from regard.data.copying import Copier
from regard.data.linked import LinkCells
from regard.data.texts import chunks

WINDOW = 100  # batches: within so many, rows are sorted by length


class Cells(NamedTuple):
    """The cells of a column as ids, end to end."""

    ids: np.ndarray  # int32
    starts: np.ndarray  # (N + 1,) where each cell begins, and the end of the last
    copies: np.ndarray | None = None  # of a column that is copied: for each id what writes it

    @classmethod
    def of(cls, found: Iterable[Sequence[np.ndarray]]) -> "Cells":
        """Cells out of lists of ids, kept on disk as they come."""
        counts = [np.zeros(1, np.int64)]
        with tempfile.TemporaryFile() as file:
            for part in found:
                counts.append(np.fromiter(map(len, part), np.int64, len(part)))
                file.write(b"".join(ids.tobytes() for ids in part))
            starts = np.concatenate(counts).cumsum()
            file.flush()
            return cls(np.memmap(file, np.int32, "r") if starts[-1] else np.zeros(0, np.int32), starts)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)

    def having(self, id: int) -> np.ndarray:
        """The rows whose cells have this id."""
        return np.unique(np.searchsorted(self.starts, np.flatnonzero(self.ids == id), "right") - 1)

    def tokens(self, rows: np.ndarray) -> Tokens | CopiedTokens:
        """These rows, padded to the longest of them."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        places = np.arange(lengths.max(initial=0))
        keep = places < lengths[:, None]
        at = (self.starts[rows][:, None] + places)[keep]

        def padded(flat: np.ndarray) -> torch.Tensor:
            ids = np.zeros(keep.shape, np.int64)
            ids[keep] = flat[at]
            return torch.from_numpy(ids)

        if self.copies is None:
            return Tokens(padded(self.ids), torch.from_numpy(keep))
        return CopiedTokens(padded(self.ids), torch.from_numpy(keep), padded(self.copies))


def encode(column: TextColumn, texts: Iterable[str]) -> Cells:
    """A column's cells, read a chunk at a time."""
    return Cells.of(column.encode_ids(chunk) for chunk in chunks(texts))


def copied(
    cells: Mapping[str, Cells], copier: Copier, sources: Iterable[str], targets: Iterable[str] | None = None
) -> dict[str, Cells]:
    """The same cells, once it is known what may be copied: the source's with what writes each symbol, the target's
    (where there are some) with what can only be copied."""
    found = dict(cells)
    copies = Cells.of(map(copier.copies, chunks(sources)))
    found[copier.source.name] = found[copier.source.name]._replace(copies=copies.ids)
    if targets is not None:
        found[copier.target.name] = Cells.of(map(copier.targets, chunks(targets), chunks(sources)))
    return found


def collate(
    cells: Mapping[str, Cells], rows: np.ndarray, weights: np.ndarray | None = None, links: LinkCells | None = None
) -> Batch:
    """A batch of these rows; `weights` (N,) and `links` are those of all rows."""
    counts = np.ones(len(rows)) if weights is None else weights[rows]
    columns: dict[str, Any] = {name: column.tokens(rows) for name, column in cells.items()}
    if links is not None:
        columns[LINKS] = links.tensors(rows, columns)
    return Batch(columns, torch.from_numpy(rows), torch.from_numpy(counts.astype(np.float32)))


@dataclass(frozen=True, eq=False)
class Examples:
    """All columns of some rows, ready to be cut into batches."""

    cells: Mapping[str, Cells]
    weights: np.ndarray | None = None  # (N,)
    links: LinkCells | None = None

    def __len__(self) -> int:
        return len(next(iter(self.cells.values())).starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """(N, columns)"""
        return np.stack([column.lengths for column in self.cells.values()], 1)

    def budget(self, examples: int) -> float:
        """The padded symbols of a batch that holds so many examples of mean length."""
        return examples * float(self.lengths.sum(1).mean())

    def ordered(self, budget: float) -> Iterator[Batch]:
        """Every row once, the shortest first: for measuring."""
        for rows in cut(self.lengths, np.lexsort(self.lengths.T), budget):
            yield collate(self.cells, rows, self.weights, self.links)

    def shuffled(self, budget: float, examples: int, seed: int, epoch: int, skip: int = 0) -> Iterator[Batch]:
        """An epoch's batches from number `skip` on; the same seed and epoch give the same ones."""
        random = np.random.default_rng((seed, epoch))
        order, lengths, number = random.permutation(len(self)), self.lengths, 0
        for start in range(0, len(order), WINDOW * examples):
            window = order[start : start + WINDOW * examples]
            window = window[np.lexsort(lengths[window].T)]
            batches = list(cut(lengths, window, budget))
            for chosen in random.permutation(len(batches)):
                if number >= skip:
                    yield collate(self.cells, batches[chosen], self.weights, self.links)
                number += 1


def cut(lengths: np.ndarray, order: np.ndarray, budget: float) -> Iterator[np.ndarray]:
    """Rows in this order, so many at a time that rows × (the longest of each column, summed) stays in the budget."""
    start, longest = 0, np.zeros(lengths.shape[1], np.int64)
    for end, row in enumerate(order):
        wider = np.maximum(longest, lengths[row])
        if end > start and (end + 1 - start) * wider.sum() > budget:
            yield order[start:end]
            start, wider = end, lengths[row]
        longest = wider
    if start < len(order):
        yield order[start:]
