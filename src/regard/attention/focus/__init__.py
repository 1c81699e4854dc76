"""Focuses, one a file: how do energies become weights? Others come in by the entry point group `regard.focuses`."""

from regard.attention.focus.focus import Choice, Focus
from regard.attention.focus.gumbel import Gumbel
from regard.attention.focus.hard import Hard
from regard.attention.focus.local import Local
from regard.attention.focus.monotonic import Monotonic
from regard.attention.focus.soft import Soft
from regard.parts import Family

FOCUSES = Family("focus", "regard.focuses", [Gumbel, Hard, Local, Monotonic, Soft], "soft")

__all__ = ["FOCUSES", "Choice", "Focus", "Gumbel", "Hard", "Local", "Monotonic", "Soft"]
