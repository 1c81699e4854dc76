"""Answers against a table: several right answers to a question, and symbols counted as a reader counts them."""

import numpy as np
import pytest

from regard.answering import Answer
from regard.api import load
from regard.errors import RegardError
from regard.evaluating import Questions, default_metric, evaluate, figure
from regard.metrics import METRICS
from regard.search import Hypothesis

TEXTS = {"word": ["ab", "cd", "ab", "b", "ab"], "sounds": ["A B", "C D", "A A B", "B", "A B"]}


@pytest.fixture(scope="module")
def answerer(model_folder):
    return load(model_folder).answerer


@pytest.fixture
def questions():
    return Questions(["word"], "sounds", TEXTS)


def answers(answerer, *texts):
    nothing = Hypothesis((2,), np.zeros(1, np.float32), 0.0, True, {})
    return [Answer({"word": "?"}, text, nothing, answerer) for text in texts]


def test_a_source_is_asked_once(questions):
    assert questions.given == {"word": ["ab", "cd", "b"]}
    assert questions.references == [["A B", "A A B"], ["C D"], ["B"]]


def test_the_heaviest_reference_comes_first():
    found = Questions(["word"], "sounds", TEXTS, [1.0, 1.0, 3.0, 1.0, 1.0])
    assert found.references[0] == ["A A B", "A B"]
    assert found.grouped.weights == [5.0, 1.0, 1.0]


def test_two_columns_are_one_source():
    texts = {"a": ["x", "x", "x"], "b": ["1", "2", "1"], "y": ["p", "q", "r"]}
    found = Questions(("a", "b"), "y", texts)
    assert found.given == {"a": ["x", "x"], "b": ["1", "2"]}
    assert found.references == [["p", "r"], ["q"]]


def test_a_language_model_has_one_question():
    found = Questions((), "y", {"y": ["p", "q"]})
    assert (found.given, found.references) == ({}, [["p", "q"]])


def test_a_report_by_hand(answerer, questions):
    """`A A B` is right by its second reference; `C C D` has one edit in two symbols, `D` one in one."""
    found = evaluate(answerer, questions, answers(answerer, "A A B", "C C D", "D"))
    assert (found.accuracy, found.word_error_rate) == (pytest.approx(100 / 3), pytest.approx(200 / 3))
    assert found.symbol_error_rate == pytest.approx(100 * 2 / (3 + 2 + 1))
    assert found.counts.model_dump() == {
        "examples": 3, "references": 4, "right": 1, "edits": 2, "reference_symbols": 6,
    }  # fmt: skip
    assert found.unit == "symbol"
    lengths = [(row.shortest, row.longest, row.examples) for row in found.by_length]
    assert lengths == [(1, 1, 1), (2, 2, 2)]  # of the sources: b; ab and cd
    assert found.worst[0].source == "b"


def test_one_figure_by_hand(answerer, questions):
    given = answers(answerer, "A A B", "C C D", "D")
    assert figure("symbol_error_rate", answerer, questions, given) == pytest.approx(100 / 3)
    assert figure("word_error_rate", answerer, questions, given) == pytest.approx(200 / 3)


def test_further_metrics(answerer, questions):
    given = answers(answerer, "A B", "C D", "B")
    assert evaluate(answerer, questions, given, also=["accuracy"]).others == {}
    with pytest.raises(RegardError, match="unknown metric 'bluu'; did you mean 'bleu'"):
        evaluate(answerer, questions, given, also=["bluu"])


@pytest.mark.parametrize(
    ("unit", "metric"),
    [("word", "bleu"), ("subword", "bleu"), ("character", "word_error_rate"), ("symbol", "word_error_rate")],
)
def test_what_chooses_the_best_weights(unit, metric):
    assert default_metric(unit) == metric
    assert metric in METRICS.names()


def test_characters_are_counted_as_they_are_read(tmp_path, tiny):
    """A letter with its accent is one symbol to the reader, whether or not the model takes it apart."""
    from regard import train

    table = tmp_path / "accents.tsv"
    rows = [(a + b, a + b + "\u0301") for a in "klmn" for b in "aeiou"]
    table.write_text("source\ttarget\n" + "".join(f"{a}\t{b}\n" for a, b in rows), encoding="utf-8")
    settings = tiny | {"epochs": 1, "data.columns.target.decompose": True}
    model = train(table, settings=settings, say=lambda line: None)
    assert model.answerer.target.decomposed
    assert "\u0301" in model.answerer.target.symbols
    asked = Questions(["source"], "target", {"source": ["ka"], "target": ["ká"]})
    found = evaluate(model.answerer, asked, answers(model.answerer, "ka"))
    assert (found.counts.edits, found.counts.reference_symbols) == (1, 2)
