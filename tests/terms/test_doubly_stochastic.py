"""Evenness: numbers by hand, padding, and what the target sum can change and cannot."""

import pytest
import torch

from regard.memory import Glance
from regard.terms.doubly_stochastic import DoublyStochastic, DoublyStochasticOptions, unevenness

WEIGHTS = torch.tensor([[[0.7, 0.2, 0.1], [0.5, 0.5, 0.0]], [[1.0, 0.0, 0.0], [0.4, 0.6, 0.0]]])
STEPS = torch.tensor([[True, True], [True, False]])
PLACES = torch.tensor([[True, True, True], [True, True, False]])


def test_by_hand():
    # (1 - 1.2)² + (1 - 0.7)² + (1 - 0.1)², and of the second, one step and two places: (1 - 1)² + (1 - 0)²
    found = unevenness(WEIGHTS, STEPS, PLACES)
    torch.testing.assert_close(found, torch.tensor([0.04 + 0.09 + 0.81, 1.0]))
    found = unevenness(WEIGHTS, STEPS, PLACES, target=0.5)
    torch.testing.assert_close(found, torch.tensor([0.49 + 0.04 + 0.16, 0.5]))


def test_examples_count_by_their_weight_and_the_sum_a_symbol():
    examples = torch.tensor([2.0, 3.0])
    total, count = DoublyStochastic(target=1.0)(Glance(WEIGHTS), PLACES, STEPS, examples, examples[:, None] * STEPS)
    assert total.item() == pytest.approx(2 * 0.94 + 3 * 1.0)
    assert count.item() == 2 * 2 + 3 * 1


def test_each_place_once_is_best():
    every = torch.ones(1, 4, dtype=torch.bool)
    assert unevenness(torch.eye(4)[None], every, every).item() == 0
    assert unevenness(torch.full((1, 4, 4), 0.25), every, every).item() == 0
    assert unevenness(torch.eye(4)[[0, 0, 1, 2]][None], every, every).item() > 0


@pytest.mark.parametrize("target", [0.25, 1.0, 4.0])
def test_the_target_moves_the_gradient_only_where_rows_need_not_sum_to_one(looks, target):
    def gradient(of_rows, sought):
        made = looks()
        weights = of_rows(made.seen.glances["source"].weights)
        unevenness(weights, made.seen.keep, made.seen.memories["source"].keep, sought).sum().backward()
        return made.energies.grad

    torch.testing.assert_close(gradient(lambda rows: rows, target), gradient(lambda rows: rows, 2.0))
    gated = [gradient(lambda rows: rows * rows, sought) for sought in (target, 2.0)]
    assert not torch.allclose(*gated)
    assert gradient(lambda rows: rows, target).abs().max() > 0.01


def test_a_target_of_nothing_is_refused():
    with pytest.raises(ValueError, match="greater than 0"):
        DoublyStochasticOptions(target=0)
