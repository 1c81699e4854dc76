"""Narrow looks: the entropy makes them so, and the L1 norm that is often written for it cannot."""

from math import log

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.masks import masked_softmax
from regard.memory import Glance
from regard.terms.entropy import Entropy, entropy


def test_by_hand():
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.0, 0.0, 0.0]])
    expected = torch.tensor([0.0, log(2), 0.5 * log(4) + 0.5 * log(2), 0.0])
    torch.testing.assert_close(entropy(weights), expected)


def test_steps_count_by_their_weight():
    weights = torch.tensor([[[0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]])
    total, count = Entropy()(Glance(weights), torch.tensor([[1.0, 1.0], [2.0, 0.0]]))
    assert total.item() == pytest.approx(3 * log(2))
    assert count.item() == 4


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=7))
def test_the_published_l1_norm_has_no_gradient(energies):
    """|α|_1 = 1 whatever the energies: to the last bit of what a double can hold, nothing to descend."""
    asked = torch.tensor(energies, dtype=torch.float64, requires_grad=True)
    norm = masked_softmax(asked, torch.ones(len(energies), dtype=torch.bool)).abs().sum()
    (gradient,) = torch.autograd.grad(norm, asked)
    assert norm.item() == pytest.approx(1.0, abs=1e-12)
    assert gradient.abs().max() < 1e-12


def descended(loss, energies, updates=200):
    asked = energies.clone().requires_grad_()
    for _ in range(updates):
        (gradient,) = torch.autograd.grad(loss(asked.softmax(-1)).sum(), asked)
        asked.data -= gradient
    return asked.detach().softmax(-1)


def test_descending_the_entropy_narrows_and_descending_the_l1_norm_does_not():
    energies = torch.tensor([0.0, 0.3, 0.5], dtype=torch.float64)
    assert descended(entropy, energies)[2] > 0.98
    torch.testing.assert_close(descended(lambda weights: weights.abs().sum(), energies), energies.softmax(-1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_places_without_any_weight_have_a_finite_gradient(dtype):
    energies = torch.tensor([[0.0, -1e4, 0.0, 5.0]], dtype=dtype, requires_grad=True)
    weights = masked_softmax(energies, torch.tensor([[True, True, True, False]]))
    assert weights[0, 1] == 0
    entropy(weights).sum().backward()
    torch.testing.assert_close(energies.grad, torch.zeros_like(energies), atol=1e-6, rtol=0)
    empty = torch.zeros(1, 2, 3, requires_grad=True)
    entropy(masked_softmax(empty, torch.zeros(1, 1, 3, dtype=torch.bool))).sum().backward()
    assert empty.grad.abs().sum() == 0
