"""regard recipes: the systems, a line each; one in full; one to edit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.errors import RegardError

if TYPE_CHECKING:
    from typer import Context
else:
    Context = typer.Context.__mro__[1]  # what is handed over: of click, or of the click that typer brings along

Name = Annotated[str, typer.Argument(metavar="NAME", help="A recipe.")]


def add(app: typer.Typer) -> None:
    room = typer.Typer(help="The systems that a training can begin with.", invoke_without_command=True)
    room.callback()(listed)
    room.command("list")(every)
    room.command("show")(show)
    room.command("copy")(copy)
    app.add_typer(room, name="recipes")


def listed(context: Context) -> None:
    """The systems that a training can begin with: without a word more, a line each."""
    if context.invoked_subcommand is None:
        every()


def every() -> None:
    """List the recipes, a line each."""
    from regard import recipes

    names = recipes.names()
    for name in names:
        print(f"{name:<{max(map(len, names))}}  {recipes.summary(name)}")


def show(name: Name) -> None:
    """Print a recipe."""
    from regard import recipes

    print(recipes.text(name), end="")


def copy(
    name: Name,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The file to write; unset: NAME.toml.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The same as FILE.")] = None,
) -> None:
    """Write a recipe into a file, to be edited and used by `--recipe FILE`."""
    from regard import recipes
    from regard.cli.common import say, write_out

    if file is not None and out is not None:
        raise RegardError(f"two files to write came, {file} and --out {out}; give one of them")
    path = file or out or Path(f"{name}.toml")
    if path.exists():
        raise RegardError(f"{path} exists; give another file to write: regard recipes copy {name} FILE")
    write_out(recipes.text(name), path)
    say(f"written: {path}; edit it, and train with --recipe {path}")
