"""Recurrence: cells, and layers of them over whole sequences or step by step."""

from regard.recurrence.cells import CellName, Reset, State, make_cell
from regard.recurrence.dropout import Dropout
from regard.recurrence.recurrence import Masks, Recurrence, SequenceEncoder, States

__all__ = [
    "CellName",
    "Dropout",
    "Masks",
    "Recurrence",
    "Reset",
    "SequenceEncoder",
    "State",
    "States",
    "make_cell",
]
