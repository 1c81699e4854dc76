"""softmax(Ws) by the place alone: by hand, beyond padding, and the error for a source longer than any of training."""

import pytest
import torch

from regard.attention import SCORES, Sizes
from regard.errors import RegardError
from regard.memory import Memory


@pytest.fixture
def score():
    score = SCORES["location"](Sizes(query=2, memory=3, shape=(3,)))
    score.rows.weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]])
    return score


def test_numbers_by_hand(score, memory_of):
    energies = score(torch.tensor([[[5.0, 7.0]]]), memory_of([[0.0] * 3] * 3))
    assert energies.tolist() == [[[5.0, 7.0, 3.0]]]  # 1·5, 1·7, 2·5 − 7


def test_what_stands_at_a_place_counts_for_nothing(score, memory_of):
    state = torch.randn(1, 4, 2)
    one, other = memory_of(torch.randn(3, 3).tolist()), memory_of(torch.randn(3, 3).tolist())
    assert torch.equal(score(state, one), score(state, other))


def test_a_shorter_source_uses_the_first_rows(score, memory_of):
    assert score(torch.tensor([[[5.0, 7.0]]]), memory_of([[0.0] * 3] * 2)).tolist() == [[[5.0, 7.0]]]


def test_padding_may_reach_beyond_the_longest(score, memory_of):
    memory = memory_of([[0.0] * 3] * 5, keep=[True, True, True, False, False])
    assert score(torch.tensor([[[5.0, 7.0]]]), memory)[..., :3].tolist() == [[[5.0, 7.0, 3.0]]]


@pytest.mark.parametrize("keep", [[True] * 4, [True, False, True, True]])
def test_a_longer_source(keep, score, memory_of):
    with pytest.raises(RegardError) as error:
        score.keys(memory_of([[0.0] * 3] * 4, keep=keep))
    assert str(error.value) == (
        'a source of 4 places came, and the score "location" knows only the first 3, the longest of its training;'
        " shorten it, or train with another score"
    )


def test_no_sources_at_all(score, random_memory):
    memory = random_memory(lengths=[2], width=3)
    none = memory._replace(values=memory.values[:0], keep=memory.keep[:0], summary=memory.summary[:0])
    assert score.keys(none).shape == (0, 2, 2)
    assert score.keys(memory._replace(values=memory.values[:, :0], keep=memory.keep[:, :0], shape=(0,))).shape == (
        1,
        0,
        2,
    )


def test_needs_to_know_the_most_places():
    with pytest.raises(RegardError) as error:
        SCORES["location"](Sizes(query=2, memory=3))
    assert str(error.value) == 'the score "location" needs to know the most places that it will meet'


def grid(rows, columns, keep):
    size = rows * columns
    return Memory(torch.zeros(1, size, 3), torch.tensor([keep]), torch.zeros(1, 1), (rows, columns))


@pytest.fixture
def grid_score():
    """Two rows and three columns known; with a state of 1 the place in row r and column c has the energy 10 r + c."""
    score = SCORES["location"](Sizes(query=1, memory=3, shape=(2, 3)))
    score.rows.weight.data = torch.tensor([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    return score


@pytest.mark.parametrize(
    ("rows", "columns", "keep", "expected"),
    [
        (2, 2, [True] * 4, [0, 1, 10, 11]),  # the same places wherever the batch's rows end
        (1, 3, [True] * 3, [0, 1, 2]),
        (2, 4, [True, True, False, False] * 2, [0, 1, 2, 0, 10, 11, 12, 0]),  # padded beyond what is known
        (3, 2, [True] * 4 + [False] * 2, [0, 1, 10, 11, 0, 0]),
    ],
)
def test_on_a_grid_by_row_and_column(grid_score, rows, columns, keep, expected):
    assert grid_score(torch.ones(1, 1, 1), grid(rows, columns, keep)).tolist() == [[[*map(float, expected)]]]


def test_a_larger_grid(grid_score):
    with pytest.raises(RegardError, match=r"a source of 3 × 2 places came, .* knows only the first 2 × 3, the longest"):
        grid_score(torch.ones(1, 1, 1), grid(3, 2, [True] * 6))
