"""What goes wrong for a user, said in one line: what came, what was expected, what to do.

Everything that a person can cause raises a `RegardError`; the command line prints its message and leaves with
code 2. `assert` is kept for our own invariants.

Unusual here: what to do is said as the reader would type it, an option on the command line and an argument in Python
(`typed`); the command line says once, where it begins, that it is the one that listens.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)


class RegardError(Exception):
    """A user's mistake or an obstacle that a user can remove; its text is the whole message."""


class MissingExtra(RegardError):
    """A part was asked for whose packages are not installed."""

    def __init__(self, what: str, extra: str):
        super().__init__(f'{what} needs the extra "{extra}": pip install "regard[{extra}]"')


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean …?` for an unknown name, or the names there are."""
    names = sorted(known)
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names) or 'none'}"


@contextmanager
def on_command_line() -> Iterator[None]:
    """What is said in here is for somebody who types commands."""
    before = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(before)


def typed(command: str, python: str) -> str:
    """The one of the two that the reader of a message would type."""
    return command if _on_command_line.get() else python
