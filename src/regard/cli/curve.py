"""regard curve: how the error falls with more data, and what twice the data would bring."""

from typing import Annotated

import typer

from regard.cli import common

Halvings = Annotated[
    int, typer.Option("--halvings", min=1, help="How often the data are halved: 3 trains on 1/8, 1/4, 1/2, all.")
]


def add(app: typer.Typer) -> None:
    app.command("curve")(curve)


def curve(
    tables: common.Tables = None,
    halvings: Halvings = 3,
    dev: common.Dev = None,
    source: common.Source = None,
    target: common.Target = None,
    features: common.Features = None,
    weight: common.Weight = None,
    where: common.Where = None,
    unit: common.Unit = None,
    header: common.Header = None,
    recipe: common.Recipe = None,
    settings: common.TrainingSettings = None,
    out: common.Report = None,
    as_json: common.AsJson = False,
    device: common.Device = "auto",
    quiet: common.Quiet = False,
) -> None:
    """Train on halves of the data, measured on one dev part, and guess what twice the data would bring."""
    from regard import api
    from regard.cli.live import Live

    options = common.training_options(
        quiet, settings, device, where, unit, dev, source, features,
        target=target, weight=weight, header=header, recipe=recipe,
    )  # fmt: skip
    with Live(quiet, None) as live:
        found = api.learning_curve(common.one_or_all(tables), halvings, tell=live.tell, **options)
    common.report(found, found.table(), out, as_json)
