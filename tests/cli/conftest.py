"""The command line in process: what a command leaves with, and what it says on either stream."""

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest


class Done(NamedTuple):
    """A command that has run."""

    code: int
    out: str
    err: str


@pytest.fixture
def regard(capsys, monkeypatch, tmp_path) -> Callable[..., Done]:
    """`regard("predict", folder, "word")`, in an empty folder; whatever else it raises is a traceback, and fails."""
    from regard.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("warnings.showwarning", None)  # `main` sets it, and it is put back

    def run(*words: object, stdin: str | bytes = b"") -> Done:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main([str(word) for word in words])
        return Done(leaving.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def refused(regard) -> Callable[..., str]:
    """The one line that a person's mistake is answered with."""

    def run(*words: object, stdin: str | bytes = b"") -> str:
        done = regard(*words, stdin=stdin)
        assert (done.code, done.out) == (2, ""), done
        first, *more = done.err.splitlines()
        assert not more, done.err
        assert first.startswith("regard: "), done.err
        return first.removeprefix("regard: ")

    return run
