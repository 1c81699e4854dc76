"""e = v'tanh(Wh + Us + V(F * α)) by hand over two steps, on rows, pictures and films; what the first look knows."""

from itertools import product
from math import prod

import pytest
import torch

from regard.attention import SCORES, Attention, Sizes
from regard.attention.focus import Soft
from regard.attention.scores.location_aware import first_place
from regard.config import compose
from regard.errors import RegardError
from regard.memory import Memory


@pytest.fixture
def score():
    """One filter that sees half of what lay one place before; v = 2, and nothing else counts."""
    score = SCORES["location-aware"](Sizes(query=1, memory=1), width=1, filters=1, reach=1)
    for part in score.parameters():
        part.data.zero_()
    score.filters.weight.data = torch.tensor([[[0.5, 0.0, 0.0]]])
    score.project_history.weight.data.fill_(1.0)
    score.vector.data.fill_(2.0)
    return score


def looks(score, memory, steps):
    """(weights of each step, past) where every query is zero."""
    attention = Attention(score, Soft())
    bound, past, weights = attention.bind(memory), None, []
    for _ in range(steps):
        _, glance, past = attention(memory.values.new_zeros(len(memory.keep), 1), bound, past)
        weights.append(glance.weights)
    return torch.stack(weights, 1), past


def test_numbers_by_hand(score, memory_of):
    weights, past = looks(score, memory_of([[0.0], [0.0], [0.0]]), 2)
    # α_0 = (1, 0, 0): f = (0, 0.5, 0), e = (0, 2 tanh 0.5 = 0.92423431, 0), α_1 = (0.22124197, 0.55751606, 0.22124197)
    # f = (0, 0.11062099, 0.27875803), e = (0, 0.22034392, 0.54351044), α_2 = (0.25198141, 0.31409618, 0.43392241)
    expected = torch.tensor([[[0.22124197, 0.55751606, 0.22124197], [0.25198141, 0.31409618, 0.43392241]]])
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(past.score.last, expected[:, 1])
    torch.testing.assert_close(past.score.total, expected.sum(1))


def test_the_sum_of_all_looks(score, memory_of):
    score.history = "sum"
    weights, _ = looks(score, memory_of([[0.0], [0.0], [0.0]]), 3)
    third = torch.full((3,), 1 / 3)
    torch.testing.assert_close(weights[0, 0], third)  # nothing was looked at
    after = (2 * torch.tanh(torch.tensor([0, 1 / 6, 1 / 6]))).softmax(-1)  # half of a third
    torch.testing.assert_close(weights[0, 1], after)
    total = third + after
    torch.testing.assert_close(weights[0, 2], (2 * torch.tanh(torch.stack([0 * total[0], *total[:2] / 2]))).softmax(-1))


def test_both(memory_of):
    score = SCORES["location-aware"](Sizes(query=1, memory=1), width=1, filters=1, reach=1, history="both")
    for part in score.parameters():
        part.data.zero_()
    score.filters.weight.data = torch.tensor(
        [[[0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]]
    )  # the last here, less the sum before
    past = score.start(memory_of([[0.0]] * 3))
    beams = type(past)(torch.tensor([[[0.1, 0.2, 0.7]]]), torch.tensor([[[1.0, 0.5, 2.5]]]))
    recalled = score.recall(beams)  # 0.1 − 0.5, 0.2 − 2.5, 0.7 − 0
    torch.testing.assert_close(recalled, torch.tensor([[[[-0.4], [-2.3], [0.7]]]]))


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 2)])
def test_filters_see_neighbours_on_every_side(shape):
    score = SCORES["location-aware"](Sizes(1, 1, shape), width=4, filters=2, reach=1).double()
    weights = torch.rand(2, 3, *shape, dtype=torch.float64)
    recalled = score.recall(type(score.start(grid(shape)))(weights, weights))
    assert recalled.shape == (2, 3, prod(shape), 2)
    steps = list(product((-1, 0, 1), repeat=len(shape)))
    for number, at in enumerate(product(*map(range, shape))):
        for index in range(2):
            expected = 0.0
            for step in steps:
                there = [a + b for a, b in zip(at, step, strict=True)]
                if all(0 <= a < side for a, side in zip(there, shape, strict=True)):
                    near = score.filters.weight[(index, 0, *(one + 1 for one in step))]
                    expected = expected + near * weights[(slice(None), slice(None), *there)]
            torch.testing.assert_close(recalled[:, :, number, index], expected)


def grid(shape, keep=None, values=None):
    size = prod(shape)
    values = torch.zeros(1, size, 1, dtype=torch.float64) if values is None else values
    keep = torch.ones(len(values), size, dtype=torch.bool) if keep is None else keep
    return Memory(values, keep, values.new_zeros(len(values), 1), shape)


def test_on_a_picture_what_is_beside_it_in_the_batch_changes_nothing():
    """Two rows and two columns in a batch of three by four: padding stands between, and rows must not run on."""
    score = SCORES["location-aware"](Sizes(1, 1, (3, 4)), width=4).double()
    score.project_history.weight.data.normal_()
    values = torch.randn(1, 2, 2, 1, dtype=torch.float64)
    wide = torch.full((1, 3, 4, 1), 9.0, dtype=torch.float64)
    wide[:, :2, :2] = values
    keep = torch.zeros(1, 3, 4, dtype=torch.bool)
    keep[:, :2, :2] = True
    alone, _ = looks(score, grid((2, 2), values=values.flatten(1, 2)), 3)
    beside, _ = looks(score, grid((3, 4), keep.flatten(1), wide.flatten(1, 2)), 3)
    torch.testing.assert_close(beside.unflatten(2, (3, 4))[:, :, :2, :2].flatten(2), alone)
    assert (alone[0, 1] - alone[0, 0]).abs().max() > 1e-3


def test_the_look_before_the_first_lies_on_the_first_place_that_is_kept():
    keep = torch.tensor([[True, True, True], [False, True, True], [False, False, False]])
    memory = Memory(torch.zeros(3, 3, 1), keep, torch.zeros(3, 1), (3,))
    assert first_place(memory).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    seen = SCORES["location-aware"](Sizes(1, 1)).start(memory)
    assert (seen.last.tolist(), seen.total.tolist()) == (first_place(memory).tolist(), [[0.0] * 3] * 3)


def test_places_that_lie_otherwise_than_was_said():
    with pytest.raises(RegardError) as error:
        SCORES["location-aware"](Sizes(1, 1)).keys(grid((2, 2)))
    assert str(error.value) == (
        'places of 2 sides came, and the score "location-aware" was made for 1 (sizes.shape says how many); use another'
        ' score, such as "coverage"'
    )


def test_its_options_are_read():
    look = compose({}, ['score={type="location-aware", reach=15, history="both", filters=32}']).looks["source"]
    score = SCORES.build(look.score, Sizes(4, 4))
    assert score.filters.weight.shape == (32, 2, 31)
    for setting in ("reach=0", "filters=0", 'history="first"'):
        with pytest.raises(RegardError, match=r"^configuration, looks.source.score"):
            compose({}, [f'score={{type="location-aware", {setting}}}'])
