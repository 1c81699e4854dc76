"""Beam search against a trellis worked out by hand, against all answers there are, and in other batches."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.search import SearchOptions, search

LOG = np.log


def everything(fake, table, example, symbols, limit, exponent):
    """All answers that end within the limit, best first, by going through them one by one."""
    answers = []
    ordinary = [token for token in range(symbols) if token not in (fake.START, fake.END)]
    for length in range(limit):
        for prefix in itertools.product(ordinary, repeat=length):
            tokens = (*prefix, fake.END)
            total = sum(np.float32(table(example, tokens[:t])[tokens[t]]).astype(float) for t in range(length + 1))
            answers.append((total / (length + 1) ** exponent, tokens))
    return sorted(answers, key=lambda answer: -answer[0])


def trellis_where_greedy_is_wrong(example, prefix):
    """2 is likelier than 3 at first, but after 3 the end is certain, while after 2 anything may come."""
    rows = {(): [0.0, 0.0, 0.6, 0.4], (2,): [0.5, 0.0, 0.25, 0.25], (3,): [1.0, 0.0, 0.0, 0.0]}
    with np.errstate(divide="ignore"):
        return LOG(rows.get(prefix, [1.0, 0.0, 0.0, 0.0]))


def test_beam_finds_what_greedy_misses(fake):
    model = fake.Model(trellis_where_greedy_is_wrong)
    plain = {"length_normalisation": 0.0}
    [[greedy]] = search(model, [0], np.array([5]), SearchOptions(method="greedy", **plain))
    [[best]] = search(model, [0], np.array([5]), SearchOptions(beam=2, **plain))
    assert greedy.tokens == (2, fake.END)
    assert greedy.score == pytest.approx(LOG(0.3))
    assert best.tokens == (3, fake.END)
    assert best.score == pytest.approx(LOG(0.4))
    np.testing.assert_allclose(best.log_probs, [LOG(0.4), 0.0], rtol=1e-6)
    assert best.ended


@pytest.mark.parametrize("exponent", [0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("example", range(8))
def test_a_beam_of_everything_finds_the_best_there_is(fake, example, exponent):
    table, symbols, limit = fake.random_table(4), 4, 5
    expected = everything(fake, table, example, symbols, limit, exponent)
    assert len(expected) == 31
    options = SearchOptions(beam=64, n_best=31, length_normalisation=exponent)
    [found] = search(fake.Model(table), [example], np.array([limit]), options)
    assert [answer.tokens for answer in found] == [tokens for _, tokens in expected]
    np.testing.assert_allclose([answer.score for answer in found], [score for score, _ in expected], rtol=1e-6)


@given(st.integers(0, 500), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 6))
def test_n_best_never_changes_what_stands_before(fake_kit, example, exponent, beam):
    model = fake_kit.Model(fake_kit.random_table(5), fake_kit.random_look(4))
    for penalty in (0.0, 0.3):
        lists = [
            search(model, [example], np.array([7]), SearchOptions(
                beam=beam, n_best=n, length_normalisation=exponent, coverage_penalty=penalty))[0]
            for n in range(1, beam + 1)
        ]  # fmt: skip
        for shorter, longer in itertools.pairwise(lists):
            assert [a.tokens for a in shorter] == [a.tokens for a in longer[: len(shorter)]]
            assert [a.score for a in shorter] == [a.score for a in longer[: len(shorter)]]


@given(st.lists(st.integers(0, 99), min_size=1, max_size=6), st.sampled_from(["beam", "greedy", "sample"]))
def test_an_answer_does_not_depend_on_its_batch(fake_kit, examples, method):
    model = fake_kit.Model(fake_kit.random_table(5), fake_kit.random_look(4))
    beam = {"beam": 4, "n_best": 4, "coverage_penalty": 0.2} if method == "beam" else {}
    options = SearchOptions(method=method, **beam, **({"samples": 3} if method == "sample" else {}))
    limits = np.array([example % 6 + 1 for example in examples])
    together = search(model, examples, limits, options, rows=np.array(examples))
    for example, limit, answers in zip(examples, limits, together, strict=True):
        [alone] = search(model, [example], np.array([limit]), options, rows=np.array([example]))
        assert [(a.tokens, a.score, a.ended) for a in answers] == [(a.tokens, a.score, a.ended) for a in alone]
        for ours, theirs in zip(answers, alone, strict=True):
            np.testing.assert_array_equal(ours.log_probs, theirs.log_probs)
            np.testing.assert_array_equal(ours.glances["source"].weights, theirs.glances["source"].weights)


@given(st.integers(0, 500), st.integers(1, 6), st.sampled_from([0.0, 1.0]))
def test_hypotheses_are_distinct_sorted_and_carry_their_own_steps(fake_kit, example, beam, exponent):
    table, look = fake_kit.random_table(5), fake_kit.random_look(4)
    options = SearchOptions(beam=beam, n_best=beam, length_normalisation=exponent)
    [answers] = search(fake_kit.Model(table, look), [example], np.array([6]), options)
    assert len({answer.tokens for answer in answers}) == len(answers) >= 1
    assert [answer.score for answer in answers] == sorted((answer.score for answer in answers), reverse=True)
    for answer in answers:
        prefixes = [answer.tokens[:t] for t in range(len(answer.tokens))]
        steps = [table(example, prefix)[token] for prefix, token in zip(prefixes, answer.tokens, strict=True)]
        np.testing.assert_array_equal(answer.log_probs, np.float32(steps))
        assert answer.score == pytest.approx(answer.log_prob / len(answer.tokens) ** exponent)
        # The glance that proposed y_t is a function of the symbols before y_t.
        np.testing.assert_array_equal(answer.glances["source"].weights, [look(example, p)[0] for p in prefixes])
        assert answer.glances["source"].places is None
        assert answer.ended == (answer.tokens[-1] == fake_kit.END)


@given(st.integers(0, 500), st.sampled_from([0.0, 1.0, 1.7]))
def test_a_beam_of_one_is_greedy_search(fake_kit, example, exponent):
    model, limits = fake_kit.Model(fake_kit.random_table(6)), np.array([8])
    [[beam]] = search(model, [example], limits, SearchOptions(beam=1, length_normalisation=exponent))
    [[greedy]] = search(model, [example], limits, SearchOptions(method="greedy", length_normalisation=exponent))
    assert (beam.tokens, beam.ended) == (greedy.tokens, greedy.ended)
    assert beam.score == pytest.approx(greedy.score)


def test_uniform_logits_give_the_lowest_ids(fake):
    model = fake.Model(lambda example, prefix: np.full(6, -LOG(6)))
    options = SearchOptions(beam=3, n_best=3, length_normalisation=0.0)
    [answers] = search(model, [0], np.array([4]), options)
    # The end symbol has the lowest id here, so it comes first; of longer answers the one with lower ids.
    assert [answer.tokens for answer in answers] == [(0,), (1, 0), (1, 1, 0)]
    [[greedy]] = search(model, [0], np.array([4]), SearchOptions(method="greedy"))
    assert greedy.tokens == (0,)


def test_length_normalisation_lets_a_longer_answer_win(fake):
    def table(example, prefix):
        rows = {(): [0.5, 0.0, 0.5], (2,): [0.1, 0.0, 0.9], (2, 2): [1.0, 0.0, 0.0]}
        with np.errstate(divide="ignore"):
            return LOG(rows.get(prefix, [1.0, 0.0, 0.0]))

    def best(exponent):
        options = SearchOptions(beam=2, length_normalisation=exponent)
        return search(fake.Model(table), [0], np.array([9]), options)[0][0]

    assert best(0.0).tokens == (0,)
    assert best(0.0).score == pytest.approx(LOG(0.5))
    assert best(1.0).tokens == (2, 2, 0)
    assert best(1.0).score == pytest.approx(LOG(0.45) / 3)


def test_stops_as_soon_as_nothing_open_can_win(fake):
    def table(example, prefix):
        return LOG([0.9, 1e-9, 0.1]) if not prefix else LOG([0.2, 1e-9, 0.8])

    def steps(exponent, limit):
        model = fake.Model(table)
        [[answer]] = search(model, [0], np.array([limit]), SearchOptions(beam=2, length_normalisation=exponent))
        assert answer.tokens == (0,)
        return len(model.advanced)

    assert steps(0.0, 50) == 1
    assert steps(1.0, 10) == 1  # log 0.1 / 10 = -0.23 cannot beat log 0.9 = -0.105
    assert steps(1.0, 30) > 1  # log 0.1 / 30 = -0.077 still could


def test_finished_examples_leave_the_batch_and_come_back_in_order(fake):
    def table(example, prefix):
        with np.errstate(divide="ignore"):
            return LOG([1.0, 0.0, 0.0] if len(prefix) == example else [0.0, 0.0, 1.0])

    for options in (SearchOptions(beam=2), SearchOptions(method="greedy"), SearchOptions(method="sample")):
        model = fake.Model(table)
        answers = search(model, [3, 0, 2, 0], np.full(4, 9), options)
        assert [answer.tokens for [answer] in answers] == [(2, 2, 2, 0), (0,), (2, 2, 0), (0,)]
        assert model.advanced == [4, 2, 2, 1]


def test_an_answer_at_its_limit_comes_unended_only_when_nothing_ended(fake):
    def never(example, prefix):
        return LOG([1e-30, 1e-30, 0.6, 0.4])

    [answers] = search(fake.Model(never), [0], np.array([3]), SearchOptions(beam=2, n_best=2))
    assert [(answer.tokens, answer.ended) for answer in answers] == [((2, 2, 2), False), ((2, 2, 3), False)]
    assert answers[0].score == pytest.approx(LOG(0.6))

    def sometimes(example, prefix):
        return LOG([0.3, 1e-30, 0.5, 0.2])

    [answers] = search(fake.Model(sometimes), [0], np.array([2]), SearchOptions(beam=3, n_best=3))
    assert [(answer.tokens, answer.ended) for answer in answers] == [((2, 0), True), ((0,), True)]


def test_limits_are_each_examples_own(fake):
    model = fake.Model(lambda example, prefix: LOG([1e-30, 1e-30, 1.0]))
    answers = search(model, [0, 1, 2], np.array([1, 4, 2]), SearchOptions(beam=2))
    assert [len(answer.tokens) for [answer] in answers] == [1, 4, 2]


def test_a_crowded_out_ended_answer_is_not_lost(fake):
    """The early end leaves the beam when two open ones stand before it, and wins when these turn out badly."""

    def table(example, prefix):
        rows = {(): [0.2, 0.0, 0.45, 0.35]}
        with np.errstate(divide="ignore"):
            return LOG(rows.get(prefix, [0.1, 0.0, 0.45, 0.45]))

    [[answer]] = search(fake.Model(table), [0], np.array([6]), SearchOptions(beam=3, length_normalisation=0.0))
    assert answer.tokens == (0,)


def test_an_empty_batch_has_no_answers(fake):
    assert search(fake.Model(fake.random_table(4)), [], np.zeros(0, int), SearchOptions()) == []


@pytest.mark.parametrize("limits", [np.array([0]), np.array([[2]]), np.array([3, -1])])
def test_wrong_limits(fake, limits):
    with pytest.raises(ValueError, match="limits must be one number for each example"):
        search(fake.Model(fake.random_table(4)), [0], limits, SearchOptions())


@pytest.mark.parametrize("method", ["beam", "greedy", "sample"])
def test_a_damaged_model_is_said(fake, method):
    options = SearchOptions(method=method)
    with pytest.raises(ValueError, match="not numbers"):
        search(fake.Model(lambda example, prefix: [np.nan] * 4), [0], np.array([4]), options)
    with pytest.raises(ValueError, match="no symbol any probability"):
        search(fake.Model(lambda example, prefix: [-np.inf] * 4), [0], np.array([4]), options)
