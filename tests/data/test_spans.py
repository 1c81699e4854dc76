"""Where each symbol stands in what was typed, put right by hand."""

import numpy as np
import pytest

from regard.data.spans import tidy


@pytest.mark.parametrize(
    ("text", "offsets", "expected"),
    [
        ("ab", [(0, 1), (1, 2)], [[0, 1], [1, 2]]),
        ("a b", [(0, 1), (1, 3)], [[0, 1], [2, 3]]),  # the space before a word is not the word's
        ("a b", [(0, 1), (1, 2), (2, 3)], [[0, 1], [1, 2], [2, 3]]),  # unless it is a symbol of its own
        ("a,b", [(0, 1), (0, 2), (1, 3)], [[0, 1], [1, 2], [2, 3]]),  # a mark was counted with its neighbour
        ("e\u0301a", [(0, 1), (2, 3)], [[0, 2], [2, 3]]),  # an accent belongs to the letter that bears it
        ("\u1100\u1161\u11a8", [(0, 1)], [[0, 3]]),  # as do the parts of a syllable
        ("\u00e9a", [(0, 1), (1, 2)], [[0, 1], [1, 2]]),
        ("", [], []),
    ],
)
def test_tidy(text, offsets, expected):
    found = tidy(text, offsets, shared=False)
    assert found.tolist() == expected
    assert found.shape == (len(offsets), 2)
    assert found.dtype == np.int32


def test_symbols_may_share_a_character():
    assert tidy("\u00e9a", [(0, 1), (0, 1), (1, 2)], shared=True).tolist() == [[0, 1], [0, 1], [1, 2]]
