"""regard train: from a table to a model folder."""

from pathlib import Path
from typing import Annotated, Any

import typer

from regard.cli.common import Header, say
from regard.cli.live import Live
from regard.errors import RegardError

ARGUMENT = typer.Argument(
    metavar="TABLE…", help="A table (TSV, CSV, JSON Lines, Parquet, Arrow), or two parallel files."
)
Pairs = list[str] | None


def add(app: typer.Typer) -> None:
    app.command("train")(train)


def train(
    tables: Annotated[list[Path] | None, ARGUMENT] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The model folder to make.")] = None,
    dev: Annotated[
        list[Path] | None,
        typer.Option(
            "--dev", help="A table, or twice for parallel files, that chooses the best weights; unset: a part of TABLE."
        ),
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option("--from", metavar="COLUMN", help="A column to read, by name or number.")
    ] = None,
    target: Annotated[str | None, typer.Option("--to", metavar="COLUMN", help="The column to write.")] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--features", metavar="COLUMN", help="A further column to read, such as tags, joined to the first."
        ),
    ] = None,
    weight: Annotated[
        str | None, typer.Option("--weight", metavar="COLUMN", help="A column of counts: how much each row weighs.")
    ] = None,
    where: Annotated[Pairs, typer.Option("--where", metavar="COLUMN=VALUE", help="Use only these rows.")] = None,
    unit: Annotated[
        Pairs,
        typer.Option(
            "--unit",
            metavar="COLUMN=UNIT",
            help="What a symbol is: character, grapheme, word, symbol, tags or subword.",
        ),
    ] = None,
    header: Header = None,
    recipe: Annotated[
        str | None, typer.Option("--recipe", help="A system to begin with: see `regard recipes`.")
    ] = None,
    settings: Annotated[
        Pairs,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Any setting, such as score=general or epochs=20; may come again."
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=2, help="Train so many models, seeds 1, 2, …, and combine them.")
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            min=2,
            help="Cross-validate: train so many models, each measured on its own part; no model is kept.",
        ),
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cpu, cuda or auto.")] = "auto",
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="MODEL", help="Go on with an interrupted training.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing but errors.")] = False,
) -> None:
    """Learn from a table, and write a model folder.

    What each column is and how it is cut is found by looking at the table, said, and can be overruled.
    """
    import regard
    from regard import api

    speak = _silent if quiet else say
    if resume is not None:
        if tables or out:
            raise RegardError("--resume takes everything from the model folder: leave out the table and --out")
        with Live(quiet, resume) as live:
            regard.go_on(resume, say=speak, tell=live.tell)
        return
    if not tables:
        raise RegardError("a table is needed: regard train words.tsv --out g2p")
    options: dict[str, Any] = {
        "dev": _one_or_all(dev) if dev else None,
        "recipe": recipe,
        "settings": [*(settings or []), f"training.device={device}"],
        "source": source or (),
        "target": target,
        "features": features or (),
        "weight": weight,
        "header": header,
        "where": _pairs("--where", where),
        "units": _pairs("--unit", unit),
        "say": speak,
    }
    table = _one_or_all(tables)
    if folds is not None:
        if dev or seeds:
            raise RegardError("--folds holds out parts of the table itself: leave out --dev and --seeds")
        with Live(quiet, None) as live:
            reports = api.cross_validate(table, folds, tell=live.tell, **options)
        live.folds(reports)
        return
    folder = out or Path(tables[0].name.partition(".")[0])
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RegardError(f"{folder} exists and is not empty; choose another --out, or go on with --resume {folder}")
    with Live(quiet, folder) as live:
        if seeds is not None:
            api.train_seeds(table, seeds, out=folder, tell=live.tell, **options)
        else:
            api.train(table, out=folder, tell=live.tell, **options)


def _silent(line: str) -> None:
    pass


def _one_or_all(paths: list[Path]) -> Any:
    return paths[0] if len(paths) == 1 else paths


def _pairs(option: str, given: list[str] | None) -> dict[str, str]:
    found = {}
    for pair in given or []:
        key, equals, value = pair.partition("=")
        if not equals:
            raise RegardError(f"{option} {pair!r}: expected COLUMN=…")
        found[key] = value
    return found
