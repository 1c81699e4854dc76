"""regard inspect: what is in a table before it is learnt from, or in a model."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli import common
from regard.errors import RegardError

What = Annotated[
    list[Path], typer.Argument(metavar="TABLE | MODEL", help="A table, parallel files, or a model folder.")
]
Beside = Annotated[Path | None, typer.Option("--model", help="Also say what this model does not know of the table.")]


def add(app: typer.Typer) -> None:
    app.command("inspect")(inspect)


def inspect(
    what: What,
    model: Beside = None,
    source: common.Source = None,
    target: common.Target = None,
    features: common.Features = None,
    weight: common.Weight = None,
    where: common.Where = None,
    unit: common.Unit = None,
    header: common.Header = None,
    out: common.Report = None,
    as_json: common.AsJson = False,
) -> None:
    """Of a table: kinds and units, lengths, rare symbols, Unicode forms, duplicates, rows that would be left out.

    Of a model: its card, and its parts with shapes and parameter counts.
    """
    from regard.data.matching import match_some
    from regard.data.show import show
    from regard.data.survey import survey, unknown
    from regard.data.tables import read
    from regard.folder import is_model

    if len(what) == 1 and is_model(what[0]):
        _model(what[0], as_json, out)
        return
    if len(what) == 1 and what[0].is_dir():
        raise RegardError(f"{what[0]} is a folder and no model: it has no config.toml")
    table = read(common.one_or_all(what), header=header, where=common.pairs("--where", where), say=common.say)
    found = survey(
        table,
        say=common.say,
        sources=source or (),
        features=features or (),
        target=target,
        weight=weight,
        units=common.pairs("--unit", unit),
    )
    if model is not None:
        from regard.api import load

        loaded = load(model)
        asked = loaded.known.asked([*(source or ()), *(features or ())], target)
        places = match_some(table, loaded.known, asked, common.say)
        found = found.model_copy(update={"unknown": unknown(loaded.answerer.columns, table, places)})
    common.report(found, show(found), out, as_json)


def _model(folder: Path, as_json: bool, out: Path | None) -> None:
    from rich.console import Group, RenderableType
    from rich.markdown import Markdown

    from regard.api import load
    from regard.description import describe, show

    found = describe(load(folder).answerer)
    parts: list[RenderableType] = []
    card = folder / "README.md"
    if card.exists():
        parts = [Markdown(card.read_text(encoding="utf-8").partition("<details>")[0]), ""]
    common.report(found, Group(*parts, show(found)), out, as_json)
