"""regard look: where the model looked, in the terminal or as a picture, a page or JSON."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli.common import (
    AsJson,
    Beam,
    Device,
    File,
    Folder,
    Header,
    Settings,
    Source,
    Words,
    say_unknown,
    search_settings,
    texts_given,
    write_out,
)

Drawing = Annotated[Path | None, typer.Option("--out", help="A file to draw into: .html, .png, .svg or .json.")]


def add(app: typer.Typer) -> None:
    app.command("look")(look)


def look(
    model: Folder,
    words: Words = None,
    file: File = None,
    header: Header = None,
    source: Source = None,
    out: Drawing = None,
    beam: Beam = None,
    settings: Settings = None,
    as_json: AsJson = False,
    device: Device = "auto",
) -> None:
    """Show where the model looked for each symbol of its answer."""
    from rich.console import Console

    from regard.api import load
    from regard.looking.record import Json
    from regard.looking.renderers import renderer, save

    if out is not None:
        renderer(out)  # a wrong ending is told before the model is asked
    loaded = load(model, device=device)
    given, search = texts_given(loaded, words, file, header, source), search_settings(loaded, settings, beam=beam)
    ranked = loaded.ranked(given, **search)
    say_unknown(ranked, file)
    looks = [answers[0].look for answers in ranked]
    if out is not None:
        save(looks, out)
    elif as_json:
        write_out(Json.draw(looks).decode(), None)
    else:
        console = Console(highlight=False)
        for number, one in enumerate(looks):
            if number:
                console.print()
            console.print(one)
