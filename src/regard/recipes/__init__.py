"""Recipes: the systems, one TOML file each, whose head says what it is and where it comes from.

A recipe is a configuration with most of it left out. A third party adds one by an entry point in the group
`regard.recipes` whose object is the path of its file.
"""

import re
import tomllib
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any

from regard.errors import RegardError, nearest


def names() -> list[str]:
    """All recipes, ours and those of others."""
    return sorted({*_ours(), *(point.name for point in entry_points(group="regard.recipes"))})


def text(name: str) -> str:
    """A recipe as it stands in its file: one of ours, an installed one, or a file of the person's own."""
    if name in _ours():
        return files("regard.recipes").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    path = Path(name)
    for point in entry_points(group="regard.recipes", name=name):
        path = Path(str(point.load()))
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise RegardError(f"no recipe and no readable file is called {name!r}; {nearest(name, names())}") from None


def load(name: str) -> dict[str, Any]:
    """A recipe as a table."""
    try:
        return tomllib.loads(text(name)) | {"recipe": Path(name).stem}
    except tomllib.TOMLDecodeError as error:
        raise RegardError(f"the recipe {name} is not TOML: {error}") from None


def summary(name: str) -> str:
    """The first line of a recipe's head."""
    found = re.match(r"#\s*(.*)", text(name))
    return found[1] if found else ""


def _ours() -> list[str]:
    return [
        file.name.removesuffix(".toml") for file in files("regard.recipes").iterdir() if file.name.endswith(".toml")
    ]
