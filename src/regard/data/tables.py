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
from regard.errors import RegardError, nearest, typed

Say = Callable[[str], object]

SMALL = 8 << 20  # bytes of a file that is not worth a place in the cache
GZIPPED = 5  # how much larger text is than its gzip, about
SUFFIXES = {
    "tsv": "tsv", "tab": "tsv", "txt": "tsv", "csv": "csv", "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl",
    "parquet": "parquet", "pq": "parquet", "arrow": "arrow", "feather": "arrow", "ipc": "arrow",
}  # fmt: skip
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
ZIP, OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


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

    def without(self, name: str | None) -> "Table":
        """The same table, this column left out."""
        return self if name is None else replace(self, arrow=self.arrow.drop_columns([name]))

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
        return _in_memory(_from_dataframe(source), "the table given", where, say)
    paths = [source] if isinstance(source, str | os.PathLike) else source
    if paths != ["-"] and isinstance(paths, list | tuple) and all(isinstance(one, str | os.PathLike) for one in paths):
        return _from_files([from_path(Path(one)) for one in paths], header, where, say)
    stream = sys.stdin if paths == ["-"] else source
    if not hasattr(stream, "read"):
        kind = type(source).__name__
        raise RegardError(f"a table is a path, two parallel paths, an open file or a dataframe, not {kind}")
    content = getattr(stream, "buffer", stream).read()
    name = getattr(stream, "name", None)
    origin = "standard input" if stream is sys.stdin else name if isinstance(name, str) else "the file given"
    held = Source(origin, None, content.encode() if isinstance(content, str) else content)
    return _in_memory(_open([held], header), origin, where, say)


def _from_dataframe(given: Any) -> Rows:
    try:
        arrow = pa.table(given)
    except pa.ArrowException as error:
        raise RegardError(f"the table given cannot be read: {error}; a column needs values of one kind") from None
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])[1:-1]
        raise RegardError(f"the table given cannot be read: {half} is half of a character; mend its cell") from None
    return formats.from_batches(arrow.schema, iter(arrow.to_batches()), "the table given")


def _refuse_packed(source: Source) -> None:
    """A file of a spreadsheet is told as such, and not as bytes that are no text."""
    head = source.head()[: 1 << 16]
    if head.startswith(ZIP):
        excel = b"[Content_Types].xml" in head or b"xl/" in head
        sheet = "an Excel file" if excel else "a spreadsheet" if b"opendocument.spreadsheet" in head else ""
    else:
        sheet = "an Excel file" if head.startswith(OLD_EXCEL) else ""
    if sheet:
        raise RegardError(f"{source.origin} is {sheet}; save it as CSV (UTF-8)")
    if head.startswith(ZIP):
        raise RegardError(f"{source.origin} is a ZIP archive; unpack it")


def _format(source: Source) -> str:
    head = source.head()
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    suffix = _name(source).lower().rpartition(".")[2]
    if suffix in ("parquet", "pq", "arrow", "feather", "ipc"):
        raise RegardError(f"{source.origin} is not {SUFFIXES[suffix].capitalize()}, whatever its name says")
    return SUFFIXES.get(suffix) or ("jsonl" if head.lstrip().startswith(b"{") else "tsv")


def _open(sources: list[Source], header: bool | None) -> Rows:
    for source in sources:
        _refuse_packed(source)
    if len(sources) > 1:
        return formats.read_lines(sources, _parallel_names(sources))
    (source,) = sources
    form = _format(source)
    if form in ("tsv", "csv"):
        return formats.read_delimited(source, form, header)
    if form == "jsonl":
        return formats.read_json_lines(source)
    return formats.read_parquet(source) if form == "parquet" else formats.read_arrow(source)


def _name(source: Source) -> str:
    """The name of the file, without its folder and the ending of gzip."""
    return Path(source.origin).name.removesuffix(".gz")


def _parallel_names(sources: Sequence[Source]) -> list[str]:
    """The files' endings where they tell them apart (`train.en`, `train.de`), else their names."""
    names = [_name(source) for source in sources]
    endings = [name.rpartition(".")[2] for name in names]
    return endings if len(set(endings)) == len(endings) else names


def _from_files(sources: list[Source], header: bool | None, where: dict[str, str], say: Say | None) -> Table:
    origin = " + ".join(source.origin for source in sources)
    if not sources:
        raise RegardError("no file was given to read a table from")
    size = sum(source.bytes * (GZIPPED if str(source.path).endswith(".gz") else 1) for source in sources)
    if size <= SMALL or not all(source.path for source in sources):
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
            none = typed("--no-header", "header=False")
            only = f" below its header ({none} if it has none)" if rows.guessed and rows.header else ""
            raise RegardError(f"{self.origin} has no rows{only}")
        if not left:
            name, value = next(iter(wanted.items()))
            raise RegardError(
                f"{self.origin}: no row has {', '.join(f'{n}={v}' for n, v in wanted.items())}; "
                f"{name} holds, for example, {', '.join(sorted(others[name])[:5])}"
            )
        remarks = list(rows.remarks)
        if ragged.count:
            more = "; …" if ragged.count > len(ragged.first) else ""
            many = "1 row" if ragged.count == 1 else f"{ragged.count:,} rows"
            remarks.append(f"{many} left out, not having {width}: {first}{more}")
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
        arrow.remove_column(arrow.num_columns - 1),
        origin,
        notes["header"],
        arrow.column(arrow.num_columns - 1),  # by place: any name may be a column's
        notes["line_word"],
        notes["ragged"],
        tuple((line, cells) for line, cells in notes["ragged_first"]),
    )
