"""Where everything stands in a drawn heat map: cells and words with their positions, for the renderers that draw.

Unusual here: SVG and PNG paint this one picture and decide nothing themselves, so the two look alike. The unit is
the height of a letter (1 em); x grows to the right and y downwards. How wide a text is, is asked of whoever paints
(`measure`); who does not know the reader's fonts takes the estimate from terminal cells, which is generous.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from rich.cells import cell_len

from regard.display import short
from regard.looking.colours import top
from regard.looking.labels import (
    NO_PLACES,
    NOT_KNOWN,
    NOTHING,
    drawn,
    groups,
    headlines,
    label,
    percent,
    piece_label,
    title,
    tooltip,
    visible,
)
from regard.looking.look import Gaze, Look

Anchor = Literal["start", "middle", "end"]
Kind = Literal["plain", "heading", "faint", "unknown"]
SIDE = 1.9  # of a cell
GAP = 0.7  # between the columns of a joined source
LONGEST = 26  # cells of a label; what is longer is cut, and whole in the tooltip
MARGIN = 1.0
HEADING = 1.1  # em: headings are bold or larger
HEADLINE = 60  # terminal cells that a headline may take above a narrow map


class Cell(NamedTuple):
    """One weight."""

    x: float
    y: float
    width: float
    height: float
    share: float  # of the scale's top
    told: str  # the tooltip
    ruled: bool = True  # with a thin line around it


class Words(NamedTuple):
    """A piece of writing; `y` is the middle of its height."""

    x: float
    y: float
    text: str
    anchor: Anchor
    kind: Kind = "plain"
    turned: bool = False  # rising to the upper right from (x, y)


class Picture(NamedTuple):
    width: float
    height: float
    cells: list[Cell]
    words: list[Words]


@runtime_checkable  # for the shape checks of the tests
class Measure(Protocol):
    """How wide a text is, written in letters of this height; in em."""

    def __call__(self, text: str, size: float = 1.0) -> float: ...


def estimate(text: str, size: float = 1.0) -> float:
    """That, whatever the font."""
    return 0.62 * size * cell_len(text)


def picture(looks: Sequence[Look], measure: Measure = estimate) -> Picture:
    """All looks one below the other."""
    cells: list[Cell] = []
    words: list[Words] = []
    width, y = 0.0, MARGIN

    def write(text: str, height: float, kind: Kind = "faint") -> None:
        nonlocal width, y
        words.append(Words(MARGIN, y, text, "start", kind))
        width, y = max(width, MARGIN + measure(text, HEADING)), y + height

    for look in looks:
        y += 0.3
        for line in headlines(look, _widest(look)):
            write(line, 1.4, "heading")
        y += 0.2
        if not look.gazes:
            write(NOTHING, 1.2)
        for gaze in look.gazes:
            if len(look.gazes) > 1:
                write(title(gaze), 1.3)
            if gaze.places:
                right, y = _map(look, gaze, y, measure, cells, words)
                width = max(width, right)
            else:
                write(NO_PLACES, 0.0)
            y += 1.5
    return Picture(width + MARGIN, y, cells, words)


def _widest(look: Look) -> int:
    """Terminal cells that the headline may take beside the widest map of the look."""
    places = max((len(gaze.places) for gaze in look.gazes), default=0)
    return max(HEADLINE, round(places * SIDE / 0.62))


def _map(
    look: Look, gaze: Gaze, y: float, measure: Measure, cells: list[Cell], words: list[Words]
) -> tuple[float, float]:
    """One gaze from `y` down; returns how far right and how far down it reaches."""
    highest = top(gaze.weights)
    heads = [short(label(place.text), LONGEST) for place in gaze.places]
    sides = [short(piece_label(piece.text), LONGEST) for piece in look.outputs]
    parts = groups(look, gaze)
    turned = {part.column for part in parts if any(measure(heads[at]) > SIDE - 0.2 for at in part.places)}
    left = MARGIN + max(map(measure, sides), default=0.0) + 0.6
    if len(parts) > 1:
        y += 0.9  # the names stand on their own line above the labels
    rise = max(map(measure, heads)) / sqrt(2) + 0.8 if turned else 1.4
    first = y + rise
    x = right = left
    for at, part in enumerate(drawn(parts, parts[0].direction)):
        x += GAP if at else 0.0
        begins = x
        if len(parts) > 1:
            words.append(Words(x, y - 0.7, visible(part.column), "start", "faint"))
        for place in part.places:
            middle = x + SIDE / 2
            kind: Kind = "unknown" if gaze.places[place].unknown else "plain"
            words.append(
                Words(middle, first - 0.5, heads[place], "start", kind, turned=True)
                if part.column in turned
                else Words(middle, first - 0.8, heads[place], "middle", kind)
            )
            if gaze.places[place].unknown:
                cells.extend(_dots(middle, first - 0.22))
            right = max(right, x + SIDE, middle + measure(heads[place]) / sqrt(2))
            for row, piece in enumerate(look.outputs):
                weight = float(gaze.weights[row, place])
                told = tooltip(piece, gaze.places[place], weight)
                cells.append(Cell(x, first + row * SIDE, SIDE, SIDE, weight / highest, told))
            x += SIDE
        if len(parts) > 1:
            x = max(x, begins + measure(visible(part.column)))
    for row, (side, piece) in enumerate(zip(sides, look.outputs, strict=True)):
        middle = first + (row + 0.5) * SIDE
        words.append(Words(left - 0.4, middle, side, "end"))
        words.append(Words(x + 0.5, middle, percent(piece.probability), "start", "faint"))
    right = max(right, x + 0.5 + measure("100 %"))
    bottom = first + len(look.outputs) * SIDE + 0.9
    ends = _legend(left, bottom, highest, measure, cells, words)
    if any(place.unknown for place in gaze.places):
        cells.extend(_dots(ends + 1.5, bottom + 0.5))
        words.append(Words(ends + 2.2, bottom + 0.5, NOT_KNOWN, "start", "faint"))
        ends += 2.2 + measure(NOT_KNOWN)
    return max(right, ends), bottom + 1.0


def _dots(x: float, y: float) -> list[Cell]:
    """The dotted line under what the model does not know, around (x, y)."""
    side = 0.14
    return [Cell(x + at - side / 2, y - side / 2, side, side, 1.0, NOT_KNOWN, ruled=False) for at in (-0.4, 0.0, 0.4)]


def _legend(x: float, y: float, highest: float, measure: Measure, cells: list[Cell], words: list[Words]) -> float:
    """The scale with its numbers; returns where it ends."""
    x += measure("weight 0")
    words.append(Words(x - 0.3, y + 0.5, "weight 0", "end", "faint"))
    steps, side = 40, 0.2
    for step in range(steps + 1):
        share = step / steps
        cells.append(Cell(x + step * side, y, side, 1.0, share, f"{highest * share:.3g}", ruled=False))
    x += side * (steps + 1)
    words.append(Words(x + 0.3, y + 0.5, f"{highest:g}", "start", "faint"))
    return x + 0.3 + measure(f"{highest:g}")
