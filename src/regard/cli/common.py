"""What several verbs share: the search options, the words to answer, and where things are said and written."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from regard.errors import RegardError
from regard.files import write_text

if TYPE_CHECKING:
    from regard.api import TrainedModel

errors = Console(stderr=True, highlight=False, soft_wrap=True)

Words = Annotated[list[str] | None, typer.Argument(help="Texts to answer; they are data, never names of files.")]
Folder = Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder.")]
File = Annotated[Path | None, typer.Option("--file", help="A table to answer instead; - is standard input.")]
Out = Annotated[Path | None, typer.Option("--out", help="Where to write, instead of standard output.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, in the published form (docs/schemas).")]
Device = Annotated[str, typer.Option("--device", help="cpu, cuda or auto.")]
Beam = Annotated[int | None, typer.Option("--beam", min=1, help="Hypotheses kept at every step; 1: greedy.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A search setting, such as method=sample or temperature=0.7; may come again."
    ),
]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Does the table begin with names? Unset: found by looking.")
]


def say(line: str) -> None:
    """Something that was found or decided, for the person and not for the next program."""
    errors.print(line, style="dim", markup=False)


def search_settings(settings: Sequence[str] | None, **given: Any) -> dict[str, Any]:
    """`--set` and the options of their own, as keywords of `TrainedModel.predict`."""
    from regard.config import parse_setting

    found = dict(parse_setting(setting) for setting in settings or ())
    found = {key.removeprefix("search."): value for key, value in found.items()}
    return found | {key: value for key, value in given.items() if value is not None}


def texts_given(model: "TrainedModel", words: Sequence[str] | None, file: Path | None) -> dict[str, list[str]]:
    """What is to be answered, a list for each column that the model reads."""
    reads = model.reads
    if words and file:
        raise RegardError("texts came both on the command line and by --file; give one of them")
    if not reads:
        if words or file:
            raise RegardError("this model reads nothing (a language model): it is asked without texts")
        return {}
    if words:
        if len(words) % len(reads):
            raise RegardError(
                f"the model reads {len(reads)} columns ({', '.join(reads)}): give {len(reads)} texts for each answer;"
                f" {len(words)} came"
            )
        return {name: list(words[at :: len(reads)]) for at, name in enumerate(reads)}
    if file is None and sys.stdin.isatty():
        raise RegardError("nothing to answer: give texts after the model, or --file table.tsv")
    source = "-" if file is None or str(file) == "-" else file
    if len(reads) == 1 and source == "-":  # plain lines: no table is looked for in them
        return {reads[0]: [line.removesuffix("\n") for line in sys.stdin]}
    return model.texts(source, reads)


def write_out(text: str, out: Path | None) -> None:
    """To a file, whole or not at all, or to standard output."""
    if out is None:
        sys.stdout.write(text)
        return
    try:
        write_text(out, text)
    except OSError as error:
        raise RegardError(f"cannot write {out}: {error.strerror}") from None
