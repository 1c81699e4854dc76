"""Which columns of a table are those that a trained model reads and writes: one answer for every verb.

By what is asked for, else by the model's names. Else by place, as the columns lay in the table that was learnt from:
where one of the two tables has no names, and the number of columns allows one reading. Unusual here: a model that
learnt from a table without a header calls its columns `1`, `2` …, which are places and no names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

from regard.data.tables import Say, Table
from regard.data.texts import Strings
from regard.display import cell
from regard.errors import RegardError, nearest

SHOWN = 20  # terminal cells of a column's first text, in a message


@dataclass(frozen=True)
class Known:
    """The columns of a model."""

    reads: tuple[str, ...]
    target: str
    names: tuple[str, ...] = ()  # all columns of the table that it learnt from, in order; of older models nothing

    def asked(self, sources: Sequence[str], target: str | None) -> dict[str, str]:
        """What `--from` and `--to` ask for, by the model's names."""
        if sources and len(sources) != len(self.reads):
            wanted = " and ".join(self.reads) or "nothing"
            raise RegardError(
                f"the model reads {wanted} ({len(self.reads)} in all, in this order), but --from came"
                f" {len(sources)} times"
            )
        return dict(zip(self.reads, sources, strict=False)) | ({} if target is None else {self.target: target})

    def order(self) -> list[str]:
        """As `names`; guessed for models that do not know."""
        if self.names:
            return list(self.names)
        used = [*self.reads, self.target]
        return _numbers(max(map(int, used))) if all(map(str.isdecimal, used)) else used


def match(
    table: Table, known: Known, wanted: Sequence[str], asked: Mapping[str, str] | None = None, say: Say | None = None
) -> dict[str, str]:
    """For each of these columns of the model that column of the table; what was not told by names is said."""
    found = {name: table.column(told) for name, told in (asked or {}).items() if name in wanted}
    if len({*found.values()}) < len(found):
        twice = next(name for name in found.values() if list(found.values()).count(name) > 1)
        raise RegardError(f"column {twice!r} of {table.origin} is asked for twice by --from and --to; leave one out")
    open_ = [name for name in wanted if name not in found]
    free = [name for name in table.names if name not in found.values()]
    unnamed = table.names == _numbers(len(table.names)) and not table.header
    if not open_ or (not unnamed and {*open_} <= {*free}):
        return {name: found.get(name, name) for name in wanted}
    placed = _places(table, known, wanted)
    others = {*known.reads, known.target} - {*open_}  # of these names none is another column
    if placed and {placed[name] for name in open_} <= {*free}:
        more = {name: placed[name] for name in open_}
    elif len(open_) == len(free) == 1 and (found or len(wanted) == 1) and (unnamed or free[0] not in others):
        more = {open_[0]: free[0]}
    elif {*open_} <= {*free}:
        more = {name: name for name in open_}
    else:
        missing = next(name for name in open_ if name not in free)
        use = "--to COLUMN says which one has the answers" if missing == known.target else "--from COLUMN says which"
        other = " left" if missing in table.names else ""  # it was asked for as another of the model's columns
        raise RegardError(f"{table.origin} has no column {missing!r}{other}: {nearest(missing, free)}; {use}")
    found = {name: (found | more)[name] for name in wanted}
    if say:
        say(f"{table.origin}: {_in_words(table, known, found)}")
    return found


def match_some(table: Table, known: Known, asked: Mapping[str, str], say: Say | None = None) -> dict[str, str]:
    """The same where answers may be missing, or all but a few columns that are there by name."""
    mistake = None
    for wanted in ((*known.reads, known.target), known.reads or (known.target,)):
        try:
            return match(table, known, wanted, asked, say)
        except RegardError as error:
            mistake = mistake or error
    named = {name: name for name in (*known.reads, known.target) if name in table.names}
    if not named and mistake:
        raise mistake
    return named


def _places(table: Table, known: Known, wanted: Sequence[str]) -> dict[str, str] | None:
    """The table's columns by their place, where names say nothing and their number is that of one reading."""
    order = known.order()
    if table.header and not (order == _numbers(len(order)) and known.target.isdecimal()):
        return None
    used = [name for name in order if name in (*known.reads, known.target)]
    for reading in (order, used, [name for name in used if name in wanted]):
        if len(reading) == len(table.names) and {*wanted} <= {*reading}:
            return dict(zip(reading, table.names, strict=True))
    return None


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


def _in_words(table: Table, known: Known, found: Mapping[str, str]) -> str:
    reads = [name for name in found if name != known.target]
    said = []
    if reads:
        several = len(reads) > 1 and not all(map(str.isdecimal, reads))
        shown = [_shown(table, found[name]) + (f" as {name}" if several else "") for name in reads]
        said.append(f"{' and '.join(shown)} {'is' if len(reads) == 1 else 'are'} read")
    if known.target in found:
        said.append(f"{_shown(table, found[known.target])} has the answers")
    options = [f"--from {quote(found[name])}" for name in reads]
    options += [f"--to {quote(found[known.target])}"] if known.target in found else []
    return f"{', '.join(said)} ({' '.join(options)} to say so)"


def _shown(table: Table, name: str) -> str:
    """A column for a message; one that has only a number shows what it begins with."""
    if not name.isdecimal():
        return name
    first = next((text for text in Strings(table.arrow.column(name)) if text.strip()), "")
    return f"column {name}{f' ({cell(first, SHOWN).plain})' if first else ''}"
