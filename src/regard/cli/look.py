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
    Words,
    search_settings,
    texts_given,
    write_out,
)

Drawing = Annotated[Path | None, typer.Option("--out", help="A file to draw into: .html, .png, .svg or .json.")]

Force = Annotated[
    list[str] | None,
    typer.Option(
        "--force",
        metavar="OUTPUT=PLACE",
        help="What if: make an output look at a place, both counted from 0; LOOK:OUTPUT=PLACE where there are several"
        " looks; may come again.",
    ),
]


def add(app: typer.Typer) -> None:
    app.command("look")(look)


def look(
    model: Folder,
    words: Words = None,
    file: File = None,
    header: Header = None,
    out: Drawing = None,
    beam: Beam = None,
    settings: Settings = None,
    as_json: AsJson = False,
    force: Force = None,
    device: Device = "auto",
) -> None:
    """Show where the model looked for each symbol of its answer."""
    from rich.console import Console

    from regard import whatif
    from regard.api import load
    from regard.looking.record import Json
    from regard.looking.renderers import renderer, save

    if out is not None:
        renderer(out)  # a wrong ending is told before the model is asked
    asked = whatif.asked(force or ())
    loaded = load(model, device=device)
    given, search = texts_given(loaded, words, file, header), search_settings(loaded, settings, beam=beam)
    changed = loaded.what_ifs(given, asked, **search) if asked else []
    looks = [one.forced for one in changed] or [answers[0].look for answers in loaded.ranked(given, **search)]
    if out is not None:
        save(looks, out)
    elif as_json:
        write_out(whatif.to_json(changed) if asked else Json.draw(looks).decode(), None)
    else:
        console = Console(highlight=False)
        for number, one in enumerate(changed or looks):
            if number:
                console.print()
            console.print(one)
