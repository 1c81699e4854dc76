"""Looks that know of the steps before: time, what a score remembers, what a focus remembers, what is forced.

Unusual here: the parts are fakes of a few lines, one for each thing that the contract allows, so that what is tested is
Attention alone; ours are tested beside their files.
"""

from itertools import product
from typing import ClassVar, Literal

import pytest
import torch

from regard.attention import SCORES, Attention, Choice, Focus, Score, Sizes
from regard.attention.attention import beams_of, force, over_all_places
from regard.attention.focus import Soft
from regard.masks import masked_softmax
from regard.memory import Glance, map_tensors, reorder_beams

WIDTH = 3


class Tired(Score):
    """e = h·s − what was looked at before: a sum of weights, added to every key."""

    name, remembers = "tired", True
    pairing: ClassVar[Literal["dot"]] = "dot"

    def __init__(self, sizes: Sizes):
        super().__init__()

    def keys(self, memory):
        return memory.values

    def query(self, state):
        return state

    def start(self, memory):
        return torch.zeros_like(memory.values[..., 0])

    def recall(self, past):
        return -past[..., None].expand(*past.shape, WIDTH)

    def remember(self, past, query, glance, memory):
        return past + glance.weights


class Follows(Focus):
    """Soft, with half of the weights of the look before added; before the first there was one at the first place."""

    name, remembers = "follows", True

    def start(self, memory):
        return torch.zeros_like(memory.values[..., 0]).index_fill(1, torch.tensor([0]), 0.5)

    def weigh(self, energies, keep, choice=None, past=None):
        return Glance((masked_softmax(energies, keep) + past) / (1 + past.sum(-1, keepdim=True)))

    def remember(self, past, glance):
        return glance.weights / 2


class Clock(Focus):
    """A window of two places from the one whose number is the time."""

    name, timed = "clock", True

    def choose(self, query, memory, lengths, time):
        places = time[..., None] + torch.arange(2).expand(*query.shape[:2], 2)
        keep = places < lengths[:, None, None]
        return Choice(places.clamp(max=memory.keep.shape[1] - 1), keep)

    def weigh(self, energies, keep, choice=None, past=None):
        return Glance(masked_softmax(energies, keep), choice.places)


SCORED = [SCORES["dot"], SCORES["additive"], SCORES["mlp"], Tired]
FOCUSED = [Soft, Follows, Clock]


@pytest.fixture(params=list(product(SCORED, FOCUSED)), ids=lambda pair: "-".join(part.name for part in pair))
def attention(request):
    score, focus = request.param
    return Attention(score(Sizes(WIDTH, WIDTH)), focus()).double()


def one_by_one(attention, queries, bound):
    """As search goes."""
    past, contexts, weights = None, [], []
    for query in queries.unbind(1):
        context, glance, past = attention(query, bound, past)
        contexts.append(context)
        weights.append(over_all_places(glance, bound.memory.keep.shape[1]))
    return torch.stack(contexts, 1), torch.stack(weights, 1)


def test_all_steps_are_one_by_one(attention, random_memory):
    bound = attention.bind(random_memory(lengths=[5, 3], width=WIDTH))
    queries = torch.randn(2, 4, WIDTH, dtype=torch.float64)
    contexts, glance = attention.along(queries, bound)
    expected = one_by_one(attention, queries, bound)
    torch.testing.assert_close((contexts, over_all_places(glance, 5)), expected)
    assert (attention.start(bound) is None) == (attention.score.name != "tired" and isinstance(attention.focus, Soft))


def test_beams_go_on_as_their_parents(attention, random_memory):
    memory = random_memory(lengths=[5, 3], width=WIDTH)
    bound = attention.bind(memory)
    first, second = torch.randn(2, 2, 3, WIDTH, dtype=torch.float64)
    parents = torch.tensor([[2, 0, 0], [1, 1, 2]])
    past = attention.start(bound)
    past = None if past is None else map_tensors(past, lambda part: beams_of(part, 3))
    _, _, past = attention(first, bound, past)
    contexts, _, _ = attention(second, bound, reorder_beams(past, parents))
    for beam in range(3):
        own = torch.stack([first[torch.arange(2), parents[:, beam]], second[:, beam]], 1)
        torch.testing.assert_close(contexts[:, beam], one_by_one(attention, own, bound)[0][:, 1])


def test_what_is_remembered_changes_what_is_seen(attention, random_memory):
    bound = attention.bind(random_memory(lengths=[4], width=WIDTH))
    query = torch.randn(1, 1, WIDTH, dtype=torch.float64).expand(1, 3, WIDTH)
    _, weights = one_by_one(attention, query, bound)
    same = torch.equal(weights[:, 0], weights[:, 1])
    assert same == (attention.start(bound) is None)


def test_a_step_that_is_forced_looks_there_and_the_others_as_they_like(attention, random_memory):
    memory = random_memory(lengths=[5, 3], width=WIDTH)
    queries = torch.randn(2, 4, WIDTH, dtype=torch.float64)
    bound = attention.bind(memory, torch.tensor([[-1, 4], [-1, -1]]))
    contexts, glance = attention.along(queries, bound)
    free, _ = attention.along(queries, attention.bind(memory))
    torch.testing.assert_close((contexts, over_all_places(glance, 5)), one_by_one(attention, queries, bound))
    torch.testing.assert_close(contexts[0, 1], memory.values[0, 4])
    torch.testing.assert_close(contexts[1], free[1])
    torch.testing.assert_close(contexts[:, 0], free[:, 0])
    if not attention.remembers:
        torch.testing.assert_close(contexts[:, 2:], free[:, 2:])


def test_forced_by_hand():
    glance = Glance(torch.tensor([[[0.5, 0.5], [0.25, 0.75]]]), torch.tensor([[[1, 2], [0, 1]]]))
    found = force(glance, torch.tensor([[-1, 2]]), torch.tensor([[0, 1]]), 3)
    assert found.weights.tolist() == [[[0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]]
    assert found.places is None
    beyond = force(glance, torch.tensor([[2]]), torch.tensor([[1, 2]]), 3)  # nothing is said of later steps
    assert beyond.weights.tolist() == [[[0.0, 0.5, 0.5], [0.25, 0.75, 0.0]]]
    assert force(glance, torch.zeros(1, 0, dtype=torch.int64), torch.tensor([[0, 1]]), 3) is glance


def test_gradients_pass_through_what_is_remembered(random_memory):
    attention = Attention(Tired(Sizes(WIDTH, WIDTH)), Soft()).double()
    queries = torch.randn(1, 3, WIDTH, dtype=torch.float64, requires_grad=True)
    contexts, _ = attention.along(queries, attention.bind(random_memory(lengths=[4], width=WIDTH)))
    (gradient,) = torch.autograd.grad(contexts[:, 2].sum(), queries)
    assert (gradient.abs().sum(-1) > 1e-6).all()  # the first query moves the third context
