"""What must hold of every metric: its statistics add up, an example's are its own, and a perfect answer is best."""

import numpy as np
import pytest

from regard.metrics import METRICS, Answered, Metric
from regard.metrics.metric import percent

ANSWERS = ["the cat sat on the mat", "a dog ran away", "", "it rains", "it rains"]
REFERENCES = [
    ["the cat sat on a mat", "the cat is on the mat"],
    ["a dog ran away from home"],
    ["nothing"],
    ["it rains", "rain", "it is raining"],
    ["it rains", "rain", "it is raining"],
]


def answered(answers=ANSWERS, references=REFERENCES, rows=None):
    rows = range(len(answers)) if rows is None else rows
    texts, known = [answers[row] for row in rows], [references[row] for row in rows]
    return Answered(texts, known, [text.split() for text in texts], [[one.split() for one in row] for row in known])


@pytest.fixture(params=METRICS.names())
def metric(request):
    return METRICS[request.param]()


def test_an_examples_statistics_do_not_depend_on_the_others(metric):
    whole = metric.statistics(answered())
    assert whole.shape[0] == len(ANSWERS)
    assert whole.dtype == np.float64
    for rows in ([0], [2], [3, 1], [4, 0, 2]):
        np.testing.assert_array_equal(metric.statistics(answered(rows=rows)), whole[rows])
    np.testing.assert_array_equal(whole[3], whole[4])


def test_the_right_answers_have_the_best_score_and_wrong_ones_a_worse(metric):
    right = [row[0] for row in REFERENCES]
    best, worse = (
        metric.score(metric.statistics(answered(answers)).sum(0)) for answers in (right, ["x y z w"] * len(right))
    )
    assert best == pytest.approx(100.0 if metric.higher_is_better else 0.0)
    assert (worse < best) == metric.higher_is_better


def test_the_nearest_references_are_looked_for_once(monkeypatch):
    asked = []

    class Counting(Metric):
        name = "counting"

        def statistics(self, answered):
            asked.append(answered.nearest)
            return answered.nearest.edits[:, None].astype(float)

        def score(self, totals):
            return float(totals[0])

    rows = answered()
    assert Counting().score(Counting().statistics(rows).sum(0)) == 1 + 2 + 1 + 0 + 0
    Counting().statistics(rows)
    assert asked[0] is asked[1]
    assert Counting().signature(rows) == ""


def test_of_equally_near_references_the_longest_then_the_first():
    found = Answered(["b"], [["?"] * 4], ["b"], [["", "ab", "bc", "bcd"]]).nearest
    assert (found.which.tolist(), found.edits.tolist(), found.length.tolist()) == ([1], [1], [2])


def test_with_nothing_to_count_by_a_mistake_is_one_in_one():
    assert (percent(1.0, 4.0), percent(3.0, 0.0), percent(0.0, 0.0)) == (25.0, 300.0, 0.0)


def test_a_metric_must_say_how_it_counts():
    with pytest.raises(TypeError, match="abstract"):
        Metric()
