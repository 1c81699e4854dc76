"""Focuses, one a file: how do energies become weights? Others come in by the entry point group `regard.focuses`."""

from regard.attention.focus.focus import Choice, Focus
from regard.attention.focus.soft import Soft
from regard.parts import Family

FOCUSES = Family("focus", "regard.focuses", [Soft], "soft")

__all__ = ["FOCUSES", "Choice", "Focus", "Soft"]
