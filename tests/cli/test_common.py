"""What every verb stands on: how the program leaves, which stream says what, pairs, and options of training."""

import errno
import os
import shlex
import subprocess
import sys

import pytest
from pydantic import BaseModel

import regard as package
from regard.cli import VERBS, common
from regard.cli.common import one_or_all, pairs, training_options
from regard.display import grid
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


def test_a_mistake_in_an_option_leaves_with_2_however_busy_the_machine(tmp_path):
    """It once ended in an abort, one time in ten (`data.formats._let_go`)."""
    (tmp_path / "words.tsv").write_text("word\tipa\n" + "".join(f"a{n}\tA {n}\n" for n in range(200)))
    words = "train words.tsv --from wrod --to ipa --out q"
    commands = [
        subprocess.Popen(
            [sys.executable, "-m", "regard", *words.split()],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(3)  # each keeps the others from their cores
    ]  # fmt: skip
    for command in commands:
        out, err = command.communicate()
        assert (command.returncode, out) == (2, ""), err
        assert err.splitlines()[-1].endswith("words.tsv has no column 'wrod': did you mean 'word'?")


@pytest.mark.parametrize("module", ["typer", "regard.cli.common", "regard.api"])
def test_ctrl_c_while_a_module_is_imported(tmp_path, module):
    """No traceback, before there is a command line as after."""
    (tmp_path / "words.tsv").write_text("a\tb\n")
    program = f"""
import runpy, sys
class Finder:
    def find_spec(self, name, *where):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
sys.argv = ["regard", "train", "words.tsv"]
runpy.run_module("regard", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("verb", ["predict", "look"])
@pytest.mark.parametrize("word", ["-ment", "--ment", "-1 2"])
def test_a_text_that_begins_with_a_hyphen(regard, model_folder, verb, word):
    done = regard(verb, model_folder, word)
    assert (done.code, done.out) == (2, "")
    assert "No such option" in done.err
    assert done.err.splitlines()[-1] == (
        "To ask for a text that begins with a hyphen, put -- before it: "
        + shlex.join(["regard", verb, "MODEL", "--", word])
    )
    assert regard(verb, model_folder, "--", word).code == 0


def test_verbs_without_texts_say_nothing_of_hyphens(regard, model_folder):
    for words in (["evaluate", model_folder, "-ment"], ["-ment"], ["train", "--outt", "m"]):
        done = regard(*words)
        assert done.code == 2
        assert "hyphen" not in done.err


def test_a_report(tmp_path, capsys, monkeypatch):
    """As text or as JSON; into a file or not; with JSON in a file the text comes too."""

    class Found(BaseModel):
        figure: float

    monkeypatch.setenv("COLUMNS", "80")
    table = grid(None, "name", "figure")
    table.add_row("a", "1")
    text, in_json = "name   figure\n─────────────\na      1\n", '{\n  "figure": 1.0\n}\n'
    for name, as_json, written, printed in (
        (None, False, None, text),
        (None, True, None, in_json),
        ("r.txt", False, text, ""),
        ("r", False, text, ""),
        ("r.json", False, in_json, text),
        ("r.JSON", False, in_json, text),
        ("r.json", True, in_json, ""),
        ("r.txt", True, in_json, ""),
    ):
        common.report(Found(figure=1), table, name and tmp_path / name, as_json)
        assert capsys.readouterr() == (printed, ""), (name, as_json)
        assert name is None or (tmp_path / name).read_text() == written


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
    common.write_out("text\n", tmp_path / "new" / "er" / "a")
    assert (tmp_path / "new" / "er" / "a").read_text() == "text\n"
    with pytest.raises(RegardError) as error:
        common.write_out("text\n", tmp_path / "a" / "b" / "c")
    assert str(error.value) == f"cannot write {tmp_path}/a/b/c: Not a directory"
