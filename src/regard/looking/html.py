"""Looks as one HTML file: answer and source as text, linked both ways, the heat map beneath; no network is touched.

Unusual here: the texts are cut between graphemes, never inside one. A place may be a lone vowel sign, or one of
three letters that a syllable was decomposed into; it belongs to the grapheme that a reader sees, and the script adds
up the weights of all places there. `fragment` is what notebooks show; every look on a page shares one script.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import NamedTuple

import regex
from rich.cells import cell_len

from regard.looking.colours import top
from regard.looking.labels import (
    NO_PLACES,
    NOTHING,
    direction,
    drawn,
    given,
    groups,
    label,
    percent,
    piece_label,
    title,
    visible,
)
from regard.looking.look import Gaze, Look

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_PAGE = "body{margin:1.5rem auto;max-width:75rem;padding:0 1rem}:root{color-scheme:light dark}"


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
    for match in regex.finditer(r"\X", text):
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
    name = f"{given(shown[0])} → {visible(shown[0].text)}" if len(shown) == 1 else f"{len(shown)} looks"
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
    parts = ['<article class="regard-look">', _answer(look)]
    parts += [_line(_name(column), look.given[column], escape(visible(look.given[column]))) for column in unseen]
    parts += [f"<p>{escape(NOTHING)}</p>"] if not look.gazes else []
    parts += [_gaze(look, gaze) for gaze in look.gazes]
    return "\n".join([*parts, '<p class="told" aria-live="polite"></p>', "</article>"])


def _name(column: str) -> str:
    return f'<p class="name">{escape(visible(column))}</p>'


def _line(name: str, text: str, inner: str, more: str = "") -> str:
    # The language of the data is unknown: lang="" keeps a reader aloud from taking it for English.
    return f'{name}<p class="line{more}" lang="" dir="{direction(text)}">{inner}</p>'


def _bit(kind: str, text: str, at: Sequence[int], told: str, first: bool) -> str:
    places = " ".join(map(str, at))
    tab = 0 if first else -1  # one stop of the tab key a line; arrows go on from there
    return (
        f'<span class="bit {kind}" data-at="{places}" tabindex="{tab}" role="button" title="{escape(told)}">'
        f"{escape(visible(text))}</span>"
    )


def _answer(look: Look) -> str:
    """The answer, its pieces linked, the end as a mark."""
    inner = []
    cut = [*bits(look.text, [piece.span for piece in look.outputs])]
    ends = [at for at, piece in enumerate(look.outputs) if piece.span[0] == piece.span[1]]
    cut += [Bit("", (at,)) for at in ends]
    first = True
    for text, at in cut:
        if not at:
            inner.append(escape(visible(text)))
            continue
        told = ", ".join(
            f"{piece_label(look.outputs[a].text)}: probability {percent(look.outputs[a].probability)}" for a in at
        )
        inner.append(_bit("piece", text or piece_label(look.outputs[at[0]].text), at, told, first))
        first = False
    return _line("", look.text, "".join(inner), " answer")


def _gaze(look: Look, gaze: Gaze) -> str:
    parts = ['<section class="gaze">']
    if len(look.gazes) > 1:
        parts.append(f"<h3>{escape(title(gaze))}</h3>")
    columns = groups(look, gaze)
    for group in columns:
        text = look.given.get(group.column, "")
        cut = bits(text, [gaze.places[at].span for at in group.places])
        inner, first = [], True
        for piece, at in cut:
            if not at:
                inner.append(escape(visible(piece)))
                continue
            inner.append(_bit("place", piece, [group.places[a] for a in at], piece, first))
            first = False
        parts.append(_line(_name(group.column) if len(look.given) > 1 else "", text, "".join(inner)))
    parts.append(_table(look, gaze) if gaze.places else f"<p>{escape(NO_PLACES)}</p>")
    return "\n".join([*parts, "</section>"])


def _table(look: Look, gaze: Gaze) -> str:
    highest = top(gaze.weights)
    columns = groups(look, gaze)
    order = drawn(columns, columns[0].direction)
    turned = max(cell_len(label(place.text)) for place in gaze.places) > 3
    edge = {group.places[0] for group in order[1:]}
    head = []
    if len(columns) > 1:
        names = "".join(
            f'<th class="column{" first" if at else ""}" colspan="{len(group.places)}">{escape(visible(group.column))}</th>'
            for at, group in enumerate(order)
        )
        head.append(f"<tr><td></td>{names}<td></td></tr>")
    heads = []
    for group in order:
        for at in group.places:
            kinds = " ".join(kind for kind, on in (("turned", turned), ("first", at in edge)) if on)
            heads.append(
                f'<th scope="col" class="{kinds}" lang=""><span dir="auto">{escape(label(gaze.places[at].text))}</span></th>'
            )
    head.append(f"<tr><td></td>{''.join(heads)}<td></td></tr>")
    rows = []
    for row, piece in enumerate(look.outputs):
        cells = []
        for group in order:
            for at in group.places:
                weight = float(gaze.weights[row, at])
                told = f"{piece_label(piece.text)} ← {label(gaze.places[at].text)}: {weight:.3f}"
                cells.append(
                    f'<td class="w{" first" if at in edge else ""}" data-place="{at}" '
                    f'style="--w:{weight / highest:.3f}" title="{escape(told)}"></td>'
                )
        side = f'<th scope="row" lang=""><span dir="auto">{escape(piece_label(piece.text))}</span></th>'
        rows.append(f'<tr>{side}{"".join(cells)}<td class="chance">{percent(piece.probability)}</td></tr>')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="heat map: {escape(title(gaze))}">'
        f'<table data-top="{highest:g}"><thead>{"".join(head)}</thead><tbody>\n{chr(10).join(rows)}\n</tbody></table></div>'
        f'<p class="legend">weight 0<span class="ramp"></span>{highest:g}</p>'
    )


class Html:
    name = "html"

    @staticmethod
    def draw(looks: Sequence[Look]) -> bytes:
        return html(looks).encode()
