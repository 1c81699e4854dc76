"""regard evaluate: a model measured on a table whose answers are known."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli.common import (
    AsJson,
    Beam,
    Device,
    Folder,
    Header,
    Report,
    Settings,
    Where,
    pairs,
    report,
    say,
    search_settings,
)

Tables = Annotated[
    list[Path], typer.Argument(metavar="TABLE", help="A table with known answers, or two parallel files.")
]
Also = Annotated[list[str] | None, typer.Option("--metric", help="A further metric, of those installed.")]


def add(app: typer.Typer) -> None:
    app.command("evaluate")(evaluate)


def evaluate(
    model: Folder,
    tables: Tables,
    out: Report = None,
    header: Header = None,
    where: Where = None,
    beam: Beam = None,
    settings: Settings = None,
    metric: Also = None,
    as_json: AsJson = False,
    device: Device = "auto",
) -> None:
    """Error rates with their intervals, by source length, confusions and worst answers.

    Rows with the same source are one question with several right answers.
    """
    from regard.api import load
    from regard.metrics import show

    loaded = load(model, device=device)
    found = loaded.evaluate(
        tables[0] if len(tables) == 1 else tables,
        also=metric or (),
        header=header,
        where=pairs("--where", where),
        say=say,
        **search_settings(loaded, settings, beam=beam),
    )
    report(found, show(found), out, as_json)
