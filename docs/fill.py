"""Fills in what the code knows better than a page: options, settings, scores, recipes, signatures, files.

Unusual here: what is filled in stands in the Markdown files themselves, so that they read as well in the repository as
on the built pages. Between `<!-- filled: options train -->` and `<!-- end -->` everything is written by this script; a
test finds out when a page has fallen behind. Run it after a change to an option or a setting:

    .venv/bin/python docs/fill.py
"""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

from typer.main import get_command

from regard import recipes
from regard.attention.focus import FOCUSES
from regard.attention.options import LookOptions
from regard.attention.scores import SCORES
from regard.cli import app
from regard.config import ColumnOptions, DataOptions, SearchOptions, TrainingOptions
from regard.decoders import DECODERS
from regard.embedding import EmbeddingOptions
from regard.encoders import ENCODERS
from regard.parts import Family, Options
from regard.terms import TERMS, TermOptions
from regard.toml import value as toml_value

PAGES = Path(__file__).parent
REGION = re.compile(r"(<!-- filled: (?P<kind>\w+)(?: (?P<what>[\w.:/-]+))? -->\n).*?(<!-- end -->)", re.DOTALL)
SECTIONS: dict[str, type[Options]] = {
    "data": DataOptions,
    "column": ColumnOptions,
    "encoder": ENCODERS["recurrent"].Options,
    "embedding": EmbeddingOptions,
    "look": LookOptions,
    "decoder": DECODERS["sequence"].Options,
    "term": TermOptions,
    "training": TrainingOptions,
    "search": SearchOptions,
}
PARTS: dict[str, Family] = {"scores": SCORES, "focuses": FOCUSES, "terms": TERMS}
SHARED: dict[str, type[Options]] = {"terms": TermOptions}  # what all of a family have stands in a table of its own
WORDS = {"int": "NUMBER", "float": "NUMBER", "str": "TEXT", "Path": "PATH"}  # of an option without a word of its own


def fill(text: str) -> str:
    """A page as it should be."""
    kinds = {
        "options": options,
        "settings": settings,
        "parts": parts,
        "recipes": listed,
        "signature": signature,
        "file": whole,
    }

    def filled(found: re.Match[str]) -> str:
        lines = "\n".join(kinds[found["kind"]](found["what"]))
        return f"{found[1]}\n{lines}\n\n{found[4]}"

    return REGION.sub(filled, text)


def options(verb: str) -> Iterator[str]:
    """The words and options of a verb, as the command line has them."""
    command: Any = get_command(app)
    for name in verb.split("."):
        command = command.commands[name]
    hints = get_type_hints(command.callback)
    yield from ("| option | what it does |", "|---|---|")
    for one in command.params:
        kind = str(hints[one.name])
        word = one.metavar or next((word for name, word in WORDS.items() if name in kind), "")
        if not one.opts[0].startswith("-"):
            shown = f"`{one.metavar or one.name.upper() + '…'}`"
        elif "bool" in kind:
            shown = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
        else:
            shown = f"`{one.opts[0]} {word}`"
        more = " Needed." if one.required else f" Default: `{one.default}`." if one.default else ""
        yield f"| {shown} | {_cell(one.help)}{more} |"


def settings(section: str) -> Iterator[str]:
    """The fields of a section of the configuration, each with its default and its help."""
    yield from ("| setting | default | what it does |", "|---|---|---|")
    for name, field in SECTIONS[section].model_fields.items():
        if name != "type" or section == "embedding":
            yield f"| `{name}` | {_default(field)} | {_cell(field.description)} |"


def parts(family: str) -> Iterator[str]:
    """The parts of a family, each with what it is and its options."""
    found = PARTS[family]
    yield from (f"| `{found.noun}` | what it is | its options |", "|---|---|---|")
    for name in found.names():
        own = found[name].Options
        shown = (own.model_fields.keys() - SHARED.get(family, Options).model_fields.keys()) - {"type"}
        fields = [f"`{key}`: {field.description} ({_default(field)})" for key, field in own.model_fields.items()
                  if key in shown]  # fmt: skip
        yield f"| `{name}` | {_cell(' '.join((own.__doc__ or '').split()))} | {'; '.join(fields)} |"


def listed(_: str | None) -> Iterator[str]:
    """The recipes."""
    yield from ("| recipe | what it is |", "|---|---|")
    for name in recipes.names():
        yield f"| `{name}` | {_cell(recipes.summary(name))} |"


def signature(name: str) -> Iterator[str]:
    """How something is called, without its types, and the first paragraph of its docstring."""
    module, _, path = name.rpartition(":")
    found: Any = import_module(module or "regard")
    for part in path.removeprefix("regard.").split("."):
        found = inspect.getattr_static(found, part) if inspect.isclass(found) else getattr(found, part)
    shown = f"{module}.{path}".lstrip(".")
    if callable(found):
        asked = [_plain(one) for one in inspect.signature(found).parameters.values() if one.name != "self"]
        shown = str(inspect.Signature(asked)).join((shown, ""))
    yield from (f"```text\n{shown}\n```", "", (inspect.getdoc(found) or "").partition("\n\n")[0])


def whole(path: str) -> Iterator[str]:
    """A file of the repository."""
    language = {".py": "python", ".toml": "toml"}[Path(path).suffix]
    yield f"```{language}\n{(PAGES.parent / path).read_text(encoding='utf-8').strip()}\n```"


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if callable(default) and default is not inspect.Parameter.empty:
        default = type("Name", (), {"__repr__": lambda self: "print" if parameter.default is print else "…"})()
    return parameter.replace(annotation=inspect.Parameter.empty, default=default)


def _default(field: Any) -> str:
    default = field.get_default(call_default_factory=True)
    if field.is_required():
        return "needed"
    if default is None or default == {} or default == ():
        return ""
    if isinstance(default, Options):
        return f"`{toml_value(getattr(default, 'type', ''))}`"
    return f"`{toml_value(default)}`"


def _cell(text: str | None) -> str:
    return (text or "").strip().replace("|", "\\|")


if __name__ == "__main__":
    for page in sorted(PAGES.rglob("*.md")):
        if "_build" not in page.parts:
            before = page.read_text(encoding="utf-8")
            after = fill(before)
            if after != before:
                page.write_text(after, encoding="utf-8")
                print(f"{page.relative_to(PAGES)} filled in")
