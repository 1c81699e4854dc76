"""The scale against published values of OKLab and against what Chromium mixes; its top by hand."""

import re
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest

from regard.looking.colours import ENDS, colour, oklab, top

CSS = files("regard.looking").joinpath("look.css").read_text(encoding="utf-8")


def schemes():
    """What look.css gives for light paper, then for dark."""
    return [
        dict(re.findall(r"--(\w+):(#[0-9a-f]+)", rule)) for rule in re.findall(r"\.regard-look\{(--paper[^}]*)\}", CSS)
    ]


def whole(short):
    return short if len(short) == 7 else "#" + "".join(2 * digit for digit in short[1:])


def contrast(one, other):
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05)."""

    def luminance(text):
        parts = np.array([int(whole(text)[at : at + 2], 16) for at in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#ffffff", [1.0, 0.0, 0.0]),
        ("#000000", [0.0, 0.0, 0.0]),
        ("#ff0000", [0.62796, 0.22486, 0.12585]),
        ("#0000ff", [0.45201, -0.03246, -0.31153]),
    ],
)
def test_oklab_of_known_colours(text, expected):
    np.testing.assert_allclose(oklab(text), expected, atol=2e-5)


def test_the_ends_are_the_ends():
    assert (colour(0.0), colour(1.0)) == ENDS
    assert (colour(-1.0), colour(2.0)) == ENDS


def test_a_browser_mixes_the_same():
    # color-mix(in oklab, …) as Chromium 156 paints it
    assert [colour(share) for share in (0.25, 0.5, 0.75)] == ["#b9c6df", "#7790be", "#3a5a9b"]
    dark = ("#141821", "#e1f0ff")
    assert [colour(share, dark) for share in (0.25, 0.5, 0.75)] == ["#404651", "#727b87", "#a8b4c1"]


def test_lightness_falls_evenly():
    steps = [oklab(colour(share))[0] for share in np.linspace(0, 1, 11).tolist()]
    assert [before - after for before, after in pairwise(steps)] == pytest.approx([(1 - steps[-1]) / 10] * 10, abs=3e-3)


def test_the_page_has_the_same_scale():
    light, dark = schemes()
    assert (whole(light["low"]), whole(light["high"])) == ENDS
    assert (light["low"], dark["low"]) == ("#ffffff", dark["paper"])


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "dark"])
def test_writing_on_a_shaded_stretch_can_be_read(scheme):
    turning = float(re.search(r"var\(--w\) - (\.\d+)\)", CSS)[1])
    for share in np.linspace(0, 1, 101).tolist():
        ink = scheme["ink"] if share <= turning else scheme["paper"]
        assert contrast(colour(share, (scheme["low"], scheme["high"])), ink) > 3  # WCAG, large letters
    for small in ("ink", "faint"):
        assert contrast(scheme["paper"], scheme[small]) > 4.5


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([[0.0, 1.0]], 1.0),
        ([[0.3, 0.51]], 1.0),
        ([[0.5, 0.5]], 0.5),
        ([[0.5000001]], 0.5),  # rounding
        ([[0.21]], 0.5),
        ([[0.04, 0.01]], 0.05),
        ([[0.0051]], 0.01),
        ([[1e-9]], 2e-5),
        ([[0.0]], 1.0),
        ([[1.5]], 1.0),
        ([[]], 1.0),
    ],
)
def test_the_top_of_the_scale(weights, expected):
    assert top(np.array(weights, dtype=np.float32)) == expected
