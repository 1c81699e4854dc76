"""Trees of tensors: changed, reordered by beams; a memory and the levels above it by name."""

from typing import NamedTuple

import torch

from regard.memory import Level, LevelSizes, Memory, MemorySizes, levels, map_tensors, reorder_beams


class Pair(NamedTuple):
    one: object
    other: object


def test_a_tree_keeps_its_form():
    tree = Pair((torch.tensor([1.0]), None), {"a": Pair(torch.tensor([2.0]), "text"), "b": (3, ())})
    changed = map_tensors(tree, lambda tensor: tensor + 1)
    assert changed == Pair((torch.tensor([2.0]), None), {"a": Pair(torch.tensor([3.0]), "text"), "b": (3, ())})
    assert tree.one[0].item() == 1


def test_each_beam_takes_its_parents_state():
    state = {"h": torch.tensor([[[1], [2], [3]], [[4], [5], [6]]]), "none": None}
    moved = reorder_beams(state, torch.tensor([[2, 2, 0], [1, 0, 2]]))
    assert moved["h"].squeeze(-1).tolist() == [[3, 3, 1], [5, 4, 6]]
    assert moved["none"] is None
    assert reorder_beams(state, torch.tensor([[1], [2]]))["h"].squeeze(-1).tolist() == [[2], [6]]  # fewer beams


def test_levels_by_name():
    def memory(places, above=None):
        keep = torch.ones(1, places, dtype=torch.bool)
        return Memory(torch.zeros(1, places, 2), keep, torch.zeros(1, 0), (places,), above)

    chapters = memory(1)
    sentences = memory(2, Level("chapters", torch.tensor([[0, 0]]), chapters))
    words = memory(3, Level("sentences", torch.tensor([[0, 0, 1]]), sentences))
    found = levels("book", words)
    assert list(found) == ["book", "book.sentences", "book.chapters"]
    assert [part.shape for part in found.values()] == [(3,), (2,), (1,)]
    sizes = MemorySizes(2, 0, (3,), LevelSizes("sentences", MemorySizes(4, 5)))
    assert {name: part.width for name, part in levels("book", sizes).items()} == {"book": 2, "book.sentences": 4}
