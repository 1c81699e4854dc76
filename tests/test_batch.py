"""The special ids mean the same to every column, and a batch is moved whole."""

import torch

from regard.batch import END, PAD, SPECIALS, START, UNKNOWN, Batch, Tokens
from regard.data.columns import TextColumn
from regard.data.units import UNITS
from regard.memory import map_tensors


def test_every_columns_first_symbols_are_the_special_ones():
    assert [SPECIALS[id] for id in (PAD, START, END, UNKNOWN)] == ["<pad>", "<start>", "<end>", "<unknown>"]
    for unit in UNITS:
        column = TextColumn.fit("x", ["ab;ab ab", "ab;ab ab"], unit=unit)
        assert column.symbols[: len(SPECIALS)] == list(SPECIALS)


def test_a_batch_is_moved_whole():
    keep = torch.ones(2, 3, dtype=torch.bool)
    batch = Batch({"a": Tokens(torch.zeros(2, 3).long(), keep)}, torch.arange(2), torch.ones(2))
    moved = map_tensors(batch, lambda part: part.to("meta"))
    assert isinstance(moved, Batch)
    assert isinstance(moved.columns["a"], Tokens)
    assert {moved.rows.device.type, moved.weights.device.type, *(part.device.type for part in moved.columns["a"])} == {
        "meta"
    }
