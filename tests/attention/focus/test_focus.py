"""A focus of one's own: every place or a window of them, with what it drew, under any score of ours."""

from typing import ClassVar, Literal

import pytest
import torch

from regard.attention import SCORES, Attention, Focus, Sizes
from regard.memory import Glance
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
