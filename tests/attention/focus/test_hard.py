"""One drawn place: its chances, what carries a gradient, the score-function gradient against enumeration, the half."""

import math

import pytest
import torch

from regard.attention import SCORES, Attention, Sizes
from regard.attention.focus import Hard
from regard.attention.options import LookOptions

ENERGIES = [0.0, math.log(2), math.log(5)]  # chances 1/8, 2/8, 5/8
ALL = torch.ones(1, 1, 3, dtype=torch.bool)


def many(number, keep=ALL, past=None, energies=ENERGIES):
    """(glance, energies) of so many draws in training."""
    leaf = torch.tensor(energies, dtype=torch.float64).requires_grad_()
    return Hard().train().weigh(leaf.expand(1, number, -1), keep, past=past), leaf


def test_in_use_the_most_likely_place_and_of_equals_the_first():
    energies = torch.tensor([[ENERGIES, [2.0, 2.0, 1.0], [9.0, 1.0, 1.0]]])
    keep = torch.tensor([[[True] * 3, [True] * 3, [False, True, True]]])
    glance = Hard().eval().weigh(energies, keep)
    assert glance.weights.tolist() == [[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    torch.testing.assert_close(glance.log_prob[0, 0], torch.tensor(5 / 8).log())
    torch.testing.assert_close(glance.chances[0, 0], torch.tensor([1 / 8, 2 / 8, 5 / 8]))
    torch.testing.assert_close(glance.log_prob[0, 2], torch.tensor(1 / 2).log())


def test_places_are_drawn_with_their_chances():
    glance, _ = many(40_000)
    assert ((glance.weights == 0) | (glance.weights == 1)).all()
    assert glance.weights.sum(-1).eq(1).all()
    torch.testing.assert_close(
        glance.weights.mean(1)[0], torch.tensor([1 / 8, 2 / 8, 5 / 8]).double(), atol=0.01, rtol=0
    )
    torch.testing.assert_close(glance.log_prob, (glance.weights * glance.chances).sum(-1).log())


def test_what_is_not_kept_is_never_drawn():
    glance, _ = many(5_000, keep=torch.tensor([[[True, True, False]]]))
    assert glance.weights[..., 2].eq(0).all()
    assert glance.weights[0, :, 0].mean().item() == pytest.approx(1 / 3, abs=0.03)


def test_the_choice_has_no_gradient_and_its_log_probability_has():
    glance, energies = many(1)
    assert not glance.weights.requires_grad
    glance.log_prob.sum().backward()  # ∇ log α_j = 1_j − α
    torch.testing.assert_close(energies.grad, glance.weights[0, 0] - torch.tensor([1 / 8, 2 / 8, 5 / 8]).double())


def test_the_score_function_gradient_is_the_exact_one_on_average():
    rewards = torch.tensor([3.0, -1.0, 0.5], dtype=torch.float64)
    glance, energies = many(200_000)
    (glance.log_prob * (glance.weights @ rewards)).mean().backward()
    exact = torch.tensor(ENERGIES, dtype=torch.float64).requires_grad_()
    (exact.softmax(-1) @ rewards).backward()  # every place, once
    torch.testing.assert_close(energies.grad, exact.grad, atol=0.01, rtol=0)


def test_a_soft_example_is_soft_at_every_step_and_teaches_by_its_weights_alone():
    energies = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    glance = Hard().train().weigh(energies, ALL.expand(2, 1, 3), past=torch.tensor([[True], [False]]))
    torch.testing.assert_close(glance.weights[0], energies[0].softmax(-1))
    assert glance.weights[1].max(-1).values.eq(1).all()
    assert glance.log_prob[0].tolist() == [0.0] * 4
    (alone,) = torch.autograd.grad(glance.log_prob.sum(), energies, retain_graph=True)
    assert alone[0].eq(0).all()
    assert alone[1].ne(0).any()
    (through,) = torch.autograd.grad((glance.weights * torch.tensor([1.0, 2.0, 4.0])).sum(), energies)
    assert through[0].ne(0).any()
    assert through[1].eq(0).all()


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_half_and_half_is_drawn_once_an_example(share, random_memory):
    attention = Attention(SCORES["dot"](Sizes(4, 4)), Hard(soft_share=share)).double().train()
    bound = attention.bind(random_memory(lengths=[3] * 400, width=4))
    _, glance = attention.along(torch.randn(400, 5, 4, dtype=torch.float64), bound)
    soft = glance.weights.max(-1).values < 1
    assert torch.equal(soft.all(1), soft.any(1))
    assert soft.all(1).double().mean().item() == pytest.approx(share, abs=0.08)
    past = attention.start(bound)
    assert (past is None) is (share == 0)
    for _ in range(3):  # step by step the same examples are soft
        _, glance, past = attention(torch.randn(400, 4, dtype=torch.float64), bound, past)
        if past is not None:
            assert torch.equal(glance.weights.max(-1).values < 1, past.focus)
    assert attention.eval().start(bound) is None


@pytest.mark.parametrize("training", [True, False])
def test_an_empty_row_looks_at_nothing(training):
    energies = torch.randn(1, 2, 3, requires_grad=True)
    glance = Hard().train(training).weigh(energies, torch.tensor([[[False] * 3, [True] * 3]]))
    assert glance.weights[0, 0].tolist() == glance.chances[0, 0].tolist() == [0.0] * 3
    assert glance.log_prob[0, 0] == 0
    (glance.log_prob.sum() + glance.chances.square().sum()).backward()
    assert energies.grad.isfinite().all()
    assert energies.grad[0, 0].eq(0).all()


def test_its_option():
    assert LookOptions(at="source", focus="hard").focus.soft_share == 0.5
    for wrong in (-0.1, 1.1):
        with pytest.raises(ValueError, match="Input should be"):
            LookOptions(at="source", focus={"type": "hard", "soft_share": wrong})
