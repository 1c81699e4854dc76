"""Where everything stands, worked out by hand; nothing over anything else, nothing over the edge."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from regard.looking import Gaze, Look, Piece, Place
from regard.looking.picture import GAP, LONGEST, MARGIN, SIDE, Cell, Words, picture


def look_at(columns, weights, labels=None):
    """An answer "x" and its end over these columns, a place a character."""
    seen = [Place(char, name, (at, at + 1)) for name, text in columns.items() for at, char in enumerate(text)]
    for at, text in (labels or {}).items():
        seen[at] = Place(text, seen[at].column, seen[at].span)
    gaze = Gaze("source", "source", "places", tuple(seen), np.array(weights, np.float32))
    return Look(columns, "x", (Piece("x", (0, 1), 0.0), Piece("", (1, 1), 0.0)), (gaze,))


def ruled(drawing):
    """The cells of the maps, without those of the legends."""
    return [cell for cell in drawing.cells if cell.ruled]


def test_a_small_picture():
    drawing = picture([look_at({"source": "ab"}, [[0.5, 0.0], [0.1, 0.4]])])
    # headline: from 1.0 down 1.4, then 0.5; labels take 1.4; sides take a letter's 0.62 and 0.6
    left, first = 1.0 + 0.62 + 0.6, 1.0 + 1.4 + 0.5 + 1.4
    assert [cell[:5] for cell in ruled(drawing)] == [
        pytest.approx(cell)
        for cell in [
            (left, first, SIDE, SIDE, 1.0),
            (left, first + SIDE, SIDE, SIDE, 0.2),
            (left + SIDE, first, SIDE, SIDE, 0.0),
            (left + SIDE, first + SIDE, SIDE, SIDE, 0.8),
        ]
    ]
    assert [cell.told for cell in ruled(drawing)] == [
        "x ← a: 0.500", "∎ ← a: 0.100", "x ← b: 0.000", "∎ ← b: 0.400",
    ]  # fmt: skip
    right = left + 2 * SIDE + 0.5
    expected = [
        Words(1.0, 1.3, "ab → x", "start", "heading"),
        Words(left + SIDE / 2, first - 0.8, "a", "middle"),
        Words(left + 1.5 * SIDE, first - 0.8, "b", "middle"),
        Words(left - 0.4, first + SIDE / 2, "x", "end"),
        Words(right, first + SIDE / 2, "100 %", "start", "faint"),
        Words(left - 0.4, first + 1.5 * SIDE, "∎", "end"),
        Words(right, first + 1.5 * SIDE, "100 %", "start", "faint"),
    ]
    for words, wanted in zip(drawing.words, expected, strict=False):
        assert words._replace(x=0, y=0) == wanted._replace(x=0, y=0)
        assert words[:2] == pytest.approx(wanted[:2])
    assert [words.text for words in drawing.words[7:]] == ["weight 0", "0.5"]
    assert drawing.height == pytest.approx(first + 2 * SIDE + 0.9 + 1.0 + 1.5)


def test_the_legend_shows_the_whole_scale():
    drawing = picture([look_at({"source": "ab"}, [[0.5, 0.0], [0.1, 0.4]])])
    legend = [cell for cell in drawing.cells if not cell.ruled]
    assert [cell.share for cell in legend] == pytest.approx(np.linspace(0, 1, 41).tolist())
    assert (legend[0].told, legend[20].told, legend[40].told) == ("0", "0.25", "0.5")
    for before, after in pairwise(legend):
        assert after.x == pytest.approx(before.x + before.width)


def columns_from_left(drawing):
    """The labels above the first row, from left to right."""
    return [words.text for words in sorted(drawing.words) if words.anchor == "middle" or words.turned]


def test_right_to_left_sources_begin_at_the_right(looks):
    drawing = picture([looks["urdu"]])
    assert columns_from_left(drawing) == ["باد", "زندہ", "پاکستان"]
    first_row = sorted(cell for cell in ruled(drawing) if cell.told.startswith("long ←"))
    assert [cell.share for cell in first_row] == looks["urdu"].gazes[0].weights[0, ::-1].tolist()


def test_columns_stand_apart_under_their_names():
    drawing = picture([look_at({"ab": "pq", "a long name": "r", "c": "s"}, np.eye(4)[:2])])
    named = [words for words in drawing.words if words.text in ("ab", "a long name", "c")]
    xs = sorted({cell.x for cell in ruled(drawing)})
    assert xs[1] - xs[0] == pytest.approx(SIDE)
    assert xs[2] - xs[1] == pytest.approx(SIDE + GAP)
    assert xs[3] - xs[2] == pytest.approx(0.62 * len("a long name") + GAP)  # room for the name
    assert [words.x for words in named] == [xs[0], xs[2], xs[3]]
    first = min(cell.y for cell in ruled(drawing))
    assert all(words.y < first - 1.4 for words in named)


def test_each_column_turns_its_own_labels():
    look = look_at({"lemma": "ab", "tags": "VP"}, np.eye(4)[:2], {3: "PST"})
    words = {one.text: one for one in picture([look]).words}
    assert [words[text].turned for text in ("a", "b", "V", "PST")] == [False, False, True, True]


def test_turned_labels_have_room_above_and_beside(looks):
    drawing = picture([looks["sentence"]])
    [longest] = [words for words in drawing.words if words.text == "unmistakably"]
    headlines = [words for words in drawing.words if words.kind == "heading"]
    reach = 0.62 * len("unmistakably") / 2**0.5
    assert longest.y - reach > headlines[-1].y + 0.5
    assert longest.x + reach < drawing.width


def test_what_is_not_known_is_underlined_with_dots(looks):
    drawing, without = picture([looks["not_known"]]), picture([looks["inflection"]])
    assert [words.text for words in drawing.words if words.kind == "unknown"] == ["h", "PST"]
    dots = [cell for cell in drawing.cells if cell.told == "not known to the model"]
    assert len(drawing.cells) - len(without.cells) == len(dots) == 9  # three under each label, and in the legend
    first = min(cell.y for cell in ruled(drawing))
    for at, text in enumerate(("h", "PST")):
        (label,) = [words for words in drawing.words if (words.text, words.kind) == (text, "unknown")]
        under = dots[3 * at : 3 * at + 3]
        assert [cell.x + cell.width / 2 - label.x for cell in under] == pytest.approx([-0.4, 0.0, 0.4])
        assert all(label.y < cell.y < cell.y + cell.height < first for cell in under)
    told = [words for words in drawing.words if words.text == "not known to the model"]
    assert [words.kind for words in told] == ["faint"]
    assert told[0].y == pytest.approx(dots[-1].y + dots[-1].height / 2)
    assert dots[-1].x + dots[-1].width < told[0].x


def test_long_labels_are_cut_and_told_whole(looks):
    long = "unmistakably-unmistakably-unmistakably"
    drawing = picture([look_at({"source": "a"}, [[1.0], [1.0]], {0: long})])
    [shown] = [words.text for words in drawing.words if words.turned]
    assert shown == long[: LONGEST - 1] + "…"
    assert drawing.cells[0].told == f"x ← {long}: 1.000"


def test_a_long_headline_goes_on_in_the_next_line(looks):
    drawing = picture([looks["sentence"]])
    lines = [words for words in drawing.words if words.kind == "heading"]
    assert [line.text.split()[0] for line in lines] == ["Two", ",", "→", "alten"]
    assert all(after.y - before.y == pytest.approx(1.4) for before, after in pairwise(lines))


def test_looks_and_gazes_stand_below_each_other(looks):
    order = [
        words.text for words in sorted(picture([looks["document"], looks["no_gaze"]]).words, key=lambda one: one.y)
    ]
    expected = [
        "A dull plot. The acting is superb! → good",
        "look of review · words",
        "look of review · sentences",
        "through → θɹu",
        "this model attends to nothing: there is no map of where it looked",
    ]
    assert [text for text in order if text in expected] == expected
    assert "there was nothing to look at" in [words.text for words in picture([looks["nothing_to_see"]]).words]


def box(words):
    """What a level text covers, its width estimated as the picture does."""
    width = 0.62 * cell_len(words.text) * (1.1 if words.kind == "heading" else 1)
    left = words.x - {"start": 0, "middle": width / 2, "end": width}[words.anchor]
    return left, words.y - 0.5, left + width, words.y + 0.5


def test_nothing_lies_on_anything_else(any_look):
    drawing = picture([any_look])
    boxes = [box(words) for words in drawing.words if not words.turned]
    boxes += [(cell.x, cell.y, cell.x + cell.width, cell.y + cell.height) for cell in ruled(drawing)]
    for at, (left, above, right, below) in enumerate(boxes):
        assert left >= 0
        assert above >= 0
        assert right <= drawing.width
        assert below <= drawing.height
        for other in boxes[:at]:
            apart = left >= other[2] - 1e-6 or other[0] >= right - 1e-6
            assert apart or above >= other[3] - 1e-6 or other[1] >= below - 1e-6


@given(st.data())
def test_any_look_lies_within_its_picture(strange, data):
    look = data.draw(strange)()
    drawing = picture([look])
    for words in drawing.words:
        left, above, right, below = box(words)
        assert above >= 0
        assert below <= drawing.height
        assert words.turned or (left >= 0 and right <= drawing.width + 1e-6)
    for cell in drawing.cells:
        assert isinstance(cell, Cell)
        assert cell.x >= MARGIN
        assert cell.x + cell.width <= drawing.width
        assert cell.y + cell.height <= drawing.height
        assert 0 <= cell.share <= 1
