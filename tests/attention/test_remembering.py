"""Looks that remember, for every score that does and every way it has: steps, beams, masks, windows, gradients."""

import pytest
import torch

from regard.attention import SCORES, Attention, Choice, Focus, Sizes
from regard.attention.attention import over_all_places
from regard.attention.focus import Soft
from regard.masks import masked_softmax
from regard.memory import Glance, reorder_beams

WIDTH, STEPS = 4, 4
WAYS = {name: (name, {}) for name in SCORES.names() if SCORES[name].remembers} | {
    "location-aware of the sum": ("location-aware", {"history": "sum"}),
    "location-aware of both": ("location-aware", {"history": "both", "reach": 1}),
    "coverage as a share": ("coverage", {"form": "fertility"}),
    "coverage learned": ("coverage", {"form": "gru", "size": 3}),
}


@pytest.fixture(params=WAYS)
def score(request):
    """With parameters that are not those of a beginning, where what is remembered does not count yet."""
    name, options = WAYS[request.param]
    score = SCORES[name](Sizes(WIDTH, WIDTH), width=5, **options).double()
    with torch.no_grad():
        for parameter in score.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return score


@pytest.fixture
def attention(score):
    return Attention(score, Soft())


def queries_for(batch, steps=STEPS):
    return torch.randn(batch, steps, WIDTH, dtype=torch.float64)


def step_by_step(attention, queries, bound):
    """(contexts, weights over all places) of each step, one query of each example at a time."""
    past, contexts, weights = None, [], []
    for query in queries.unbind(1):
        context, glance, past = attention(query, bound, past)
        contexts.append(context)
        weights.append(over_all_places(glance, bound.memory.keep.shape[1]))
    return torch.stack(contexts, 1), torch.stack(weights, 1)


def test_all_steps_are_one_step_after_the_other(attention, random_memory):
    bound, queries = attention.bind(random_memory(lengths=[5, 3], width=WIDTH)), queries_for(2)
    contexts, glances = attention.along(queries, bound)
    expected, weights = step_by_step(attention, queries, bound)
    torch.testing.assert_close(contexts, expected)
    torch.testing.assert_close(glances.weights, weights)


def test_what_was_seen_counts(attention, random_memory):
    bound, query = attention.bind(random_memory(lengths=[5], width=WIDTH)), queries_for(1, 1)
    _, weights = step_by_step(attention, query.expand(1, 3, WIDTH), bound)
    assert (weights[0, 1] - weights[0, 0]).abs().max() > 1e-3  # the same question, another answer
    assert (weights[0, 2] - weights[0, 1]).abs().max() > 1e-4


def test_alone_it_gives_the_energies_of_a_first_look(attention, random_memory):
    memory, queries = random_memory(lengths=[5, 5], width=WIDTH), queries_for(2)
    energies = attention.score(queries, memory)
    for step in range(STEPS):
        _, glance, _ = attention(queries[:, step], attention.bind(memory))
        torch.testing.assert_close(energies[:, step].softmax(-1), glance.weights)


@pytest.mark.parametrize("way", WAYS)
def test_a_new_one_is_the_additive_score(way, random_memory):
    name, options = WAYS[way]
    score, plain = (
        SCORES[one](Sizes(WIDTH, WIDTH), **more).double() for one, more in ((name, options), ("additive", {}))
    )
    plain.load_state_dict({key: part for key, part in score.state_dict().items() if key in plain.state_dict()})
    memory, queries = random_memory(lengths=[5, 3], width=WIDTH), queries_for(2)
    found = [Attention(one, Soft()) for one in (score, plain)]
    first, second = (one.along(queries, one.bind(memory))[1].weights for one in found)
    torch.testing.assert_close(first, second)


def test_gradients_flow_through_earlier_looks(attention, random_memory):
    memory, queries = random_memory(lengths=[4, 2], width=WIDTH), queries_for(2).requires_grad_()
    _, glances = attention.along(queries, attention.bind(memory))
    (back,) = torch.autograd.grad(glances.weights[:, -1, 0].sum(), queries, retain_graph=True)
    assert (back.abs().amax(-1) > 1e-8).all()  # the last look asks every query before it
    parts = dict(attention.score.named_parameters())
    for name, gradient in zip(parts, torch.autograd.grad(glances.weights.square().sum(), parts.values()), strict=True):
        assert gradient.abs().max() > 1e-8, name


def test_gradients_are_right(attention, random_memory):
    memory = random_memory(lengths=[3, 2], width=WIDTH)

    def weights(values, queries):
        return attention.along(queries, attention.bind(memory._replace(values=values)))[1].weights

    assert torch.autograd.gradcheck(
        weights, (memory.values.requires_grad_(), queries_for(2, 3).requires_grad_()), fast_mode=True
    )


def test_padding_changes_nothing_and_no_example_another(attention, random_memory):
    memory, queries = random_memory(lengths=[5, 3, 1], width=WIDTH), queries_for(3)
    contexts, weights = step_by_step(attention, queries, attention.bind(memory))
    more = 4
    padded = memory._replace(
        values=torch.cat([memory.values, torch.full((3, more, WIDTH), 1e3, dtype=torch.float64)], 1),
        keep=torch.cat([memory.keep, torch.zeros(3, more, dtype=torch.bool)], 1),
        shape=(5 + more,),
    )
    other, seen = step_by_step(attention, queries, attention.bind(padded))
    torch.testing.assert_close(other, contexts)
    torch.testing.assert_close(seen[..., :5], weights)
    assert seen[..., 5:].eq(0).all()
    for row, size in enumerate([5, 3, 1]):
        alone = memory._replace(
            values=memory.values[row : row + 1, :size], keep=memory.keep[row : row + 1, :size], shape=(size,)
        )
        own, seen = step_by_step(attention, queries[row : row + 1], attention.bind(alone))
        torch.testing.assert_close(own[0], contexts[row])
        torch.testing.assert_close(seen[0], weights[row, :, :size])


def test_an_empty_row_and_no_place_at_all(attention, random_memory):
    memory, queries = random_memory(lengths=[0, 3], width=WIDTH), queries_for(2).requires_grad_()
    contexts, weights = step_by_step(attention, queries, attention.bind(memory))
    assert weights[0].eq(0).all()
    (contexts.square().sum() + weights.square().sum()).backward()
    for part in (queries, *attention.parameters()):
        assert part.grad.isfinite().all()
    assert queries.grad[0].eq(0).all()
    none = memory._replace(values=memory.values[:, :0], keep=memory.keep[:, :0], shape=(0,))
    contexts, glances = attention.along(queries, attention.bind(none))
    assert (contexts.eq(0).all(), glances.weights.shape) == (True, (2, STEPS, 0))
    nobody = memory._replace(values=memory.values[:0], keep=memory.keep[:0])
    assert attention.along(queries[:0], attention.bind(nobody))[1].weights.shape == (0, STEPS, 3)


def test_beams_that_are_reordered_go_on_as_their_parents(attention, random_memory):
    bound, beams = attention.bind(random_memory(lengths=[5, 3], width=WIDTH)), 3
    parents = torch.tensor([[2, 0, 0], [1, 1, 2]])
    first, second, third = (queries_for(2, beams) for _ in range(3))
    _, _, past = attention(first, bound)
    _, _, past = attention(second, bound, past)
    context, glance, _ = attention(third, bound, reorder_beams(past, parents))
    paths = torch.stack([reorder_beams(first, parents), reorder_beams(second, parents), third], 2)  # (B, K, 3, Q)
    for beam in range(beams):
        contexts, weights = step_by_step(attention, paths[:, beam], bound)
        torch.testing.assert_close(context[:, beam], contexts[:, -1])
        torch.testing.assert_close(glance.weights[:, beam], weights[:, -1])


# -- under a focus that chooses its places first -------------------------------------------------------------------


class Window(Focus):
    """Softmax over three places from the step's number on, which it names."""

    timed, size = True, 3

    def choose(self, query, memory, lengths, time):
        places = (time.expand(query.shape[:2]) % 3)[..., None] + torch.arange(self.size)
        inside = places.clamp(max=memory.keep.shape[1] - 1)
        return Choice(inside, (places < lengths[:, None, None]) & (places < memory.keep.shape[1]))

    def weigh(self, energies, keep, choice=None, past=None):
        return Glance(masked_softmax(energies, keep), choice.places)


class Masked(Focus):
    """The same without choosing: every place is scored, and those outside are thrown away."""

    timed, remembers = True, True

    def start(self, memory):
        return torch.zeros(len(memory.keep), dtype=torch.long)

    def weigh(self, energies, keep, choice=None, past=None):
        places, first = torch.arange(energies.shape[-1]), (past % 3)[..., None]
        return Glance(masked_softmax(energies, keep & (places >= first) & (places < first + Window.size)))

    def remember(self, past, glance):
        return past + 1


def test_a_focus_may_choose_its_places_first(score, random_memory):
    memory, queries = random_memory(lengths=[6, 4, 2], width=WIDTH), queries_for(3, 5)
    chosen, thrown = Attention(score, Window()), Attention(score, Masked())
    contexts, weights = step_by_step(chosen, queries, chosen.bind(memory))
    expected, masked = step_by_step(thrown, queries, thrown.bind(memory))
    torch.testing.assert_close(contexts, expected)
    torch.testing.assert_close(weights, masked)
    assert (weights[0, 1] > 0).tolist() == [False, True, True, True, False, False]
    contexts, glances = chosen.along(queries, chosen.bind(memory))
    torch.testing.assert_close(contexts, expected)
    assert glances.weights.shape == (3, 5, 3)


def test_what_a_step_is_forced_to_look_at_is_what_is_remembered(attention, random_memory):
    memory, queries = random_memory(lengths=[5], width=WIDTH), queries_for(1, 3)
    bound = attention.bind(memory, torch.tensor([[3, -1, -1]]))
    _, weights = step_by_step(attention, queries, bound)
    assert weights[0, 0].tolist() == [0, 0, 0, 1, 0]
    _, _, past = attention(queries[:, 0], attention.bind(memory, torch.tensor([[3]])))
    free = attention.bind(memory)
    for step in (1, 2):
        _, glance, past = attention(queries[:, step], free, past)
        torch.testing.assert_close(glance.weights, weights[:, step])
    _, own = step_by_step(attention, queries, free)
    assert (own[0, 1] - weights[0, 1]).abs().max() > 1e-4


# -- a third party's, as short as can be ---------------------------------------------------------------------------


class Tired(SCORES["dot"]):
    """The dot product, halved wherever the last look lay: keys are not summed with what is remembered, but scaled."""

    remembers = True

    def start(self, memory):
        return torch.zeros_like(memory.values[..., 0])

    def recall(self, past):
        return past[..., None]

    def renew(self, keys, recalled):
        return keys * (1 - recalled / 2)

    def remember(self, past, state, glance, bound):
        return glance.weights


def test_any_pairing_may_remember_in_its_own_way(memory_of):
    attention = Attention(Tired(Sizes(1, 1)), Soft())
    bound, query = attention.bind(memory_of([[0.0], [2.0]])), torch.ones(1, 1)
    _, first, past = attention(query, bound)
    _, second, _ = attention(query, bound, past)
    torch.testing.assert_close(first.weights, torch.tensor([[0.0, 2.0]]).softmax(-1))
    torch.testing.assert_close(second.weights, torch.tensor([[0.0, 2 - 0.8807971]]).softmax(-1))
