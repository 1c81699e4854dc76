"""Draws: their distribution, their seeds, and what temperature, top-k and top-p leave possible."""

from collections import Counter

import numpy as np

from regard.search import SearchOptions, search
from regard.search.sample import draw

PROBABILITIES = np.array([0.1, 0.0, 0.6, 0.3])


def one_symbol(example, prefix):
    with np.errstate(divide="ignore"):
        return np.log(PROBABILITIES if not prefix else [1.0, 0.0, 0.0, 0.0])


def shares(fake, **options):
    """How often each first symbol is drawn."""
    options = SearchOptions(method="sample", samples=4000, **options)
    [answers] = search(fake.Model(one_symbol), [0], np.array([3]), options)
    counts = Counter(answer.tokens[0] for answer in answers)
    return np.array([counts[token] / 4000 for token in range(4)])


def test_draws_follow_the_model(fake):
    np.testing.assert_allclose(shares(fake), PROBABILITIES, atol=0.03)


def test_temperature_sharpens_and_flattens(fake):
    squares = PROBABILITIES**2 / (PROBABILITIES**2).sum()
    np.testing.assert_allclose(shares(fake, temperature=0.5), squares, atol=0.03)
    roots = PROBABILITIES**0.5 / (PROBABILITIES**0.5).sum()
    np.testing.assert_allclose(shares(fake, temperature=2.0), roots, atol=0.03)


def test_top_k_and_top_p_cut_the_tail(fake):
    np.testing.assert_allclose(shares(fake, top_k=2), [0, 0, 2 / 3, 1 / 3], atol=0.03)
    np.testing.assert_allclose(shares(fake, top_p=0.7), [0, 0, 2 / 3, 1 / 3], atol=0.03)
    np.testing.assert_allclose(shares(fake, top_p=0.5), [0, 0, 1, 0])
    np.testing.assert_allclose(shares(fake, top_k=1), [0, 0, 1, 0])
    # top-p is of what top-k left: 0.6 of 0.9 is two thirds, so 0.65 needs no second symbol
    np.testing.assert_allclose(shares(fake, top_k=2, top_p=0.65), [0, 0, 1, 0])


def test_draw_by_hand():
    log_probs = np.log(np.array([[[0.5, 0.3, 0.2]]], np.float32))
    for chance, expected in [(0.0, 0), (0.49, 0), (0.51, 1), (0.79, 1), (0.81, 2), (0.999, 2)]:
        assert draw(log_probs, np.array([[chance]]), 1.0, 1.0) == expected
    assert draw(log_probs, np.array([[0.999]]), 1.0, 0.8 - 1e-6) == 1


def test_the_same_seed_and_row_give_the_same_draws_and_others_do_not(fake):
    model = fake.Model(fake.random_table(8, sharpness=0.5))

    def draws(rows, seed=0, samples=6):
        options = SearchOptions(method="sample", samples=samples, seed=seed)
        answers = search(model, [7] * len(rows), np.full(len(rows), 9), options, rows=np.array(rows))
        return [[answer.tokens for answer in row] for row in answers]

    assert draws([4]) == draws([4])
    assert draws([4])[0] == draws([2, 4, 9])[1]
    assert draws([4]) != draws([4], seed=1)
    assert draws([4]) != draws([5])
    assert not Counter(draws([4], samples=3)[0]) - Counter(draws([4], samples=6)[0])  # more draws, the same first ones


def test_samples_come_best_first_ended_before_unended_and_may_repeat(fake):
    table = fake.random_table(4, sharpness=1.0)
    options = SearchOptions(method="sample", samples=200, temperature=0.7)
    [answers] = search(fake.Model(table), [3], np.array([4]), options)
    assert len(answers) == 200 > len({answer.tokens for answer in answers})
    keys = [(not answer.ended, -answer.score) for answer in answers]
    assert keys == sorted(keys)
    assert {answer.ended for answer in answers} == {True, False}
    for answer in answers[:20]:
        steps = [table(3, answer.tokens[:t])[token] for t, token in enumerate(answer.tokens)]
        np.testing.assert_array_equal(answer.log_probs, np.float32(steps))  # the model's, not the temperature's
