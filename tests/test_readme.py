"""The README's tour, run as it is written: on a toy table, and with a model small enough for a test.

Only the size of the training is ours: `train` is given a few settings more. Every command must succeed and print
something, and the Python block must run.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (regard .*)$", README, re.MULTILINE)
PYTHON = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
SMALL = ["--set", "epochs=2", "--set", "hidden=16", "--set", "embedding=8", "--set", "batch=8"]
SOUNDS = {"t": "T", "h": "HH", "r": "R", "o": "AO", "u": "UH", "g": "G", "a": "AE", "d": "D", "e": "EH", "n": "N"}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables that the tour speaks of."""
    folder = tmp_path_factory.mktemp("tour")
    letters = list(SOUNDS)
    words = {"".join(letters[(i * step + step) % 10] for i in range(2 + step % 5)) for step in range(1, 60)} | {
        "through"
    }
    rows = [f"{word}\t{' '.join(SOUNDS[letter] for letter in word)}\n" for word in sorted(words)]
    for name in ("words.tsv", "test.tsv"):
        (folder / name).write_text("word\tphones\n" + "".join(rows), encoding="utf-8")
    return folder


def run(words: list[str], folder: Path, **variables: str) -> str:
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, env=dict(os.environ) | variables
    )
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stderr}"
    return done.stdout + done.stderr


def test_the_tour_runs(here):
    assert len(COMMANDS) >= 6
    for line in COMMANDS:
        words = shlex.split(line, comments=True)[1:]
        said = run([sys.executable, "-m", "regard", *words, *(SMALL if words[0] in ("train", "curve") else [])], here)
        assert said.strip() or "--out" in words, f"{line} said nothing"
    for picture in re.findall(r"--out (\S+\.(?:svg|html|png|json))", "\n".join(COMMANDS)):
        assert (here / picture).stat().st_size > 1000


def test_the_python_of_the_tour_runs(here):
    assert PYTHON
    for block in PYTHON:
        small = block.replace('regard.train("words.tsv")', f'regard.train("words.tsv", settings={SMALL[1::2]!r})')
        temporary = here / "temporary"
        temporary.mkdir()
        said = run([sys.executable, "-c", small], here, TMPDIR=str(temporary))
        assert re.findall(r"^epoch +(\d)  train loss", said, re.MULTILINE) == ["1", "2"]
        assert not list(temporary.glob("regard-*")), "the model that was not given a folder is gone with the program"


def test_its_picture_and_links_exist():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (Path(__file__).parents[1] / target).exists(), target
