"""The coverage penalty by hand: what counts as a place, what a gap costs, what it changes."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from regard.search import SearchOptions, search
from regard.search.coverage import LEAST, Coverage

STAY = np.array([[0, 1]])


FIRST = np.zeros_like(STAY)  # the candidates


def glance(weights, places=None):
    return {
        "source": SimpleNamespace(weights=np.array([weights]), places=None if places is None else np.array([places]))
    }


def test_by_hand():
    coverage = Coverage(SearchOptions(coverage_penalty=2.0), None)
    assert coverage.penalty() == 0.0
    coverage.add(STAY, FIRST, glance([[0.5, 0.3, 0.2, 0.0], [0.2, 0.7, 0.1, 0.0]]))  # the last place is padding
    expected = [2 * math.log(0.5 * 0.3 * 0.2), 2 * math.log(0.2 * 0.7 * 0.1)]
    np.testing.assert_allclose(coverage.penalty(), [expected])
    coverage.add(np.array([[1, 0]]), FIRST, glance([[0.8, 0.1, 0.1, 0.0], [0.1, 0.8, 0.1, 0.0]]))
    # slot 0 now follows slot 1: sums 0.3, 1.5, 0.2; slot 1 follows slot 0: 1.3, 0.4, 0.3; nothing counts above 1
    np.testing.assert_allclose(coverage.penalty(), [[2 * math.log(0.3 * 0.2), 2 * math.log(0.4 * 0.3)]])


def test_windows_add_up_at_their_places_and_need_to_be_told_what_is_real():
    keep = np.array([[True, True, True, False]])
    coverage = Coverage(SearchOptions(coverage_penalty=1.0), keep)
    coverage.add(STAY, FIRST, glance([[0.4, 0.6], [1.0, 0.0]], [[0, 1], [2, 3]]))
    coverage.add(STAY, FIRST, glance([[0.5, 0.5], [0.3, 0.3]], [[1, 2], [1, 1]]))
    np.testing.assert_allclose(coverage.penalty(), [[math.log(0.4 * 0.5), math.log(LEAST) + math.log(0.6)]])
    with pytest.raises(ValueError, match="through a window"):
        Coverage(SearchOptions(coverage_penalty=1.0), None).add(STAY, FIRST, glance([[1.0], [1.0]], [[0], [0]]))


def test_it_prefers_the_answer_that_looked_everywhere(fake):
    def table(example, prefix):
        rows = {(): [0.0, 0.0, 0.6, 0.4]}
        with np.errstate(divide="ignore"):
            return np.log(rows.get(prefix, [1.0, 0.0, 0.0, 0.0]))

    def look(example, prefix):
        return np.array([0.2, 0.8] if prefix == (3,) else [0.9, 0.1]), None

    def best(beta):
        options = SearchOptions(beam=2, coverage_penalty=beta, length_normalisation=0.0)
        return search(fake.Model(table, look), [0], np.array([4]), options)[0][0]

    assert best(0.0).tokens == (2, 0)
    assert best(1.0).tokens == (3, 0)
    assert best(1.0).score == pytest.approx(math.log(0.4) + math.log(0.9))  # places got 1.1 and 0.9


@pytest.mark.parametrize("method", ["greedy", "sample"])
def test_walks_are_scored_with_it_too(fake, method):
    model = fake.Model(fake.random_table(5), fake.random_look(3))
    options = SearchOptions(method=method, coverage_penalty=0.5, length_normalisation=0.0)
    [[answer]] = search(model, [2], np.array([4]), options)
    seen = np.minimum(answer.glances["source"].weights.sum(axis=0), 1)
    assert answer.score == pytest.approx(answer.log_prob + 0.5 * np.log(seen).sum(), rel=1e-5)


def test_a_model_that_does_not_attend_or_has_no_such_look(fake):
    with pytest.raises(ValueError, match="needs a model that attends"):
        search(fake.Model(fake.random_table(4)), [0], np.array([4]), SearchOptions(coverage_penalty=0.1))
    options = SearchOptions(coverage_penalty=0.1, coverage_look="picture")
    with pytest.raises(ValueError, match="coverage_look is 'picture', but this model's looks are: source"):
        search(fake.Model(fake.random_table(4), fake.random_look(3)), [0], np.array([4]), options)


def test_weights_of_the_candidate_that_was_chosen_count():
    coverage = Coverage(SearchOptions(coverage_penalty=1.0), None)
    coverage.add(STAY, np.array([[1, 0]]), glance([[[0.9, 0.1], [0.5, 0.5]], [[0.2, 0.8], [0.3, 0.7]]]))
    np.testing.assert_allclose(coverage.penalty(), [[math.log(0.5 * 0.5), math.log(0.2 * 0.8)]])
