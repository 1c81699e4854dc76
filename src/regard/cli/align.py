"""regard align: which source word each word of a known answer comes from, and how true that is."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.common import AsJson, Device, Folder, Header, Where, one_or_all, pairs, write_out


class Symmetry(StrEnum):
    """What is made of the links of two directions."""

    intersection = "intersection"
    union = "union"


class Step(StrEnum):
    """Whose look links a symbol."""

    own = "own"
    next = "next"


Tables = Annotated[
    list[Path], typer.Argument(metavar="PAIRS", help="A table with what is read and what is written, or two files.")
]
Out = Annotated[Path | None, typer.Option("--out", help="Where to write the links, instead of standard output.")]
Look = Annotated[
    str | None, typer.Option("--look", help="The look to go by, where there are several; unset: the first.")
]
Threshold = Annotated[
    float | None,
    typer.Option("--threshold", help="Link all source words with at least so much of the weight; unset: the best one."),
]
Whose = Annotated[
    Step | None,
    typer.Option(
        "--step", help="Link by the look that writes a symbol, or by the next, which has read it; unset: as trained."
    ),
]
Reverse = Annotated[
    Path | None,
    typer.Option("--reverse", metavar="MODEL", help="A model of the other direction, whose links count too."),
]
Symmetrise = Annotated[
    Symmetry, typer.Option("--symmetry", help="With --reverse: links that both have, or that either has.")
]
Gold = Annotated[
    Path | None,
    typer.Option("--gold", help="A file of true links to measure by: sentence source target [S|P], counted from 1."),
]
GoldColumn = Annotated[
    str | None,
    typer.Option(
        "--gold-column", metavar="COLUMN", help="A column of true links to measure by: 0-0 sure, 0?0 possible."
    ),
]
Swap = Annotated[bool, typer.Option("--swap", help="The true links name the words that are written first.")]


def add(app: typer.Typer) -> None:
    app.command("align")(align)


def align(
    model: Folder,
    tables: Tables,
    out: Out = None,
    look: Look = None,
    threshold: Threshold = None,
    step: Whose = None,
    reverse: Reverse = None,
    symmetry: Symmetrise = Symmetry.intersection,
    gold: Gold = None,
    gold_column: GoldColumn = None,
    swap: Swap = False,
    header: Header = None,
    where: Where = None,
    as_json: AsJson = False,
    device: Device = "auto",
) -> None:
    """Link the words of pairs: a line a pair, source word and target word, both counted from 0.

    With --gold or --gold-column, measures the links instead; --out writes them all the same.
    """
    from rich.console import Console

    from regard.api import load
    from regard.metrics.alignment import show

    loaded = load(model, device=device)
    found = loaded.align(
        one_or_all(tables), look=look, threshold=threshold, step=None if step is None else step.value,
        reverse=None if reverse is None else load(reverse, device=device), symmetry=symmetry.value, gold=gold,
        gold_column=gold_column, swap=swap, header=header, where=pairs("--where", where),
    )  # fmt: skip
    if out is not None or found.report is None:
        lines = "".join(f"{pair.model_dump_json()}\n" for pair in found.pairs) if as_json else str(found)
        write_out(lines, out)
    if found.report is not None:
        if as_json:
            write_out(found.report.model_dump_json(indent=2) + "\n", None)
        else:
            Console(highlight=False).print(show(found.report))
