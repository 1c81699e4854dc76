"""Where a model looked: the record (`Look`) and what draws it."""

from regard.looking.look import Gaze, Look, Piece, Place

__all__ = ["Gaze", "Look", "Piece", "Place"]
