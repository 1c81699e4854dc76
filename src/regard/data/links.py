"""Links between the words of two texts: read from a column or a file, and brought down to the symbols of a model.

Legend: n symbols of a text, w words of it. A word is what white space parts. Two forms are read. In a column, words
count from 0: `0-0 1-2` are sure links, `0?0` or `0p0` possible ones. A file in the form of the alignment workshop of
2003 (Mihalcea and Pedersen) has a line a link, `sentence source target [S|P] [confidence]`, and all count from 1;
source 0 or target 0 says that a word has no counterpart, and is no link; without S or P a link is sure.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from re import compile as pattern
from re import finditer
from typing import NamedTuple

import numpy as np

from regard.data.sources import from_path
from regard.data.tables import Table
from regard.errors import RegardError

Link = tuple[int, int]  # (source word, target word), from 0
Sizes = Sequence[tuple[int, int]]  # for each pair of texts, how many words they have
LINK = pattern(r"(\d+)([-?p])(\d+)")
FORM = "links are written as 0-0 1-2 (sure) and 0?0 (possible), counted from 0"
LINE = "expected: sentence source target [S|P] [confidence], each counted from 1"


class Links(NamedTuple):
    """The true links of a pair."""

    sure: frozenset[Link]
    possible: frozenset[Link]  # the sure ones among them


NONE = Links(frozenset(), frozenset())


def words(text: str) -> list[tuple[int, int]]:
    """Where the words of a text stand in it: as many as `text.split()` gives."""
    return [found.span() for found in finditer(r"\S+", text)]


def shares(text: str, spans: np.ndarray) -> np.ndarray:
    """(n, w): how much of each symbol, given by its span (n, 2), lies in each word; white space lies in none."""
    found = np.zeros((len(spans), len(own := words(text))))
    for word, (start, end) in enumerate(own):
        found[:, word] = (np.minimum(spans[:, 1], end) - np.maximum(spans[:, 0], start)).clip(min=0)
    total = found.sum(1, keepdims=True)
    return np.divide(found, total, out=found, where=total > 0)


def from_cells(cells: Iterable[str], sizes: Sizes, place: Callable[[int], str]) -> list[Links]:
    """The links of each cell of a column; `place` says where a row stands."""
    found = []
    for row, (cell, size) in enumerate(zip(cells, sizes, strict=True)):
        own: dict[str, set[Link]] = {"-": set(), "?": set()}
        for text in cell.split():
            parts = LINK.fullmatch(text)
            if parts is None:
                raise RegardError(f"{place(row)}: {text!r} is no link; {FORM}")
            link = (int(parts[1]), int(parts[3]))
            _check(link, size, f"{place(row)}: the link {text}", 0)
            own["-" if parts[2] == "-" else "?"].add(link)
        found.append(_links(own["-"], own["?"]))
    return found


def from_file(path: str | Path, sizes: Sizes) -> list[Links]:
    """The links of each pair, from a file in the form of the workshop; its sentence 1 is the first pair."""
    sure: list[set[Link]] = [set() for _ in sizes]
    possible: list[set[Link]] = [set() for _ in sizes]
    for number, line in from_path(Path(path)).lines():
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        sentence, *link, kind = _line(line.split(), where, line)
        if not 1 <= sentence <= len(sizes):
            raise RegardError(f"{where}: there is no sentence {sentence}: {len(sizes):,} pairs were given")
        if 0 not in link:
            _check((link[0], link[1]), sizes[sentence - 1], f"{where}: the link {link[0]} {link[1]}", 1)
            (sure if kind == "S" else possible)[sentence - 1].add((link[0] - 1, link[1] - 1))
    return [_links(*own) for own in zip(sure, possible, strict=True)]


def column_or_file(table: Table, asked: str) -> tuple[str | None, Path | None]:
    """(column, file): whichever of them this names."""
    if asked not in table.names and (path := Path(asked)).is_file():
        return None, path
    try:
        return table.column(asked), None
    except RegardError as error:
        raise RegardError(f"{error}; nor is there a file {asked}") from None


def whole(table: Table) -> None:
    """That no row is left out of a table whose rows a file of links counts."""
    if table.ragged:
        line, _ = table.ragged_first[0]
        raise RegardError(
            f"{table.origin}: {table.ragged:,} rows are left out ({table.line_word} {line} first), so that sentence"
            " numbers would no longer fit; mend them"
        )


def swapped(links: Links) -> Links:
    """The same, seen from the other side."""
    return Links(*(frozenset((target, source) for source, target in part) for part in links))


def _links(sure: set[Link], possible: set[Link]) -> Links:
    return Links(frozenset(sure), frozenset(sure | possible))


def _line(parts: Sequence[str], where: str, line: str) -> tuple[int, int, int, str]:
    """(sentence, source, target, S or P) of a line."""
    numbers, rest = parts[:3], list(parts[3:])
    kind = rest.pop(0) if rest and rest[0] in ("S", "P") else "S"
    if len(numbers) < 3 or not all(one.isdecimal() for one in numbers) or len(rest) > 1 or not _is_share(rest):
        raise RegardError(f"{where}: {line.strip()!r} is no link; {LINE}")
    return int(numbers[0]), int(numbers[1]), int(numbers[2]), kind


def _is_share(rest: Sequence[str]) -> bool:
    """Whether this is a confidence, or nothing."""
    try:
        return all(0 <= float(one) <= 1 for one in rest)
    except ValueError:
        return False


def _check(link: Link, size: tuple[int, int], what: str, first: int) -> None:
    for index, words_there, side in zip(link, size, ("source", "target"), strict=True):
        if not first <= index < words_there + first:
            last = f"they count from {first} to {words_there + first - 1}" if words_there else "there are none"
            raise RegardError(f"{what} is out of range: {side} word {index}, but {last}")
