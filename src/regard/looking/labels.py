"""How places and pieces are written and in which order they stand, for any script; the same in all renderers.

Unusual here: a place may be a lone combining mark, a space or an invisible joiner, which must still be seen; and a
source may run right to left, or be joined from columns that run in different directions.
"""

import unicodedata
from itertools import groupby
from typing import Literal, NamedTuple

import regex
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from regard.display import isolated
from regard.looking.look import Gaze, Look, Piece, Place

Direction = Literal["ltr", "rtl"]
END, EMPTY = "∎", "∅"
_NAMED = {" ": "␣", "\u00a0": "⍽", "\n": "↵", "\t": "⇥", "\u200c": "ZWNJ", "\u200d": "ZWJ", "\u00ad": "SHY"}


def visible(text: str) -> str:
    """Running text without what cannot stand in a line or in XML, or would turn the line around: that becomes `U+…`."""
    return "".join(_code(char) if _undrawable(char) else char for char in text)


def _undrawable(char: str) -> bool:
    turns = "\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069"
    return turns or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or ord(char) & 0xFFFE == 0xFFFE


def _code(char: str) -> str:
    return {"\n": "↵", "\t": "⇥"}.get(char, f"U+{ord(char):04X}")


def label(text: str, empty: str = EMPTY) -> str:
    """A piece or place as it stands at the side of a heat map: never blank, a lone mark on a dotted circle."""
    if not text:
        return empty
    if all(char.isspace() or unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in text):
        return " ".join(_NAMED.get(char, _code(char)) for char in text)
    if len(text) == 1 and "\u1100" <= text <= "\u11ff":
        return _letter(text)
    text = visible(text)
    return "◌" + text if unicodedata.category(text[0]).startswith("M") else text


def _letter(jamo: str) -> str:
    """A part of a Hangul syllable as the letter that stands by itself: few fonts draw a lone vowel or final."""
    try:
        return unicodedata.lookup(regex.sub("CHOSEONG|JUNGSEONG|JONGSEONG", "LETTER", unicodedata.name(jamo)))
    except KeyError:  # of the old letters only some have such a form
        return "◌" + jamo


def piece_label(text: str) -> str:
    return label(text, END)


def direction(text: str) -> Direction:
    """Which way a text runs: the bidi class of its first strong character (UAX #9, P2 and P3), as HTML's `dir=auto`.

    R and AL run right to left, L left to right, and a text without strong characters left to right.
    """
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return "ltr"


class Group(NamedTuple):
    """The places of one column of the source."""

    column: str
    direction: Direction
    places: list[int]  # indices into Gaze.places


def groups(look: Look, gaze: Gaze) -> list[Group]:
    """The places in the order given, parted by the column that they come from."""
    runs = groupby(range(len(gaze.places)), key=lambda at: gaze.places[at].column)
    return [Group(column, direction(look.given.get(column, "")), list(places)) for column, places in runs]


def drawn(parts: list[Group], base: Direction) -> list[Group]:
    """The same from left to right on paper: each group in its own direction, the groups in the base direction."""
    turned = [part._replace(places=part.places[::-1]) if part.direction == "rtl" else part for part in parts]
    return turned[::-1] if base == "rtl" else turned


def title(gaze: Gaze) -> str:
    """What tells this gaze from the others of its look: `source`, `question · words`, `layer 2 of source`."""
    name = gaze.look if gaze.memory == gaze.look else f"{gaze.look} of {gaze.memory}"
    return visible(name if gaze.level == "places" else f"{name} · {gaze.level}")


def headline(look: Look) -> str:
    """What was given and what came of it, in one line that runs left to right."""
    *given, answer = [before + isolated(text) for before, text in _told(look)]
    return f"{' · '.join(given)} {answer}"


def headlines(look: Look, room: int) -> list[str]:
    """The headline in lines of at most this many terminal cells: where one is too few, each text has its own."""
    if cell_len(headline(look)) <= room:
        return [headline(look)]
    lines = []
    for before, text in _told(look):
        wrapped = Text(text).wrap(Console(), max(2, room - cell_len(before)))
        for line in wrapped:
            lines.append(before + isolated(line.plain.rstrip()))
            before = " " * cell_len(before)
    return lines


def _told(look: Look) -> list[tuple[str, str]]:
    """Each text given, then the answer, with what stands before it; columns are named where there are several."""
    names = [f"{isolated(visible(column))}: " if len(look.given) > 1 else "" for column in look.given]
    texts = [visible(text) or EMPTY for text in (*look.given.values(), look.text)]
    return list(zip([*names, "→ "], texts, strict=True))


def tooltip(piece: Piece, place: Place, weight: float) -> str:
    return f"{isolated(piece_label(piece.text))} ← {isolated(label(place.text))}: {weight:.3f}"


def percent(probability: float) -> str:
    """`98 %`; what is above 0 and rounds to it says so."""
    return "<1 %" if 0 < probability < 0.005 else f"{probability:.0%}".replace("%", " %")


NOTHING = "this model attends to nothing: there is no map of where it looked"
NO_PLACES = "there was nothing to look at"
NOT_KNOWN = "not known to the model"
