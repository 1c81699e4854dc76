"""Metrics by name, others' included, and one figure as training asks for it."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from regard.metrics import METRICS, Metric, score


class Length(Metric):
    """How many symbols the answers have, in percent of one."""

    name = "length"

    def statistics(self, answered):
        return np.array([[len(symbols)] for symbols in answered.answer_symbols], float)

    def score(self, totals):
        return 100.0 * totals[0]


@pytest.fixture
def length(monkeypatch):
    """Our metrics as they are where another package brings one."""
    point = EntryPoint("length", "elsewhere:Length", "regard.metrics")
    monkeypatch.setattr("regard.parts.entry_points", lambda group: [point] if group == point.group else [])
    monkeypatch.setattr(EntryPoint, "load", lambda self: Length)
    monkeypatch.delitem(vars(METRICS), "_others", raising=False)
    yield
    vars(METRICS).pop("_others", None)


@pytest.mark.usefixtures("length")
def test_anothers_metric_goes_by_its_name():
    assert "length" in METRICS.names()
    assert score("length", ["abc", "d"], [["x"], ["y"]]) == 400.0


def test_symbols_are_characters_unless_they_are_given():
    assert score("symbol_error_rate", ["ab c"], [["ab d"]]) == 25.0
    assert score("symbol_error_rate", ["ab c"], [["ab d"]], [["ab", "c"]], [[["ab", "d"]]]) == 50.0


def test_the_unit_reaches_the_metric():
    # as words 13a parts the full stop from its word, which makes a fourth and so a 4-gram; as symbols there are three
    answers, references = ["a b c."], [["a b c."]]
    assert score("bleu", answers, references, unit="word") == pytest.approx(100.0)
    assert score("bleu", answers, references, unit="symbol") == 0.0


def test_it_is_a_plain_number():
    for name in METRICS.names():
        assert type(score(name, ["a b c d"], [["a b c d"]])) is float
