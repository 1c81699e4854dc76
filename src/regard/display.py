"""Tables in the terminal, for text in any script.

Unusual here: what people write may be right-to-left, may combine with the character before it or may hold line breaks,
and none of that may move the table. So a cell is made safe first: invisible characters are shown, a lone combining
mark sits on a dotted circle, text is cut between graphemes to its width, and right-to-left text is isolated, so that a
terminal which reorders it does so within its cell.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

import regex
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

ISOLATE, END_ISOLATE = "\u2068", "\u2069"
DIRECTIONS = regex.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
RIGHT_TO_LEFT = {"R", "AL", "AN"}


def grid(title: str | None, *columns: str) -> Table:
    """An empty table; a column whose name starts with > is set to the right."""
    title = title and "\n" + title
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in columns:
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left", no_wrap=True)
    return table


@dataclass(frozen=True)
class Trimmed:
    """The same without the blanks that end its lines, which show where a table is pasted."""

    shown: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for line in console.render_lines(self.shown, options, pad=False):
            while line and not line[-1].text.strip(" ") and not (line[-1].style and line[-1].style.bgcolor):
                line.pop()
            if line and not (line[-1].style and line[-1].style.bgcolor):
                line[-1] = Segment(line[-1].text.rstrip(" "), *line[-1][1:])
            yield from line
            yield Segment.line()


def plain(shown: RenderableType, width: int = 80) -> str:
    """As a terminal of this width shows it, but without colours and without spaces at the ends of lines."""
    console = Console(width=width, file=StringIO(), color_system=None, highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(Trimmed(shown))
    return captured.get().rstrip("\n")


def cell(text: str, width: int) -> Text:
    """Text made safe for a table, at most `width` cells wide."""
    text = "␣" if text == " " else text
    if text and all(unicodedata.category(character) in {"Cf", "Zs"} for character in text):
        text = " ".join(f"U+{ord(character):04X}" for character in text)  # a joiner alone could not be seen
    shown = DIRECTIONS.sub("", "".join(map(_visible, text)))
    if shown and unicodedata.category(shown[0]).startswith("M"):
        shown = "◌" + shown
    return Text(isolated(short(shown, width)), no_wrap=True)


def short(text: str, width: int) -> str:
    """`text`, cut between graphemes and ended by … where it takes more than this many cells of a terminal."""
    if cell_len(text) <= width:
        return text
    kept = ""
    for grapheme in regex.findall(r"\X", text):
        if cell_len(kept + grapheme) > width - 1:
            break
        kept += grapheme
    return kept + "…"


def isolated(text: str) -> str:
    """The same, isolated (UAX #9) where it could turn its line around: it runs its own way, the line keeps its own."""
    turns = any(unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in text)
    return ISOLATE + text + END_ISOLATE if turns else text


def _visible(character: str) -> str:
    """Control characters and line breaks as their pictures."""
    if character < " ":
        return chr(0x2400 + ord(character))
    return "␡" if character == "\x7f" else " " if unicodedata.category(character) in {"Cc", "Zl", "Zp"} else character
