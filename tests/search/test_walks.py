"""Walks: each goes its own way, stops at its end or its limit, and is ranked by what it came to until then."""

import numpy as np
import pytest

from regard.search import SearchOptions
from regard.search.walks import walk

PLAIN = SearchOptions(method="sample", length_normalisation=0.0)
EVERY = 9


def scripted(*scripts):
    """A choice that takes, in walk k at each step, what its script says (the last for ever)."""

    def choose(rows, step, log_probs):
        taken = [script[min(step, len(script) - 1)] for script in scripts]
        return np.broadcast_to(taken, log_probs.shape[:2])

    return choose


def uneven(example, prefix):
    """0 (the end): 1/2, 2: 1/4, 3: 1/4, in this order."""
    with np.errstate(divide="ignore"):
        return np.log([0.5, 0.0, 0.25, 0.25])


def test_each_walk_takes_what_it_chose_and_the_best_that_ended_comes_first(fake):
    # of the three that are possible: the best, the second, the third
    choose = scripted([2, 2, 2], [1, 2, 0], [2, 0])
    [answers] = walk(fake.Model(uneven), [0], np.array([3]), PLAIN, None, walks=3, top=EVERY, choose=choose)
    assert [(answer.tokens, answer.ended) for answer in answers] == [
        ((3, 0), True), ((2, 3, 0), True), ((3, 3, 3), False),
    ]  # fmt: skip
    assert [answer.score for answer in answers] == pytest.approx(np.log([1 / 8, 1 / 32, 1 / 64]))


def test_an_unended_walk_comes_last_however_good(fake):
    def table(example, prefix):
        return np.log([1e-4, 1e-9, 1 - 1e-4 - 1e-9])

    choose = scripted([0, 0], [1])
    [answers] = walk(fake.Model(table), [0], np.array([2]), PLAIN, None, walks=2, top=EVERY, choose=choose)
    assert [answer.tokens for answer in answers] == [(0,), (2, 2)]
    assert answers[0].score < answers[1].score


def test_equal_walks_stay_in_their_order(fake):
    choose = scripted([1, 0], [2, 0], [1, 0])
    [answers] = walk(fake.Model(uneven), [0], np.array([5]), PLAIN, None, walks=3, top=EVERY, choose=choose)
    assert [answer.tokens for answer in answers] == [(2, 0), (3, 0), (2, 0)]


def test_nothing_that_comes_after_an_end_counts(fake):
    """One walk has ended while the other goes on: its sum, its glances and what it covered stay as they were."""
    options = SearchOptions(method="sample", length_normalisation=1.0, coverage_penalty=1.0)
    model = fake.Model(uneven, lambda example, prefix: (np.array([0.25, 0.75]), None))
    choose = scripted([0], [1, 1, 1, 0])
    [answers] = walk(model, [0], np.array([9]), options, None, walks=2, top=EVERY, choose=choose)
    short, long = sorted(answers, key=lambda answer: len(answer.tokens))
    assert (short.tokens, long.tokens) == ((0,), (2, 2, 2, 0))
    assert short.score == pytest.approx(np.log(0.5) + np.log(0.25 * 0.75))
    assert long.score == pytest.approx(np.log(0.5 * 0.25**3) / 4)  # after four looks no place lacks anything
    assert len(short.glances["source"].weights) == 1


def test_a_choice_is_told_which_rows_are_left_and_which_step_it_is(fake):
    asked = []

    def choose(rows, step, log_probs):
        asked.append((rows.tolist(), step, log_probs.shape))
        return np.ones(log_probs.shape[:2], np.int64)

    walk(fake.Model(uneven), [0, 1, 2], np.array([3, 1, 2]), PLAIN, None, walks=2, top=2, choose=choose)
    assert asked == [([0, 1, 2], 0, (3, 2, 2)), ([0, 2], 1, (2, 2, 2)), ([0], 2, (1, 2, 2))]


def test_the_limit_counts_the_end(fake):
    choose = scripted([1, 0])
    for limit, expected in ((1, ((2,), False)), (2, ((2, 0), True))):
        [[one]] = walk(fake.Model(uneven), [0], np.array([limit]), PLAIN, None, walks=1, top=EVERY, choose=choose)
        assert (one.tokens, one.ended) == expected


def test_what_is_impossible_is_never_taken(fake):
    choose = scripted([3])  # the start symbol, last of all
    with pytest.raises(ValueError, match=r"^the model gave no symbol any probability"):
        walk(fake.Model(uneven), [0], np.array([2]), PLAIN, None, walks=1, top=EVERY, choose=choose)


def test_a_walk_that_ended_may_meet_what_is_impossible(fake):
    def table(example, prefix):
        if fake.END in prefix:
            return np.full(4, -np.inf)
        return uneven(example, prefix)

    choose = scripted([0], [1, 0])
    [answers] = walk(fake.Model(table), [0], np.array([4]), PLAIN, None, walks=2, top=EVERY, choose=choose)
    assert [answer.tokens for answer in answers] == [(0,), (2, 0)]
