"""A report in the terminal, at 80 columns.

Unusual here: what people write may be right-to-left, may combine with the character before it or may hold line breaks,
and none of that may move the table. So a cell is made safe first: invisible characters are shown, a lone combining
mark sits on a dotted circle, text is cut between graphemes to its width, and right-to-left text is isolated, so that a
terminal which reorders it does so within its cell.
"""

import unicodedata
from collections.abc import Iterable

import regex
from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from regard.metrics.confusions import Pair, Worst
from regard.metrics.report import Report

NAMES = {
    "word_error_rate": "word error",
    "symbol_error_rate": "symbol error",
    "accuracy": "accuracy",
    "bleu": "BLEU",
    "chrf": "chrF",
}
FEW, FEW_LONG = 10, 5  # rows of confusions, and of worst answers on lines of their own; the report holds more
CELL, LINE = 16, 66  # widths of a text in a table of short answers, and on a line of its own
ISOLATE, END_ISOLATE = "\u2068", "\u2069"
DIRECTIONS = regex.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
RIGHT_TO_LEFT = {"R", "AL", "AN"}


def show(report: Report) -> RenderableType:
    """The whole report, for `rich.print` or a console."""
    counts = report.counts
    parts: list[RenderableType] = [
        Text(
            f"{counts.examples:,} examples, {counts.references:,} references; "
            f"{counts.right:,} right; {counts.edits:,} edits in {counts.reference_symbols:,} symbols\n"
        ),
        _figures(report),
    ]
    parts.extend(Text(f"{NAMES.get(name, name)}: {text}", style="dim") for name, text in report.signatures.items())
    if len(report.by_length) > 1:
        parts.append(_by_length(report))
    if report.confusions:
        parts.append(_confusions(report))
    if report.worst:
        parts.append(_worst(report.worst))
    return Group(*parts)


def _figures(report: Report) -> Table:
    table = _table(None, "", ">percent", "95 % interval")
    figures = {name: getattr(report, name) for name in NAMES} | report.others
    if report.counts.right and not report.bleu:
        del figures["bleu"]  # right answers but no BLEU: none has the four words it needs, and a 0 would mislead
    for name, value in figures.items():
        low, high = report.intervals[name]
        label = f"symbol error ({report.unit})" if name == "symbol_error_rate" else NAMES.get(name, name)
        table.add_row(Text(label), f"{value:.2f}", f"{low:.2f} to {high:.2f}")
    return table


def _by_length(report: Report) -> Table:
    table = _table("by source length", "", ">examples", ">word error", ">symbol error")
    for row in report.by_length:
        lengths = f"{row.shortest}" if row.shortest == row.longest else f"{row.shortest} to {row.longest}"
        table.add_row(lengths, f"{row.examples:,}", f"{row.word_error_rate:.2f}", f"{row.symbol_error_rate:.2f}")
    return table


def _confusions(report: Report) -> Table:
    table = _table("confusions", "expected", "written", ">times", ">of")
    for row in report.confusions[:FEW]:
        of = "" if row.expected is None else f"{row.expected:,}"
        table.add_row(_symbol(row.reference), _symbol(row.answer), f"{row.count:,}", of)
    return table


def _worst(rows: list[Worst]) -> RenderableType:
    texts = [text for row in rows for text in (row.source, row.answer, row.reference)]
    if max(map(cell_len, texts)) <= CELL:
        table = _table("worst", "source", "written", "expected", "edits")
        for row in rows:
            table.add_row(*(cell(text, CELL) for text in (row.source, row.answer, row.reference)), _edits(row, CELL))
        return table
    table = Table(box=None, show_header=False, title="\nworst", title_justify="left", pad_edge=False)
    for row in rows[:FEW_LONG]:
        for name, text in (("source", row.source), ("written", row.answer), ("expected", row.reference)):
            table.add_row(name, cell(text, LINE))
        table.add_row("edits", _edits(row, LINE).append("\n"))
    return table


def _table(title: str | None, *columns: str) -> Table:
    """A column whose name starts with > is set to the right."""
    title = title and "\n" + title
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in columns:
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left", no_wrap=True)
    return table


def _symbol(symbol: str | None) -> Text:
    return Text("(nothing)", style="dim") if symbol is None else cell(symbol, CELL)


def _edits(row: Worst, width: int) -> Text:
    """`a→b` written b for a, `-a` left out, `+b` made up; as many as fit."""
    line = Text()
    for pair in _wrong(row.alignment):
        edit = Text(" ") if line else Text()
        if pair.reference is None:
            edit.append("+").append_text(cell(str(pair.answer), CELL))
        elif pair.answer is None:
            edit.append("-").append_text(cell(pair.reference, CELL))
        else:
            edit.append_text(cell(pair.reference, CELL)).append("→").append_text(cell(pair.answer, CELL))
        if line.cell_len + edit.cell_len > width - 2:
            return line.append(" …")
        line.append_text(edit)
    return line


def _wrong(pairs: Iterable[Pair]) -> Iterable[Pair]:
    return (pair for pair in pairs if pair.reference != pair.answer)


def cell(text: str, width: int) -> Text:
    """Text made safe for a table, at most `width` cells wide."""
    text = "␣" if text == " " else text
    shown = DIRECTIONS.sub("", "".join(map(_visible, text)))
    if shown and unicodedata.category(shown[0]).startswith("M"):
        shown = "◌" + shown
    if cell_len(shown) > width:
        kept, used = [], 0
        for grapheme in regex.findall(r"\X", shown):
            used += cell_len(grapheme)
            if used > width - 1:
                break
            kept.append(grapheme)
        shown = "".join(kept) + "…"
    if any(unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in shown):
        shown = ISOLATE + shown + END_ISOLATE
    return Text(shown, no_wrap=True)


def _visible(character: str) -> str:
    """Control characters and line breaks as their pictures."""
    if character < " ":
        return chr(0x2400 + ord(character))
    return "␡" if character == "\x7f" else " " if unicodedata.category(character) in {"Cc", "Zl", "Zp"} else character
