"""What every verb stands on: how the program leaves, which stream says what, pairs, and options of training."""

import errno
import os
import subprocess
import sys

import pytest

import regard as package
from regard.cli import VERBS, common
from regard.cli.common import one_or_all, pairs, training_options
from regard.errors import RegardError


def test_version_and_help(regard):
    assert regard("--version") == (0, f"regard {package.__version__}\n", "")
    for words in (["--help"], ["-h"], *([verb, "-h"] for verb in VERBS)):
        done = regard(*words)
        assert (done.code, done.err) == (0, "")
        assert "Usage: regard" in done.out


def test_nothing_asked(regard):
    done = regard()
    assert done.code == 2
    assert all(verb in done.out + done.err for verb in VERBS)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (RegardError("a line"), 2, "regard: a line\n"),
        (OSError(errno.ENOSPC, "No space left on device", "x"), 2, "regard: No space left on device: x\n"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "regard: No space left on device\n"),
        (OSError("odd"), 2, "regard: odd\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_how_the_program_leaves(regard, monkeypatch, error, code, said):
    def fail(name):
        raise error

    monkeypatch.setattr("regard.recipes.text", fail)
    assert regard("recipes", "show", "x") == (code, "", said)


def test_our_own_mistakes_are_not_hidden(regard, monkeypatch):
    monkeypatch.setattr("regard.recipes.text", lambda name: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        regard("recipes", "show", "x")


def test_a_warning_is_a_line_on_standard_error(regard, monkeypatch):
    import warnings

    def warn(name):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning("mind the gap", UserWarning, "file", 3)
        return "text\n"

    monkeypatch.setattr("regard.recipes.text", warn)
    assert regard("recipes", "show", "x") == (0, "text\n", "regard: mind the gap\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_whoever_reads_may_have_enough(unbuffered):
    """`regard … | head -0`: no traceback, no complaint."""
    command = subprocess.Popen(
        [sys.executable, "-m", "regard", "recipes", "show", "translate"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    command.stdout.close()
    assert command.stderr.read() == b""
    command.stderr.close()
    assert command.wait() == 0


def test_what_is_said_is_plain(capsys):
    common.say("[red]a[/red] :bear: 3 " + "x" * 300)
    assert capsys.readouterr() == ("", "[red]a[/red] :bear: 3 " + "x" * 300 + "\n")


def test_pairs():
    assert pairs("--where", ["a=b", "c=d=e", "f="]) == {"a": "b", "c": "d=e", "f": ""}
    assert pairs("--where", None) == {}
    with pytest.raises(RegardError) as error:
        pairs("--where", ["a"])
    assert str(error.value) == "--where 'a': expected COLUMN=…"


def test_tables(tmp_path):
    assert one_or_all([tmp_path]) == tmp_path
    assert one_or_all([tmp_path, tmp_path]) == [tmp_path, tmp_path]
    with pytest.raises(RegardError, match="a table is needed"):
        one_or_all([])


def test_options_of_training(tmp_path):
    given = {"quiet": False, "where": ["a=b"], "unit": None, "dev": [tmp_path], "source": None, "features": ["f"]}
    found = training_options(settings=["epochs=3"], device="cuda", **given, target="t")
    assert found == {
        "settings": ["epochs=3", "training.device=cuda"], "where": {"a": "b"}, "units": {}, "dev": tmp_path,
        "source": (), "features": ["f"], "say": common.say, "target": "t",
    }  # fmt: skip
    assert training_options(settings=None, device="auto", **given)["settings"] == []


def test_out_is_written_whole_or_told(tmp_path, capsys):
    common.write_out("text\n", None)
    assert capsys.readouterr() == ("text\n", "")
    common.write_out("text\n", tmp_path / "a")
    assert (tmp_path / "a").read_text() == "text\n"
    with pytest.raises(RegardError) as error:
        common.write_out("text\n", tmp_path / "no" / "a")
    assert str(error.value) == f"cannot write {tmp_path}/no/a: No such file or directory"
