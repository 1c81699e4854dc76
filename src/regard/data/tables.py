"""Tables: whatever a person has (a file, parallel files, standard input, a dataframe) as one Arrow table of strings.

What is not Arrow is converted once, in bounded memory, and memory-mapped from a cache; small files are converted in
memory each time, which is faster than looking for them. Everything that was guessed is said.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regard.data import cache, formats
from regard.data.formats import LINE, Rows
from regard.data.sources import Source, from_path
from regard.errors import RegardError, nearest

Say = Callable[[str], object]

SMALL = 8 << 20  # bytes of a file that is not worth a place in the cache
GZIPPED = 5  # how much larger text is than its gzip, about
SUFFIXES = {
    "tsv": "tsv", "tab": "tsv", "txt": "tsv", "csv": "csv", "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl",
    "parquet": "parquet", "pq": "parquet", "arrow": "arrow", "feather": "arrow", "ipc": "arrow",
}  # fmt: skip
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}


@dataclass(frozen=True)
class Table:
    """Rows and columns of strings, and where they came from."""

    arrow: pa.Table
    origin: str
    header: bool  # whether the columns' names were given (else they are "1", "2", …)
    lines: pa.ChunkedArray  # for each row, its line or row in the origin
    line_word: str = "line"
    ragged: int = 0  # rows left out for having too few or too many cells
    ragged_first: tuple[tuple[int, int], ...] = ()  # of the first of them, the line and the number of cells

    @property
    def names(self) -> list[str]:
        return self.arrow.column_names

    def __len__(self) -> int:
        return self.arrow.num_rows

    def take(self, rows: np.ndarray) -> "Table":
        """The same table with these rows only."""
        return replace(self, arrow=self.arrow.take(pa.array(rows)), lines=self.lines.take(pa.array(rows)))

    def row_number(self, row: int) -> int:
        """The line of the file that a row stands on (for CSV, Parquet and dataframes: its row, counted from 1)."""
        return self.lines[int(row)].as_py()

    def place(self, row: int) -> str:
        """Where a row stands, for messages: `words.tsv, line 17`."""
        return f"{self.origin}, {self.line_word} {self.row_number(row)}"

    def column(self, asked: str) -> str:
        """A column's name, asked for by name or by number from 1."""
        if asked in self.names:
            return asked
        if asked.isdecimal() and 1 <= int(asked) <= len(self.names):
            return self.names[int(asked) - 1]
        raise RegardError(f"{self.origin} has no column {asked!r}: {nearest(asked, self.names)}")


def read(
    source: Any,
    *,
    header: bool | None = None,
    where: Mapping[str, str] | None = None,
    say: Say | None = None,
) -> Table:
    """Read a table from a path, several paths of parallel text files, "-" or an open file, or a dataframe.

    `where` keeps the rows whose columns hold exactly these values.
    """
    where = dict(where or {})
    if hasattr(source, "__arrow_c_stream__"):
        arrow = pa.table(source)
        rows = formats.from_batches(arrow.schema, iter(arrow.to_batches()), "the table given")
        return _in_memory(rows, "the table given", where, say)
    if isinstance(source, str | os.PathLike) and str(source) != "-":
        return _from_files([from_path(Path(source))], header, where, say)
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        return _from_files([from_path(Path(one)) for one in source], header, where, say)
    stream = sys.stdin if isinstance(source, str) else source
    if not hasattr(stream, "read"):
        raise RegardError(
            f"a table is a path, two parallel paths, an open file or a dataframe, not {type(source).__name__}"
        )
    content = getattr(stream, "buffer", stream).read()
    held = Source("standard input", None, content.encode() if isinstance(content, str) else content)
    return _in_memory(_open([held], header), held.origin, where, say)


def _format(source: Source) -> str:
    head = source.head()
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    suffix = source.path.name.lower().removesuffix(".gz").rpartition(".")[2] if source.path else ""
    if suffix in ("parquet", "pq", "arrow", "feather", "ipc"):
        raise RegardError(f"{source.origin} is not {SUFFIXES[suffix].capitalize()}, whatever its name says")
    return SUFFIXES.get(suffix) or ("jsonl" if head.lstrip().startswith(b"{") else "tsv")


def _open(sources: list[Source], header: bool | None) -> Rows:
    if len(sources) > 1:
        return formats.read_lines(sources, _parallel_names(sources))
    (source,) = sources
    form = _format(source)
    if form in ("tsv", "csv"):
        return formats.read_delimited(source, form, header)
    if form == "jsonl":
        return formats.read_json_lines(source)
    if form == "parquet":
        return formats.read_parquet(source)
    try:
        file = pa.ipc.open_file(pa.memory_map(str(source.path)) if source.path else pa.BufferReader(source.content))
    except (pa.ArrowInvalid, OSError) as error:
        raise RegardError(f"{source.origin} is not a whole Arrow file: {error}") from None
    batches = (file.get_batch(i) for i in range(file.num_record_batches))
    return formats.from_batches(file.schema, batches, source.origin)


def _parallel_names(sources: Sequence[Source]) -> list[str]:
    """The files' endings where they tell them apart (`train.en`, `train.de`), else their names."""
    names = [source.path.name.removesuffix(".gz") for source in sources if source.path]
    endings = [name.rpartition(".")[2] for name in names]
    return endings if len(set(endings)) == len(endings) else names


def _from_files(sources: list[Source], header: bool | None, where: dict[str, str], say: Say | None) -> Table:
    origin = " + ".join(source.origin for source in sources)
    if not sources:
        raise RegardError("no file was given to read a table from")
    size = sum(source.bytes * (GZIPPED if str(source.path).endswith(".gz") else 1) for source in sources)
    if size <= SMALL:
        return _in_memory(_open(sources, header), origin, where, say)
    options = {"header": header, "where": sorted(where.items())}
    name = cache.key([source.path for source in sources if source.path], options)
    found = cache.find(name)
    if found is None:
        rows = _open(sources, header)
        schema = pa.schema([(one, pa.string()) for one in rows.names] + [(LINE, pa.int64())])
        kept = _Kept(rows, origin, where)
        try:
            cache.keep(name, schema, iter(kept), lambda: kept.notes)
        except OSError as error:
            if say:
                say(f"{origin} is held in memory: the cache {cache.folder()} cannot be written ({error.strerror})")
            return _in_memory(_open(sources, header), origin, where, say)
        found = cache.find(name)
        assert found is not None, "an entry just written can be read"
    return _table(found[0], found[1], origin, say)


def _in_memory(rows: Rows, origin: str, where: dict[str, str], say: Say | None) -> Table:
    kept = _Kept(rows, origin, where)
    schema = pa.schema([(one, pa.string()) for one in rows.names] + [(LINE, pa.int64())])
    return _table(pa.Table.from_batches(list(kept), schema), kept.notes, origin, say)


class _Kept:
    """The batches of a table that `where` leaves, and afterwards what is to be noted of it."""

    def __init__(self, rows: Rows, origin: str, where: dict[str, str]):
        self.rows, self.origin, self.where = rows, origin, where
        self.notes: dict[str, Any] = {}

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        rows, seen, left = self.rows, 0, 0
        names = Table(pa.table({name: [] for name in rows.names}), self.origin, rows.header, pa.chunked_array([[]]))
        wanted = {names.column(asked): value for asked, value in self.where.items()}
        others: dict[str, set[str]] = {name: set() for name in wanted}
        for batch in rows.batches:
            seen += len(batch)
            for name, value in wanted.items():
                if len(others[name]) < 10:
                    others[name].update(pc.unique(batch.column(name))[:10].to_pylist())
                batch = batch.filter(pc.equal(batch.column(name), value))
            left += len(batch)
            if len(batch):
                yield batch
        ragged = rows.ragged
        width = f"{len(rows.names)} cell{'s' if len(rows.names) > 1 else ''}"
        first = "; ".join(f"{rows.line_word} {line} has {cells}" for line, cells in ragged.first)
        if ragged.count > max(1, 0.1 * (seen + ragged.count)) or (ragged.count and not seen):
            raise RegardError(
                f"{self.origin}: {ragged.count} of {seen + ragged.count} rows do not have {width} like the first row "
                f"({first}); is it separated by something else, or is a quotation mark not closed?"
            )
        if not seen:
            raise RegardError(f"{self.origin} has no rows below its header (--no-header if it has none)")
        if not left:
            name, value = next(iter(wanted.items()))
            raise RegardError(
                f"{self.origin}: no row has {', '.join(f'{n}={v}' for n, v in wanted.items())}; "
                f"{name} holds, for example, {', '.join(sorted(others[name])[:5])}"
            )
        remarks = list(rows.remarks)
        if ragged.count:
            more = "; …" if ragged.count > len(ragged.first) else ""
            remarks.append(f"{ragged.count} rows left out that do not have {width}: {first}{more}")
        if wanted:
            remarks.append(f"{left} of {seen} rows have {', '.join(f'{n}={v}' for n, v in wanted.items())}")
        self.notes = {
            "header": rows.header, "line_word": rows.line_word, "remarks": remarks,
            "ragged": ragged.count, "ragged_first": ragged.first,
        }  # fmt: skip


def _table(arrow: pa.Table, notes: dict[str, Any], origin: str, say: Say | None) -> Table:
    if say:
        for remark in notes["remarks"]:
            say(f"{origin}: {remark}")
    return Table(
        arrow.drop_columns([LINE]),
        origin,
        notes["header"],
        arrow.column(LINE),
        notes["line_word"],
        notes["ragged"],
        tuple((line, cells) for line, cells in notes["ragged_first"]),
    )
