"""regard combine: several models as one that averages their probabilities."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli.common import say


def add(app: typer.Typer) -> None:
    app.command("combine")(combine)


def combine(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL", help="Models that read and write the same symbols.")],
    out: Annotated[Path, typer.Option("--out", help="The model folder to make.")],
) -> None:
    """Make an ensemble; it is a model like any other, and every verb takes it."""
    from regard.api import combine as join

    joined = join(models, out)
    say(f"{out}: {len(joined.answerer.models)} models, their probabilities averaged")
