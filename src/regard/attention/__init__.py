"""Attention: a score (how well a place matches), a focus (how scores become weights), and the weighted sum."""

from regard.attention.attention import Attention, Bound
from regard.attention.focus import FOCUSES, Focus
from regard.attention.scores import SCORES, Score, Sizes

__all__ = ["FOCUSES", "SCORES", "Attention", "Bound", "Focus", "Score", "Sizes"]
