"""What the table itself says of which columns are read and written, where nobody says it.

What is not asked for is chosen only where one reading is left; where several are left, the error lists them as the
command to copy. Unusual here: a column is left aside only where it cannot matter (a number for each row, the same text
in every row) or where the header names the two that do; one that might, such as a label beside two sentences, makes the
person choose.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from shlex import quote

import pyarrow.compute as pc

from regard.data.guesses import Guess, guess
from regard.data.tables import Table
from regard.data.texts import Strings, sample
from regard.errors import RegardError, typed

# What a header may call them. The first two say all; the others only tell apart more than two columns.
READ, WRITTEN = frozenset({"source", "src", "input"}), frozenset({"target", "tgt", "output"})
_OFTEN_READ = "grapheme graphemes lemma native original premise question spelling utterance word"
_OFTEN_WRITTEN = """
    answer form hypothesis ipa phoneme phonemes phones pronunciation reply romanised romanized summary transcription
    translation transliteration
"""
OFTEN_READ, OFTEN_WRITTEN = READ | set(_OFTEN_READ.split()), WRITTEN | set(_OFTEN_WRITTEN.split())
WEIGHS = frozenset({"attestations", "count", "counts", "freq", "frequency", "weight"})
TAGGED = frozenset({"feats", "features", "morphology", "msd", "tags"})
FEW = 20  # a column with no more different cells may be a label
LOOKED_AT = 20_000  # rows
SHOWN = 20  # characters of a cell in a message


class Undecided(RegardError):
    """The table leaves open which column is read or written; the message lists the readings."""


class Chooser:
    """The roles while they are being chosen."""

    def __init__(
        self,
        table: Table,
        sources: list[str],
        features: list[str],
        target: str | None,
        weight: str | None,
        purpose: str | None,
    ):
        self.table, self.sources, self.features, self.target, self.weight = table, sources, features, target, weight
        self.purpose = purpose
        self.guess: Callable[[str], Guess] = cache(self._guess)
        self.looked: Callable[[str], list[str]] = cache(lambda name: sample(self._column(name), LOOKED_AT))
        seen: dict[str, str] = {}
        for option, names in self._asked():
            for name in names:
                if name in seen:
                    twice = f"{_option(seen[name])} and by {_option(option)}"
                    raise RegardError(f"column {name!r} is asked for twice, by {twice}; leave one out")
                seen[name] = option
        if purpose == "language-model" and (sources or features):
            raise RegardError(f"a language model reads no column: leave out {_option(seen[[*sources, *features][0]])}")

    @property
    def targets(self) -> list[str]:
        return [] if self.target is None else [self.target]

    @property
    def _weights(self) -> list[str]:
        return [] if self.weight is None else [self.weight]

    def _column(self, name: str) -> Strings:
        return Strings(self.table.arrow.column(name))

    def _guess(self, name: str) -> Guess:
        return guess(self._column(name), feature=name in self.features)

    def named(self, name: str) -> str:
        """A column for a message; one that has only a number shows what it begins with."""
        return f"column {name}{self._begins(name)}" if name.isdecimal() else name

    def _begins(self, name: str) -> str:
        cell = next((cell for cell in self.looked(name) if cell.strip()), "")
        return f" ({cell if len(cell) <= SHOWN else cell[: SHOWN - 1] + '…'})" if cell else ""

    def choose(self) -> str:
        """Fill what is open; what was chosen, in words (empty where everything was asked for)."""
        reads = self.purpose != "language-model" and not self.sources
        writes = self.purpose != "answer" and self.target is None
        rest = [
            name
            for name in self.table.names
            if name not in (*self.sources, *self.features, *self.targets, *self._weights)
        ]
        if not reads and not writes:
            return self._hints(rest)
        if self.weight is None and (counted := self._counts(rest)):
            self.weight = counted
            rest.remove(counted)
        if not self.features and self.purpose != "language-model":
            tagged = [name for name in rest if self._called(name, TAGGED) or self.guess(name).unit == "tags"]
            # What is left must still hold all that is open: two columns of which one is tags are read and written.
            if len(rest) - len(tagged) >= reads + writes:
                self.features = tagged
                rest = [name for name in rest if name not in tagged]
        if len(rest) > reads + writes:
            kept = [name for name in rest if not self._says_nothing(name)]
            rest = kept if len(kept) >= reads + writes else rest
        self._pick(rest, reads, writes)
        return self._in_words()

    def _pick(self, rest: list[str], reads: bool, writes: bool) -> None:
        if reads and writes:
            if len(rest) == 1 and len(self.table.names) == 1:
                (self.target,) = rest  # a single column can be learnt, if nothing is read
            elif len(rest) == 2:
                first, second = rest
                if self._called(first, WRITTEN) and self._called(second, READ):
                    first, second = second, first
                self.sources, self.target = [first], second
            elif pair := self._pair(rest):
                self.sources, self.target = [pair[0]], pair[1]
            else:
                raise self._open(rest, reads, writes)
        elif len(rest) == 1:
            self._take(rest[0], reads)
        else:
            usual = [name for name in rest if self._called(name, READ if reads else WRITTEN)]
            if len(usual) != 1:
                raise self._open(rest, reads, writes)
            self._take(usual[0], reads)

    def _take(self, name: str, reads: bool) -> None:
        if reads:
            self.sources = [name]
        else:
            self.target = name

    def _pair(self, rest: Sequence[str]) -> tuple[str, str] | None:
        """The two columns whose names say that one is read and the other written, if there are such."""
        for read, written in ((READ, WRITTEN), (OFTEN_READ, OFTEN_WRITTEN)):
            froms = [name for name in rest if self._called(name, read)]
            tos = [name for name in rest if self._called(name, written)]
            if len(froms) == len(tos) == 1:
                labels = [name for name in rest if name not in (*froms, *tos) and self._may_be_label(name)]
                if read is READ or not labels:
                    return froms[0], tos[0]
        return None

    def _called(self, name: str, names: frozenset[str]) -> bool:
        return self.table.header and name.casefold() in names

    def _counts(self, rest: Sequence[str]) -> str | None:
        """The column of counts: by its name, or without a header the last of three or more, all whole numbers."""
        if self.table.header:
            named = [name for name in rest if self._called(name, WEIGHS)]
            return named[0] if len(named) == 1 and self._whole_numbers(named[0]) else None
        last = self.table.names[-1]
        if last not in rest or len(self.table.names) < 3 or not self._whole_numbers(last):
            return None
        return last if len(set(self.looked(last))) < len(self.looked(last)) else None

    def _whole_numbers(self, name: str) -> bool:
        """Whether every cell is a whole number from 1. A 0 would be a label, or a row that does not count."""
        if not all(cell.isdecimal() for cell in self.looked(name)[:100]):
            return False
        return bool(pc.all(pc.match_substring_regex(self.table.arrow.column(name), "^[1-9][0-9]*$")).as_py())

    def _says_nothing(self, name: str) -> bool:
        """The same text in every row, or a number for each."""
        cells = self.looked(name)
        if len(cells) > 1 and all(cell.isdecimal() for cell in cells) and len(set(cells)) == len(cells):
            return True
        return len(set(cells)) == 1 and bool(pc.all(pc.equal(self.table.arrow.column(name), cells[0])).as_py())

    def _may_be_label(self, name: str) -> bool:
        return len(set(self.looked(name))) <= min(FEW, len(self.looked(name)) // 2)

    def _in_words(self) -> str:
        said = [f"{' and '.join(map(self.named, self.sources))} is read" if self.sources else "nothing is read"]
        if self.features:
            said.append(f"with {' and '.join(map(self.named, self.features))} as features")
        if self.target is not None:
            said.append(f"{self.named(self.target)} is written")
        if self.weight is not None:
            said.append(f"rows weigh as {self.named(self.weight)} says")
        unused = [
            name
            for name in self.table.names
            if name not in (*self.sources, *self.features, *self.targets, *self._weights)
        ]
        if unused:
            said.append(f"not used: {', '.join(map(self.named, unused))}")
        return f"{', '.join(said)} ({self._command()} to say so)"

    def _asked(self) -> list[tuple[str, list[str]]]:
        """What each option names."""
        named = [("source", self.sources), ("features", self.features)]
        return [*named, ("target", self.targets), ("weight", self._weights)]

    def _command(self) -> str:
        return typed(" ", ", ").join(_option(option, *names) for option, names in self._asked() if names)

    def _hints(self, rest: Sequence[str]) -> str:
        """What might have been meant to be used too."""
        hints = []
        if self.weight is None and (counted := self._counts(rest)):
            hints.append(
                f"{self.named(counted)} holds counts and is not used ({_option('weight', counted)} if rows weigh so)"
            )
        return "; ".join(hints)

    def _open(self, rest: Sequence[str], reads: bool, writes: bool) -> Undecided:
        """The error that lists the readings that are left."""
        what = " and ".join(["what is read"] * reads + ["what is written"] * writes)
        labels = [name for name in rest if self._may_be_label(name)]
        if reads and writes:
            taken = [name for name in self.table.names if name not in rest]
            pairs = list(permutations(rest, 2)) or [(a, b) for a in rest for b in taken]
            pairs.sort(key=lambda pair: len({*pair} & {*labels}))
            found = [typed(" ", " and ").join([_option("source", a), _option("target", b)]) for a, b in pairs[:4]]
        else:
            option = "source" if reads else "target"
            found = [_option(option, name) for name in sorted(rest, key=lambda name: name in labels)[:6]]
        if not found:
            return Undecided(f"{self.table.origin} has no column left for {what} beside {self._command()}")
        columns = ", ".join(f"{name}{self._begins(name)}" for name in self.table.names)
        label = labels[0] if labels else ""
        some = [_where(label, self.looked(label)[0])] if labels else []
        where = f"; {some[0]} would use only some rows" if some else ""
        return Undecided(f"{self.table.origin} leaves open {what}: say {_either(found)}{where}; its columns: {columns}")


def _either(options: Sequence[str]) -> str:
    return " or ".join([", ".join(options[:-1]), options[-1]] if len(options) > 1 else options)


def _option(option: str, *names: str) -> str:
    """`--from a --from b`, or `source=['a', 'b']`; without names the option itself."""
    command = {"source": "--from", "target": "--to"}.get(option, f"--{option}")
    if not names:
        return typed(command, option)
    given = repr(names[0] if len(names) == 1 else list(names))
    return typed(" ".join(f"{command} {quote(name)}" for name in names), f"{option}={given}")


def _where(name: str, value: str) -> str:
    return typed(f"--where {quote(f'{name}={value}')}", f"where={ ({name: value})!r}")
