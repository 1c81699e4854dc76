"""The straight-through choice: hard forwards, soft backwards, and how far its gradient is from the exact one."""

import math

import pytest
import torch

from regard.attention.focus import Gumbel
from regard.attention.focus.gumbel import gumbel_noise
from regard.config import compose

ALL = torch.ones(1, 1, 3, dtype=torch.bool)


def test_in_use_the_most_likely_place_and_of_equals_the_first():
    energies = torch.tensor([[[0.0, 1.0, 3.0], [2.0, 2.0, 1.0], [9.0, 1.0, 1.0]]])
    keep = torch.tensor([[[True] * 3, [True] * 3, [False, True, True]]])
    glance = Gumbel().eval().weigh(energies, keep)
    assert glance.weights.tolist() == [[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    torch.testing.assert_close(glance.chances[0, 2], torch.tensor([0.0, 0.5, 0.5]))


def test_noise_makes_a_draw_of_a_maximum():
    chances = torch.tensor([1 / 8, 2 / 8, 5 / 8])
    weights = Gumbel().train().weigh(chances.log().expand(1, 40_000, 3), ALL).weights
    assert ((weights == 0) | (weights == 1)).all()  # exactly, though a soft choice was added and taken away
    torch.testing.assert_close(weights.mean(1)[0], chances, atol=0.01, rtol=0)
    noise = gumbel_noise(torch.zeros(100_000))
    assert noise.mean().item() == pytest.approx(0.5772, abs=0.02)  # Euler's constant
    assert noise.std().item() == pytest.approx(math.pi / math.sqrt(6), abs=0.02)


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_backwards_it_is_the_softmax_at_its_temperature(temperature, monkeypatch):
    noise = torch.tensor([[[0.3, -0.2, 1.0]]], dtype=torch.float64)
    monkeypatch.setattr("regard.attention.focus.gumbel.gumbel_noise", lambda like: noise)
    energies = torch.tensor([[[1.0, 1.2, 0.1]]], dtype=torch.float64, requires_grad=True)
    direction = torch.tensor([2.0, -1.0, 0.5], dtype=torch.float64)
    weights = Gumbel(temperature=temperature).double().train().weigh(energies, ALL).weights
    assert weights.tolist() == [[[1.0, 0.0, 0.0]]]  # 1.3, 1.0, 1.1
    (weights @ direction).sum().backward()
    soft = ((energies + noise) / temperature).softmax(-1).detach()[0, 0]
    expected = soft * (direction - soft @ direction) / temperature
    torch.testing.assert_close(energies.grad[0, 0], expected)


# three places of these chances, each of which would write the first of two symbols with another probability
ENERGIES = torch.tensor([0.5, 0.0, -0.7], dtype=torch.float64)
LOGITS = torch.tensor([[2.0, 0.0], [-1.0, 1.0], [0.0, 3.0]], dtype=torch.float64)


def test_its_bias_and_its_spread_are_as_the_docstring_says():
    leaf = ENERGIES.clone().requires_grad_()
    (leaf.softmax(-1) @ -LOGITS.log_softmax(-1)[:, 0]).backward()  # Σ_j α_j loss_j: every place, once
    exact, found = leaf.grad, {}
    for temperature in (2.0, 1.0, 0.5, 0.1):
        energies = ENERGIES.repeat(1, 200_000, 1).requires_grad_()
        weights = Gumbel(temperature=temperature).double().train().weigh(energies, ALL).weights
        (-(weights @ LOGITS).log_softmax(-1)[..., 0]).sum().backward()
        mean = energies.grad[0].mean(0)
        spread = (energies.grad[0] - mean).square().sum(-1).mean().sqrt()
        found[temperature] = ((mean - exact).norm() / exact.norm()).item(), (spread / exact.norm()).item()
    biases, spreads = zip(*found.values(), strict=True)
    assert biases == pytest.approx((0.63, 0.41, 0.22, 0.07), abs=0.02)
    assert spreads == pytest.approx((0.33, 0.65, 1.2, 3.5), rel=0.05)
    for number in ("63", "41", "22", "7 %", "0.33", "0.65", "1.2", "3.5"):
        assert number in Gumbel.__doc__


def test_the_temperature_falls_by_even_factors_and_is_not_saved():
    focus = Gumbel(temperature=4.0, last_temperature=0.25)
    for share, expected in ((0.0, 4.0), (0.25, 2.0), (0.5, 1.0), (1.0, 0.25), (0.5, 1.0)):  # whatever came before
        focus.anneal(share)
        assert focus.temperature.item() == pytest.approx(expected)
    assert not focus.state_dict()


@pytest.mark.parametrize("training", [True, False])
def test_an_empty_row_looks_at_nothing(training):
    energies = torch.randn(1, 2, 3, requires_grad=True)
    glance = Gumbel().train(training).weigh(energies, torch.tensor([[[False] * 3, [True] * 3]]))
    assert glance.weights[0, 0].tolist() == glance.chances[0, 0].tolist() == [0.0] * 3
    (glance.weights @ torch.tensor([1.0, 2.0, 4.0]) + glance.chances.sum(-1)).sum().backward()
    assert energies.grad.isfinite().all()
    assert energies.grad[0, 0].eq(0).all()
    assert bool((energies.grad[0, 1].abs() > 1e-6).any()) is training  # in use a choice teaches nothing


def test_its_options():
    focus = compose({}, ['focus={type="gumbel", last_temperature=0.1}']).looks["source"].focus
    assert (focus.temperature, focus.last_temperature) == (1.0, 0.1)
