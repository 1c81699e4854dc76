"""The package of `docs/extend.md`, as its reader would use it: built, installed, tested, trained with, looked with."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import regard

EXAMPLE = Path(__file__).parents[2] / "examples" / "own-score"
SMALL = ["--set", "hidden=16", "--set", "embedding=8", "--set", "epochs=1", "--quiet"]
INSTALL = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]


def python(*words, path=None, **more):
    """Run a new Python; what it wrote to standard output."""
    env = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"} | ({"PYTHONPATH": str(path)} if path else {})
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=env, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """(a folder that has the package installed, a folder with its sources)"""
    folder = tmp_path_factory.mktemp("own")
    shutil.copytree(EXAMPLE, folder / "sources", ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))
    python(*INSTALL, "--target", str(folder / "site"), str(folder / "sources"))
    return folder / "site", folder / "sources"


def test_its_own_tests_pass(installed):
    site, sources = installed
    assert "2 passed" in python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_own_score.py", path=site, cwd=sources
    )


def test_regard_trains_and_looks_with_it(installed, tmp_path):
    site, _ = installed
    rows = "".join(f"{number}\t{'I' * number}\n" for number in range(1, 9))
    (tmp_path / "table.tsv").write_text("number\tstrokes\n" + rows, encoding="utf-8")
    ours = ["--set", 'score={type="distance", sharpness=0.5}', "--out", "near"]
    python("-m", "regard", "train", "table.tsv", *ours, *SMALL, path=site, cwd=tmp_path)
    config = tomllib.loads((tmp_path / "near" / "config.toml").read_text(encoding="utf-8"))
    assert config["looks"]["source"]["score"] == {"type": "distance", "sharpness": 0.5}

    look = json.loads(python("-m", "regard", "look", "near", "3", "--json", path=site, cwd=tmp_path))
    assert look["given"] == {"number": "3"}
    assert all(sum(row) == pytest.approx(1, abs=1e-5) for row in look["gazes"][0]["weights"])

    with pytest.raises(regard.RegardError, match="unknown score 'distance'"):  # here it is not installed
        regard.load(tmp_path / "near")
