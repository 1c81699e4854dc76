"""A report in the terminal, at 80 columns."""

from collections.abc import Iterable

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from regard.display import cell, grid
from regard.metrics.confusions import Pair, Worst
from regard.metrics.report import Report, UnknownRow
from regard.metrics.trust import LookCheck

NAMES = {
    "word_error_rate": "word error",
    "symbol_error_rate": "symbol error",
    "accuracy": "accuracy",
    "bleu": "BLEU",
    "chrf": "chrF",
}
FEW, FEW_LONG = 10, 5  # rows of confusions, and of worst answers on lines of their own; the report holds more
CELL, LINE = 16, 66  # widths of a text in a table of short answers, and on a line of its own


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
    if report.unknown:
        parts.append(_unknown(report.unknown))
    if len(report.by_length) > 1:
        parts.append(_by_length(report))
    if report.confusions:
        parts.append(_confusions(report))
    if report.worst:
        parts.append(_worst(report.worst))
    return Group(*parts, *map(show_looks, report.looks or ()))


def show_looks(found: LookCheck) -> RenderableType:
    """Whether a look was used: the falls in a table, and the verdict."""
    whose = f"{found.outputs:,} outputs of {found.inputs:,} input{'' if found.inputs == 1 else 's'}"
    table = grid(
        f"check of the look {found.look!r}, {whose}: how many points of probability they lose",
        "places", ">deleted", ">kept alone", ">looked at alone",
    )  # fmt: skip
    forced = {"most": found.forcing.most, "random": found.forcing.random}
    for name, label in (("most", "looked at most"), ("random", "as many at random"), ("least", "looked at least")):
        falls = (getattr(found.deleting, name), getattr(found.keeping, name), forced.get(name, ""))
        table.add_row(label, *map(str, falls))
    return Group(table, Text("\n" + found.verdict))


def _figures(report: Report) -> Table:
    table = grid(None, "", ">percent", "95 % interval")
    figures = {name: getattr(report, name) for name in NAMES} | report.others
    if report.counts.right and not report.bleu:
        del figures["bleu"]  # right answers but no BLEU: none has the four words it needs, and a 0 would mislead
    for name, value in figures.items():
        low, high = report.intervals[name]
        label = f"symbol error ({report.unit})" if name == "symbol_error_rate" else NAMES.get(name, name)
        table.add_row(Text(label), f"{value:.2f}", f"{low:.2f} to {high:.2f}")
    return table


def _unknown(row: UnknownRow) -> Text:
    many = "1 example has" if row.examples == 1 else f"{row.examples:,} examples have"
    line = Text(f"\n{many} symbols that the model does not know (")
    for at, symbol in enumerate(row.symbols[:FEW]):
        line.append(" " if at else "").append_text(cell(symbol, CELL))
    line.append(" …" if len(row.symbols) > FEW else "")
    figures = f"word error {row.word_error_rate:.2f}, symbol error {row.symbol_error_rate:.2f}"
    return line.append(f"):\n{row.right:,} right, {figures}")


def _by_length(report: Report) -> Table:
    table = grid("by source length", "", ">examples", ">word error", ">symbol error")
    for row in report.by_length:
        lengths = f"{row.shortest}" if row.shortest == row.longest else f"{row.shortest} to {row.longest}"
        table.add_row(lengths, f"{row.examples:,}", f"{row.word_error_rate:.2f}", f"{row.symbol_error_rate:.2f}")
    return table


def _confusions(report: Report) -> Table:
    table = grid("confusions", "expected", "written", ">times", ">of")
    for row in report.confusions[:FEW]:
        of = "" if row.expected is None else f"{row.expected:,}"
        table.add_row(_symbol(row.reference), _symbol(row.answer), f"{row.count:,}", of)
    return table


def _worst(rows: list[Worst]) -> RenderableType:
    texts = [text for row in rows for text in (row.source, row.answer, row.reference)]
    if max(map(cell_len, texts)) <= CELL:
        table = grid("worst", "source", "written", "expected", "edits")
        for row in rows:
            table.add_row(*(cell(text, CELL) for text in (row.source, row.answer, row.reference)), _edits(row, CELL))
        return table
    table = Table(box=None, show_header=False, title="\nworst", title_justify="left", pad_edge=False)
    for row in rows[:FEW_LONG]:
        for name, text in (("source", row.source), ("written", row.answer), ("expected", row.reference)):
            table.add_row(name, cell(text, LINE))
        table.add_row("edits", _edits(row, LINE).append("\n"))
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
