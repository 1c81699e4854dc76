"""Recurrence: cells, whole sequences, and the loop in which looking feeds the recurrence."""

from regard.recurrence.cells import CellName, Reset, State, make_cell
from regard.recurrence.dropout import Dropout
from regard.recurrence.recurrence import Masks, Recurrence, SequenceEncoder, States
from regard.recurrence.scan import concatenate_steps, scan

__all__ = [
    "CellName",
    "Dropout",
    "Masks",
    "Recurrence",
    "Reset",
    "SequenceEncoder",
    "State",
    "States",
    "concatenate_steps",
    "make_cell",
    "scan",
]
