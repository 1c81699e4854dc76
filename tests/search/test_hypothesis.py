"""Answers read back along their back-pointers, from a trellis written out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from regard.search.hypothesis import Found, Hypothesis, Step, Trellis, check_numbers, normalised


def glance(weights, places=None):
    return {"source": SimpleNamespace(weights=np.array(weights), places=None if places is None else np.array(places))}


def found(scores, lengths, slots, ended):
    return Found(np.array(scores), np.array(lengths), np.array(slots), np.array(ended))


@pytest.fixture
def trellis():
    """Two examples, two beams; the first example leaves after one step, the beams of the second change places."""
    made = Trellis()
    made.add(
        Step(
            np.array([0, 1]), np.array([[5, 6], [7, 8]]), np.array([[0, 0], [0, 0]]), np.array([[0, 1], [0, 1]]),
            np.array([[-0.1, -0.2], [-0.3, -0.4]]), glance([[[1.0, 0.0], [9.0, 9.0]], [[0.25, 0.75], [9.0, 9.0]]]),
        )
    )  # fmt: skip
    made.add(
        Step(
            np.array([1]), np.array([[10, 11]]), np.array([[1, 0]]), np.array([[0, 0]]), np.array([[-1.0, -2.0]]),
            glance([[[0.5, 0.5], [0.125, 0.875]]]),
        )
    )  # fmt: skip
    made.add(
        Step(
            np.array([1]), np.array([[12, 13]]), np.array([[1, 1]]), np.array([[0, 1]]), np.array([[-4.0, -8.0]]),
            glance([[[9.0, 9.0], [1.0, 0.0]]]),
        )
    )  # fmt: skip
    return made


def test_answers_follow_their_parents_and_glances_are_the_parents(trellis):
    answers = trellis.read(
        found([[-0.2, -np.inf], [-1.5, -2.5]], [[1, 0], [3, 2]], [[1, 0], [0, 0]], [[True, False], [False, True]]), 2
    )
    assert [[answer.tokens for answer in row] for row in answers] == [[(6,)], [(7, 11, 12), (8, 10)]]
    first, second = answers[1]
    assert first.log_probs.tolist() == pytest.approx([-0.3, -2.0, -4.0])
    assert second.log_probs.tolist() == pytest.approx([-0.4, -1.0])
    # 12 came from slot 1, which had 11 out of slot 0, which had 7 out of slot 0
    assert first.glances["source"].weights.tolist() == [[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]]
    assert second.glances["source"].weights.tolist() == [[0.25, 0.75], [0.125, 0.875]]
    assert first.glances["source"].places is None
    assert [(answer.score, answer.ended) for row in answers for answer in row] == [
        (-0.2, True), (-1.5, False), (-2.5, True),
    ]  # fmt: skip


def test_only_so_many_as_are_wanted(trellis):
    both = found([[-0.2, -0.3], [-1.5, -2.5]], [[1, 1], [3, 2]], [[1, 0], [0, 0]], [[True] * 2] * 2)
    assert [len(row) for row in trellis.read(both, 1)] == [1, 1]
    assert [len(row) for row in trellis.read(both, 2)] == [2, 2]


def test_windows_keep_the_places_they_name():
    trellis = Trellis()
    for parents in ([[0, 0]], [[1, 0]]):
        trellis.add(
            Step(
                np.array([0]), np.array([[4, 5]]), np.array(parents), np.array([[0, 0]]), np.array([[-1.0, -1.0]]),
                glance([[[0.4, 0.6], [1.0, 0.0]]], [[[7, 8], [2, 3]]]),
            )
        )  # fmt: skip
    [[answer]] = trellis.read(found([[-1.0]], [[2]], [[0]], [[True]]), 1)
    assert answer.tokens == (5, 4)
    assert answer.glances["source"].places.tolist() == [[7, 8], [2, 3]]
    assert answer.glances["source"].weights.tolist() == [[0.4, 0.6], [1.0, 0.0]]


def test_one_answer_that_is_kept_does_not_keep_its_batch(trellis):
    [[one], [other]] = trellis.read(found([[-0.2], [-1.5]], [[1], [3]], [[1], [0]], [[True], [True]]), 1)
    for answer in (one, other):
        assert answer.log_probs.base is None
        assert answer.glances["source"].weights.base is None


def test_many_small_numbers_are_summed_in_double_precision():
    log_probs = np.full(100_000, -0.1, np.float32)
    assert Hypothesis((), log_probs, 0.0, True, {}).log_prob == pytest.approx(
        100_000 * -float(np.float32(0.1)), rel=1e-9
    )


def test_scores_by_hand():
    assert normalised(np.array([-6.0, -8.0]), 4, 0.5).tolist() == [-3.0, -4.0]
    assert normalised(np.array([-6.0, -8.0]), np.array([2, 4]), 1.0).tolist() == [-3.0, -2.0]
    assert normalised(np.array([-6.0, -np.inf]), 3, 0.0).tolist() == [-6.0, -np.inf]


def test_what_is_no_number_is_refused_and_what_is_impossible_is_not():
    check_numbers(np.array([-1.0, -np.inf]))
    with pytest.raises(ValueError, match=r"^the model gave log-probabilities that are not numbers \(NaN\)"):
        check_numbers(np.array([-1.0, np.nan]))


def test_a_glance_that_depends_on_the_symbol_is_that_of_the_symbol_chosen():
    trellis = Trellis()
    by_candidate = np.arange(2 * 3 * 2).reshape(2, 3, 2)  # slot, candidate, place
    for parents, choices in (([[0, 0]], [[0, 2]]), ([[1, 0]], [[1, 0]])):
        step = Step(
            np.array([0]), np.array([[4, 5]]), np.array(parents), np.array(choices), np.array([[-1.0, -1.0]]),
            glance([by_candidate.tolist()]),
        )  # fmt: skip
        trellis.add(step)
    [[answer]] = trellis.read(found([[-1.0]], [[2]], [[0]], [[True]]), 1)
    # slot 0 came of slot 1, by its candidate 1; slot 1 came of slot 0, by its candidate 2
    assert answer.glances["source"].weights.tolist() == [by_candidate[0, 2].tolist(), by_candidate[1, 1].tolist()]
