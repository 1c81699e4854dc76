"""Rows with the same source become one example."""

import pytest

from regard.metrics import group


def test_by_hand():
    grouped = group(["a", "b", "a", "a", "b"], ["x", "y", "z", "x", "w"], [1.0, 2.0, 5.0, 1.0, 2.0])
    assert grouped.sources == ["a", "b"]
    assert grouped.references == [["z", "x"], ["y", "w"]]  # heaviest first; of equals the earlier
    assert grouped.weights == [7.0, 4.0]
    assert grouped.first == [0, 1]


def test_without_weights_every_row_counts_one():
    grouped = group([("laufen", "V;PST"), ("laufen", "V;PRS"), ("laufen", "V;PST")], ["lief", "läuft", "lief"])
    assert grouped.sources == [("laufen", "V;PST"), ("laufen", "V;PRS")]
    assert grouped.references == [["lief"], ["läuft"]]
    assert grouped.weights == [2.0, 1.0]


def test_lists_of_unequal_length_are_our_own_mistake():
    with pytest.raises(ValueError, match="zip"):
        group(["a"], ["x", "y"])
