"""regard train: from a table to a model folder."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli import common
from regard.errors import RegardError

Out = Annotated[Path | None, typer.Option("--out", help="The model folder to make; unset: named after TABLE.")]
Seeds = Annotated[
    int | None, typer.Option("--seeds", min=2, help="Train so many models, seeds 1, 2, …, and combine them.")
]
Folds = Annotated[
    int | None,
    typer.Option("--folds", min=2, help="Cross-validate: so many models, each measured on its own part; none is kept."),
]
Resume = Annotated[Path | None, typer.Option("--resume", metavar="MODEL", help="Go on with an interrupted training.")]


def add(app: typer.Typer) -> None:
    app.command("train")(train)


def train(
    tables: common.Tables = None,
    out: Out = None,
    dev: common.Dev = None,
    source: common.Source = None,
    target: common.Target = None,
    features: common.Features = None,
    weight: common.Weight = None,
    links: common.Links = None,
    where: common.Where = None,
    unit: common.Unit = None,
    header: common.Header = None,
    recipe: common.Recipe = None,
    settings: common.TrainingSettings = None,
    seeds: Seeds = None,
    folds: Folds = None,
    device: common.Device = "auto",
    resume: Resume = None,
    quiet: common.Quiet = False,
) -> None:
    """Learn from a table, and write a model folder.

    What each column is and how it is cut is found by looking at the table, said, and can be overruled.
    """
    from regard import api
    from regard.cli.live import Live

    options = common.training_options(
        quiet, settings, device, where, unit, dev, source, features,
        target=target, weight=weight, links=links, header=header, recipe=recipe,
    )  # fmt: skip
    if resume is not None:
        given = {
            "TABLE": tables, "--out": out, "--dev": dev, "--from": source, "--to": target, "--features": features,
            "--weight": weight, "--links": links, "--where": where, "--unit": unit, "--header": header,
            "--recipe": recipe, "--set": settings, "--seeds": seeds, "--folds": folds,
        }  # fmt: skip
        idle = [name for name, value in given.items() if value is not None and value != []]
        if idle:
            longer = "; to train for longer, train anew with --set epochs=…" if settings else ""
            raise RegardError(f"--resume takes everything from the model folder: leave out {', '.join(idle)}{longer}")
        with Live(quiet, resume) as live:
            api.go_on(resume, say=options["say"], tell=live.tell, device=None if device == "auto" else device)
        return
    table = common.one_or_all(tables)
    if folds is not None:
        if dev or seeds or out:
            raise RegardError(
                "--folds holds out parts of the table itself and keeps no model: leave out --dev, --seeds, --out"
            )
        del options["dev"]
        with Live(quiet, None) as live:
            reports = api.cross_validate(table, folds, tell=live.tell, **options)
        live.folds(reports)
        return
    folder = out or Path((tables or [Path()])[0].name.partition(".")[0] or "model")
    with Live(quiet, folder) as live:
        if seeds is not None:
            api.train_seeds(table, seeds, out=folder, tell=live.tell, **options)
        else:
            api.train(table, out=folder, tell=live.tell, **options)
