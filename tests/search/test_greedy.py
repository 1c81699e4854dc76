"""Greedy search: the likeliest symbol step by step, and no more work than that needs.

That a beam of 1 finds the same is held in test_beam.py, what walks share in test_walks.py.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.search import SearchOptions, search

GREEDY = SearchOptions(method="greedy", length_normalisation=0.0)


def logs(*probabilities):
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


def test_by_hand(fake):
    def table(example, prefix):
        rows = {(): (0.1, 0.0, 0.5, 0.4), (2,): (0.3, 0.0, 0.3, 0.4), (2, 3): (0.8, 0.0, 0.1, 0.1)}
        return logs(*rows[prefix])

    [[answer]] = search(fake.Model(table, fake.random_look(3)), [0], np.array([9]), GREEDY)
    assert (answer.tokens, answer.ended) == ((2, 3, fake.END), True)
    np.testing.assert_allclose(answer.log_probs, np.log([0.5, 0.4, 0.8]), rtol=1e-6)
    assert answer.log_prob == answer.score == pytest.approx(np.log(0.5 * 0.4 * 0.8))
    assert answer.glances["source"].weights.shape == (3, 3)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=4), st.integers(1, 7))
def test_each_symbol_is_the_argmax_after_those_before_it(fake_kit, examples, limit):
    table, look = fake_kit.random_table(5, sharpness=1.0), fake_kit.random_look(4)
    found = search(fake_kit.Model(table, look), examples, np.full(len(examples), limit), GREEDY)
    for example, [answer] in zip(examples, found, strict=True):
        tokens = ()
        while len(tokens) < limit and fake_kit.END not in tokens:
            tokens += (int(np.argmax(np.float32(table(example, tokens)))),)
        assert (answer.tokens, answer.ended) == (tokens, tokens[-1] == fake_kit.END)
        weights = [look(example, tokens[:step])[0] for step in range(len(tokens))]
        np.testing.assert_array_equal(answer.glances["source"].weights, weights)


def test_ties_go_to_the_lower_id(fake):
    [[answer]] = search(fake.Model(lambda example, prefix: logs(0.2, 0.0, 0.4, 0.4)), [0], np.array([2]), GREEDY)
    assert (answer.tokens, answer.ended) == ((2, 2), False)


def test_one_walk_and_one_symbol_a_step_are_asked_for(fake):
    asked = []

    class Counting(fake.Model):
        def advance(self, fixed, moving, tokens, parents, top):
            asked.append((tokens.shape, top))
            return super().advance(fixed, moving, tokens, parents, top)

    search(Counting(lambda example, prefix: logs(1e-9, 0.0, 1.0)), [0, 1], np.array([1, 2]), GREEDY)
    assert asked == [((2, 1), 1), ((1, 1), 1)]
