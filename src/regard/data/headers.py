"""Does a file begin with the names of its columns? Guessed from the first rows, and always said aloud.

A wrong guess costs one row or adds one that is no example, so the rule is careful: every cell of the first row must
look like a name, no name may come twice, no unusual one may occur below, and something must tell the first row from
those below it.
"""

from collections.abc import Sequence
from re import compile as pattern

NAME = pattern(r"[^\W\d]\w*(?:[ ./-]?\w+){0,3}")
NUMBER = pattern(r"[+-]?\d+(?:[.,]\d+)?")
SHORTEST = 30  # a name is not longer than this
_USUAL = """
    answer answers attestations audio body caption category class code context count counts date definition document
    example features file filename form freq frequency gloss grapheme graphemes hypothesis id image images input ipa
    label labels language latex lemma line morphology name native number original output page phoneme phonemes phones
    picture premise pronunciation question reference romanised romanized score sentence sentences source spelling split
    src summary tag tags target text tgt title token tokens topic topics transcription transcript translation
    transliteration type utterance video weight word words
"""
USUAL = frozenset(_USUAL.split())


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of these rows names the columns of the others."""
    first, below = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    cells = [cell.strip() for cell in first]
    if len({cell.casefold() for cell in cells}) < len(cells):
        return False
    if not all(len(cell) <= SHORTEST and NAME.fullmatch(cell) for cell in cells):
        return False
    usual = [cell.casefold() in USUAL for cell in cells]
    if not below:
        return all(usual)
    columns = [[row[i] for row in below] for i in range(len(cells))]
    if any(_share(column, _is_number) >= 0.9 for column in columns):
        return True
    stands_out = [_stands_out(cell, column) for cell, column in zip(cells, columns, strict=True)]
    told = [a or b for a, b in zip(usual, stands_out, strict=True)]
    if any(cell in column for cell, common, column in zip(cells, usual, columns, strict=True) if not common):
        return False
    return (any(usual) and 2 * sum(told) >= len(told)) or (len(cells) > 1 and all(stands_out))


def _stands_out(cell: str, column: Sequence[str]) -> bool:
    """Whether nearly all cells below have something (a space, a sign, a letter beyond ASCII) that this one lacks."""
    traits = (
        lambda text: any(char.isspace() for char in text.strip()),
        lambda text: any(char in ";/|\\" for char in text),
        lambda text: any(char.isalpha() and not char.isascii() for char in text),
        lambda text: any(char.isdigit() for char in text),
    )
    return any(not trait(cell) and _share(column, trait) >= 0.9 for trait in traits)


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text.strip()) is not None


def _share(column: Sequence[str], test: object) -> float:
    full = [text for text in column if text.strip()]
    return sum(bool(test(text)) for text in full) / len(full) if full else 0.0  # type: ignore[operator]


def unique_names(cells: Sequence[str]) -> list[str]:
    """Names for columns as a header gives them: an empty one gets its number, one that comes again a count."""
    names: list[str] = []
    for i, cell in enumerate(cells, 1):
        name = base = cell.strip() or str(i)
        again = 2
        while name in names:
            name, again = f"{base}.{again}", again + 1
        names.append(name)
    return names
