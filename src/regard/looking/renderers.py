"""Looks into files: the ending of a file's name chooses the renderer, and a third party adds one by entry point.

A renderer is a class whose `name` is the ending without its dot and whose `draw(looks)` gives the file's bytes.
Several looks go into one file, one below the other (JSON: a list), since one file is what was asked for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from regard.errors import RegardError
from regard.looking.html import Html
from regard.looking.look import Look
from regard.looking.png import Png
from regard.looking.record import Json
from regard.looking.svg import Svg
from regard.parts import Family


@runtime_checkable
class Renderer(Protocol):
    """The class itself is the renderer: nothing is made of it."""

    name: str

    def draw(self, looks: Sequence[Look]) -> bytes: ...


RENDERERS = Family("renderer", "regard.renderers", [Html, Json, Png, Svg])


def renderer(path: str | Path) -> Renderer:
    """The renderer for this file name: ask before a long run rather than after it."""
    ending = Path(path).suffix.removeprefix(".").lower()
    if ending not in RENDERERS.names():
        known = ", ".join(f".{name}" for name in RENDERERS.names())
        raise RegardError(f"cannot draw a look into {str(path)!r}: its name must end in one of {known}")
    found: Renderer = RENDERERS[ending]
    return found


def save(looks: Look | Sequence[Look], path: str | Path) -> None:
    """Draw one look or several into a file."""
    drawing = renderer(path).draw([looks] if isinstance(looks, Look) else looks)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(drawing)
    except OSError as error:
        raise RegardError(f"cannot write {str(path)!r}: {error.strerror}") from error
