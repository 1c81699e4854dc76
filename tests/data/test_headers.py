"""Does a file begin with the names of its columns?"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.headers import ENOUGH, looks_like_header, unique_names

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


PHONES = ["b", "ɔ̃", "ʒ", "u", "ʁ", "s", "a", "l", "y", "o", "n", "t", "ə", "i", "m", "e", "p", "k"]
LATIN, NAGARI = "bonjurslatyempkdgvfch", "कखगघचछजटडतदनपबमयरलवश"


def rows(*columns: list[str], count: int = 200) -> list[list[str]]:
    """Rows of words of 2 to 8 of these pieces, joined by nothing; of phones by spaces."""
    drawn = random.Random(1)
    join = {True: " ", False: ""}
    return [
        [join[column is PHONES].join(drawn.choices(column, k=drawn.randint(2, 8))) for column in columns]
        for _ in range(count)
    ]


FRENCH, SPACED, BOTH = rows(LATIN, PHONES), rows(NAGARI, PHONES), rows(NAGARI, LATIN)
WHOLE = [[word, phones.replace(" ", "")] for word, phones in FRENCH]  # phones that are not split by spaces


@pytest.mark.parametrize("count", [ENOUGH, 200])
@pytest.mark.parametrize(
    ("first", "below"),
    [
        (["mot", "son"], FRENCH),  # no phone is "son"
        (["orthographe", "prononciation"], FRENCH),
        (["Word Form", "IPA (broad)"], FRENCH),
        (["singular", "plural"], FRENCH),
        (["слово", "звук"], FRENCH),
        (["शब्द", "उच्चारण"], FRENCH),
        (["singular", "plural"], BOTH),
        (["hindi", "latin"], BOTH),
        (["devanagari", "roman"], SPACED),  # Latin over Devanagari
        (["nagari"], [row[:1] for row in BOTH]),
        (["Form", "Merkmale"], [[word, "V;PST" if n % 2 else "V;PRS;3"] for n, (word, _) in enumerate(FRENCH)]),
    ],
)
def test_one_cell_that_cannot_be_of_its_column_is_enough(first, below, count):
    assert looks_like_header([first, *below[:count]])


def test_letters_that_a_column_never_has():
    assert looks_like_header([["mot", "prononciation [X-SAMPA]"], *WHOLE])
    assert not looks_like_header([["mot", "son"], *WHOLE])  # these letters it has


@pytest.mark.parametrize(
    ("first", "below"),
    [
        (["मोटर", "motr"], BOTH),
        (["à", "a"], FRENCH),  # a word of one phone
        (["ADN", "a d e ɛ n"], FRENCH),  # one new phone, and the others are those of the column
        (["DNA", "a n t"], SPACED),  # Latin over Devanagari, but beside what is no name
        (["mot", "b a"], FRENCH),
        (["geht", "PST"], [[word, "V;PST" if n % 2 else "V;PRS;3"] for n, (word, _) in enumerate(FRENCH)]),
        (["mot", "son"], FRENCH[: ENOUGH - 1]),  # too few rows to be sure
        (["hindi", "latin"], BOTH[: ENOUGH - 1]),
        (["hindi", "latin"], [*BOTH, ["iPhone", "iphone"]]),  # Latin is not foreign to it
        (["mot", "son"], [*FRENCH, ["tu", "son"]]),
        (["quiz"], [["abba"]] * 30 + [["baba"]] * 30),  # letters that two words do not have
    ],
)
def test_what_may_be_data_is_data(first, below):
    assert not looks_like_header([first, *below])


@pytest.mark.parametrize("name", ["word form", "source_text", "IPA (broad)", "Target [UK]", "Tag set", "input text"])
def test_usual_names_in_two_words_or_with_brackets(name):
    few = [["cat", "k æ t"], ["dog", "d ɒ g"]]
    assert looks_like_header([[name, "Laute"], *few]) is (name != "Tag set")


@given(st.integers(0, 59), st.sampled_from([table[:60] for table in (FRENCH, SPACED, BOTH, WHOLE)]))
def test_a_row_of_the_data_is_never_a_header(at, table):
    assert not looks_like_header([table[at], *table[:at], *table[at + 1 :]])


CELLS = st.text(st.sampled_from([*"ab é;|/3()[] न語кñ-.\t"]), max_size=6)
TABLES = st.integers(1, 3).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=40))


@given(TABLES, st.lists(CELLS, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_any_rows_have_an_answer_whatever_their_order(below, first, order):
    found = looks_like_header([first, *below])
    assert found in (True, False)
    shuffled = [*below]
    order.shuffle(shuffled)
    assert looks_like_header([first, *shuffled]) == found


@given(st.text(st.sampled_from([*"xyzXYZ"]), min_size=1, max_size=12), st.sampled_from([0, 1]))
def test_latin_names_over_another_script_are_found(name, at):
    first = ["मोट", "मोट"]
    first[at] = name
    table = [[word, word[::-1]] for word, _ in BOTH[:30]]
    assert looks_like_header([first, *table])


def test_rows_of_another_width_say_nothing():
    assert looks_like_header([["word", "count"], ["cat"], ["dog", "2"]])


def test_names_are_unique_and_never_empty():
    assert unique_names(["word", " word ", "", "word", "3"]) == ["word", "word.2", "3", "word.3", "3.2"]
