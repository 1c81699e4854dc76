"""The core stands alone: it imports with none of the extras' packages present, and what needs one says which."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import metadata, packages_distributions, requires
from pathlib import Path

import pytest

import regard
from regard.errors import MissingExtra

PACKAGE = Path(regard.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
EXTRAS = sorted(set(metadata("regard").get_all("Provides-Extra") or []))
FOR_PEOPLE = sorted({*EXTRAS} - {"dev", "demo"})  # the others serve the repository alone

# These need an extra to be imported, and are imported only where one was asked for.
BEHIND = {"regard.keras", "regard.looking.fonts"}
ASKS = {  # how each extra is first missed
    "keras": "import regard.keras",
    "plot": "from regard.looking.png import png; png([])",
}

# Refuses every package that belongs to an extra, then imports ours, one after another.
WITHOUT_EXTRAS = """
import importlib, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused!r}:
            raise ModuleNotFoundError(f"{{name}} is not in the core", name=name)

sys.meta_path.insert(0, Refuse())
for module in {modules!r}:
    importlib.import_module(module)
"""


def without_extras(modules: list[str], then: str = "") -> subprocess.CompletedProcess[str]:
    """Import these in a new Python where the extras' packages cannot be found, then run `then`."""
    absent = {name.replace("-", "_") for extra in EXTRAS for name in packages(extra)} | {
        "fastapi",
        "PIL",
        "torchvision",
    }
    program = WITHOUT_EXTRAS.format(refused=sorted(absent), modules=modules) + then
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def packages(extra: str | None) -> set[str]:
    """The distributions that an extra asks for (None: the core)."""
    found = set()
    for line in requires("regard") or []:
        name, _, marker = line.partition(";")
        if (re.search(rf"""extra == ['"]{extra}['"]""", marker) is not None) if extra else ("extra ==" not in marker):
            found.add(re.split(r"[^\w.-]", name)[0].lower())
    return found


def module_name(path: Path) -> str:
    return ".".join(("regard", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def calls(name: str) -> Iterator[tuple[Path, ast.Call]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield path, node


def test_core_imports_without_any_extra():
    modules = {module_name(path) for path in SOURCES if path.stem != "__main__"}
    assert modules >= BEHIND
    run = without_extras(sorted(modules - BEHIND))
    assert run.returncode == 0, run.stderr


def test_the_refusal_refuses():
    run = without_extras(["matplotlib"])
    assert run.returncode == 1
    assert "matplotlib is not in the core" in run.stderr


def test_everything_imported_is_declared():
    declared = {name for extra in (None, *FOR_PEOPLE) for name in packages(extra)}
    distributions = packages_distributions()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"regard"}:
                provided = {one.lower() for one in distributions.get(name, [name])}
                assert provided & declared, f"{path}:{node.lineno} imports {name}, which pyproject.toml does not name"


@pytest.mark.parametrize("extra", FOR_PEOPLE)
def test_a_missing_extra_names_the_command_that_installs_it(extra):
    assert str(MissingExtra("this", extra)) == f'this needs the extra "{extra}": pip install "regard[{extra}]"'
    assert packages(extra), f"the extra {extra} installs nothing"


@pytest.mark.parametrize("extra", ASKS)
def test_asking_without_the_extra_says_so(extra):
    run = without_extras(["regard.errors"], then=ASKS[extra])
    assert run.returncode == 1
    assert "MissingExtra" in run.stderr.splitlines()[-1]
    assert f'pip install "regard[{extra}]"' in run.stderr.splitlines()[-1]


def test_every_extra_that_can_be_missed_exists_and_is_missed_above():
    missed = set()
    for path, call in calls("MissingExtra"):
        extra = call.args[1]
        assert isinstance(extra, ast.Constant), f"{path}:{call.lineno}: name the extra where it is missed"
        assert extra.value in FOR_PEOPLE, f"{path}:{call.lineno}: no extra is called {extra.value!r}"
        missed.add(extra.value)
    assert missed == set(ASKS)
