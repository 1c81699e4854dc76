"""The heat map as PNG, painted by matplotlib (extra "plot"), which shapes complex and right-to-left text itself.

Unusual here: matplotlib is used as a canvas only. What stands where is decided in `picture`, the same as for SVG, but
from the widths that the fonts really have, and those of the boxes that stand for missing letters; pyplot and its
global state are not touched, so that drawing is safe in a server and in a notebook.
"""

import warnings
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from regard.errors import MissingExtra, RegardError
from regard.looking.colours import colour
from regard.looking.look import Look
from regard.looking.picture import HEADING, Measure, Picture, picture

if TYPE_CHECKING:
    from regard.looking.fonts import Fonts

EM = 11  # points
DOTS = 160  # an inch
WIDEST = 2**16 - 1  # pixels of a side that the canvas can hold
MISSING = "Glyph .* missing from"  # matplotlib's own warning, one a letter
_COLOURS = {"plain": "#111111", "heading": "#111111", "faint": "#555555", "unknown": "#b8460b"}


def png(looks: Look | Sequence[Look]) -> bytes:
    """One look or several, one below the other."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import PolyCollection
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("drawing a look as PNG", "plot") from error

    drawing, fonts = measured([looks] if isinstance(looks, Look) else looks)
    inches = drawing.width * EM / 72, drawing.height * EM / 72
    if max(inches) * DOTS > WIDEST:
        raise RegardError(
            f"too large for a PNG: {inches[0] * DOTS:.0f} × {inches[1] * DOTS:.0f} pixels, at most {WIDEST} a side; "
            "save fewer looks, or write .svg or .html"
        )
    if complaint := fonts.complaint():
        warnings.warn(complaint, stacklevel=2)

    figure = Figure(figsize=inches, dpi=DOTS)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0))
    corners = [
        [(x, y), (x + width, y), (x + width, y + height), (x, y + height)] for x, y, width, height, *_ in drawing.cells
    ]
    fills = [colour(cell.share) for cell in drawing.cells]
    lines = ["#e4e4e8" if cell.ruled else fill for cell, fill in zip(drawing.cells, fills, strict=True)]
    axes.add_collection(PolyCollection(corners, facecolors=fills, edgecolors=lines, linewidths=0.4))
    for words in drawing.words:
        axes.text(
            words.x,
            words.y,
            words.text,
            color=_COLOURS[words.kind],
            family=fonts.for_text(words.text),
            fontsize=EM * HEADING if words.kind == "heading" else EM,  # few fonts of rarer scripts have a bold
            horizontalalignment={"start": "left", "middle": "center", "end": "right"}[words.anchor],
            rotation=45 if words.turned else 0,
            rotation_mode="anchor",
            verticalalignment="center",
            parse_math=False,
        )
    with BytesIO() as file, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=MISSING)  # told once above
        figure.savefig(file, format="png", metadata={"Software": None})
        return file.getvalue()


def measured(looks: Sequence[Look]) -> tuple[Picture, "Fonts"]:
    """The picture as wide as its texts are when drawn, and the fonts that draw them."""
    from regard.looking.fonts import Fonts

    fonts = Fonts(words.text for words in picture(looks).words)
    return picture(looks, _measure(fonts)), fonts


def _measure(fonts: "Fonts") -> Measure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    canvas = FigureCanvasAgg(Figure(dpi=DOTS))

    @cache
    def measure(text: str, size: float = 1.0) -> float:  # not one in proportion: letters are fitted to pixels
        drawn = canvas.figure.text(0, 0, text, family=fonts.for_text(text), fontsize=EM * size, parse_math=False)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=MISSING)
            pixels = drawn.get_window_extent(canvas.get_renderer()).width
        drawn.remove()
        return float(pixels) / (EM / 72 * DOTS)

    return measure


class Png:
    name = "png"

    @staticmethod
    def draw(looks: Sequence[Look]) -> bytes:
        return png(looks)
