"""regard predict: answers to texts on the command line, to a table, or to lines of standard input."""

from typing import Annotated

import typer

from regard.cli.common import (
    AsJson,
    Beam,
    Device,
    File,
    Folder,
    Out,
    Settings,
    Words,
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
    out: Out = None,
    n_best: NBest = None,
    beam: Beam = None,
    settings: Settings = None,
    as_json: AsJson = False,
    device: Device = "auto",
) -> None:
    """Answer texts.

    One line an input: what was given and the answer, parted by a tab. With --n-best, a line an answer, with its rank
    and its score (log-probability, normalised for length).
    """
    from regard.answering import record
    from regard.api import load

    loaded = load(model, device=device)
    if n_best is not None and beam is None:
        beam = max(n_best, loaded.config.search.beam)
    given = texts_given(loaded, words, file)
    ranked = loaded.ranked(given, **search_settings(settings, n_best=n_best, beam=beam))
    lines = []
    for answers in ranked:
        if as_json:
            lines.append(record(answers).model_dump_json())
            continue
        for rank, answer in enumerate(answers, 1):
            cells = [*answer.given.values(), answer.text]
            lines.append("\t".join([*cells, str(rank), f"{answer.score:.4f}"] if len(answers) > 1 else cells))
    write_out("".join(f"{line}\n" for line in lines), out)
