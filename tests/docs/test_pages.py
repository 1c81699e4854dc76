"""What the pages name exists: files, names in files, options, settings, verbs, exit codes."""

import re
import shlex
from importlib import import_module
from typing import Any

import pytest
from typer.main import get_command

from regard.batch import Extent
from regard.cli import VERBS, app, main
from regard.config import compose, idle_settings, read_config
from regard.model import Model
from regard.recipes import load, names

from .pages import DOCS, PAGES, ROOT, blocks, commands, script

COMMANDS = [
    pytest.param(command.line, id=f"{page}: {command.line}")
    for page in PAGES
    for block in blocks(page, "console")
    for command in commands(block)
]
CONCEPTS = " ".join(PAGES["concepts.md"].split())
SETTINGS = re.findall(r"`(--set [^`]+)`( \(the default\))?", CONCEPTS)
EXTENTS = {"source": Extent(9, 7), "target": Extent(11, 8)}


@pytest.mark.parametrize("page", PAGES)
def test_every_file_named_exists(page):
    for path in re.findall(r"`((?:src|docs|examples|tests|bench)/[\w./-]+)`", PAGES[page]):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", PAGES)
def test_every_name_is_in_the_file_beside_it(page):
    for name, path in re.findall(r"`(\w+)`\s+in\s+`src/([\w/]+)\.py`", PAGES[page]):
        assert hasattr(import_module(path.replace("/", ".")), name), f"{name} is not in {path}"


def test_concepts_names_enough_to_be_worth_testing():
    assert len(re.findall(r"` in `src/", CONCEPTS)) >= 40
    assert len(SETTINGS) >= 40


@pytest.mark.parametrize(("span", "default"), SETTINGS)
def test_every_setting_of_concepts_builds_and_is_the_default_where_it_says_so(span, default):
    settings = shlex.split(span)[1::2]
    config, plain = compose({}, settings), compose({})
    assert not idle_settings(config)
    assert (config.model_dump() == plain.model_dump()) is bool(default)
    table = config.model_dump(mode="json", exclude_none=True)
    table["decoder"]["writes"] = "target"
    for encoder in table["encoders"].values():
        encoder["reads"] = ["source"]
    Model(read_config(table), EXTENTS)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_is_one(line):
    name, verb, *words = shlex.split(line)
    assert name == "regard"
    command: Any = get_command(app).commands[verb]
    if verb == "recipes" and words:
        command, words = command.commands[words[0]], words[1:]
    asked = command.make_context(verb, words).params  # refuses what is no option
    settings = asked.get("settings") or []
    if verb in ("train", "curve") and not any("distance" in setting for setting in settings):  # it is not installed
        recipe = asked["recipe"]
        compose(load(recipe) if recipe in names() else {}, settings)
    elif verb in ("predict", "look", "evaluate"):
        compose({}, [f"search.{setting}" for setting in settings])


def test_every_verb_has_a_page():
    assert {path.stem for path in (DOCS / "verbs").glob("*.md")} == {*VERBS, "index"}
    for verb in VERBS:
        assert f"({verb}.md)" in PAGES["verbs/index.md"]
        assert f"<!-- filled: options {verb}" in PAGES[f"verbs/{verb}.md"]
        assert "## Exit codes" in PAGES[f"verbs/{verb}.md"]


@pytest.mark.parametrize("page", PAGES)
def test_what_is_filled_in_has_not_fallen_behind(page):
    assert script("fill").fill(PAGES[page]) == PAGES[page], "run .venv/bin/python docs/fill.py"


MISTAKES = {
    "nothing to train on": ("train", "a table is needed"),
    "no such table": ("train nowhere.tsv", "there is no file"),
    "no such option": ("train --nosuch", "No such option"),
    "no such verb": ("nosuch", "No such command"),
    "no such model": ("predict nowhere x", "there is no model folder"),
    "no such ending": ("look nowhere x --out look.gif", "its name must end in"),
    "an option is missing": ("combine a b", "Missing option '--out'"),
}


@pytest.mark.parametrize(("line", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_said_and_leave_with_code_2(line, said, capsys, monkeypatch):
    monkeypatch.setattr("warnings.showwarning", None)  # `main` sets it, and it is put back
    with pytest.raises(SystemExit) as leaving:
        main(line.split())
    assert leaving.value.code == 2
    assert said in capsys.readouterr().err
