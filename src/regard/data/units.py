"""The six units that text can be cut into: one pipeline of `tokenizers` each, and the way back.

Every unit says how text is normalised and cut before the vocabulary is looked up, and how pieces are laid out as text
again: for each piece a *gap* (what stands between it and the piece before) and its *surface*. All are reversible up to
runs of white space, with these marks: a subword that begins a word starts with "▁"; in words, punctuation written
without a space to its left or right bears "￭" on that side, so that a word is the same symbol wherever it stands. Who
writes these two marks is taken at their word, and may get spaces in their place.
Unusual here: tags are cut at their first separator, which is dropped, and around the others, which stay as symbols.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex
from tokenizers import Regex, normalizers, pre_tokenizers

SPACE, JOIN = "▁", "￭"
OPENING, CLOSING = "([{<", ")]}>"

# A cluster of Oniguruma's \X; after a virama of the scripts that Unicode's rule GB9c names, a letter joins on.
GRAPHEME = (
    r"\X(?:(?<=[\u094D\u09CD\u0ACD\u0B4D\u0C4D\u0D4D]|[\u094D\u09CD\u0ACD\u0B4D\u0C4D\u0D4D]\u200D)(?=\p{Lo})\X)*"
)
_LETTER = r"[\w\u200C\u200D]"  # the invisible joiners belong to words (Persian, Indic scripts)
_SIGN = r"[^\w\s\u200C\u200D]"
_MARK_BEFORE = rf"(?<=\S)(?!(?<={_LETTER})['’](?={_LETTER}))(?={_SIGN})"  # an apostrophe within a word stays there
_MARK_AFTER = rf"(?<={_SIGN})(?<!{_LETTER}['’])(?={_LETTER})"
_MARKED_SIGN = rf"{JOIN}?(?!{JOIN})(?!(?<={_LETTER})['’](?={_LETTER})){_SIGN}(?:{JOIN}(?={_LETTER}))?"
_SUBWORD = rf"{SPACE}?(?:(?!{SPACE}){_SIGN}|{_LETTER}+)|{SPACE}"

Layout = Callable[[Sequence[str], Sequence[str]], list[tuple[str, str]]]  # pieces, separators -> (gap, surface) each


@dataclass(frozen=True)
class Unit:
    """How one unit cuts text, and lays pieces out again."""

    name: str
    model: str  # "characters", "words" or "subwords"
    layout: Layout
    normalise: Callable[[], list[normalizers.Normalizer]]
    cut: Callable[[Sequence[str]], pre_tokenizers.PreTokenizer | None]  # given the separators
    parts: bool = False  # whether taking characters apart (NFD) changes what the symbols are
    counted: tuple[str, Callable[[str], list[str]]] = ("word", str.split)  # what an error rate counts, as readers do


def _joined(pieces: Sequence[str], separators: Sequence[str]) -> list[tuple[str, str]]:
    return [("", piece) for piece in pieces]


def _spaced(pieces: Sequence[str], separators: Sequence[str]) -> list[tuple[str, str]]:
    return [(" " if i else "", piece) for i, piece in enumerate(pieces)]


def _words(pieces: Sequence[str], separators: Sequence[str]) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    glued = True
    for piece in pieces:
        bare = piece.strip(JOIN)
        out.append(("" if glued or (bare and piece.startswith(JOIN)) else " ", bare or piece))
        glued = bool(bare) and piece.endswith(JOIN)
    return out


def _subwords(pieces: Sequence[str], separators: Sequence[str]) -> list[tuple[str, str]]:
    return [(" " if i and piece.startswith(SPACE) else "", piece.removeprefix(SPACE)) for i, piece in enumerate(pieces)]


def _tags(pieces: Sequence[str], separators: Sequence[str]) -> list[tuple[str, str]]:
    first, others = (separators[0], separators[1:]) if separators else (" ", ())
    out: list[tuple[str, str]] = []
    before: str | None = None
    for piece in pieces:
        ends = before is not None and (before not in others or before in CLOSING)
        begins = piece not in others
        out.append((first if ends and begins else "", piece))
        before = piece
    return out


def _split(pattern: str, invert: bool = False) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Split(Regex(pattern), "removed" if invert else "isolated", invert=invert)


def _cut_tags(separators: Sequence[str]) -> pre_tokenizers.PreTokenizer:
    first, others = separators[0], separators[1:]
    steps = [pre_tokenizers.Split(first, "removed")]
    steps += [pre_tokenizers.Split(other, "isolated") for other in others]
    return pre_tokenizers.Sequence(steps)


def _single_spaces() -> list[normalizers.Normalizer]:
    return [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]


def _marked_signs() -> list[normalizers.Normalizer]:
    return [normalizers.Replace(Regex(f"{_MARK_BEFORE}|{_MARK_AFTER}"), JOIN)]


def _space_marks() -> list[normalizers.Normalizer]:
    marks = [normalizers.Replace(" ", SPACE), normalizers.Replace(Regex(r"^(?=[\s\S])"), SPACE)]
    return [*_single_spaces(), *marks]


UNITS = {
    unit.name: unit
    for unit in (
        Unit(
            "character", "characters", _joined, list, lambda separators: None, parts=True, counted=("character", list)
        ),
        Unit(
            "grapheme",
            "words",
            _joined,
            list,
            lambda separators: _split(GRAPHEME),
            counted=("grapheme", regex.compile(r"\X").findall),
        ),
        Unit(
            "symbol",
            "words",
            _spaced,
            list,
            lambda separators: pre_tokenizers.WhitespaceSplit(),
            counted=("symbol", str.split),
        ),
        Unit("tags", "words", _tags, _single_spaces, _cut_tags, counted=("character", list)),
        Unit(
            "word",
            "words",
            _words,
            _marked_signs,
            lambda separators: pre_tokenizers.Sequence([_split(_MARKED_SIGN), pre_tokenizers.WhitespaceSplit()]),
        ),
        Unit("subword", "subwords", _subwords, _space_marks, lambda separators: _split(_SUBWORD, True), parts=True),
    )
}
