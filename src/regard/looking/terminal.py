"""The heat map in a terminal: a row an output, a column a place.

Unusual here: widths are counted in terminal cells, so that wide (CJK) and zero-width (combining) characters stay in
their columns; a source wider than the terminal goes on in a further panel; and terminals that reorder right-to-left
text by themselves are kept from doing so across columns by an invisible mark beside each such label.
"""

import io
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.style import Style
from rich.text import Text

from regard.display import isolated, short
from regard.looking.colours import colour, top
from regard.looking.labels import (
    NO_PLACES,
    NOT_KNOWN,
    NOTHING,
    Direction,
    Group,
    drawn,
    groups,
    headlines,
    label,
    percent,
    piece_label,
    title,
    visible,
)
from regard.looking.look import Gaze, Look

SHADES = "·░▒▓█"  # no weight … full weight
LONGEST = 18  # cells of a label; what is longer is cut
STRANGE = "?"  # above a label that the model does not know


def _centred(text: str, width: int) -> str:
    before = (width - cell_len(text)) // 2
    return " " * before + isolated(text) + " " * (width - cell_len(text) - before)


class HeatMap:
    """A look as rich draws it: in colour where the terminal has enough of them, else in shades of characters."""

    def __init__(self, look: Look):
        self.look = look

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        coloured = not console.no_color and console.color_system in ("256", "truecolor")
        yield from lines(self.look, options.max_width, coloured)


def plain(look: Look, width: int = 100) -> str:
    """The heat map in characters only, as `print(look)` shows it."""
    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(HeatMap(look))
    return "\n".join(line.rstrip() for line in capture.get().rstrip("\n").split("\n"))


def lines(look: Look, width: int, coloured: bool) -> Iterator[Text]:
    """All lines of the drawing, none wider than `width`, unless one column alone is."""
    yield from (Text(line, style="bold") for line in headlines(look, width))
    if not look.gazes:
        yield Text(NOTHING, style="italic")
    for gaze in look.gazes:
        yield Text()
        if len(look.gazes) > 1:
            yield Text(short(title(gaze), width), style="underline")
        if gaze.places:
            yield from _map(look, gaze, width, coloured)
        else:
            yield Text(NO_PLACES, style="italic")


def _map(look: Look, gaze: Gaze, width: int, coloured: bool) -> Iterator[Text]:
    highest = top(gaze.weights)
    places = [short(label(place.text), LONGEST) for place in gaze.places]
    pieces = [short(piece_label(piece.text), LONGEST) for piece in look.outputs]
    strange = [place.unknown for place in gaze.places]
    chances = [percent(piece.probability) for piece in look.outputs]
    side = max(map(cell_len, pieces), default=0)
    margin = side + 8
    parts = groups(look, gaze)
    named = len(parts) > 1
    widths = [cell_len(text) + 2 for text in places]
    for part in parts if named else []:  # a short column under a long name is given room for the name
        room = sum(widths[place] for place in part.places)
        widths[part.places[-1]] += max(0, cell_len(short(visible(part.column), LONGEST)) - room)
    for panel, goes_on in _panels(parts, widths, width - margin):
        yield from _heads(panel, places, strange, widths, margin, named, goes_on)
        for row, piece, chance in zip(gaze.weights, pieces, chances, strict=True):
            line = Text(" " * (side - cell_len(piece)) + isolated(piece), end="")
            line.append(chance.rjust(6), style="dim").append("  ")
            for at, part in enumerate(panel):
                line.append("  " if at else "")
                for place in part.places:
                    line.append_text(_cell(float(row[place]) / highest, widths[place], coloured))
            line.end = "\n"
            yield line
        yield Text()
    yield _legend(highest, margin, coloured)
    if any(strange):
        yield Text(f"{' ' * margin}{STRANGE} {NOT_KNOWN}", style="dim")


def _heads(
    panel: list[Group],
    places: list[str],
    strange: list[bool],
    widths: list[int],
    margin: int,
    named: bool,
    goes_on: bool,
) -> Iterator[Text]:
    names, marks, heads = Text(" " * margin), Text(" " * margin), Text(" " * margin)
    for at, part in enumerate(panel):
        gap = "  " if at else ""
        room = sum(widths[place] for place in part.places)
        names.append(gap + _centred(short(visible(part.column), room), room), style="italic")
        marks.append(gap)
        heads.append(gap)
        for place in part.places:
            marks.append(_centred(STRANGE if strange[place] else "", widths[place]), style="bold magenta")
            heads.append(_centred(places[place], widths[place]), style="bold magenta" if strange[place] else "bold")
    if named:
        yield names
    if STRANGE in marks.plain:
        yield marks
    if goes_on:
        heads.append(" …")
    yield heads


def _panels(parts: list[Group], widths: list[int], room: int) -> Iterator[tuple[list[Group], bool]]:
    """Parts of the source that fit beside each other, each in drawing order; True: the source goes on after it."""
    base: Direction = parts[0].direction
    panel: list[Group] = []
    used = 0
    for part in parts:
        panel.append(part._replace(places=[]))
        used += 2
        for place in part.places:
            if used + widths[place] > room - 2 and any(group.places for group in panel):
                yield drawn([group for group in panel if group.places], base), True
                panel, used = [part._replace(places=[])], 2
            panel[-1].places.append(place)
            used += widths[place]
    yield drawn([group for group in panel if group.places], base), False


def _cell(share: float, width: int, coloured: bool) -> Text:
    if coloured:
        return Text(" " * width, style=Style(bgcolor=colour(share)), end="")
    return Text(SHADES[min(round(share * (len(SHADES) - 1)), len(SHADES) - 1)] * width, end="")


def _legend(highest: float, margin: int, coloured: bool) -> Text:
    line = Text(" " * margin + "weight 0 ", style="dim")
    steps = 11 if coloured else len(SHADES)
    for step in range(steps):
        line.append_text(_cell(step / (steps - 1), 2, coloured))
    return line.append(f" {highest:g}")
