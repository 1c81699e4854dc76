"""Coverage by hand: the running sum, fertility, torch's GRUCell; and how each enters the energies."""

from math import log

import pytest
import torch

from regard.attention import SCORES, Attention, Sizes
from regard.attention.focus import Soft
from regard.attention.scores.coverage import LEAST
from regard.config import compose, idle_settings
from regard.errors import RegardError
from regard.memory import Glance


def covered(score, memory, steps):
    """(weights (B, T, S), coverage (B, S, D)) after so many looks with random queries."""
    attention = Attention(score, Soft())
    bound, past, weights = attention.bind(memory), None, []
    for _ in range(steps):
        query = torch.randn(len(memory.keep), score.project_query.in_features, dtype=memory.values.dtype)
        _, glance, past = attention(query, bound, past)
        weights.append(glance.weights)
    return torch.stack(weights, 1), past.score


def test_numbers_by_hand(memory_of):
    score = SCORES["coverage"](Sizes(query=1, memory=1), width=1)
    for part, value in (
        (score.project_memory.weight, 1.0),
        (score.project_memory.bias, 0.0),
        (score.project_query.weight, 0.0),
        (score.project_history.weight, -1.0),
        (score.vector, 3.0),
    ):
        part.data.fill_(value)
    # e_1 = (3 tanh 0, 3 tanh 0.5) = (0, 1.38635147), α_1 = C_1 = (0.19999086, 0.80000914)
    # e_2 = (3 tanh −0.19999086, 3 tanh −0.30000914): α_2 = (0.57000298, 0.42999702), C_2 = (0.76999384, 1.23000616)
    weights, coverage = covered(score, memory_of([[0.0], [0.5]]), 2)
    torch.testing.assert_close(weights, torch.tensor([[[0.19999086, 0.80000914], [0.57000298, 0.42999702]]]))
    torch.testing.assert_close(coverage, torch.tensor([[[0.76999384], [1.23000616]]]))


def test_a_sum_is_the_sum_of_all_looks(random_memory):
    score = SCORES["coverage"](Sizes(query=2, memory=3), width=4).double()
    score.project_history.weight.data.normal_()
    weights, coverage = covered(score, random_memory(lengths=[4, 2], width=3), 5)
    torch.testing.assert_close(coverage[..., 0], weights.sum(1))
    torch.testing.assert_close(coverage.sum((1, 2)), torch.full((2,), 5.0, dtype=torch.float64))


def test_products_in_bfloat16_lose_nothing_of_a_sum(random_memory):
    score = SCORES["coverage"](Sizes(query=2, memory=3), width=4)
    memory = random_memory(lengths=[4, 2], width=3)
    with torch.autocast("cpu", torch.bfloat16):
        weights, coverage = covered(score, memory._replace(values=memory.values.bfloat16()), 12)
    torch.testing.assert_close(coverage[..., 0], weights.float().sum(1))  # in bfloat16 it would be off by a hundredth


def test_fertility_by_hand(memory_of):
    score = SCORES["coverage"](Sizes(query=1, memory=1), form="fertility", most=3.0)
    score.fertility.weight.data.fill_(log(2))
    memory = memory_of([[0.0], [1.0], [-1.0], [-1e3]])
    # sigmoid of 0, log 2, −log 2 and far below: 1/2, 2/3, 1/3 and the least there is; each three times
    bound = score.bind(memory)
    torch.testing.assert_close(bound, torch.tensor([[[1.5], [2.0], [1.0], [3 * LEAST]]]))
    past = score.start(memory)[:, None]
    for weights in ([0.3, 0.2, 0.5, 0.0], [0.0, 0.6, 0.1, 0.3]):
        past = score.remember(past, torch.zeros(1, 1, 1), Glance(torch.tensor([[weights]])), bound)
    expected = torch.tensor([0.3 / 1.5, 0.8 / 2, 0.6 / 1, 0.3 / (3 * LEAST)])
    torch.testing.assert_close(score.recall(past)[0, 0, :, 0], expected)


def test_a_fertility_learns(random_memory):
    score = SCORES["coverage"](Sizes(query=2, memory=3), width=4, form="fertility").double()
    score.project_history.weight.data.normal_()
    weights, _ = covered(score, random_memory(lengths=[4, 2], width=3), 3)
    weights[:, -1, 0].sum().backward()
    assert score.fertility.weight.grad.abs().min() > 0


def test_learned_coverage_is_torchs_cell_over_weight_place_and_state(random_memory):
    score = SCORES["coverage"](Sizes(query=2, memory=3), width=4, form="gru", size=5).double()
    memory = random_memory(lengths=[4, 2], width=3)
    states = torch.randn(3, 2, 2, dtype=torch.float64)
    weights = torch.rand(3, 2, 4, dtype=torch.float64)
    past, expected = score.start(memory)[:, None], torch.zeros(8, 5, dtype=torch.float64)
    for state, seen in zip(states, weights, strict=True):
        past = score.remember(past, state[:, None], Glance(seen[:, None]), score.bind(memory))
        joined = torch.cat([seen[..., None], memory.values, state[:, None].expand(-1, 4, -1)], -1)
        expected = score.cell(joined.flatten(0, 1), expected)
        torch.testing.assert_close(score.recall(past)[:, 0], expected.unflatten(0, (2, 4)))


def test_its_options_are_read():
    look = compose({}, ['score={type="coverage", form="gru", size=7, width=9}']).looks["source"]
    score = SCORES.build(look.score, Sizes(4, 6))
    assert score.cell.weight_hh.shape == (21, 7)
    assert score.project_history.weight.shape == (9, 7)
    for setting in ("most=0", "size=0", 'form="product"'):
        with pytest.raises(RegardError, match=r"^configuration, looks.source.score"):
            compose({}, [f'score={{type="coverage", {setting}}}'])


def test_what_has_no_effect_is_said():
    assert idle_settings(compose({}, ['score={type="coverage", most=3.0, size=4}'])) == [
        "looks.source.score.most (only form = 'fertility' has it)",
        "looks.source.score.size (only form = 'gru' has it)",
    ]
    assert not idle_settings(compose({}, ['score={type="coverage", form="fertility", most=3.0}']))
