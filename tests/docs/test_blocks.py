"""The blocks of the pages, run as they stand: every Python block, and every command of the quick start.

Only the size of the training is ours: what `regard train` is given there is made small, and so is the model that the
pages' Python loads. What a page shows beneath a command is compared as far as it does not depend on the weights.
"""

import shlex
import shutil

import pytest

import regard
from regard.cli import main

from .pages import PAGES, blocks, commands

START = "quickstart.md"
SMALL = ["hidden=16", "embedding=8", "epochs=1"]
WITH_PYTHON = [page for page in PAGES if blocks(page, "python") and page not in (START, "walk.md")]


def run(code, names):
    exec(compile(code, "a block", "exec"), names)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The tables of the quick start, and a model that learned little from them."""
    folder = tmp_path_factory.mktemp("place")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run(blocks(START, "python")[0].text, {})
        regard.train("years.tsv", out="years", settings=SMALL, say=lambda line: None)
    return folder


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_every_python_block_runs(page, place, tmp_path, monkeypatch):
    shutil.copytree(place, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    for block in blocks(page, "python"):
        run(block.text, names)


def test_the_pages_have_python_to_run():
    assert {"looking.md", "reference.md", "extend.md", "data.md", "training.md", "model-folder.md"} <= {*WITH_PYTHON}


def test_the_quick_start_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("warnings.showwarning", None)  # `main` sets it, and it is put back
    names, verbs = {"__name__": "page"}, []
    for block in blocks(START, "python", "console"):
        if block.language == "python":
            run(block.text, names)
            continue
        for command in commands(block):
            words = shlex.split(command.line)[1:]
            small = [word for setting in SMALL for word in ("--set", setting)] if words[0] == "train" else []
            with pytest.raises(SystemExit) as leaving:
                main([*words, *small])
            said = capsys.readouterr()
            assert leaving.value.code == 0, said.err
            assert_shown(words[0], command.shown, (said.err + said.out).replace(str(tmp_path), "/home/ada"))
            verbs.append(words[0])
    assert verbs == ["inspect", "train", "predict", "predict", "look", "look", "look", "evaluate"]
    assert (tmp_path / "looks.html").stat().st_size > 1000
    assert (tmp_path / "look.svg").stat().st_size > 1000


def assert_shown(verb, shown, said):
    """What a page shows is what was said, as far as that does not depend on the weights."""
    found = [line.rstrip(" ") for line in said.splitlines()]  # an answer behind a tab may be empty
    if verb == "inspect":
        assert found == shown
    elif verb == "train":
        before = [next(at for at, line in enumerate(lines) if line.startswith("epoch")) for lines in (found, shown)]
        assert found[: before[0]] == shown[: before[1]]
        ends = [lines[-1].partition(" (best: epoch ") for lines in (found, shown)]
        assert [end[0] for end in ends] == ["done: years"] * 2
        assert ends[0][2].partition("; ")[2] == ends[1][2].partition("; ")[2] == "try: regard look years 12"
    elif verb == "predict":
        inputs = [line.split("\t")[0] for line in shown]
        if shown[0].count("\t") > 1:  # an n-best list has fewer answers where fewer ended
            inputs = inputs[: len(found)]
        assert [line.split("\t")[0] for line in found] == inputs
        assert {line.count("\t") for line in found} == {line.count("\t") for line in shown}
    elif shown:  # a look, or what is said of a table and a report
        cut = " → "
        if verb == "evaluate":
            assert found.pop(0) == shown.pop(0)
            cut = "; "
        assert found[0].partition(cut)[0] == shown[0].partition(cut)[0]
        assert cut in shown[0]
