"""The heat map as SVG, written by hand: needs nothing, scales to any size, and tells each weight in a tooltip.

Letters stay letters (they can be searched and copied): the viewer's own fonts and shaping draw them.
"""

from collections.abc import Sequence
from html import escape

from regard.looking.colours import ENDS, colour
from regard.looking.look import Look
from regard.looking.picture import Cell, Words, picture

EM = 16  # pixels
FONTS = "'Noto Sans','DejaVu Sans','Segoe UI',Helvetica,Arial,sans-serif"
_STYLE = f"""
text{{font:{EM}px {FONTS};fill:#111;dominant-baseline:central}}
.heading{{font-weight:bold}}.faint{{fill:#555}}.unknown{{fill:#b8460b}}.ruled{{stroke:#e4e4e8;stroke-width:.5}}
"""


def svg(looks: Look | Sequence[Look]) -> str:
    """One look or several, one below the other."""
    drawing = picture([looks] if isinstance(looks, Look) else looks)
    width, height = drawing.width * EM, drawing.height * EM
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            "<title>Where the model looked for each output</title>",
            f"<style>{_STYLE}</style>",
            f'<rect width="100%" height="100%" fill="{ENDS[0]}"/>',
            *map(_cell, drawing.cells),
            *map(_words, drawing.words),
            "</svg>\n",
        ]
    )


def _cell(cell: Cell) -> str:
    x, y, width, height = (round(EM * side, 2) for side in cell[:4])
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    ruled = 'class="ruled"' if cell.ruled else 'shape-rendering="crispEdges"'
    return f'<rect {ruled} {place} fill="{colour(cell.share)}"><title>{escape(cell.told)}</title></rect>'


def _words(words: Words) -> str:
    x, y = round(EM * words.x, 2), round(EM * words.y, 2)
    turn = f' transform="rotate(-45 {x:g} {y:g})"' if words.turned else ""
    return (
        f'<text class="{words.kind}" x="{x:g}" y="{y:g}" text-anchor="{words.anchor}"{turn}>{escape(words.text)}</text>'
    )


class Svg:
    name = "svg"

    @staticmethod
    def draw(looks: Sequence[Look]) -> bytes:
        return svg(looks).encode()
