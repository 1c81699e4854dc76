"""What a symbol of one column is to another: for models that copy what they read into what they write.

Legend: V the target's symbols. A symbol that the target knows is its id there; another is V + j, where j is the first
place of the source that bears it. Unusual here: symbols are compared as text, and unknown ones too, so that two words
that nobody has seen before stay two; and the ids from V on belong to one example and mean nothing without its source.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from unicodedata import normalize

import numpy as np

from regard.batch import PAD, SPECIALS, UNKNOWN
from regard.data.columns import TextColumn


@dataclass(frozen=True, eq=False)
class Copier:
    """From a column that is copied to the column that is written."""

    source: TextColumn
    target: TextColumn

    def symbols(self, texts: Sequence[str]) -> list[list[str]]:
        """Every source symbol as a symbol of the target.

        Columns of one unit share their symbols, marks and all. For others it is the bare text, as the target would
        write it alone; nothing, where it would not (what parts its tags).
        """
        spelt = self.source.spellings(texts)
        if self.source.unit == self.target.unit:
            if self.source.decomposed == self.target.decomposed:
                return spelt
            return [[self._composed(symbol) for symbol in symbols] for symbols in spelt]
        bare = [self.source.surface(symbol) for symbols in spelt for symbol in symbols]
        written = map("".join, self.target.spellings(bare))
        return [[next(written) for _ in symbols] for symbols in spelt]

    def copies(self, texts: Sequence[str]) -> list[np.ndarray]:
        """For every symbol of each source the id that writes it; `PAD` where nothing would be written."""
        return [np.array(self._ids(symbols), np.int32) for symbols in self.symbols(texts)]

    def targets(self, texts: Sequence[str], sources: Sequence[str]) -> list[np.ndarray]:
        """The target's ids, where a symbol that it does not know, but that stands in the source, is written from
        there."""
        found = self.target.encode_ids(texts)
        lacking = [row for row, ids in enumerate(found) if (ids == UNKNOWN).any()]
        wanted = self.target.spellings([texts[row] for row in lacking])
        there = self.symbols([sources[row] for row in lacking])
        for row, own, symbols in zip(lacking, wanted, there, strict=True):
            ids = found[row]
            known = dict(zip(symbols, self._ids(symbols), strict=True))
            for place in np.flatnonzero(ids == UNKNOWN):
                ids[place] = known.get(own[place], UNKNOWN)
        return found

    def _composed(self, symbol: str) -> str:
        return normalize("NFD" if self.target.decomposed else "NFC", symbol)

    @cached_property
    def _known(self) -> dict[str, int]:
        return {symbol: id for id, symbol in enumerate(self.target.symbols) if id >= len(SPECIALS)}

    def _ids(self, symbols: Sequence[str]) -> list[int]:
        first: dict[str, int] = {}
        for place, symbol in enumerate(symbols):
            first.setdefault(symbol, place)
        size = self.target.size
        return [self._known.get(symbol, size + first[symbol]) if symbol else PAD for symbol in symbols]
