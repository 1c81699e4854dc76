"""Never back: the expectation against every way of stopping, far sources in single precision, the hard form by hand."""

import math
from itertools import product

import pytest
import torch

from regard.attention import SCORES, Attention, Sizes
from regard.attention.focus import Monotonic
from regard.attention.focus.monotonic import expected, first_stop
from regard.errors import RegardError

STEPS, PLACES = 3, 4


def along(chances):
    """α of every step by the recursion, from the first place on; `chances` (T, S) are p."""
    last, keep = torch.eye(chances.shape[1], dtype=chances.dtype)[None, None, 0], torch.ones(1, 1, 1, dtype=torch.bool)
    rows = []
    for row in chances:
        last = expected(torch.logit(row)[None, None], keep.expand(1, 1, len(row)), last)
        rows.append(last[0, 0])
    return torch.stack(rows)


def enumerated(chances):
    """The same by every way in which the steps may stop, each with its probability; place S is behind the end."""
    steps, size = chances.shape
    rows = [[torch.zeros((), dtype=chances.dtype)] * (size + 1) for _ in range(steps)]
    for stops in product(range(size + 1), repeat=steps):
        if list(stops) != sorted(stops):
            continue
        probability = torch.ones((), dtype=chances.dtype)
        for step, (start, stop) in enumerate(zip((0, *stops), stops, strict=False)):
            for place in range(start, stop):
                probability = probability * (1 - chances[step, place])
            if stop < size:
                probability = probability * chances[step, stop]
        for step, stop in enumerate(stops):
            rows[step][stop] = rows[step][stop] + probability
    return torch.stack([torch.stack(row) for row in rows])


def test_the_recursion_is_the_sum_over_all_ways_of_stopping():
    logits = torch.randn(STEPS, PLACES, dtype=torch.float64).requires_grad_()
    found, whole = along(logits.sigmoid()), enumerated(logits.sigmoid())
    torch.testing.assert_close(whole.sum(-1), torch.ones(STEPS).double())  # nothing is left out
    torch.testing.assert_close(found, whole[:, :PLACES])
    assert found.sum(-1).max() < 0.999  # what passed the end is in no row
    direction = torch.randn(STEPS, PLACES, dtype=torch.float64)
    gradients = [torch.autograd.grad((part * direction).sum(), logits)[0] for part in (found, whole[:, :PLACES])]
    torch.testing.assert_close(*gradients)


def test_by_hand():
    half = torch.full((2, 3), 0.5)
    torch.testing.assert_close(along(half), torch.tensor([[1 / 2, 1 / 4, 1 / 8], [1 / 4, 1 / 4, 3 / 16]]))


@pytest.mark.parametrize(("level", "close"), [(-12.0, 1e-4), (0.0, 1e-3), (12.0, 2e-3), (60.0, 1e-2)])
def test_long_sources_in_single_precision(level, close):
    """Where Π (1 − p) is far below what a float can hold, down to e^−120000; against double, place by place."""
    torch.manual_seed(0)
    size = 2000
    logits, last = level + torch.randn(1, 2, size), torch.rand(1, 2, size).softmax(-1)
    keep = torch.ones(1, 1, size, dtype=torch.bool)
    logits.requires_grad_(), last.requires_grad_()
    found = expected(logits, keep, last)
    stop, at, rows = logits.detach().double().sigmoid(), torch.zeros(1, 2).double(), []
    go = (-logits.detach().double()).sigmoid()
    for place in range(size):
        at = at + last.detach()[..., place]
        rows.append(stop[..., place] * at)
        at = go[..., place] * at
    torch.testing.assert_close(found.double(), torch.stack(rows, -1), rtol=close, atol=1e-12)
    found.square().sum().backward()
    assert logits.grad.isfinite().all()
    assert last.grad.isfinite().all()


@pytest.mark.parametrize("training", [True, False])
def test_padding_is_passed_and_an_empty_row_looks_at_nothing(training):
    focus = Monotonic(noise=0.0).train(training)
    energies = torch.tensor([[[1.0, 5.0, 2.0], [3.0, 3.0, 3.0]]], requires_grad=True)
    keep = torch.tensor([[[True, False, True], [False] * 3]])
    weights = focus.weigh(energies, keep, past=torch.tensor([[[1.0, 0.0, 0.0]] * 2])).weights
    first = 1 / (1 + math.exp(-1))
    by_hand = [first, 0.0, (1 - first) / (1 + math.exp(-2))] if training else [1.0, 0.0, 0.0]
    torch.testing.assert_close(weights[0], torch.tensor([by_hand, [0.0] * 3]))
    if training:
        weights.square().sum().backward()
        assert energies.grad.isfinite().all()
        assert energies.grad[0, 1].eq(0).all()


def test_in_use_the_first_place_from_the_last_one_on_or_none():
    keep = torch.tensor([[[True, True, True, False]]])
    never = -1.0
    for logits, last, expected_place in (
        ([0.0, 5.0, 5.0, 5.0], 0, 0),  # 1/2 is enough; the first, not the best
        ([5.0, never, 1.0, 5.0], 1, 2),  # what lies behind counts no more
        ([5.0, 5.0, never, 5.0], 1, 1),  # it may stay
        ([5.0, never, never, 5.0], 1, None),  # padding is no place
    ):
        found = first_stop(torch.tensor([[logits]]), keep, torch.eye(4)[None, None, last])
        assert found[0, 0].tolist() == [float(place == expected_place) for place in range(4)]
    assert first_stop(torch.full((1, 1, 4), 5.0), keep, torch.zeros(1, 1, 4)).eq(0).all()  # the end was passed


@pytest.mark.parametrize("training", [True, False])
def test_a_look_goes_on_from_where_it_was_and_nothing_is_drawn_without_noise(training, random_memory):
    attention = Attention(SCORES["general"](Sizes(4, 4)), Monotonic(bias=-0.5, noise=0.0)).double().train(training)
    bound = attention.bind(random_memory(lengths=[5, 3], width=4))
    queries = torch.randn(2, 4, 4, dtype=torch.float64)
    contexts, glance = attention.along(queries, bound)
    past = attention.start(bound)
    for step in range(4):
        before = past.focus
        context, seen, past = attention(queries[:, step], bound, past)
        torch.testing.assert_close(context, contexts[:, step])
        torch.testing.assert_close(past.focus, glance.weights[:, step])
        if not training:  # never back
            reached = seen.weights.argmax(-1) >= before.argmax(-1)
            assert (reached | seen.weights.eq(0).all(-1)).all()


def test_the_noise_is_of_training_and_as_wide_as_it_says():
    energies, last = torch.zeros(1, 20_000, 1, dtype=torch.float64), torch.ones(1, 20_000, 1, dtype=torch.float64)
    keep = torch.ones(1, 1, 1, dtype=torch.bool)
    drawn = Monotonic(bias=1.0, noise=2.0).double().train().weigh(energies, keep, past=last).weights
    logits = torch.logit(drawn)
    assert logits.mean().item() == pytest.approx(1.0, abs=0.06)
    assert logits.std().item() == pytest.approx(2.0, abs=0.06)
    assert Monotonic(bias=-0.1).eval().weigh(energies, keep, past=last).weights.eq(0).all()


def test_its_bias_is_learned():
    assert [name for name, _ in Monotonic().named_parameters()] == ["bias"]


def test_places_in_a_line_are_needed():
    with pytest.raises(RegardError, match=r'^the focus "monotonic" needs places in a line, .* a grid of up to 4 × 5'):
        Monotonic(Sizes(4, 4, (4, 5)))
