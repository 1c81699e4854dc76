"""Rates against numbers worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from regard.errors import RegardError
from regard.metrics import METRICS, Answered, score

ANSWERS = ["cat", "kat", "", "dog"]
REFERENCES = [["cat"], ["cat", "kart"], ["a"], ["cow", "hog", "dogs"]]


def test_by_hand():
    # right: cat. Nearest: cat (0 of 3); cat and kart are both one edit away, kart is longer (1 of 4); a (1 of 1);
    # hog and dogs are both one away, dogs is longer (1 of 4).
    assert score("accuracy", ANSWERS, REFERENCES) == 25.0
    assert score("word_error_rate", ANSWERS, REFERENCES) == 75.0
    assert score("symbol_error_rate", ANSWERS, REFERENCES) == 100 * 3 / 12


def test_an_answer_equal_to_any_reference_is_right():
    assert score("accuracy", ["grey", "gray"], [["gray", "grey"], ["gray", "grey"]]) == 100.0


def test_symbols_need_not_be_characters():
    texts = (["t͡ʃ aː"], [["t͡ʃ a"]])
    assert score("symbol_error_rate", *texts, [["t͡ʃ", "aː"]], [[["t͡ʃ", "a"]]]) == 50.0
    assert score("symbol_error_rate", ["7 8"], [["7 9"]], [[7, 8]], [[[7, 9]]]) == 50.0  # ids do as well


def test_more_edits_than_symbols_and_empty_references():
    assert score("symbol_error_rate", ["abcd"], [["x"]]) == 400.0
    assert score("symbol_error_rate", ["ab"], [[""]]) == 200.0
    assert score("symbol_error_rate", [""], [[""]]) == 0.0


def test_which_way_is_better():
    better = {name: METRICS[name].higher_is_better for name in METRICS.names()}
    assert better == {
        "word_error_rate": False, "symbol_error_rate": False, "accuracy": True, "bleu": True, "chrf": True,
    }  # fmt: skip


symbols = st.lists(st.sampled_from(["a", "b", "t͡ʃ", "aː", "文"]), max_size=8)


@given(symbols, symbols)
def test_edits_are_a_distance(one, other):
    def edits(answer, reference):
        return int(Answered(["?"], [["?"]], [answer], [[reference]]).nearest.edits[0])

    assert edits(one, other) == edits(other, one) == Levenshtein.distance(one, other)
    assert (edits(one, other) == 0) == (one == other)


@given(symbols, st.lists(symbols, min_size=1, max_size=4))
def test_the_nearest_reference_is_no_farther_than_any(answer, references):
    nearest = Answered(["?"], [["?"] * len(references)], [answer], [references]).nearest
    assert nearest.edits[0] == min(Levenshtein.distance(answer, reference) for reference in references)
    assert nearest.edits[0] == Levenshtein.distance(answer, references[nearest.which[0]])
    assert nearest.length[0] == len(references[nearest.which[0]])


def test_mistakes_are_said():
    with pytest.raises(RegardError, match=r"unknown metric 'accurcy'; did you mean 'accuracy'\?"):
        score("accurcy", ["a"], [["a"]])
    with pytest.raises(RegardError, match="nothing to score: there are no answers"):
        score("accuracy", [], [])
    with pytest.raises(
        RegardError, match="cannot score 2 answers, 1 references, 2 answer symbols, 1 reference symbols"
    ):
        score("accuracy", ["a", "b"], [["a"]])
    with pytest.raises(RegardError, match="example 2 has 0 references as text and 0 as symbols: give at least one"):
        score("accuracy", ["a", "b"], [["a"], []])
