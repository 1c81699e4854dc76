"""The report as a whole: its figures agree with one another and with its published schema."""

import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from regard.errors import RegardError
from regard.metrics import METRICS, Answered, Metric, Report, schema, score

ANSWERS = ["cat", "kat", "dog", "elephant", "elefant", "a", "by", "cy"] * 5
REFERENCES = [["cat"], ["cat", "kart"], ["dig"], ["elephant"], ["elephant"], ["a"], ["be"], ["cy", "see"]] * 5


def test_figures_are_those_of_the_metrics(words):
    report = words(ANSWERS, REFERENCES)
    for name in ("word_error_rate", "symbol_error_rate", "accuracy", "bleu", "chrf"):
        assert getattr(report, name) == score(name, ANSWERS, REFERENCES)
        low, high = report.intervals[name]
        assert low <= getattr(report, name) <= high
    assert report.word_error_rate == 50.0
    mirrored = [100 - end for end in reversed(report.intervals["accuracy"])]
    assert list(report.intervals["word_error_rate"]) == pytest.approx(mirrored)
    assert set(report.signatures) == {"bleu", "chrf"}
    assert report.counts.model_dump() == {
        "examples": 40, "references": 50, "right": 20, "edits": 25, "reference_symbols": 155,
    }  # fmt: skip


def test_lengths_make_buckets_that_add_up(words):
    report = words(ANSWERS, REFERENCES)
    assert [(row.shortest, row.longest, row.examples) for row in report.by_length] == [
        (1, 2, 15), (3, 3, 15), (8, 8, 10),
    ]  # fmt: skip
    assert [row.word_error_rate for row in report.by_length] == pytest.approx([100 / 3, 200 / 3, 50.0])
    many = words(["x"] * 600, [["x" * (1 + number % 100)] for number in range(600)])
    assert len(many.by_length) == 6
    assert sum(row.examples for row in many.by_length) == 600
    assert all(90 <= row.examples <= 110 for row in many.by_length)
    assert all(one.longest < other.shortest for one, other in zip(many.by_length, many.by_length[1:], strict=False))


def test_examples_with_what_the_model_does_not_know(words):
    row = words(ANSWERS, REFERENCES, unknown=[["x"], [], ["y", "x"], [], [], [], [], []] * 5).unknown
    assert (row.examples, row.right, row.word_error_rate) == (10, 5, 50.0)  # cat is right, dog for dig is not
    assert row.symbol_error_rate == pytest.approx(100 / 6)
    assert row.symbols == ["x", "y"]
    assert words(ANSWERS, REFERENCES).unknown is None
    assert words(ANSWERS, REFERENCES, unknown=[()] * 40).unknown is None
    many = words(["a"], [["a"]], unknown=[[*"bcdefghijklmnopqrstuvwxyz"]]).unknown
    assert "".join(many.symbols) == "bcdefghijklmnopqrstu"


def test_the_same_seed_gives_the_same_report(words):
    assert words(ANSWERS, REFERENCES, seed=3) == words(ANSWERS, REFERENCES, seed=3)
    assert words(ANSWERS, REFERENCES, seed=3).intervals != words(ANSWERS, REFERENCES, seed=4).intervals


def test_the_published_schema_is_in_step():
    published = Path(__file__).parents[2] / "docs" / "schemas" / "evaluate.json"
    command = "python -c 'import regard.metrics as m; print(m.schema(), end=\"\")' > docs/schemas/evaluate.json"
    assert published.read_text(encoding="utf-8") == schema(), f"write it anew: {command}"


def test_json_has_the_promised_keys_and_reads_back(words):
    report = words(ANSWERS, REFERENCES)
    table = json.loads(report.model_dump_json())
    assert {"word_error_rate", "symbol_error_rate", "accuracy", "bleu", "chrf"} <= set(table)
    assert table["intervals"]["accuracy"] == list(report.intervals["accuracy"])
    assert table["worst"][0]["answer"] == "by"
    assert table["worst"][0]["alignment"] == [["b", "b"], ["e", "y"]]
    assert Report.model_validate_json(report.model_dump_json()) == report
    assert set(json.loads(schema())["required"]) == set(table)


class FirstSymbol(Metric):
    """A third party's: how many answers begin as they should."""

    name: ClassVar[str] = "first_symbol"

    def statistics(self, answered: Answered) -> np.ndarray:
        pairs = zip(answered.answers, answered.references, strict=True)
        return np.array([(answer[:1] == row[0][:1], 1) for answer, row in pairs], np.float64)

    def score(self, totals: np.ndarray) -> float:
        return float(100 * totals[0] / totals[1])


def test_a_third_partys_metric(words, monkeypatch):
    point = EntryPoint("first_symbol", f"{__name__}:FirstSymbol", "regard.metrics")
    monkeypatch.setattr(EntryPoint, "load", lambda self: FirstSymbol)
    monkeypatch.setitem(METRICS.__dict__, "_others", {"first_symbol": point})
    report = words(ANSWERS, REFERENCES, also=["first_symbol", "accuracy"])
    assert report.others == {"first_symbol": 87.5}
    assert report.intervals["first_symbol"][0] < 87.5 < report.intervals["first_symbol"][1]
    assert score("first_symbol", ["ab"], [["ac"]]) == 100.0


def test_mistakes_are_said(words):
    with pytest.raises(RegardError, match="cannot report on 2 answers with 1 sources and 2 source lengths"):
        words(["a", "b"], [["a"], ["b"]], sources=["a"])
    with pytest.raises(RegardError, match="unknown metric 'ter'"):
        words(["a"], [["a"]], also=["ter"])
