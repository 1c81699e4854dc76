"""Looking again: numbers by hand, and what counts."""

import pytest
import torch

from regard.memory import Glance
from regard.terms.coverage import Coverage, looked_at_again

BY_HAND = [
    [0.7, 0.2, 0.1],  # nothing before: 0
    [0.5, 0.5, 0.0],  # min(0.5, 0.7) + min(0.5, 0.2) + min(0, 0.1) = 0.7
    [0.0, 0.3, 0.7],  # c = (1.2, 0.7, 0.1): 0 + 0.3 + 0.1 = 0.4
]


def test_by_hand():
    torch.testing.assert_close(looked_at_again(torch.tensor([BY_HAND])), torch.tensor([[0.0, 0.7, 0.4]]))


def test_a_straight_line_is_free_and_staring_is_not():
    assert looked_at_again(torch.eye(5)[None]).sum() == 0
    stare = torch.zeros(1, 5, 5)
    stare[..., 2] = 1
    assert looked_at_again(stare).tolist() == [[0, 1, 1, 1, 1]]


def test_steps_count_by_their_weight():
    counts = torch.tensor([[1.0, 1.0, 1.0], [2.0, 2.0, 0.0]])  # the second is shorter, and twice as heavy
    total, count = Coverage()(Glance(torch.tensor([BY_HAND, BY_HAND])), counts)
    assert total.item() == pytest.approx(0.7 + 0.4 + 2 * 0.7)
    assert count.item() == 7


def test_both_looks_learn_to_keep_apart():
    """The gradient reaches what was looked at before as well as what is looked at now."""
    weights = torch.tensor([[[0.6, 0.4], [0.5, 0.5]]], requires_grad=True)
    looked_at_again(weights).sum().backward()
    assert weights.grad.tolist() == [[[0, 1], [1, 0]]]  # min(0.5, 0.6) is the later, min(0.5, 0.4) the earlier
