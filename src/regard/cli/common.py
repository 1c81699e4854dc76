"""What several verbs share: the search options, the words to answer, and where things are said and written."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel
from rich.console import Console, RenderableType

from regard.data import sources
from regard.display import Trimmed, plain
from regard.errors import RegardError
from regard.files import write_text

if TYPE_CHECKING:
    from regard.answering import Answer
    from regard.api import TrainedModel
    from regard.trust import CheckOptions

errors = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)

PATIENCE = 3.0  # seconds without a text on standard input, until it is said that one is waited for

Words = Annotated[
    list[str] | None,
    typer.Argument(
        help="Texts to answer; they are data, never names of files. Put -- before one that begins with a hyphen."
    ),
]
Folder = Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder.")]
File = Annotated[Path | None, typer.Option("--file", help="A table to answer instead; - is standard input.")]
Out = Annotated[Path | None, typer.Option("--out", help="Where to write, instead of standard output.")]
Report = Annotated[
    Path | None,
    typer.Option("--out", help="A file to write the text into, or JSON where its name ends in .json or with --json."),
]
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

CheckSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--check-set",
        metavar="KEY=VALUE",
        help="A setting of the check: inputs (at most so many, 200), share (of the places that count as looked at most,"
        " 0.2) or seed (0); may come again.",
    ),
]

# Of the verbs that train: what the table is, and what is asked for.
Tables = Annotated[
    list[Path] | None,
    typer.Argument(metavar="TABLE", help="A table (TSV, CSV, JSON Lines, Parquet, Arrow), or two parallel files."),
]
Dev = Annotated[
    list[Path] | None,
    typer.Option(
        "--dev", help="What chooses the best weights: a table, or twice for parallel files; unset: a part of TABLE."
    ),
]
Source = Annotated[
    list[str] | None,
    typer.Option("--from", metavar="COLUMN", help="A column to read, by name or number; may come again."),
]
Target = Annotated[str | None, typer.Option("--to", metavar="COLUMN", help="The column to write.")]
Features = Annotated[
    list[str] | None,
    typer.Option("--features", metavar="COLUMN", help="A further column to read, such as tags, joined to the first."),
]
Weight = Annotated[
    str | None, typer.Option("--weight", metavar="COLUMN", help="A column of counts: how much each row weighs.")
]
Links = Annotated[
    str | None,
    typer.Option(
        "--links",
        metavar="COLUMN",
        help="True links between words that the look is shown: a column such as 0-0 1-2, or a file of the 2003 form.",
    ),
]
Where = Annotated[list[str] | None, typer.Option("--where", metavar="COLUMN=VALUE", help="Use only these rows.")]
Unit = Annotated[
    list[str] | None,
    typer.Option(
        "--unit",
        metavar="COLUMN=UNIT",
        help="What a symbol is: character, grapheme, word, symbol (split by spaces), tags or subword.",
    ),
]
Recipe = Annotated[str | None, typer.Option("--recipe", help="A system to begin with: see `regard recipes`.")]
TrainingSettings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting, such as score=general or epochs=20; may come again."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing but errors.")]


def training_options(
    quiet: bool, settings: Sequence[str] | None, device: str, where: Sequence[str] | None, unit: Sequence[str] | None,
    dev: Sequence[Path] | None, source: Sequence[str] | None, features: Sequence[str] | None, **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """The options above as keywords of `regard.train`."""
    asked = [] if device == "auto" else [f"training.device={device}"]  # else it may be said by --set or the recipe
    return more | {
        "settings": [*(settings or []), *asked],
        "where": pairs("--where", where),
        "units": pairs("--unit", unit),
        "dev": one_or_all(dev) if dev else None,
        "source": source or (),
        "features": features or (),
        "say": (lambda line: None) if quiet else say,
    }


def one_or_all(paths: Sequence[Path] | None) -> Any:
    """One table, or the paths of parallel files."""
    if not paths:
        raise RegardError("a table is needed, such as words.tsv")
    return paths[0] if len(paths) == 1 else list(paths)


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    found = {}
    for pair in given or []:
        key, equals, value = pair.partition("=")
        if not equals:
            raise RegardError(f"{option} {pair!r}: expected COLUMN=…")
        found[key] = value
    return found


def say(line: str) -> None:
    """Something that was found or decided, for the person and not for the next program."""
    errors.print(line, style="dim", markup=False)


def search_settings(model: "TrainedModel", settings: Sequence[str] | None, **given: Any) -> dict[str, Any]:
    """`--set` and the options of their own, as keywords of `TrainedModel.predict`."""
    from regard.config import parse_setting

    found = dict(parse_setting(setting) for setting in settings or ())
    found = {key.removeprefix("search."): value for key, value in found.items()}
    found |= {key: value for key, value in given.items() if value is not None}
    search = model.settings(**found)
    for name in search.for_search().without_effect():
        if name in found:
            say(f"has no effect here: {name} (method is {search.method})")
    return found


def checking(asked: bool, settings: Sequence[str] | None, option: str) -> "CheckOptions | None":
    """`--check-set`, where a check was asked for."""
    from regard.config import parse_setting
    from regard.trust import check_options

    found = check_options(dict(parse_setting(setting) for setting in settings or ()))
    if settings and not asked:
        say(f"has no effect here: --check-set (without {option})")
    return found if asked else None


def texts_given(
    model: "TrainedModel",
    words: Sequence[str] | None,
    file: Path | None,
    header: bool | None,
    columns: Sequence[str] | None = None,
) -> dict[str, list[str]]:
    """What is to be answered, a list for each column that the model reads; how a table is understood is said."""
    from regard.data.formats import SAMPLE, SHOWN
    from regard.data.headers import looks_like_header
    from regard.display import cell

    reads = model.reads
    if words and columns:
        raise RegardError("--from names a column of a table: give the table by --file")
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
    if file is not None and str(file) != "-":
        return model.texts(file, reads, header=header, source=columns or (), say=say)
    with _waiting(reads):
        if len(reads) > 1 or header is not None or columns:
            return model.texts("-", reads, header=header, source=columns or (), say=say)
        content = sys.stdin.buffer.read()  # plain lines: no table is looked for in them
    if not content:
        raise RegardError("nothing to answer: standard input is empty; give texts after the model, or --file table.tsv")
    lines = [line for _, line in sources.Source("standard input", None, content).lines()]
    if len(lines) > 1 and looks_like_header([line.split("\t") for line in lines[:SAMPLE]]):
        first = cell(lines[0], SHOWN).plain
        say(f"standard input: each line is a text, and the first, {first}, too (--header if it names columns)")
    return {reads[0]: lines}


def say_unknown(ranked: "Sequence[Sequence[Answer]]", file: Path | None) -> None:
    """What the model does not know of what it was asked, in one line."""
    from regard.answering import unknown_in

    if line := unknown_in([answers[0] for answers in ranked], table=file is not None):
        say(line)


@contextmanager
def _waiting(reads: Sequence[str]) -> Iterator[None]:
    """Say that texts are waited for: in a terminal at once, else where none has come for a while."""
    what = "texts, one a line" if len(reads) == 1 else f"a table with the columns {', '.join(reads)}, parted by tabs"
    if sys.stdin.isatty():
        say(f"type {what}; Ctrl-D ends")
        yield
        return
    timer = Timer(PATIENCE, say, [f"waiting for {what}, on standard input; Ctrl-C leaves"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def report(found: BaseModel, shown: RenderableType, out: Path | None, as_json: bool) -> None:
    """What was found, as text or as JSON. With JSON in a file, the text is printed all the same, unless `--json`."""
    in_json = as_json or (out is not None and out.suffix.lower() == ".json")
    if in_json:
        write_out(found.model_dump_json(indent=2) + "\n", out)
    elif out is not None:
        write_out(plain(shown) + "\n", out)
    if not as_json and (out is None or in_json):
        Console(highlight=False).print(Trimmed(shown))


def write_out(text: str, out: Path | None) -> None:
    """To a file, whole or not at all, or to standard output."""
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_text(out, text)
    except OSError as error:
        raise RegardError(f"cannot write {out}: {error.strerror}") from None
