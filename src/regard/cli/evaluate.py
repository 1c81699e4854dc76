"""regard evaluate: a model measured on a table whose answers are known."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli.common import (
    AsJson,
    Beam,
    CheckSettings,
    Device,
    Folder,
    Header,
    Report,
    Settings,
    Source,
    Target,
    Where,
    checking,
    pairs,
    report,
    say,
    search_settings,
)

Tables = Annotated[
    list[Path], typer.Argument(metavar="TABLE", help="A table with known answers, or two parallel files.")
]
Also = Annotated[list[str] | None, typer.Option("--metric", help="A further metric, of those installed.")]

Check = Annotated[
    bool, typer.Option("--check-looks", help="Say as well whether the model uses what it looks at, by deleting it.")
]


def add(app: typer.Typer) -> None:
    app.command("evaluate")(evaluate)


def evaluate(
    model: Folder,
    tables: Tables,
    out: Report = None,
    header: Header = None,
    where: Where = None,
    source: Source = None,
    target: Target = None,
    beam: Beam = None,
    settings: Settings = None,
    metric: Also = None,
    check_looks: Check = False,
    check_set: CheckSettings = None,
    as_json: AsJson = False,
    device: Device = "auto",
) -> None:
    """Error rates with their intervals, by source length, confusions and worst answers.

    Rows with the same source are one question with several right answers.
    """
    from regard.api import load
    from regard.metrics import show

    check = checking(check_looks, check_set, "--check-looks")
    loaded = load(model, device=device)
    found = loaded.evaluate(
        tables[0] if len(tables) == 1 else tables,
        also=metric or (),
        header=header,
        where=pairs("--where", where),
        check_looks=False if check is None else check.model_dump(),
        source=source or (),
        target=target,
        say=say,
        **search_settings(loaded, settings, beam=beam),
    )
    report(found, show(found), out, as_json)
