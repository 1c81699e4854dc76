"""What is in a table, before anything is trained on it: `regard inspect table.tsv`.

Unusual here: symbols and lengths are counted through the very columns that training would fit, so that what is said of
a table (letters taken apart, subwords, tags) is what a model would see of it. Everything is counted over all rows; only
units are guessed from a sample.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc
import regex

from regard.batch import SPECIALS, UNKNOWN
from regard.data.choosing import Undecided
from regard.data.columns import TextColumn
from regard.data.forms import RARE, Forms, count_forms
from regard.data.guesses import guess
from regard.data.roles import SEPARATORS, Roles, choose_roles
from regard.data.splits import hashes
from regard.data.surveyed import (
    Bar,
    ColumnSurvey,
    Direction,
    Directions,
    Duplicates,
    FormCounts,
    LeftOut,
    Lengths,
    Survey,
    SymbolCount,
    Symbols,
    Unknown,
    UnknownSymbol,
)
from regard.data.tables import Say, Table
from regard.data.texts import Strings, chunks
from regard.data.usable import blank, lacking

BARS, LISTED = 30, 12  # of a histogram, and symbols of a list, at most
RIGHT_TO_LEFT = regex.compile(r"[\p{bidi_class=R}\p{bidi_class=AL}]")
LEFT_TO_RIGHT = regex.compile(r"\p{bidi_class=L}")


def survey(table: Table, *, say: Say | None = None, **asked: Any) -> Survey:
    """Look at a whole table; `asked` is what `choose_roles` is asked for (`sources`, `target`, `units` …)."""
    undecided = None
    try:
        roles = choose_roles(table, **asked, say=say)
    except Undecided as error:
        undecided, roles = str(error), Roles((), (), None, None, {})
    units = {table.column(name): unit for name, unit in (asked.get("units") or {}).items()} | roles.units
    return Survey(
        origin=table.origin,
        rows=len(table),
        header=table.header,
        columns=[_column(table, name, roles, units) for name in table.names],
        undecided=undecided,
        left_out=_left_out(table, roles),
        duplicates=_duplicates(table, roles),
    )


def _column(table: Table, name: str, roles: Roles, units: Mapping[str, str]) -> ColumnSurvey:
    texts = Strings(table.arrow.column(name))
    found = guess(texts, feature=name in roles.features)
    unit = units.get(name, found.unit)
    separators = roles.separators.get(name) or found.separators or SEPARATORS
    filled = ~blank(texts.column)
    lengths = symbols = counted = None
    forms = count_forms(texts)
    if filled.any():
        column = TextColumn.fit(name, texts, unit=unit, separators=tuple(separators), rare=1)
        lengths, symbols = _symbols(column, texts, filled)
        counted = _forms(forms, column)
    places = {"source": roles.sources, "feature": roles.features, "target": (roles.target,), "weight": (roles.weight,)}
    return ColumnSurvey.model_validate(
        {
            "name": name,
            "role": next((role for role, names in places.items() if name in names), None),
            "kind": "text",
            "unit": unit,
            "reason": found.reason if unit == found.unit else "as asked for",
            "empty": int((~filled).sum()),
            "different": len(np.unique(hashes([texts]))),
            "example": next((text for text in texts if text.strip()), ""),
            "lengths": lengths,
            "symbols": symbols,
            "forms": counted,
            "directions": _directions(texts),
        }
    )


def _symbols(column: TextColumn, texts: Strings, filled: np.ndarray) -> tuple[Lengths, Symbols]:
    counts = np.zeros(column.size, np.int64)
    lengths: list[np.ndarray] = []
    for chunk in chunks(texts):
        ids = column.encode_ids(chunk)
        lengths.append(np.fromiter(map(len, ids), np.int64, len(ids)))
        counts += np.bincount(np.concatenate(ids), minlength=column.size)
    order = np.argsort(-counts[len(SPECIALS) :], kind="stable") + len(SPECIALS)
    order = order[counts[order] > 0]

    def listed(some: np.ndarray) -> list[SymbolCount]:
        return [SymbolCount(symbol=column.symbol(int(id)), count=int(counts[id])) for id in some]

    seen = counts[order]
    found = Symbols(
        different=len(order),
        seen=int(counts.sum()),
        once=int((seen == 1).sum()),
        rare=int((seen < RARE).sum()),
        commonest=listed(order[:LISTED]),
        rarest=listed(order[LISTED:][::-1][:LISTED]),
    )
    return _lengths(np.concatenate(lengths)[filled]), found


def _lengths(lengths: np.ndarray) -> Lengths:
    return Lengths(
        shortest=int(lengths.min()),
        median=float(np.median(lengths)),
        most=int(np.quantile(lengths, 0.95, method="inverted_cdf")),
        longest=int(lengths.max()),
        histogram=histogram(lengths),
    )


def histogram(lengths: np.ndarray) -> list[Bar]:
    """Bars of one width from the shortest on; where few are much longer than the rest, the last bar holds those too."""
    low, high = int(lengths.min()), int(lengths.max())
    usual = min(high, int(2 * np.quantile(lengths, 0.99, method="inverted_cdf")) - low)
    width = -(-(max(usual, low) - low + 1) // BARS)
    numbers = np.minimum((lengths - low) // width, (max(usual, low) - low) // width)
    counts = np.bincount(numbers)
    starts = [low + i * width for i in range(len(counts))]
    ends = [start - 1 for start in starts[1:]] + [high]
    return [Bar(shortest=a, longest=b, rows=int(n)) for a, b, n in zip(starts, ends, counts, strict=True)]


def _forms(forms: Forms, column: TextColumn) -> FormCounts:
    return FormCounts(
        form=forms.form,
        plain=forms.rows["plain"],
        nfc=forms.rows["NFC"],
        nfd=forms.rows["NFD"],
        other=forms.rows["other"],
        taken_apart=column.decomposed,
        notes=list(column.notes),
    )


def _directions(texts: Strings) -> Directions:
    # Arrow looks for the characters that occur, which is faster than asking every character for its class.
    occurring = "".join(set().union(*({*"".join(chunk)} for chunk in chunks(texts))))
    right, left = (_holds(texts, sign.findall(occurring)) for sign in (RIGHT_TO_LEFT, LEFT_TO_RIGHT))
    mixed, right_only, left_only = int((right & left).sum()), int((right & ~left).sum()), int((left & ~right).sum())
    ways: dict[Direction, int] = {"left to right": left_only, "right to left": right_only, "mixed": mixed}
    there = [way for way, rows in ways.items() if rows]
    overall: Direction = "none" if not there else there[0] if len(there) == 1 else "mixed"
    return Directions(direction=overall, left_to_right=left_only, right_to_left=right_only, mixed=mixed)


def _holds(texts: Strings, characters: Sequence[str]) -> np.ndarray:
    """Whether each cell has one of these characters."""
    if not characters:
        return np.zeros(len(texts), bool)
    return np.asarray(pc.match_substring_regex(texts.column, f"[{''.join(characters)}]"))


def _left_out(table: Table, roles: Roles) -> list[LeftOut]:
    found = []
    if table.ragged:
        line, cells = table.ragged_first[0]
        why = f"not {len(table.names)} cell{'s' if len(table.names) > 1 else ''}"
        place = f"{table.origin}, {table.line_word} {line} ({cells})"
        found.append(LeftOut(why=why, rows=table.ragged, first=place))
    for what, rows in lacking(table, roles).items():
        if rows.any():
            first = table.place(int(rows.argmax()))
            found.append(LeftOut(why=f"nothing {what}", rows=int(rows.sum()), first=first))
    return found


def _duplicates(table: Table, roles: Roles) -> Duplicates:
    def different(names: Sequence[str]) -> int:
        return len(np.unique(hashes([Strings(table.arrow.column(name)) for name in names])))

    read, several, sources = (*roles.sources, *roles.features), None, None
    if read:
        sources = len(table) - different(read)
        if roles.target is not None:
            asked, answered = (
                hashes([Strings(table.arrow.column(name)) for name in names]) for names in (read, (*read, roles.target))
            )
            _, first = np.unique(answered, return_index=True)
            _, answers = np.unique(asked[first], return_counts=True)
            several = int((answers > 1).sum())
    return Duplicates(rows=len(table) - different(table.names), sources=sources, several_answers=several)


def unknown(columns: Mapping[str, TextColumn], table: Table, places: Mapping[str, str]) -> list[Unknown]:
    """What these columns of a model do not know of a table; `places`: which columns of the table they are."""
    return [_unknown(columns[name], table, place) for name, place in places.items()]


def _unknown(column: TextColumn, table: Table, name: str) -> Unknown:
    counts: dict[str, int] = {}
    first: dict[str, tuple[int, str]] = {}
    rows = longer = row = 0
    for chunk in chunks(Strings(table.arrow.column(name))):
        ids = column.encode_ids(chunk)
        longer += sum(len(one) > column.longest for one in ids)
        strange = [i for i, one in enumerate(ids) if (one == UNKNOWN).any()]
        rows += len(strange)
        for i in strange:
            for part in column.unknown(chunk[i]):
                counts[part] = counts.get(part, 0) + 1
                first.setdefault(part, (row + i, chunk[i]))
        row += len(chunk)
    symbols = [
        UnknownSymbol(symbol=part, count=n, first=table.place(first[part][0]), example=first[part][1])
        for part, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return Unknown(column=name, rows=rows, symbols=symbols, longest_known=column.longest, longer=longer)
