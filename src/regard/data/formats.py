"""From bytes to record batches of strings, a few thousand rows at a time: TSV, CSV, JSON Lines, plain lines, Parquet.

Every batch carries one column more than the table, `LINE`, with the line (or row) each example stands on, so that a
message can name it however many rows were left out before. Unusual here: cells are strings whatever the file thinks
they are; an empty or missing cell is "".
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from re import compile as pattern
from time import monotonic, sleep
from typing import Any
from weakref import ref

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from regard.data.headers import looks_like_header, unique_names
from regard.data.sources import Source
from regard.data.texts import CHUNK
from regard.display import cell
from regard.errors import RegardError, nearest

QUOTED = pattern(r'"[^"]*"')
LINE = "\x00line"
BLOCK = 16 << 20  # the longest row, in bytes
LET_GO = 60.0  # seconds that Arrow's threads get to let go; they take microseconds, or as long as they wait for a core
SAMPLE = 1000  # rows that guesses are made from
DELIMITERS, NAMED = {"tsv": "\t", "csv": ",;\t"}, {";": "semicolons", "\t": "tabs"}
CSV = "it looks like CSV: rename it to .csv"
SHOWN = 20  # terminal cells of a cell in a message


@dataclass
class Ragged:
    """Rows left out because they have too few or too many cells: how many, and the first of them."""

    count: int = 0
    first: list[tuple[int, int]] = field(default_factory=list)  # line, cells

    def add(self, line: int, cells: int) -> None:
        self.count += 1
        if len(self.first) < 5:
            self.first.append((line, cells))


@dataclass
class Rows:
    """A table on its way in: its names, how it was read, and its batches, to be walked once."""

    names: list[str]
    header: bool
    batches: Iterator[pa.RecordBatch]
    remarks: list[str] = field(default_factory=list)
    ragged: Ragged = field(default_factory=Ragged)
    line_word: str = "line"  # what the numbers of `LINE` count
    guessed: bool = False  # whether `header` was found by looking


def batch_of(names: Sequence[str], columns: Sequence[Any], lines: Any) -> pa.RecordBatch:
    arrays = [pa.array(column, pa.string()) for column in columns] + [pa.array(lines, pa.int64())]
    return pa.RecordBatch.from_arrays(arrays, names=[*names, LINE])


def read_delimited(source: Source, form: str, header: bool | None) -> Rows:
    """TSV without quoting, or CSV with (separated by what its first line has most of: commas, semicolons or tabs)."""
    head = source.head()
    text = head.decode(errors="replace")
    if not text.strip():
        raise RegardError(f"{source.origin} is empty; a table needs at least one row")
    first_line = QUOTED.sub("", text).lstrip("\r\n").partition("\n")[0] if form == "csv" else ""
    delimiter = max(DELIMITERS[form], key=first_line.count)
    remarks = [] if delimiter == DELIMITERS[form][0] else [f"cells are separated by {NAMED[delimiter]}"]
    sample = _sample(text, form, delimiter)
    guessed = header is None
    if header is None:
        header = looks_like_header(sample)
    width = len(sample[0])
    names = unique_names(sample[0]) if header else [str(i) for i in range(1, width + 1)]
    if guessed:
        how = f"the first row is a header: {', '.join(names)}" if header else f"no header: {_as_data(sample[0])}"
        remarks.append(f"{how} ({'--no-header' if header else '--header'} if that is wrong)")
    lines = [row[0] for row in sample]
    if form == "tsv" and all(len(row) == 1 for row in sample) and looks_like_csv(lines, quoted=True):
        remarks.append(CSV)
    rows = Rows(names, header, iter(()), remarks, line_word="line" if form == "tsv" else "row", guessed=guessed)
    rows.batches = _delimited_batches(source, rows, delimiter, quoted=form == "csv")
    return rows


def _as_data(row: Sequence[str]) -> str:
    """That the first row is data: it is shown, since it may be what a guess took for data."""
    cells = [cell(text.strip(), SHOWN).plain or "∅" for text in row[:4]] + ["…"] * (len(row) > 4)
    shown = f", {' | '.join(cells)}," if any(map(str.strip, row)) else ""
    return f"the first row{shown} is taken as data and columns are named by number"


def looks_like_csv(lines: Sequence[str], *, quoted: bool = False) -> bool:
    """Whether nearly all lines have as many cells between commas or semicolons (`quoted`: in quotation marks)."""
    full = [line for line in lines if line.strip()]
    if quoted and sum(line[0] == line.rstrip()[-1] == '"' for line in full) < 0.95 * len(full):
        return False
    for sign in ",;":
        try:
            widths = Counter(map(len, csv.reader(full, delimiter=sign)))
        except csv.Error:  # a cell longer than the module takes: a text
            continue
        for width, rows in widths.most_common(1):
            if width > 1 and rows >= 0.95 * len(full):
                return True
    return False


def _sample(text: str, form: str, delimiter: str) -> list[list[str]]:
    if form == "csv":
        read = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return [row or [""] for row in islice(read, SAMPLE)]
    return [line.split(delimiter) for line in io.StringIO(text, newline=None).read().split("\n", SAMPLE)[:SAMPLE]]


def _delimited_batches(source: Source, rows: Rows, delimiter: str, quoted: bool) -> Iterator[pa.RecordBatch]:
    left_out: list[int] = []

    def skip(row: Any) -> str:
        left_out.append(row.number)
        rows.ragged.add(row.number, row.actual_columns)
        return "skip"

    skipping = ref(skip)
    # The names are ours whatever the header says, so that no name comes twice.
    read = pyarrow.csv.ReadOptions(
        column_names=rows.names, skip_rows_after_names=int(rows.header), use_threads=False, block_size=BLOCK
    )
    parse = pyarrow.csv.ParseOptions(
        delimiter=delimiter,
        quote_char='"' if quoted else False,
        double_quote=quoted,
        newlines_in_values=quoted,
        ignore_empty_lines=False,
        invalid_row_handler=skip,
    )
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(rows.names, pa.string()), strings_can_be_null=False, check_utf8=False
    )
    # Looked at before Arrow does, whose messages give no line, and which reads on to the end after an open quotation.
    quotes = source.check()
    if quoted and quotes % 2:
        rows.remarks.append(f"it has an odd number of quotation marks ({quotes}); is one not closed?")
    next_line = 1 + int(rows.header)
    try:
        with source.open() as stream:
            for batch in pyarrow.csv.open_csv(stream, read, parse, convert):
                late = [line for line in left_out if line >= next_line]
                lines = np.arange(next_line, next_line + len(batch) + len(late))
                lines = lines[~np.isin(lines, late)][: len(batch)]
                next_line = int(lines[-1]) + 1 if len(lines) else next_line
                yield batch_of(rows.names, batch.columns, lines)
    except (pa.ArrowInvalid, OSError) as error:
        if "straddling" in str(error):
            raise RegardError(
                f"{source.origin}: a row after {rows.line_word} {next_line - 1} is longer than {BLOCK >> 20} MB; "
                + ("is a quotation mark not closed?" if quoted else "is this a table?")
            ) from None
        raise RegardError(f"{source.origin} cannot be read: {error}") from None
    finally:
        del skip, parse
        _let_go(skipping)


def _let_go(handler: "ref[Any]") -> None:
    """Wait until no thread of Arrow's holds a handler of ours that nothing else holds any more.

    The thread that read the last block may keep the reader, and in it the handler, a moment longer than we do. Letting
    go takes Python's lock, and a thread that asks for it while the interpreter is leaving is ended by it in the middle
    of C++, which aborts the whole process: on a busy machine one mistyped option in ten ended so, with code 134. It is
    asked again and again and not told by a callback, which would run in that thread, still holding the lock.
    """
    until = monotonic() + LET_GO
    while handler() is not None and monotonic() < until:
        sleep(0.001)


def read_lines(sources: Sequence[Source], names: Sequence[str]) -> Rows:
    """Parallel text files: a line of each makes a row; tabs are text like any other."""
    names = unique_names(names)

    def batches() -> Iterator[pa.RecordBatch]:
        walk = zip_longest(*(source.lines() for source in sources))
        while chunk := list(islice(walk, CHUNK)):
            for row in chunk:
                if None in row:
                    raise RegardError(_uneven(sources))
            columns = [[cell[1] for cell in column] for column in zip(*chunk, strict=True)]
            yield batch_of(names, columns, [row[0][0] for row in chunk])

    return Rows(names, False, batches())


def _uneven(sources: Sequence[Source]) -> str:
    counts = [f"{source.origin} has {sum(1 for _ in source.lines())} lines" for source in sources]
    return f"parallel files need as many lines each: {', '.join(counts)}"


def read_json_lines(source: Source) -> Rows:
    """An object a line; numbers and truth values become text, null and missing keys become ""."""

    def records() -> Iterator[tuple[int, Mapping[str, Any]]]:
        return ((number, _object(source, number, line)) for number, line in source.lines() if line.strip())

    keys = dict.fromkeys(key for _, record in islice(records(), SAMPLE) for key in record)
    if not keys:
        raise RegardError(f"{source.origin} is empty; a table needs at least one row")
    names = unique_names(list(keys))

    def batches() -> Iterator[pa.RecordBatch]:
        walk = records()
        while chunk := list(islice(walk, CHUNK)):
            for number, record in chunk:
                if extra := record.keys() - keys.keys():
                    key = sorted(extra)[0]
                    raise RegardError(
                        f"{source.origin}, line {number}: key {key!r} is in none of the first rows; "
                        f"{nearest(key, keys)}"
                    )
            columns = [[_cell(source, number, key, record.get(key)) for number, record in chunk] for key in keys]
            yield batch_of(names, columns, [number for number, _ in chunk])

    return Rows(names, True, batches())


def _object(source: Source, number: int, line: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RegardError(f"{source.origin}, line {number} is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise RegardError(
            f"{source.origin}, line {number}: expected an object with a key a column, found {line[:40]!r}"
        )
    if "\\u" in line:  # only an escape can write half of a pair, which is no character
        try:
            json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = ascii(error.object[error.start])[1:-1]
            raise RegardError(
                f"{source.origin}, line {number}: {half} is half of a character; mend this line"
            ) from None
    return record


def _cell(source: Source, number: int, name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        raise RegardError(f"{source.origin}, line {number}: {name!r} holds {type(value).__name__}, expected text")
    return json.dumps(value)


def read_parquet(source: Source) -> Rows:
    """Row group after row group."""
    try:
        file = pyarrow.parquet.ParquetFile(source.path if source.path else pa.BufferReader(source.content))
        schema, batches = file.schema_arrow, file.iter_batches(batch_size=CHUNK)
    except (pa.ArrowException, OSError) as error:
        raise RegardError(f"{source.origin} is not a whole Parquet file: {error}") from None
    return from_batches(schema, batches, source.origin)


def read_arrow(source: Source) -> Rows:
    """Record batch after record batch."""
    try:
        file = pa.ipc.open_file(pa.memory_map(str(source.path)) if source.path else pa.BufferReader(source.content))
    except (pa.ArrowException, OSError) as error:
        raise RegardError(f"{source.origin} is not a whole Arrow file: {error}") from None
    return from_batches(file.schema, (file.get_batch(i) for i in range(file.num_record_batches)), source.origin)


def from_batches(schema: pa.Schema, batches: Iterator[pa.RecordBatch], origin: str) -> Rows:
    """Whatever is in Arrow already: columns that can be text become text, the others are left out, said."""
    # pandas sends its index along; it is no column of the table.
    columns = [(i, one) for i, one in enumerate(schema) if not one.name.startswith("__index_level_")]
    usable = [i for i, one in columns if _can_be_text(one.type)]
    left = [one.name for i, one in columns if i not in usable]
    if not usable:
        raise RegardError(f"{origin} has no column of text or numbers; its columns: {', '.join(left) or 'none'}")
    names = unique_names([schema.names[i] for i in usable])

    def strings() -> Iterator[pa.RecordBatch]:
        row = 1
        try:
            for batch in batches:
                yield batch_of(names, [as_strings(batch.column(i)) for i in usable], np.arange(row, row + len(batch)))
                row += len(batch)
        except (pa.ArrowException, OSError) as error:
            raise RegardError(f"{origin} cannot be read on from row {row}: {error}") from None

    remarks = [f"left out, as they hold no text: {', '.join(left)}"] if left else []
    return Rows(names, True, strings(), remarks, line_word="row")


def _can_be_text(kind: pa.DataType) -> bool:
    """Whether Arrow has a way of writing such values as text; bytes are left alone, since they may be anything."""
    if pa.types.is_dictionary(kind):
        return _can_be_text(kind.value_type)
    try:
        pc.cast(pa.array([], kind), pa.string())
    except pa.ArrowException:
        return False
    return "binary" not in str(kind)


def as_strings(column: Any) -> Any:
    """A column of anything that `_can_be_text`, as strings without nulls."""
    if pa.types.is_dictionary(column.type):
        texts = as_strings(column.dictionary)  # first, since Arrow does not unfold every kind of text
        column = pa.DictionaryArray.from_arrays(column.indices, texts).dictionary_decode()
    if not pa.types.is_string(column.type):
        column = pc.cast(column, pa.string())
    return pc.fill_null(column, "") if column.null_count else column
