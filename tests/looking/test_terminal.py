"""The heat map in a terminal: drawings written out by hand, columns in line in every script, panels, colour."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from regard.display import END_ISOLATE, ISOLATE
from regard.looking import Gaze, Look, Piece, Place
from regard.looking.colours import colour
from regard.looking.terminal import SHADES, HeatMap, lines, plain


def small(source, units, answer, weights, column="source"):
    """A look with these places and pieces; the last piece is the end."""
    seen, at = [], 0
    for unit in units:
        at = source.index(unit, at)
        seen.append(Place(unit, column, (at, at + len(unit))))
    pieces = (
        *(Piece(char, (at, at + 1), -0.105) for at, char in enumerate(answer)),
        Piece("", (len(answer),) * 2, 0.0),
    )
    gaze = Gaze("source", "source", "places", tuple(seen), np.array(weights, np.float32))
    return Look({column: source}, answer, pieces, (gaze,))


def test_a_small_map():
    assert plain(small("ab", ["a", "b"], "x", [[1.0, 0.0], [0.25, 0.75]])) == (
        "ab → x\n\n          a  b\nx  90 %  ███···\n∎ 100 %  ░░░▓▓▓\n\n         weight 0 ··░░▒▒▓▓██ 1"
    )


def test_right_to_left_is_turned_around_and_wide_characters_have_room():
    drawn = plain(small("한ا", ["한", "ا"], "語", [[0.5, 0.0], [0.1, 0.4]]))  # begins left to right
    assert drawn == (
        f"{ISOLATE}한ا{END_ISOLATE} → 語\n"
        "\n"
        f"           한  {ISOLATE}ا{END_ISOLATE}\n"
        "語  90 %  ████···\n"
        " ∎ 100 %  ░░░░▓▓▓\n"
        "\n"
        "          weight 0 ··░░▒▒▓▓██ 0.5"
    )
    assert plain(small("ابج", ["ا", "ب", "ج"], "x", [[1.0, 0.0, 0.0], [0.0, 0.5, 0.0]])).split("\n")[2:5] == [
        "          " + "  ".join(f"{ISOLATE}{char}{END_ISOLATE}" for char in "جبا"),
        "x  90 %  ······███",
        "∎ 100 %  ···▒▒▒···",
    ]


def test_columns_of_a_joined_source_have_their_names(looks):
    drawn = plain(looks["inflection"]).split("\n")
    assert drawn[2:5] == [
        "                    lemma                features",
        "          s  c  h  r  e  i  b  e  n    V  PST  3  SG",
        "s  98 %  ▓▓▓························  ···············",
    ]


def test_what_is_not_known_is_marked(looks):
    drawn = plain(looks["not_known"]).split("\n")
    assert drawn[2:6] == [
        "                    lemma                features",
        "                ?                          ?",
        "          s  c  h  r  e  i  b  e  n    V  PST  3  SG",
        "s  98 %  ▓▓▓························  ···············",
    ]
    assert drawn[-1] == "         ? not known to the model"
    marked = [line for line in plain(looks["not_known"], 30).split("\n") if not line.strip(" ?") and "?" in line]
    assert len(marked) == 2  # of three panels those that have such a place
    without = plain(looks["inflection"]).split("\n")
    assert [*drawn[:3], *drawn[4:-1]] == without


def test_a_short_column_has_room_for_its_name():
    seen = (Place("a", "ab", (0, 1)), Place("x", "long name", (0, 1)))
    gaze = Gaze("source", "source", "places", seen, np.array([[0.0, 1.0]], np.float32))
    drawn = plain(Look({"ab": "a", "long name": "x"}, "b", (Piece("b", (0, 1), 0.0),), (gaze,))).split("\n")
    assert drawn[2:5] == [
        "         ab   long name",
        "          a       x",
        "b 100 %  ···  █████████",
    ]


def test_several_gazes_have_titles_and_lone_ones_none(looks):
    drawn = plain(looks["document"]).split("\n")
    assert [line for line in drawn if line.startswith("look of")] == [
        "look of review · words",
        "look of review · sentences",
    ]
    assert "source" not in plain(looks["french"])


def test_what_has_no_map_says_so(looks):
    assert plain(looks["no_gaze"]) == (
        "through → θɹu\nthis model attends to nothing: there is no map of where it looked"
    )
    assert plain(looks["nothing_to_see"]) == "∅ → a\n\nthere was nothing to look at"


def test_a_source_wider_than_the_terminal_goes_on_in_panels(looks):
    look = looks["inflection"]
    drawn = plain(look, 30).split("\n")
    assert max(map(cell_len, drawn)) <= 30
    heads = [line.split() for line in drawn if line.startswith("     ") and "weight" not in line]
    assert heads == [
        ["lemma"], ["s", "c", "h", "r", "e", "…"],
        ["lemma", "fe…"], ["i", "b", "e", "n", "V", "…"],
        ["features"], ["PST", "3", "SG"],
    ]  # fmt: skip
    assert sum(line.startswith("s  98 %") for line in drawn) == 3  # every panel has all outputs
    # together the panels hold what one wide map holds
    wide = next(line for line in plain(look).split("\n") if line.startswith("i  95 %"))
    narrow = [line for line in drawn if line.startswith("i  95 %")]
    strip = "i  95 % "
    assert "".join(part.removeprefix(strip).replace(" ", "") for part in narrow) == wide.removeprefix(strip).replace(
        " ", ""
    )


def test_panels_of_a_right_to_left_source_begin_with_its_beginning(looks):
    heads = [line for line in plain(looks["urdu_letters"], 20).split("\n") if "…" in line or "weight" not in line]
    marked = [line.replace(ISOLATE, "").replace(END_ISOLATE, "").split() for line in heads if line.startswith("     ")]
    assert marked == [["ا", "ل", "…"], ["و", "ہ", "…"], ["ر"]]


def test_labels_line_up_with_their_columns(any_look):
    for line in lines(any_look, 200, False):
        text = line.plain
        assert text.count(ISOLATE) == text.count(END_ISOLATE)
    rows = [line for line in plain(any_look, 1000).split("\n") if " %  " in line]
    assert len({cell_len(line[: line.index(" %  ")]) for line in rows}) <= max(1, len(any_look.gazes))
    assert len(rows) == sum(len(any_look.outputs) for gaze in any_look.gazes if gaze.places)


def styles(look, **options):
    """What a console with these options writes, and the backgrounds it uses."""
    console = Console(file=io.StringIO(), width=100, force_terminal=True, **options)
    segments = [segment for line in console.render_lines(HeatMap(look)) for segment in line]
    backgrounds = [
        segment.style.bgcolor.name
        for segment in segments
        if segment.style and segment.style.bgcolor and not segment.text.strip()
    ]
    return "".join(segment.text for segment in segments), backgrounds


def test_what_is_not_known_has_a_colour_of_its_own(looks):
    heads = [
        line for line in lines(looks["not_known"], 100, True) if line.plain.startswith("  ") and "PST" in line.plain
    ]
    styled = {heads[0].plain[span.start : span.end].strip(): span.style for span in heads[0].spans}
    assert (styled["PST"], styled["h"], styled["V"]) == ("bold magenta", "bold magenta", "bold")


@pytest.mark.parametrize("system", ["256", "truecolor"])
def test_a_terminal_with_colours_gets_the_scale(system):
    text, backgrounds = styles(small("ab", ["a", "b"], "x", [[1.0, 0.0], [0.25, 0.75]]), color_system=system)
    assert not set(text) & set(SHADES)
    assert backgrounds[:4] == [colour(share) for share in (1.0, 0.0, 0.25, 0.75)]
    assert backgrounds[4:] == [colour(step / 10) for step in range(11)]  # the legend


@pytest.mark.parametrize("options", [{"color_system": None}, {"color_system": "standard"}, {"no_color": True}])
def test_one_without_enough_of_them_gets_characters(options):
    text, backgrounds = styles(small("ab", ["a", "b"], "x", [[1.0, 0.0], [0.25, 0.75]]), **options)
    assert "███···" in text
    assert backgrounds == []


def test_long_labels_are_cut():
    long = "unmistakably-unmistakably"
    drawn = plain(small(long, [long], "x", [[1.0], [0.0]]))
    assert "          unmistakably-unmi…\n" in drawn


@given(st.data(), st.integers(66, 120))
def test_any_text_keeps_to_the_terminal(strange, data, width):
    look = data.draw(strange)()
    for line in lines(look, width, data.draw(st.booleans())):
        assert cell_len(line.plain) <= width
        assert not any(char in line.plain for char in "\n\r\t\x00\x1b\x7f\x85\u2028\u202e\u2067")
        assert line.plain.count(ISOLATE) == line.plain.count(END_ISOLATE)
    assert plain(look, 12)  # too narrow for anything, and still drawn
