"""Does a file begin with the names of its columns?"""

import pytest

from regard.data.headers import looks_like_header, unique_names

WORDS = [["cat", "k æ t"], ["dog", "d ɒ g"], ["mouse", "m aʊ s"]]


@pytest.mark.parametrize(
    ("first", "below", "expected"),
    [
        (["word", "phones"], WORDS, True),
        (["Wort", "Laute"], WORDS, False),  # unusual, and only one of the two stands out from what is below it
        (["abaca", "a b a k a"], WORDS, False),
        (["word", "word"], WORDS, False),  # a name comes twice
        (["lemma", "features", "form"], [["go", "V;PST", "went"], ["be", "V;PRS", "is"]], True),
        (["go", "V;PST", "went"], [["be", "V;PRS", "is"]], False),
        (["native", "romanised", "count"], [["अंक", "ank", "3"], ["अंग", "ang", "1"]], True),
        (["अंक", "ank", "3"], [["अंग", "ang", "1"]], False),
        (["ein", "n"], [["अंक", "3"], ["अंग", "1"]], True),  # a name over a column of numbers
        (["Satz", "sentence"], [["Guten Tag", "good day"], ["Gute Nacht", "good night"]], True),
        (["word", "phones"], [], True),
        (["Katze", "cat"], [], False),
        (["word", "wort"], [["word", "wort"]], False),  # "wort" occurs below and is not usual
        (["a" * 31, "word"], WORDS, False),
        (["what is this?", "answer"], WORDS, False),
    ],
)
def test_headers(first, below, expected):
    assert looks_like_header([first, *below]) is expected


def test_rows_of_another_width_say_nothing():
    assert looks_like_header([["word", "count"], ["cat"], ["dog", "2"]])


def test_names_are_unique_and_never_empty():
    assert unique_names(["word", " word ", "", "word", "3"]) == ["word", "word.2", "3", "word.3", "3.2"]
