"""Which rows can be learnt from: those with something to read and something to write."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regard.data.roles import Roles
from regard.data.tables import Table


def blank(column: pa.ChunkedArray) -> np.ndarray:
    """Whether each cell is empty, or nothing but white space."""
    if not len(column):
        return np.zeros(0, bool)
    return np.asarray(pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(column)), 0))


def lacking(table: Table, roles: Roles) -> dict[str, np.ndarray]:
    """Whether each row lacks what it needs, by what it lacks: nothing "to read" (in no column), nothing "to write"."""
    needed = {"to read": [*roles.sources, *roles.features], "to write": [] if roles.target is None else [roles.target]}
    return {
        what: np.logical_and.reduce([blank(table.arrow.column(name)) for name in names])
        for what, names in needed.items()
        if names
    }
