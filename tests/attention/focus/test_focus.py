"""A focus of one's own: every place or a window of them, with what it drew, under any score of ours."""

from typing import ClassVar, Literal

import pytest
import torch

from regard.attention import FOCUSES, SCORES, Attention, Focus, Sizes
from regard.attention.focus.focus import precise
from regard.memory import Glance, Memory
from regard.parts import Options

WIDTH = 4


class BestOptions(Options):
    """So many places."""

    type: Literal["best"] = "best"
    size: int = 2


class Best(Focus):
    """Softmax over the `size` best places, which it names, the farthest right first."""

    name: ClassVar[str] = "best"
    Options = BestOptions

    def __init__(self, sizes=None, size: int = 2):
        super().__init__(sizes)
        self.size = size

    def weigh(self, energies, keep, choice=None, past=None):
        best = energies.masked_fill(~keep, -1e9).topk(self.size, -1).indices
        places = best.sort(-1, descending=True).values
        weights = energies.gather(-1, places).softmax(-1)
        return Glance(weights, places, weights.log().sum(-1))


@pytest.mark.parametrize("score", SCORES.names())
@pytest.mark.parametrize("size", [1, 2, 5])  # 5 is every place: a window must not be taken for the whole
def test_the_context_is_the_sum_over_the_places_that_were_named(score, size, random_memory):
    attention = Attention(SCORES[score](Sizes(WIDTH, WIDTH, (5,))), Best(size=size)).double()
    memory = random_memory(lengths=[5, 5, 5], width=WIDTH)
    queries = torch.randn(3, 2, WIDTH, dtype=torch.float64)
    context, glance, past = attention(queries, attention.bind(memory))
    assert (glance.weights.shape, glance.places.shape, glance.log_prob.shape) == ((3, 2, size), (3, 2, size), (3, 2))
    assert (past is None) is not attention.remembers
    for row in range(3):
        for step in range(2):
            seen = zip(glance.weights[row, step], glance.places[row, step].tolist(), strict=True)
            expected = sum(weight * memory.values[row, place] for weight, place in seen)
            torch.testing.assert_close(context[row, step], expected)


def test_one_query_has_a_glance_without_steps(random_memory):
    attention = Attention(SCORES["dot"](Sizes(WIDTH, WIDTH)), Best()).double()
    bound = attention.bind(random_memory(lengths=[3, 3], width=WIDTH))
    queries = torch.randn(2, 4, WIDTH, dtype=torch.float64)
    contexts, glances, _ = attention(queries, bound)
    for step in range(4):
        context, glance, _ = attention(queries[:, step], bound)
        torch.testing.assert_close(context, contexts[:, step])
        torch.testing.assert_close(glance.weights, glances.weights[:, step])
        assert glance.places.tolist() == glances.places[:, step].tolist()
        torch.testing.assert_close(glance.log_prob, glances.log_prob[:, step])


def test_a_focus_must_say_how_it_weighs():
    with pytest.raises(NotImplementedError):
        Focus().weigh(torch.zeros(1, 1, 2), torch.ones(1, 1, 2, dtype=torch.bool))


# -- what holds of every focus of ours -----------------------------------------------------------------------------


@pytest.fixture(params=[(name, training) for name in FOCUSES.names() for training in (True, False)], ids=str)
def looking(request):
    name, training = request.param
    sizes = Sizes(WIDTH, WIDTH, (5,))
    return Attention(SCORES["general"](sizes), FOCUSES[name](sizes)).double().train(training)


def test_a_memory_without_places(looking):
    empty = Memory(torch.zeros(2, 0, WIDTH).double(), torch.zeros(2, 0, dtype=torch.bool), torch.zeros(2, 1), (0,))
    bound = looking.bind(empty)
    context, glance, _ = looking(torch.randn(2, WIDTH).double(), bound)
    contexts, glances = looking.along(torch.randn(2, 3, WIDTH).double(), bound)
    assert (context.tolist(), glance.weights.shape) == ([[0.0] * WIDTH] * 2, (2, 0))
    assert (contexts.shape, glances.weights.shape) == ((2, 3, WIDTH), (2, 3, 0))


def test_a_look_can_be_forced_wherever_it_would_look(looking, random_memory):
    """The weights over all places then, the forced one's 1; the steps that are not forced look as they like."""
    memory = random_memory(lengths=[5, 4], width=WIDTH)
    forced = torch.tensor([[-1, 3], [2, -1]])
    contexts, glance = looking.along(torch.randn(2, 4, WIDTH).double(), looking.bind(memory, forced))
    assert glance.weights.shape == (2, 4, 5)
    for row, step, place in ((0, 1, 3), (1, 0, 2)):
        assert glance.weights[row, step].tolist() == torch.eye(5)[place].tolist()
        torch.testing.assert_close(contexts[row, step], memory.values[row, place])


def test_nothing_is_kept_on_the_module(looking, random_memory):
    before = dict(vars(looking.focus)), {name: part.clone() for name, part in looking.named_buffers()}
    looking.along(torch.randn(1, 3, WIDTH).double(), looking.bind(random_memory(lengths=[3], width=WIDTH)))
    assert dict(vars(looking.focus)) == before[0]
    assert all(torch.equal(part, before[1][name]) for name, part in looking.named_buffers())


@pytest.mark.parametrize("name", ["gumbel", "hard", "local", "monotonic"])
def test_what_draws_or_adds_up_does_so_in_single_precision_at_least(name, random_memory):
    sizes, memory = Sizes(WIDTH, WIDTH), random_memory(lengths=[5, 3], width=WIDTH)
    looking = Attention(SCORES["general"](sizes), FOCUSES[name](sizes)).train()
    with torch.autocast("cpu", torch.bfloat16):
        bound = looking.bind(memory._replace(values=memory.values.bfloat16()))
        contexts, glance = looking.along(torch.randn(2, 3, WIDTH), bound)
    assert glance.weights.dtype == torch.float32
    assert contexts.isfinite().all()
    assert precise(torch.zeros(1).half()).dtype == torch.float32
    assert precise(torch.zeros(1).double()).dtype == torch.float64
