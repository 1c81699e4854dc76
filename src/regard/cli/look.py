"""regard look: where the model looked, in the terminal or as a picture, a page or JSON."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli.common import (
    AsJson,
    Beam,
    CheckSettings,
    Device,
    File,
    Folder,
    Header,
    Settings,
    Source,
    Words,
    checking,
    say,
    say_unknown,
    search_settings,
    texts_given,
    write_out,
)
from regard.errors import RegardError

Output = Annotated[
    list[str] | None,
    typer.Option(
        "--output", metavar="TEXT", help="Look along this answer instead of the model's own; once for each input."
    ),
]
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

Check = Annotated[
    bool,
    typer.Option("--check", help="Say whether the model uses what it looks at, by deleting it from these texts."),
]


def add(app: typer.Typer) -> None:
    app.command("look")(look)


def look(
    model: Folder,
    words: Words = None,
    file: File = None,
    header: Header = None,
    output: Output = None,
    source: Source = None,
    out: Drawing = None,
    beam: Beam = None,
    settings: Settings = None,
    as_json: AsJson = False,
    force: Force = None,
    check: Check = False,
    check_set: CheckSettings = None,
    device: Device = "auto",
) -> None:
    """Show where the model looked for each symbol of its answer."""
    from rich.console import Console

    from regard import whatif
    from regard.api import load
    from regard.looking.record import Json
    from regard.looking.renderers import renderer, save
    from regard.metrics import LookCheck, show_looks
    from regard.metrics.trust import to_json

    if out is not None:
        renderer(out)  # a wrong ending is told before the model is asked
    asked, options = whatif.asked(force or ()), checking(check, check_set, "--check")
    if asked and options:
        raise RegardError("--force and --check were both asked for: take one of them")
    if output and (asked or options or beam is not None or settings):
        raise RegardError("with --output nothing is searched for: leave out --beam, --set, --force and --check")
    loaded = load(model, device=device)
    given, search = texts_given(loaded, words, file, header, source), search_settings(loaded, settings, beam=beam)
    checks: list[LookCheck] = []
    changed = loaded.what_ifs(given, asked, **search) if asked else []
    if output:
        looks = [answer.look for answer in loaded.answerer.forced(given, output)]
    elif asked:
        looks = [one.forced for one in changed]
    else:
        ranked = loaded.ranked(given, **search)
        say_unknown(ranked, file)
        checks = loaded.checks([answers[0] for answers in ranked], options, say) if options else []
        looks = [answers[0].look for answers in ranked]
    if out is not None:
        save(looks, out)
    if as_json and options:
        write_out(to_json(checks), None)
    elif as_json and out is None:
        write_out(whatif.to_json(changed) if asked else Json.draw(looks).decode(), None)
    else:
        drawn = (changed or looks) if out is None and (words or not options) else []  # a table's looks would be many
        console = Console(highlight=False)
        for number, one in enumerate([*drawn, *map(show_looks, checks)]):
            if number:
                console.print()
            console.print(one)
