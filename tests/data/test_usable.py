"""Which rows can be learnt from."""

import numpy as np
import pyarrow as pa

from regard.data.roles import Roles
from regard.data.tables import read
from regard.data.usable import blank, lacking


def test_blank_is_nothing_but_white_space():
    cells = pa.chunked_array([["a", "", " "], ["\u3000\t", " a "]])
    assert blank(cells).tolist() == [False, True, True, True, False]
    assert blank(pa.chunked_array([], pa.string())).tolist() == []


def test_a_row_needs_something_to_read_and_something_to_write():
    table = read(pa.table({"a": ["x", "", "", "x"], "b": ["x", "x", "", ""], "c": ["x", "x", "x", " "]}))
    found = lacking(table, Roles(("a",), ("b",), "c", None, {}))
    assert {what: np.flatnonzero(rows).tolist() for what, rows in found.items()} == {"to read": [2], "to write": [3]}
    assert list(lacking(table, Roles((), (), "c", None, {}))) == ["to write"]
    assert list(lacking(table, Roles(("a",), (), None, None, {}))) == ["to read"]
