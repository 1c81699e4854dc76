"""The two pairings against plain loops, and what a score must bring."""

import math

import pytest
import torch

from regard.attention.scores import Score
from regard.attention.scores.score import pair_additive, pair_dot

QUERIES, PLACES, WIDTH = 3, 5, 4


@pytest.fixture
def both():
    return torch.randn(2, QUERIES, WIDTH, dtype=torch.float64), torch.randn(2, PLACES, WIDTH, dtype=torch.float64)


def by_loops(query, keys, energy):
    rows = [[[energy(q.tolist(), k.tolist()) for k in keys[row]] for q in query[row]] for row in range(len(query))]
    return torch.tensor(rows, dtype=torch.float64)


def test_dot(both):
    expected = by_loops(*both, lambda q, k: sum(a * b for a, b in zip(q, k, strict=True)))
    torch.testing.assert_close(pair_dot(*both), expected)


def test_additive(both):
    vector = torch.randn(WIDTH, dtype=torch.float64)

    def energy(q, k):
        return sum(v * math.tanh(a + b) for v, a, b in zip(vector.tolist(), q, k, strict=True))

    torch.testing.assert_close(pair_additive(*both, vector), by_loops(*both, energy))


def test_no_place_and_no_query(both):
    query, keys = both
    vector = torch.ones(WIDTH, dtype=torch.float64)
    for none, shape in (((query, keys[:, :0]), (2, QUERIES, 0)), ((query[:, :0], keys), (2, 0, PLACES))):
        assert pair_dot(*none).shape == pair_additive(*none, vector).shape == shape


class Half(Score):
    """Half of the dot product with places turned round, by the pairing that its name says."""

    name, pairing = "half", "dot"

    def keys(self, memory):
        return memory.values.flip(-1)

    def query(self, state):
        return state / 2


def test_a_score_is_its_pairing_of_what_it_prepares(memory_of):
    memory = memory_of([[1.0, 2.0], [3.0, -1.0]])
    # (4, 6) / 2 = (2, 3) with (2, 1) and (-1, 3)
    assert Half()(torch.tensor([[[4.0, 6.0]]]), memory).tolist() == [[[7.0, 7.0]]]


def test_a_pairing_of_its_own_must_be_given(memory_of):
    class Own(Half):
        pairing = "own"

    with pytest.raises(AssertionError, match=r"^Own has a pairing of its own and must define pair\(\)"):
        Own()(torch.zeros(1, 1, 2), memory_of([[1.0, 2.0]]))


def test_a_score_must_say_what_it_prepares(memory_of):
    for call in (lambda: Score().keys(memory_of([[1.0]])), lambda: Score().query(torch.zeros(1, 1, 1))):
        with pytest.raises(NotImplementedError):
            call()
