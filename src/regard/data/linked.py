"""True links brought down from words to symbols, and made into a tensor when a batch is cut.

Legend: B examples of a batch, N rows, T target symbols, S places. Unusual here: a row holds a list of (symbol, place)
and no matrix, which would be mostly zeros; the matrix of a batch is made for that batch alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from regard.batch import Links as Tensors
from regard.data.columns import TextColumn
from regard.data.links import Link, Links, shares


class LinkCells(NamedTuple):
    """The links of all rows, end to end."""

    source: str  # the column whose symbols are the places; columns that are joined to it come after
    target: str
    pairs: np.ndarray  # (n, 2) int32: target symbol, place
    starts: np.ndarray  # (N + 1,) where each row begins, and the end of the last

    @classmethod
    def of(
        cls, source: TextColumn, target: TextColumn, texts: Iterable[tuple[str, str]], links: Sequence[Links]
    ) -> "LinkCells":
        """Each symbol of a linked target word with each symbol of its source words."""
        found = [
            symbols(source, target, *pair, believed(own)) if own.possible else np.zeros((0, 2), np.int32)
            for pair, own in zip(texts, links, strict=True)
        ]
        starts = np.cumsum([0, *map(len, found)])
        return cls(source.name, target.name, np.concatenate([np.zeros((0, 2), np.int32), *found]), starts)

    def tensors(self, rows: np.ndarray, columns: Mapping[str, Any]) -> Tensors:
        """The links of these rows, as wide as their own columns are."""
        steps, places = (columns[name].keep.shape[1] for name in (self.target, self.source))
        counts = self.starts[rows + 1] - self.starts[rows]
        which = np.repeat(np.arange(len(rows)), counts)
        each = np.concatenate([np.zeros(0, np.int64), *map(np.arange, self.starts[rows], self.starts[rows + 1])])
        found = torch.zeros(len(rows), steps, places)
        found[torch.from_numpy(which), *torch.from_numpy(self.pairs[each].astype(np.int64)).unbind(1)] = 1.0
        return Tensors(found)


def believed(links: Links) -> set[Link]:
    """What to learn from: of each target word its sure links, and where it has none, its possible ones."""
    surely = {target for _, target in links.sure}
    return {*links.sure, *(link for link in links.possible if link[1] not in surely)}


def symbols(source: TextColumn, target: TextColumn, read: str, written: str, links: Iterable[Link]) -> np.ndarray:
    """(n, 2) the symbols (target symbol, place) of links between words."""
    inside = [shares(text, column.encode([text])[0].spans) > 0 for column, text in ((source, read), (target, written))]
    found = [
        (step, place)
        for i, j in sorted(links)
        for step in np.flatnonzero(inside[1][:, j])
        for place in np.flatnonzero(inside[0][:, i])
    ]
    return np.array(found, np.int32).reshape(-1, 2)
