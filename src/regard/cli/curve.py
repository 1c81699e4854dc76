"""regard curve: how the error falls with more data, and what twice the data would bring."""

from pathlib import Path
from typing import Annotated, Any

import typer

from regard.cli.common import AsJson, say, write_out
from regard.cli.live import Live
from regard.cli.train import _one_or_all


def add(app: typer.Typer) -> None:
    app.command("curve")(curve)
