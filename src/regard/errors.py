"""What goes wrong for a user, said in one line: what came, what was expected, what to do.

Everything that a person can cause raises a `RegardError`; the command line prints its message and leaves with
code 2. `assert` is kept for our own invariants.
"""

from collections.abc import Iterable
from difflib import get_close_matches


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
