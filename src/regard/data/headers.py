"""Does a file begin with the names of its columns? Guessed from the first rows, and always said aloud.

A wrong guess costs one row or adds one that is no example, so the rule is careful: every cell of the first row must
look like a name, no name may come twice, no unusual one may occur below, and something must tell the first row from
those below it: usual names, what nearly all cells below have, or one cell that cannot well be of its column. Unusual
here: no language is known but the English of `USUAL`; that "prononciation" is no pronunciation is told by its letters,
which none of a thousand cells below it has.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from re import compile as pattern

import regex

NAME = regex.compile(r"[\p{L}_][\w\p{M}]*(?:[ ./-]?[\w\p{M}]+){0,3}(?: ?\([\w\p{M} .,/-]+\)| ?\[[\w\p{M} .,/-]+\])?")
NUMBER = pattern(r"[+-]?\d+(?:[.,]\d+)?")
IN_BRACKETS = pattern(r"\s*[(\[].*[)\]]$")
PARTS, TOKENS = pattern(r"[\s;,|/\\+()\[\]]+"), pattern(r"[\s_./-]+")
SHORTEST = 30  # a name is not longer than this
ENOUGH = (
    20  # rows below, before one cell alone may tell: a first row that is data is the odd one of 21 by chance of 1/21
)
NEW = 0.02  # share of the pieces (phones, tags) seen once: of about so many, the next would be one never seen
NEW_LETTERS = 0.002  # the same of letters, of which a cell has several
_USUAL = """
    answer answers attestations audio body caption category class code context count counts date definition document
    example features file filename form freq frequency gloss grapheme graphemes hypothesis id image images input ipa
    label labels language latex lemma line morphology name native number original output page phoneme phonemes phones
    picture plural premise pronunciation question reference romanised romanized score sentence sentences singular source
    spelling split src summary tag tags target text tgt title token tokens topic topics transcription transcript
    translation transliteration type utterance video weight word words
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
    usual = [_is_usual(cell) for cell in cells]
    if not below:
        return all(usual)
    columns = [[row[i] for row in below] for i in range(len(cells))]
    if any(_share(column, _is_number) >= 0.9 for column in columns):
        return True
    if any(cell in column for cell, common, column in zip(cells, usual, columns, strict=True) if not common):
        return False
    both = list(zip(cells, columns, strict=True))
    stands_out = [_stands_out(cell, column) for cell, column in both]
    told = [a or b for a, b in zip(usual, stands_out, strict=True)]
    if (any(usual) and 2 * sum(told) >= len(told)) or (len(cells) > 1 and all(stands_out)):
        return True
    return any(_is_foreign(cell, column) for cell, column in both) and not any(_is_native(*one) for one in both)


def _is_usual(cell: str) -> bool:
    """Whether a name is one of the usual ones, or made of two of them (`word form`); what is in brackets aside."""
    name = IN_BRACKETS.sub("", cell).casefold()
    tokens = TOKENS.split(name)
    return name in USUAL or (len(tokens) == 2 and USUAL.issuperset(tokens))


def _stands_out(cell: str, column: Sequence[str]) -> bool:
    """Whether nearly all cells below have something (a space, a sign, a letter beyond ASCII) that this one lacks."""
    traits = (
        lambda text: any(char.isspace() for char in text.strip()),
        lambda text: any(char in ";/|\\" for char in text),
        lambda text: any(char.isalpha() and not char.isascii() for char in text),
        lambda text: any(char.isdigit() for char in text),
    )
    return any(not trait(cell) and _share(column, trait) >= 0.9 for trait in traits)


def _is_foreign(cell: str, column: Sequence[str]) -> bool:
    """Whether a cell cannot well be of its column: another script, other phones or tags, letters that it never has."""
    full = [text for text in column if text.strip()]
    if len(full) < ENOUGH:
        return False
    if (own := _scripts(cell)) and _share(full, _scripts) >= 0.9 and own.isdisjoint(_scripts("".join(full))):
        return True
    if counts := _parted(full):
        return _known(counts, NEW) and not any(part in counts for part in _parts(cell))
    different = {text.casefold() for text in full}  # a lemma that twenty rows repeat says little of letters
    letters = Counter(char for text in different for char in text if char.isalpha())
    new = {char for char in cell.casefold() if char.isalpha()} - letters.keys()
    return len(new) > 1 and len(different) >= ENOUGH and _known(letters, NEW_LETTERS)


def _is_native(cell: str, column: Sequence[str]) -> bool:
    """Whether a cell is made of the phones or tags that its column is made of."""
    counts = _parted([text for text in column if text.strip()])
    return bool(counts) and _known(counts, NEW) and all(part in counts for part in _parts(cell))


def _parts(cell: str) -> list[str]:
    return [part for part in PARTS.split(cell) if part]


def _parted(full: Sequence[str]) -> Counter[str]:
    """The pieces of a column whose cells nearly all have several; of any other column none."""
    pieces = [_parts(text) for text in full]
    several = sum(len(parts) > 1 for parts in pieces) >= 0.9 * len(pieces)
    return Counter(part for parts in pieces for part in parts) if several else Counter()


def _known(counts: Counter[str], share: float) -> bool:
    """Whether hardly anything new is to be expected (Good and Turing: as much as was seen once)."""
    return sum(n == 1 for n in counts.values()) <= share * counts.total()


def _scripts(text: str) -> frozenset[str]:
    """The scripts of its letters; those of Japanese are one, and marks and signs of sound are of none."""
    return frozenset(_script(char) for char in text if unicodedata.category(char) in ("Lu", "Ll", "Lt", "Lo"))


def _script(char: str) -> str:
    name = unicodedata.name(char, "").partition(" ")[0]  # the first word of a letter's name is its script
    return {"HIRAGANA": "CJK", "KATAKANA": "CJK", "FULLWIDTH": "LATIN", "HALFWIDTH": "CJK"}.get(name, name)


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text.strip()) is not None


def _share(column: Sequence[str], test: Callable[[str], object]) -> float:
    full = [text for text in column if text.strip()]
    return sum(bool(test(text)) for text in full) / len(full) if full else 0.0


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
