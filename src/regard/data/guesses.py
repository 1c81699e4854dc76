"""What a symbol of a column is, guessed by looking at its cells: said with its reason, and always to be overruled.

Unusual here: nothing depends on a language, only on counts. What is repeated decides: phones and tags are few however
many rows there are, which the words of a text never are; and how many words were seen only once says how many
words of the next text would be unknown (Good and Turing), so whether words can be symbols at all.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple

import regex

from regard.data.texts import Strings, sample

ROWS, WORDS = 20_000, 400_000  # looked at, at most
SHORT, CODE = 2.5, 4.5  # graphemes a piece: of phones; of names in capitals or with digits (AH0, PL)
LONG_WORD = 20  # characters; longer ones without a space are no single words
FEW_WORDS = 3.0  # a cell: lemmas, names and short phrases are spelt, not cut into words
NEW_WORDS = 0.003  # share of words never seen before that a vocabulary of words can bear
MAIN, MAIN_OF_CODES = ";|,+", ".:_-/"  # what parts tags; the latter only tags in capitals, since words have them too
WITHIN = ";,()"  # what else parts them
WORD = regex.compile(r"[\w\u200c\u200d]+|[^\w\s]")
GRAPHEME = regex.compile(r"\X")
SENTENCE_END = tuple(".!?…。！？।॥؟۔")


class Guess(NamedTuple):
    """A unit, and why, in words."""

    unit: str
    reason: str
    separators: str = ""  # of tags: the first is dropped, the others are kept


def guess_unit(texts: Strings, *, feature: bool = False) -> tuple[str, str]:
    """The unit that suits a column, and the reason. `feature`: cells that recur may be symbols whole."""
    found = guess(texts, feature=feature)
    return found.unit, found.reason


def guess(texts: Strings, *, feature: bool = False) -> Guess:
    """The same, with the separators where the unit is tags."""
    cells = _look(texts)
    if not cells:
        return Guess("character", "every cell is empty")
    # Each cell once: a premise that three rows repeat says nothing new of words.
    different = list(dict.fromkeys(cells))
    pieces = [cell.split() for cell in different]
    return (
        _symbols(pieces)
        or _tags(cells)
        or (_whole(cells) if feature else None)
        or _spelt(different, pieces)
        or _sentences(different)
    )


def _look(texts: Strings) -> list[str]:
    """Cells spread over the column: fewer where they are long."""
    first = [cell for cell in sample(texts, 1000) if cell.strip()]
    words = sum(len(cell.split()) for cell in first) / max(1, len(first))
    if len(texts) <= 1000:
        return first
    return [cell for cell in sample(texts, int(min(ROWS, max(1000, WORDS / max(1, words))))) if cell.strip()]


def _few(different: int, seen: int) -> bool:
    """Whether so many different ones are few: 27 of 30, 158 of 1,000, 700 of 20,000. Words of a text are more."""
    return different <= 5 * sqrt(seen)


def _graphemes(counts: Counter[str]) -> float:
    """The mean length of pieces."""
    return sum(len(GRAPHEME.findall(piece)) * n for piece, n in counts.items()) / counts.total()


def _symbols(pieces: Sequence[Sequence[str]]) -> Guess | None:
    if sum(len(cell) > 1 for cell in pieces) < len(pieces) / 2:
        return None
    counts = Counter(piece for cell in pieces for piece in cell)
    length = _graphemes(counts)
    codes = _share(counts, _is_code) >= 0.95
    few = _few(len(counts), counts.total())
    numbers = codes and not any(char.isalpha() for piece in counts for char in piece)
    if length <= 1.02 or numbers or (few and (length <= SHORT or (codes and length <= CODE))):
        a_cell = counts.total() / len(pieces)
        what = "numbers" if numbers else "short pieces"
        return Guess("symbol", f"{a_cell:.1f} {what} a cell, {len(counts):,} different, split by spaces already")
    return None


def _tags(cells: Sequence[str]) -> Guess | None:
    if sum(len(cell.split()) > 1 for cell in cells) > 0.05 * len(cells):
        return None
    held = {sign: sum(sign in cell for cell in cells) for sign in MAIN + MAIN_OF_CODES}
    for sign in sorted(held, key=lambda sign: -held[sign]):
        if held[sign] < len(cells) / 2:
            return None
        separators = sign + WITHIN.replace(sign, "")
        parts = Counter(part for cell in cells for part in regex.split(f"[{regex.escape(separators)}]+", cell) if part)
        lettered = _share(parts, lambda part: any(char.isalpha() for char in part)) >= 0.5
        fit = sign in MAIN or _share(parts, lambda part: part.isascii() and part == part.upper()) >= 0.95
        if fit and lettered and _few(len(parts), parts.total()):
            inside = " ".join(one for one in separators if any(one in cell for cell in cells))
            return Guess("tags", f"parted by {inside} into {len(parts):,} different tags", separators)
    return None


def _whole(cells: Sequence[str]) -> Guess | None:
    counts = Counter(cells)
    if _few(len(counts), len(cells)) and len(counts) < len(cells) and not any(len(cell.split()) > 1 for cell in counts):
        return Guess("symbol", f"{len(counts):,} different cells, each a symbol of its own")
    return None


def _spelt(cells: Sequence[str], pieces: Sequence[Sequence[str]]) -> Guess | None:
    words = sum(map(len, pieces)) / len(pieces)
    if all(cell.strip().isdecimal() for cell in cells):
        return Guess("character", "numbers")
    if words < 1.05:
        length = sum(map(len, cells)) / len(cells)
        return Guess("character", "single words" if length <= LONG_WORD else f"{length:.0f} characters without a space")
    ended = sum(cell.rstrip().endswith(SENTENCE_END) for cell in cells)
    if words > FEW_WORDS or (words > 1.5 and ended >= len(cells) / 2):
        return None
    return Guess("character", f"{words:.1f} words a cell")


def _sentences(cells: Sequence[str]) -> Guess:
    words = Counter(word for cell in cells for word in WORD.findall(cell))
    new = sum(n == 1 for n in words.values()) / words.total()
    figures = f"{words.total() / len(cells):.1f} words a cell, {len(words):,} different"
    if new <= NEW_WORDS:
        return Guess("word", f"{figures}, hardly any seen only once")
    return Guess("subword", f"{figures}; {100 * new:.1f} % are words seen only once")


def _is_code(piece: str) -> bool:
    """`AH0`, `PL`, `12`, `ni3`: what is written in capitals of ASCII, or with digits."""
    return any(char.isdigit() for char in piece) or (piece.isascii() and piece.isupper())


def _share(counts: Counter[str], test: Callable[[str], bool]) -> float:
    return sum(n for piece, n in counts.items() if test(piece)) / max(1, counts.total())
