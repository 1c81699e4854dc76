"""Alignments and what is counted from them."""

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from regard.metrics import Answered
from regard.metrics.confusions import align, confusions, worst


def answered(answers, references):
    return Answered(answers, references, answers, references)


def test_align_by_hand():
    pairs = [("k", "s"), ("i", "i"), ("t", "t"), ("t", "t"), ("e", "i"), ("n", "n"), (None, "g")]
    assert align("kitten", "sitting") == pairs
    assert align("", "ab") == [(None, "a"), (None, "b")]
    assert align("ab", "") == [("a", None), ("b", None)]


symbols = st.lists(st.sampled_from(["a", "b", "t͡ʃ", "aː"]), max_size=8)


@given(symbols, symbols)
def test_an_alignment_holds_both_sides_with_the_fewest_edits(reference, answer):
    pairs = align(reference, answer)
    assert [pair.reference for pair in pairs if pair.reference is not None] == reference
    assert [pair.answer for pair in pairs if pair.answer is not None] == answer
    assert sum(pair.reference != pair.answer for pair in pairs) == Levenshtein.distance(reference, answer)


def test_the_commonest_come_first():
    rows = confusions(answered(["bab", "ba", "cat"], [["aab"], ["aa"], ["at", "dog"]]), most=20)
    assert [(row.reference, row.answer, row.count, row.expected) for row in rows] == [
        ("a", "b", 2, 5),
        (None, "c", 1, None),
    ]
    assert len(confusions(answered(["bab", "xa"], [["aab"], ["aa"]]), most=1)) == 1


def test_worst_by_rate_then_by_edits_then_in_order():
    answers, references = ["abc", "xbc", "xy", "abcdxy", "q"], [["abc"], ["abc"], ["ab"], ["abcd"], ["r"]]
    rows = worst(answered(answers, references), ["one", "two", "three", "four", "five"], most=3)
    assert [(row.example, row.source, row.edits, row.symbol_error_rate) for row in rows] == [
        (2, "three", 2, 100.0),
        (4, "five", 1, 100.0),
        (3, "four", 2, 50.0),
    ]
    assert rows[2].reference == "abcd"
    assert rows[2].alignment[-2:] == [(None, "x"), (None, "y")]


def test_nothing_wrong_nothing_to_show():
    right = answered(["a", "b"], [["a"], ["c", "b"]])
    assert confusions(right, 5) == []
    assert worst(right, ["a", "b"], 5) == []
