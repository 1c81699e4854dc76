"""Strings of a column, read again and again, a chunk at a time."""

import numpy as np
import pyarrow as pa
import pytest

from regard.data.texts import CHUNK, Strings, chunks, sample, take

MANY = [str(i) for i in range(2 * CHUNK + 5)]
COLUMN = pa.chunked_array([MANY[:10], MANY[10:9000], MANY[9000:]])


@pytest.mark.parametrize("rows", [None, np.arange(len(MANY))[::-1], np.array([3, 3, 9001]), np.array([], np.int64)])
def test_they_can_be_read_more_than_once(rows):
    texts = Strings(COLUMN, rows)
    expected = MANY if rows is None else [MANY[row] for row in rows]
    assert list(texts) == list(texts) == expected
    assert len(texts) == len(expected)
    assert texts.slice(1, 3) == expected[1:3]


def test_chunks():
    assert list(chunks(iter("abcde"), 2)) == [["a", "b"], ["c", "d"], ["e"]]
    assert [len(chunk) for chunk in chunks(Strings(COLUMN))] == [CHUNK, CHUNK, 5]
    assert list(chunks([])) == []


@pytest.mark.parametrize(("size", "expected"), [(3, ["0", "4", "8"]), (10, [str(i) for i in range(10)]), (99, 10)])
def test_a_sample_is_spread_evenly(size, expected):
    found = sample(Strings(pa.chunked_array([MANY[:10]])), size)
    assert found == (MANY[:10] if expected == 10 else expected)


def test_a_sample_of_some_rows():
    assert sample(Strings(COLUMN, np.array([5, 7, 9, 11])), 2) == ["5", "9"]


def test_take_keeps_the_order():
    assert take(COLUMN, np.array([9001, 2, 2])) == ["9001", "2", "2"]
