"""Labels of every script, cut and isolated; the order of places on paper."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from regard.display import END_ISOLATE, ISOLATE
from regard.looking import Gaze, Look, Piece, Place
from regard.looking.labels import (
    direction,
    drawn,
    groups,
    headline,
    headlines,
    label,
    percent,
    piece_label,
    title,
    tooltip,
    visible,
)

FSI, PDI = ISOLATE, END_ISOLATE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        ("é", "é"),
        ("e\u0301", "e\u0301"),
        ("\u0301", "◌\u0301"),
        ("\u093f", "◌\u093f"),  # a Devanagari vowel sign
        ("\u0e31", "◌\u0e31"),  # Thai
        ("\u05b8\u05bc", "◌\u05b8\u05bc"),  # Hebrew points
        ("क\u094dष", "क\u094dष"),
        ("\u1112", "ㅎ"),  # the parts of 한, as decomposing leaves them
        ("\u1161", "ㅏ"),
        ("\u11ab", "ㄴ"),
        ("\u11aa", "ㄳ"),
        ("\u113e", "◌\u113e"),  # an old letter without a form of its own
        ("\u1112\u1161\u11ab", "\u1112\u1161\u11ab"),  # together they are drawn as a syllable
        (" ", "␣"),
        ("  ", "␣ ␣"),
        ("\u00a0", "⍽"),
        ("\u3000", "U+3000"),
        ("\n", "↵"),
        ("\t", "⇥"),
        ("\r\n", "U+000D ↵"),
        ("\x00", "U+0000"),
        ("\x85", "U+0085"),
        ("\u2028", "U+2028"),
        ("\u200d", "ZWJ"),
        ("\u200c", "ZWNJ"),
        ("\u00ad", "SHY"),
        ("\u200f", "U+200F"),
        ("\u202e", "U+202E"),
        ("a\x00b", "aU+0000b"),
        ("\ufffe", "U+FFFE"),
        ("\U0001ffff", "U+1FFFF"),
        ("\udcff", "U+DCFF"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("", "∅"),
    ],
)
def test_a_label_can_be_seen(text, expected):
    assert label(text) == expected


def test_the_end_of_an_answer_is_a_mark():
    assert (piece_label(""), piece_label("a")) == ("∎", "a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two\nlines\there", "two↵lines⇥here"),
        ("\x1b[31mred", "U+001B[31mred"),
        ("a\u202eb\u202c", "aU+202EbU+202C"),
        ("\u2067x\u2069", "U+2067xU+2069"),
        ("a\u2029b", "aU+2029b"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # Persian needs its joiners
        ("\u200fא\u200e", "\u200fא\u200e"),  # marks harm nobody
    ],
)
def test_running_text_keeps_all_but_what_breaks_a_line(text, expected):
    assert visible(text) == expected


@given(st.text(max_size=9))
def test_labels_and_lines_are_never_blank_or_broken(text):
    for shown in (label(text), visible(text)):
        assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in shown)
        assert not any("\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069" for char in shown)
    assert label(text).strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("through", "ltr"),
        ("پاکستان", "rtl"),
        ("שלום", "rtl"),
        ("hello שלום", "ltr"),
        ("שלום hello", "rtl"),
        ("123 «!» שלום", "rtl"),  # digits and signs have no direction of their own
        ("हिन्दी", "ltr"),
        ("١٢٣", "ltr"),  # Arabic digits run left to right
        ("123", "ltr"),
        ("", "ltr"),
    ],
)
def test_direction_is_that_of_the_first_strong_character(text, expected):
    assert direction(text) == expected


def joined(*columns):
    """A look over a source joined from these (name, text) columns, a place a character."""
    seen = tuple(Place(char, name, (at, at + 1)) for name, text in columns for at, char in enumerate(text))
    gaze = Gaze("source", "source", "places", seen, np.zeros((0, len(seen)), np.float32))
    return Look(dict(columns), "", (), (gaze,)), gaze


@pytest.mark.parametrize(
    ("columns", "base", "expected"),
    [
        ([("a", "xyz")], "ltr", [[0, 1, 2]]),
        ([("a", "שלו")], "rtl", [[2, 1, 0]]),
        ([("a", "xy"), ("b", "12")], "ltr", [[0, 1], [2, 3]]),
        ([("a", "שלו"), ("b", "xy")], "rtl", [[3, 4], [2, 1, 0]]),  # the first column begins at the right
        ([("a", "xy"), ("b", "שלו")], "ltr", [[0, 1], [4, 3, 2]]),
    ],
)
def test_places_stand_in_reading_order(columns, base, expected):
    parts = groups(*joined(*columns))
    assert [part.column for part in parts] == [name for name, _ in columns]
    assert parts[0].direction == base
    assert [part.places for part in drawn(parts, base)] == expected
    assert [at for part in parts for at in part.places] == list(range(sum(len(text) for _, text in columns)))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("source", "source", "places"), "source"),
        (("question", "question", "words"), "question · words"),
        (("layer 2", "source", "places"), "layer 2 of source"),
        (("a\nb", "source", "places"), "a↵b of source"),
    ],
)
def test_a_gaze_is_told_from_the_others(names, expected):
    assert title(Gaze(*names, (), joined()[1].weights)) == expected


def test_the_headline_runs_left_to_right(looks):
    assert headline(looks["french"]) == "chaussée → ʃose"
    assert headline(looks["urdu"]) == f"{FSI}پاکستان زندہ باد{PDI} → long live Pakistan"
    assert headline(looks["inflection"]) == "lemma: schreiben · features: V;PST;3;SG → schrieb"
    assert headline(looks["nothing_to_see"]) == "∅ → a"
    assert headline(Look({"שורש": "אב", "tags": "V"}, "", ())) == f"{FSI}שורש{PDI}: {FSI}אב{PDI} · tags: V → ∅"


def test_a_long_headline_gives_each_text_its_own_lines(looks):
    assert headlines(looks["inflection"], 49) == ["lemma: schreiben · features: V;PST;3;SG → schrieb"]
    assert headlines(looks["inflection"], 48) == ["lemma: schreiben", "features: V;PST;3;SG", "→ schrieb"]
    assert headlines(Look({"text": "one two three four five"}, "een twee drie vier", ()), 14) == [
        "one two three", "four five", "→ een twee", "  drie vier",
    ]  # fmt: skip
    assert headlines(Look({"text": "שלום hello עולם"}, "a", ()), 12) == [
        f"{FSI}שלום hello{PDI}",
        f"{FSI}עולם{PDI}",
        "→ a",
    ]
    assert headlines(Look({"text": "漢字仮名交"}, "a", ()), 6) == ["漢字仮", "名交", "→ a"]


@given(st.data(), st.integers(8, 60))
def test_headlines_keep_to_their_room(strange, data, room):
    look = data.draw(strange)()
    look = Look({"text": next(iter(look.given.values()))}, look.text, ())
    for line in headlines(look, room):
        assert cell_len(line) <= room
        assert line.count(FSI) == line.count(PDI)


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        (1.0, "100 %"),
        (0.984, "98 %"),
        (0.995, "100 %"),
        (0.005, "0 %"),
        (0.0051, "1 %"),
        (0.0049, "<1 %"),
        (0.0, "0 %"),
    ],
)
def test_percent(probability, expected):
    assert percent(probability) == expected


def test_a_tooltip_keeps_its_arrow_between_right_to_left_texts():
    piece, place = Piece("א", (0, 1), 0.0), Place("ب", "source", (0, 1))
    assert tooltip(piece, place, 0.25) == f"{FSI}א{PDI} ← {FSI}ب{PDI}: 0.250"
    assert tooltip(Piece("", (0, 0), 0.0), Place(" ", "source", (0, 1)), 1.0) == "∎ ← ␣: 1.000"
