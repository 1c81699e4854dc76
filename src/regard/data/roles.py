"""Which columns are read, which is written, which weighs, and how each is cut: as asked for, or as found by looking.

Whatever was found is said aloud, with what to write in order to say otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from regard.data.choosing import Chooser
from regard.data.tables import Say, Table
from regard.data.units import UNITS
from regard.errors import RegardError, nearest

SEPARATORS = ";,()"  # of tags, where nobody says otherwise


@dataclass(frozen=True)
class Roles:
    """What each column is for; `units` has every source, feature and target."""

    sources: tuple[str, ...]
    features: tuple[str, ...]
    target: str | None
    weight: str | None
    units: dict[str, str]
    separators: dict[str, str] = field(default_factory=dict)  # of each column of tags; the first is dropped


def choose_roles(
    table: Table,
    *,
    sources: Sequence[str] = (),
    features: Sequence[str] = (),
    target: str | None = None,
    weight: str | None = None,
    units: Mapping[str, str] | None = None,
    separators: Mapping[str, str] | None = None,
    purpose: str | None = None,
    say: Say | None = None,
) -> Roles:
    """What is asked for, by name or number, and the rest by looking.

    `purpose` is "language-model" where nothing is read (the only way to use a single column), "answer" where nothing is
    written, and None where both are needed.
    """
    chooser = Chooser(
        table,
        [table.column(one) for one in sources],
        [table.column(one) for one in features],
        None if target is None else table.column(target),
        None if weight is None else table.column(weight),
        purpose,
    )
    remark = chooser.choose()
    if say and remark:
        say(f"{table.origin}: {remark}")
    used = [*chooser.sources, *chooser.features, *chooser.targets]
    cut, parted = _cut(table, chooser, used, units or {}, separators or {}, say)
    return Roles(tuple(chooser.sources), tuple(chooser.features), chooser.target, chooser.weight, cut, parted)


def _cut(
    table: Table,
    chooser: Chooser,
    used: Sequence[str],
    units: Mapping[str, str],
    separators: Mapping[str, str],
    say: Say | None,
) -> tuple[dict[str, str], dict[str, str]]:
    """The unit of each column that is used, and what parts the tags of those that are tags."""
    asked = {table.column(name): unit for name, unit in units.items()}
    signs = {table.column(name): text for name, text in separators.items()}
    for name, unit in asked.items():
        if unit not in UNITS:
            raise RegardError(f"unknown unit {unit!r} for column {name!r}: {nearest(unit, UNITS)}")
    for name in dict.fromkeys([*asked, *signs]):
        if name not in used and say:
            say(f"{table.origin}: column {name} is neither read nor written, so how it is cut has no effect")
    cut, parted = {}, {}
    for name in used:
        if name in asked or name in signs:
            cut[name] = asked.get(name, "tags")
        else:
            found = chooser.guess(name)
            cut[name] = found.unit
            if say:
                plural = found.unit if found.unit == "tags" else f"{found.unit}s"
                called = f"column {name}" if name.isdecimal() else name
                say(f"{table.origin}: {called} is cut into {plural}: {found.reason}")
        if cut[name] == "tags":
            parted[name] = signs.get(name) or chooser.guess(name).separators or SEPARATORS
    return cut, parted
