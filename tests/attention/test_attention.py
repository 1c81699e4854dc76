"""Looking, for every score: one query, all steps or all beams agree; masks hold; a third party's score works."""

from importlib.metadata import EntryPoint
from typing import ClassVar, Literal

import pytest
import torch

from regard.attention import FOCUSES, SCORES, Attention, Score, Sizes
from regard.attention.focus import Soft
from regard.attention.options import LookOptions
from regard.config import compose
from regard.errors import RegardError
from regard.memory import Memory, reorder_beams
from regard.parts import Options

WIDTH, PLACES = 4, 6


@pytest.fixture(params=SCORES.names())
def attention(request):
    return Attention(SCORES[request.param](Sizes(WIDTH, WIDTH, (PLACES,))), Soft()).double()


def test_one_query_all_steps_and_all_beams_agree(attention, random_memory):
    bound = attention.bind(random_memory(lengths=[5, 3], width=WIDTH))
    queries = torch.randn(2, 3, WIDTH, dtype=torch.float64)
    context, glance, past = attention(queries, bound)
    assert (context.shape, glance.weights.shape) == ((2, 3, WIDTH), (2, 3, 5))
    assert (past is None) is not attention.remembers
    assert glance.places is None
    for number in range(3):
        one, seen, _ = attention(queries[:, number], bound)
        torch.testing.assert_close(one, context[:, number])
        torch.testing.assert_close(seen.weights, glance.weights[:, number])
    parents = torch.tensor([[2, 0, 0], [1, 1, 2]])
    reordered, _, _ = attention(reorder_beams(queries, parents), bound)
    torch.testing.assert_close(reordered, reorder_beams(context, parents))


def test_weights_sum_to_one_over_kept_places_and_the_context_is_their_sum(attention, random_memory):
    memory = random_memory(lengths=[5, 3, 1], width=WIDTH, more=1)
    context, glance, _ = attention(torch.randn(3, 2, WIDTH, dtype=torch.float64), attention.bind(memory))
    torch.testing.assert_close(glance.weights.sum(-1), torch.ones(3, 2, dtype=torch.float64))
    assert (glance.weights.masked_select(~memory.keep[:, None]) == 0).all()
    expected = [
        [sum(w * h for w, h in zip(row, memory.values[b], strict=True)) for row in glance.weights[b]] for b in range(3)
    ]
    torch.testing.assert_close(context, torch.stack([torch.stack(rows) for rows in expected]))


def test_padding_more_changes_nothing(attention, random_memory):
    memory = random_memory(lengths=[5, 3], width=WIDTH)
    more = 4  # beyond what location knows: padding may
    padded = memory._replace(
        values=torch.cat([memory.values, torch.full((2, more, WIDTH), 1e3, dtype=torch.float64)], 1),
        keep=torch.cat([memory.keep, torch.zeros(2, more, dtype=torch.bool)], 1),
        shape=(5 + more,),
    )
    query = torch.randn(2, WIDTH, dtype=torch.float64)
    context, glance, _ = attention(query, attention.bind(memory))
    other, seen, _ = attention(query, attention.bind(padded))
    torch.testing.assert_close(other, context)
    torch.testing.assert_close(seen.weights[:, :5], glance.weights)


def test_an_empty_row_gives_zeros_and_finite_gradients(attention, random_memory):
    memory = random_memory(lengths=[0, 3], width=WIDTH)
    memory.values.requires_grad_()
    query = torch.randn(2, WIDTH, dtype=torch.float64, requires_grad=True)
    context, glance, _ = attention(query, attention.bind(memory))
    assert context[0].eq(0).all()
    assert glance.weights[0].eq(0).all()
    (context.square().sum() + glance.weights.square().sum()).backward()
    for tensor in (query, memory.values, *attention.parameters()):
        assert tensor.grad.isfinite().all()
    assert query.grad[0].eq(0).all()


def test_a_memory_without_places(attention):
    memory = Memory(torch.zeros(2, 0, WIDTH).double(), torch.zeros(2, 0, dtype=torch.bool), torch.zeros(2, 1), (0,))
    context, glance, _ = attention(torch.randn(2, WIDTH, dtype=torch.float64), attention.bind(memory))
    assert (context.tolist(), glance.weights.shape) == ([[0.0] * WIDTH] * 2, (2, 0))


def test_nothing_is_kept_on_the_module(attention, random_memory):
    before = dict(vars(attention.score)), dict(vars(attention))
    attention(torch.randn(1, WIDTH, dtype=torch.float64), attention.bind(random_memory(lengths=[3], width=WIDTH)))
    assert (dict(vars(attention.score)), dict(vars(attention))) == before


# -- a third party's score ---------------------------------------------------------------------------------------


class NearOptions(Options):
    """e = −sharpness |h − s|²."""

    type: Literal["near"] = "near"
    sharpness: float = 1.0


class Near(Score):
    """A pairing of its own, known to none of our code."""

    name = "near"
    pairing: ClassVar[Literal["own"]] = "own"
    Options = NearOptions

    def __init__(self, sizes: Sizes, sharpness: float = 1.0):
        super().__init__()
        self.sharpness = sharpness

    def keys(self, memory):
        return memory.values

    def query(self, state):
        return state

    def pair(self, query, keys):
        return -self.sharpness * (query[:, :, None] - keys[:, None]).square().sum(-1)


@pytest.fixture
def others(monkeypatch):
    """Our families as they are where another package is installed that adds a score, and claims one of our names."""
    points = [
        EntryPoint("near", f"{__name__}:Near", "regard.scores"),
        EntryPoint("dot", "nowhere:Nothing", "regard.scores"),
    ]
    monkeypatch.setattr("regard.parts.entry_points", lambda group: [one for one in points if one.group == group])
    monkeypatch.setattr(EntryPoint, "load", lambda self: {"near": Near}[self.name])  # tests are no package
    monkeypatch.delitem(vars(SCORES), "_others", raising=False)
    yield
    vars(SCORES).pop("_others", None)


@pytest.mark.usefixtures("others")
def test_a_third_partys_score_works_by_name_and_with_its_options(memory_of):
    look = LookOptions(at="source", score={"type": "near", "sharpness": 2.0})
    attention = Attention(SCORES.build(look.score, Sizes(2, 2)), FOCUSES.build(look.focus))
    bound = attention.bind(memory_of([[1.0, 0.0], [0.0, 0.0]]))
    _, glance, _ = attention(torch.tensor([[1.0, 0.0]]), bound)
    torch.testing.assert_close(glance.weights, torch.tensor([[0.0, -2.0]]).softmax(-1))
    assert compose({}, ["score=near"]).looks["source"].score == NearOptions()


@pytest.mark.usefixtures("others")
def test_a_name_of_ours_cannot_be_taken_over():
    assert SCORES["dot"].__module__ == "regard.attention.scores.dot"
    assert SCORES.names().count("dot") == 1


def test_a_score_that_nobody_has():
    said = "^configuration, looks.source.score: unknown score 'aditive'; did you mean 'additive'\\?$"
    with pytest.raises(RegardError, match=said):
        compose({}, ["score=aditive"])
