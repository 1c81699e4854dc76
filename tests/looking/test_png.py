"""PNG: the picture's cells in their places and colours, letters shaped, and what cannot be drawn said in one line."""

from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from regard.errors import RegardError
from regard.looking import Gaze, Look, Piece, Place, fonts
from regard.looking.colours import colour
from regard.looking.picture import picture
from regard.looking.png import DOTS, EM, png

SCALE = EM / 72 * DOTS  # pixels in an em


def pixels(look):
    return np.round(imread(BytesIO(png(look)), format="png")[..., :3] * 255).astype(int)


def test_every_cell_has_its_place_and_colour(looks):
    for name in ("french", "hebrew", "inflection", "not_known"):
        drawing, drawn = picture([looks[name]]), pixels(looks[name])
        assert drawn.shape[:2] == (int(drawing.height * SCALE), int(drawing.width * SCALE))
        for cell in drawing.cells:
            middle = drawn[int((cell.y + cell.height / 2) * SCALE), int((cell.x + cell.width / 2) * SCALE)]
            assert "#" + "".join(f"{part:02x}" for part in middle) == colour(cell.share), cell.told


def test_words_stand_where_the_picture_has_them(looks):
    drawing, drawn = picture([looks["phones"]]), pixels(looks["phones"])
    for words in drawing.words:
        x, y = words.x * SCALE, words.y * SCALE
        left = {"start": x, "middle": x - SCALE, "end": x - 2 * SCALE}[words.anchor]
        ink = drawn[int(y - SCALE / 2) : int(y + SCALE / 2), int(left) : int(left + 2 * SCALE)]
        assert ink.min() < 128, words.text
    assert drawn[: int(0.5 * SCALE)].min() == 255  # the margin


def headline_ink(text):
    """The columns of pixels, ink or not, that a text takes as a headline."""
    drawn = pixels(Look({"source": text}, "x", ()))
    columns = np.flatnonzero(drawn[: int(2.0 * SCALE)].min((0, 2)) < 128)
    return columns[0], columns[-1] + 1, drawn[: int(2.0 * SCALE)]


def test_arabic_letters_join():
    joined, apart = headline_ink("سسسس"), headline_ink("س\u200cس\u200cس\u200cس")
    assert joined[1] < apart[1] - SCALE  # joined letters are narrower than letters alone


def test_right_to_left_begins_at_the_right():
    start, end, there = headline_ink("אב")
    _, _, back = headline_ink("בא")
    glyphs = there[:, start : start + int(0.5 * SCALE)], back[:, start : start + int(0.5 * SCALE)]
    assert not np.array_equal(*glyphs)
    alone = headline_ink("ב")[2][:, start : start + int(0.5 * SCALE)]
    assert np.array_equal(glyphs[0], alone)  # of אב the ב stands at the left
    assert end > start


def test_mathematics_is_not_read_into_dollars():
    drawn = pixels(Look({"source": r"$\frac{1}{0$ \q"}, "$x^2$", ()))
    assert drawn.min() < 128


@pytest.fixture
def bare(monkeypatch):
    """A machine without fonts of its own."""
    monkeypatch.setattr(fonts, "system_fonts", lambda: ())


def test_a_script_without_a_font_is_told_once(looks, bare):
    with pytest.warns(UserWarning, match="no installed font") as told:
        png(looks["hindi"])
    assert [str(one.message) for one in told] == [
        "no installed font has the Devanagari characters of this look (6 of them), boxes stand in their place; "
        "install one, on Debian or Ubuntu: apt install fonts-noto-core"
    ]


def test_all_that_is_drawn_by_itself_needs_no_other_font(looks, bare):
    for name in ("phones", "hebrew", "document", "no_gaze", "nothing_to_see", "hostile"):
        png(looks[name])  # a warning would be an error


def test_too_large_a_picture_is_refused_before_it_is_painted():
    source = "a" * 1500
    seen = tuple(Place("a", "source", (at, at + 1)) for at in range(1500))
    gaze = Gaze("source", "source", "places", seen, np.zeros((1, 1500), np.float32))
    with pytest.raises(RegardError) as caught:
        png(Look({"source": source}, "x", (Piece("x", (0, 1), 0.0),), (gaze,)))
    # 1500 cells of 1.9, a label of 1.22 before and the probability's 0.5 and 5 × 0.62 after them, 1 on either side
    wide = (1500 * 1.9 + 1.22 + 3.6 + 2) * 11 / 72 * 160
    assert str(caught.value).startswith(f"too large for a PNG: {wide:.0f} × ")
    assert str(caught.value).endswith(" pixels, at most 65535 a side; save fewer looks, or write .svg or .html")


def test_drawing_leaves_no_figure_behind(looks):
    from matplotlib import _pylab_helpers

    png(looks["french"])
    assert _pylab_helpers.Gcf.figs == {}
