"""A survey in the terminal, at 80 columns, for text in any script."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from regard.data.forms import RARE
from regard.data.surveyed import Bar, ColumnSurvey, FormCounts, Lengths, Survey, SymbolCount, Unknown
from regard.display import cell, grid

BLOCKS = "▁▂▃▄▅▆▇█"
LABEL, WIDTH, SYMBOL = 10, 68, 14  # of what is left and right on a line, and of one symbol
UNKNOWN = 10  # rows of what a model does not know; the survey holds all
ROLES = {"source": "read", "feature": "read as a feature", "target": "written", "weight": "weighs the rows"}


def show(survey: Survey) -> RenderableType:
    """The whole survey, for `rich.print` or a console."""
    names = "named by a header" if survey.header else "named by number"
    parts: list[RenderableType] = [Text(f"{_count(survey.rows)}, {_count(len(survey.columns), 'column')} ({names})")]
    parts.extend(Group(Text(""), _title(column), _lines(column)) for column in survey.columns)
    parts.append(Group(Text("\nall columns", style="bold"), _whole(survey)))
    for unknown in survey.unknown:
        parts.extend(_unknown(unknown))
    if survey.undecided:
        parts.append(Text(f"\n{survey.undecided}", style="yellow"))
    return Group(*parts)


def _count(number: int, noun: str = "row") -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _title(column: ColumnSurvey) -> Text:
    text = cell(column.name, 30)
    text.stylize("bold")
    use = ROLES[column.role] if column.role else "not used"
    return text.append(f": {column.unit}, {use}", style="not bold")


def _lines(column: ColumnSurvey) -> Table:
    lines = _two_columns()
    lines.add_row("why so", Text(column.reason))
    lines.add_row("example", cell(column.example, WIDTH))
    different = f"{column.different:,} different"
    lines.add_row("cells", Text(f"{different}, {column.empty:,} empty" if column.empty else different))
    if column.lengths:
        lines.add_row("symbols", _lengths(column.lengths))
        lines.add_row("", _bars(column.lengths.histogram))
    if symbols := column.symbols:
        few = [f"{symbols.rare:,} seen fewer than {RARE} times"] if symbols.rare else []
        few += [f"{symbols.once:,} only once"] if symbols.once else []
        lines.add_row("", Text("; ".join([f"{symbols.different:,} different", ", ".join(few)]).rstrip("; ")))
        lines.add_row("commonest", _symbols(symbols.commonest))
        if rare := [one for one in symbols.rarest if one.count < RARE]:
            lines.add_row("rarest", _symbols(rare))
    if column.forms:
        lines.add_row("Unicode", Text(_forms(column.forms)))
        for note in column.forms.notes:
            lines.add_row("", Text(note))
    ways = column.directions
    if ways.right_to_left or ways.mixed:
        counts = (
            f" ({ways.left_to_right:,} cells left to right, {ways.right_to_left:,} right to left, {ways.mixed:,} both)"
        )
        lines.add_row("runs", Text(ways.direction + (counts if ways.direction == "mixed" else "")))
    return lines


def _two_columns() -> Table:
    table = Table(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(width=LABEL, style="dim")
    table.add_column(width=WIDTH, overflow="fold")
    return table


def _lengths(lengths: Lengths) -> Text:
    return Text(
        f"a cell: {lengths.shortest:,} to {lengths.longest:,}; half have at most {lengths.median:,g}, "
        f"95 % at most {lengths.most:,}"
    )


def _bars(bars: Sequence[Bar]) -> Text:
    """One block a bar, the lengths they begin and end with at their sides; what has rows is never blank."""
    most = max(bar.rows for bar in bars)
    blocks = "".join(BLOCKS[-(-bar.rows * 8 // most) - 1] if bar.rows else " " for bar in bars)
    return Text(f"{bars[0].shortest:,} {blocks} {bars[-1].longest:,}")


def _symbols(symbols: Iterable[SymbolCount]) -> Text:
    """As many as fit on a line, each with its count."""
    line = Text()
    for one in symbols:
        piece = (Text("   ") if line else Text()).append_text(cell(one.symbol, SYMBOL))
        piece.append(f" {one.count:,}", style="dim")
        if line.cell_len + piece.cell_len > WIDTH:
            break
        line.append_text(piece)
    return line


def _forms(forms: FormCounts) -> str:
    if not forms.nfc + forms.nfd + forms.other:
        return "reads the same in every form"
    counts = {"NFC": forms.nfc, "NFD": forms.nfd, "in neither": forms.other, "the same in both": forms.plain}
    rows = ", ".join(f"{n:,} {name}" for name, n in counts.items() if n)
    return f"{forms.form} ({rows})"


def _whole(survey: Survey) -> Table:
    lines = _two_columns()
    twice = survey.duplicates
    said = [f"{_count(twice.rows)} equal to an earlier one"] if twice.rows else []
    if twice.sources:
        said.append(f"{_count(twice.sources)} whose source came before")
    if twice.several_answers:
        said.append(f"{_count(twice.several_answers, 'source')} with several answers")
    lines.add_row("duplicates", Text("\n".join(said) or "none"))
    out = [f"{_count(one.rows)} ({one.why}), the first: {one.first}" for one in survey.left_out]
    lines.add_row("left out", _folded(out) if out else Text("none"))
    return lines


def _folded(lines: Sequence[str]) -> Text:
    """Several lines of any script, each kept whole and folded where it is too long."""
    return Text("\n").join(cell(line, 10 * WIDTH) for line in lines)


def _unknown(unknown: Unknown) -> list[RenderableType]:
    parts: list[RenderableType] = [Text(f"\n{unknown.column}: what the model does not know", style="bold")]
    if unknown.longer:
        parts.append(
            Text(f"{_count(unknown.longer)} longer than its longest, which had {unknown.longest_known:,} symbols")
        )
    if not unknown.symbols:
        return [*parts, Text("it knows every symbol")]
    parts.append(Text(f"{_count(unknown.rows)} with symbols it does not know, {len(unknown.symbols):,} different"))
    table = grid(None, "symbol", ">times", "for example", "where")
    for one in unknown.symbols[:UNKNOWN]:
        where = one.first.rpartition(", ")[2]
        table.add_row(cell(one.symbol, SYMBOL), f"{one.count:,}", cell(one.example, 32), where)
    return [*parts, table]
