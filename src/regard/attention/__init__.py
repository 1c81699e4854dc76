"""Attention: a score (how well a place matches), a focus (how scores become weights), and the weighted sum."""

from regard.attention.attention import Attention, Bound, Past
from regard.attention.focus import FOCUSES, Choice, Focus
from regard.attention.scores import SCORES, Score
from regard.attention.sizes import Sizes

__all__ = ["FOCUSES", "SCORES", "Attention", "Bound", "Choice", "Focus", "Past", "Score", "Sizes"]
