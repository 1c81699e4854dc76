"""regard predict: answers to texts on the command line, to a table, or to lines of standard input."""

from typing import Annotated

import typer

from regard.cli.common import (
    AsJson,
    Beam,
    Device,
    File,
    Folder,
    Header,
    Out,
    Settings,
    Source,
    Words,
    say_unknown,
    search_settings,
    texts_given,
    write_out,
)

NBest = Annotated[int | None, typer.Option("--n-best", min=1, help="Answers to each input, best first.")]


def add(app: typer.Typer) -> None:
    app.command("predict")(predict)


def predict(
    model: Folder,
    words: Words = None,
    file: File = None,
    header: Header = None,
    source: Source = None,
    out: Out = None,
    n_best: NBest = None,
    beam: Beam = None,
    settings: Settings = None,
    as_json: AsJson = False,
    device: Device = "auto",
) -> None:
    """Answer texts.

    One line an input: what was given and the answer, parted by a tab. With --n-best, or with several samples, a line
    an answer, with its rank and its score (log-probability, normalised for length).
    """
    from regard.answering import record
    from regard.api import load

    loaded = load(model, device=device)
    search = search_settings(loaded, settings, n_best=n_best, beam=beam)
    several = loaded.settings(**search).several
    ranked = loaded.ranked(texts_given(loaded, words, file, header, source), **search)
    say_unknown(ranked, file)
    lines = []
    for answers in ranked:
        if as_json:
            lines.append(record(answers).model_dump_json())
            continue
        for rank, answer in enumerate(answers, 1):
            cells = [*answer.given.values(), answer.text]
            lines.append("\t".join([*cells, str(rank), f"{answer.score:.4f}"] if several else cells))
    write_out("".join(f"{line}\n" for line in lines), out)
