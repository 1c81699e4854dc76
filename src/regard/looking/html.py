"""Looks as one HTML file: answer and source as text, linked both ways, the heat map beneath; no network is touched.

Unusual here: the texts are cut between graphemes, never inside one. A place may be a lone vowel sign, or one of
three letters that a syllable was decomposed into; it belongs to the grapheme that a reader sees, and the script adds
up the weights of all places there. `fragment` is what notebooks show; every look on a page shares one script.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import regex
from rich.cells import cell_len

from regard.data.units import GRAPHEME
from regard.display import isolated, short
from regard.looking.colours import top
from regard.looking.labels import (
    EMPTY,
    END,
    NO_PLACES,
    NOT_KNOWN,
    NOTHING,
    Group,
    direction,
    drawn,
    groups,
    headline,
    label,
    percent,
    piece_label,
    title,
    tooltip,
    visible,
)
from regard.looking.look import Gaze, Look, Piece

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
LONGEST = 26  # terminal cells of a label in the heat map; what is longer is cut, and whole in the line and the tooltip
_GAP = '<td class="gap"></td>'  # between the columns of a joined source
_PAGE = "body{margin:1.5rem auto;max-width:90rem;padding:0 1rem}:root{color-scheme:light dark}"


# A grapheme; or lam and alef, which every font draws as one sign, whose halves could not be shaded apart.
_UNITS = regex.compile(rf"\u0644\p{{M}}*[\u0622\u0623\u0625\u0627\u0671]\p{{M}}*|{GRAPHEME}")


@cache
def _asset(name: str) -> str:
    return files("regard.looking").joinpath(name).read_text(encoding="utf-8")


class Bit(NamedTuple):
    """A stretch of text that is linked as one, and the indices of the spans that touch it."""

    text: str
    at: tuple[int, ...]


def bits(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Bit]:
    """Cut `text` between graphemes wherever the set of spans that touch it changes."""
    held = ""
    touching: tuple[int, ...] = ()
    for match in _UNITS.finditer(text):
        here = tuple(at for at, (start, end) in enumerate(spans) if start < match.end() and match.start() < end)
        if held and here != touching:
            yield Bit(held, touching)
            held = ""
        held, touching = held + match[0], here
    if held:
        yield Bit(held, touching)


def html(looks: Look | Sequence[Look]) -> str:
    """A whole page with one look or several."""
    shown = [looks] if isinstance(looks, Look) else list(looks)
    name = headline(shown[0]) if len(shown) == 1 else f"{len(shown)} looks"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(name)}</title>\n'
        f"<style>{_PAGE}</style>\n</head>\n<body>\n{fragment(shown)}\n</body>\n</html>\n"
    )


def fragment(looks: Sequence[Look]) -> str:
    """The looks with their style and script, to stand inside another page."""
    body = "\n".join(_look(look) for look in looks)
    return f"<style>\n{_asset('look.css')}</style>\n{body}\n<script>\n{_asset('look.js')}</script>"


def _look(look: Look) -> str:
    seen = {place.column for gaze in look.gazes for place in gaze.places}
    unseen = [column for column in look.given if column not in seen]
    parts = ['<article class="regard-look" lang="en" dir="ltr">', _answer(look)]
    parts += [_line(column, look.given[column], escape(visible(look.given[column]))) for column in unseen]
    parts += [f"<p>{escape(NOTHING)}</p>"] if not look.gazes else []
    parts += [_gaze(look, gaze) for gaze in look.gazes]
    return "\n".join([*parts, '<p class="told" aria-live="polite"></p>', "</article>"])


def _line(name: str, text: str, inner: str, more: str = "") -> str:
    # The language of the data is unknown: lang="" keeps a reader aloud from taking it for English.
    line = f'<p class="line{more}" lang="" dir="{direction(text)}">{inner or EMPTY}</p>'
    return f'<p class="name">{escape(visible(name))}</p>{line}'


def _linked(kind: str, cut: Iterable[Bit], told: Callable[[Bit], str], strange: Container[int] = ()) -> str:
    """A line's text; what belongs to no place or piece stays plain, and `strange` places are marked."""
    inner = ""
    tab = 0  # one stop of the tab key a line; the arrow keys go on from there
    for bit in cut:
        text = escape(visible(bit.text))
        if bit.at:
            at = " ".join(map(str, bit.at))
            more = " unknown" if any(one in strange for one in bit.at) else ""
            title = told(bit) + (f" ({NOT_KNOWN})" if more else "")
            inner += (
                f'<span class="bit {kind}{more}" data-at="{at}" tabindex="{tab}" role="button" title="{escape(title)}">'
                f"{text}</span>"
            )
            tab = -1
        else:
            inner += text
    return inner


def _answer(look: Look) -> str:
    """The answer, its pieces linked, the end as a mark."""

    def told(bit: Bit) -> str:
        pieces = [look.outputs[at] for at in bit.at]
        return ", ".join(
            f"{isolated(piece_label(piece.text))}: probability {percent(piece.probability)}" for piece in pieces
        )

    spans = [piece.span for piece in look.outputs]
    ends = [bit for at, (start, end) in enumerate(spans) if start == end for bit in (Bit(" ", ()), Bit(END, (at,)))]
    return _line("answer", look.text, _linked("piece", [*bits(look.text, spans), *ends], told), " answer")


def _gaze(look: Look, gaze: Gaze) -> str:
    strange = {at for at, place in enumerate(gaze.places) if place.unknown}
    parts = ['<section class="gaze">']
    if len(look.gazes) > 1:
        parts.append(f"<h3>{escape(title(gaze))}</h3>")
    for group in groups(look, gaze):
        text = look.given[group.column]
        cut = bits(text, [gaze.places[at].span for at in group.places])
        numbered = (bit._replace(at=tuple(group.places[at] for at in bit.at)) for bit in cut)
        inner = _linked("place", numbered, lambda bit: isolated(visible(bit.text)), strange)
        parts.append(_line(group.column, text, inner))
    parts.append(_table(look, gaze) if gaze.places else f"<p>{escape(NO_PLACES)}</p>")
    return "\n".join([*parts, "</section>"])


def _table(look: Look, gaze: Gaze) -> str:
    columns = groups(look, gaze)
    order = drawn(columns, columns[0].direction)
    highest = top(gaze.weights)
    both = zip(look.outputs, gaze.weights, strict=True)
    body = "\n".join(_row(piece, weights, gaze, order, highest) for piece, weights in both)
    strange = f'<span class="unknown">{NOT_KNOWN}</span>' if any(place.unknown for place in gaze.places) else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="heat map: {escape(title(gaze))}">\n'
        f'<table data-top="{highest:g}">\n<thead>{_heads(gaze, order)}</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>\n"
        f'<p class="legend">weight 0<span class="ramp"></span>{highest:g}{strange}</p>'
    )


def _heads(gaze: Gaze, order: list[Group]) -> str:
    names, heads = [], []
    for group in order:
        seen = [gaze.places[at] for at in group.places]
        texts = [label(place.text) for place in seen]
        turned = max(map(cell_len, texts)) > 3
        name = escape(visible(group.column))
        names.append(f'<th class="column" scope="colgroup" colspan="{len(texts)}">{name}</th>')
        pairs = zip(texts, seen, strict=True)
        heads.append("".join(_head("col", text, turned, place.unknown) for text, place in pairs))
    named = f"<tr><td></td>{_GAP.join(names)}<td></td></tr>" if len(order) > 1 else ""
    return f"{named}<tr><td></td>{_GAP.join(heads)}<td></td></tr>"


def _head(scope: str, text: str, turned: bool = False, unknown: bool = False) -> str:
    shown = short(text, LONGEST)
    told = f"{text} ({NOT_KNOWN})" if unknown else text
    title = f' title="{escape(told)}"' if shown != told else ""
    classes = " ".join(["turned"] * turned + ["unknown"] * unknown)
    more = f' class="{classes}"' if classes else ""
    return f'<th scope="{scope}" lang=""{more}{title}><span dir="auto">{escape(shown)}</span></th>'


def _row(piece: Piece, weights: np.ndarray, gaze: Gaze, order: list[Group], highest: float) -> str:
    def cell(at: int) -> str:
        told = escape(tooltip(piece, gaze.places[at], float(weights[at])))
        return f'<td class="w" data-place="{at}" style="--w:{weights[at] / highest:.3f}" title="{told}"></td>'

    cells = _GAP.join("".join(map(cell, group.places)) for group in order)
    return (
        f'<tr>{_head("row", piece_label(piece.text))}{cells}<td class="chance">{percent(piece.probability)}</td></tr>'
    )


class Html:
    name = "html"

    @staticmethod
    def draw(looks: Sequence[Look]) -> bytes:
        return html(looks).encode()
