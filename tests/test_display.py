"""Text of any script within a cell of the terminal."""

import pytest
from rich.cells import cell_len

from regard.display import END_ISOLATE, ISOLATE, cell


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("한국어", 5, "한국…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("\u0301", 5, "◌\u0301"),
        (" ", 5, "␣"),
        ("\u200d", 9, "U+200D"),
        ("a\tb\x7f", 9, "a␉b␡"),
        ("אבגד", 3, ISOLATE + "אב…" + END_ISOLATE),
        ("\u2067x\u2069", 9, "x"),
        ("", 5, ""),
    ],
)
def test_cell(text, width, shown):
    assert cell(text, width).plain == shown
    assert cell_len(shown) <= width
