"""The documentation as the tests read it: pages, their blocks, and the commands in them."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PLANS = {"design.md", "log.md", "results.md"}  # they speak of what is not there yet, or of other machines
PAGES = {
    path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if "_build" not in path.parts and path.name not in PLANS
}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block."""

    language: str
    text: str


class Command(NamedTuple):
    """A command of a console block, and what the page shows beneath it."""

    line: str
    shown: list[str]


def blocks(page: str, *languages: str) -> list[Block]:
    return [Block(*found) for found in BLOCK.findall(PAGES[page]) if found[0] in languages]


def commands(block: Block) -> list[Command]:
    found: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line.removeprefix("$ "), []))
        else:
            found[-1].shown.append(line.rstrip())
    return found


def script(name: str) -> ModuleType:
    """A script of the documentation, as a module."""
    spec = spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
