"""From bytes to rows: every format gives the same table, and any bytes give a table or one clear line."""

import gzip
import json
import warnings
from pathlib import Path
from threading import Timer
from time import monotonic

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data import formats
from regard.data.sources import Source
from regard.data.tables import read
from regard.errors import RegardError

from .conftest import rows

GIVEN = [("cat", "k æ t"), ("", "न"), ("say “hi”", "x")]


def arrow_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def parquet_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def in_all_formats() -> dict[str, bytes]:
    table = pa.table({"word": [word for word, _ in GIVEN], "phones": [phones for _, phones in GIVEN]})
    lines = [json.dumps({"word": word, "phones": phones}) + "\n" for word, phones in GIVEN]
    return {
        "t.tsv": "".join("\t".join(row) + "\n" for row in [("word", "phones"), *GIVEN]).encode(),
        "t.txt": "".join("\t".join(row) + "\r\n" for row in [("word", "phones"), *GIVEN]).encode(),
        "t.csv": 'word,phones\n"cat",k æ t\n,"न"\nsay “hi”,x'.encode(),
        "t.jsonl": "".join(lines).encode(),
        "t.parquet": parquet_bytes(table),
        "t.arrow": arrow_bytes(table),
    }


@pytest.mark.parametrize("name", in_all_formats())
@pytest.mark.parametrize("packed", [False, True])
def test_every_format_gives_the_same(table, name, packed):
    content = in_all_formats()[name]
    if packed and name in ("t.parquet", "t.arrow"):
        with pytest.raises(RegardError, match=r"is not a whole (Parquet|Arrow) file"):  # they pack themselves
            table(gzip.compress(content), name + ".gz")
        return
    found = table(gzip.compress(content) if packed else content, name + ".gz" * packed)
    assert found.names == ["word", "phones"]
    assert found.header
    assert rows(found) == GIVEN


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.jsonl"])
def test_the_content_tells_where_the_name_does_not(table, name):
    assert rows(table(in_all_formats()[name], "words")) == GIVEN


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
def test_a_wrong_name_is_said(table, name):
    with pytest.raises(RegardError, match=rf"{name} is not (Parquet|Arrow), whatever its name says$"):
        table("a\tb\n", name)


class TestDelimited:
    def test_tsv_knows_no_quotes(self, table):
        assert rows(table('"a\t"b"\nc""\t\'d\n')) == [('"a', '"b"'), ('c""', "'d")]

    def test_csv_knows_them(self, table):
        found = table('"a,b","c""d"\n"two\nlines",e\n', "t.csv")
        assert rows(found) == [("a,b", 'c"d'), ("two\nlines", "e")]
        assert found.place(1).endswith("t.csv, row 2")

    @pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs")])
    def test_what_separates_is_found(self, table, sign, name):
        found = table('a,1|"b|"|c\nd|e|f\n'.replace("|", sign), "t.csv", said := [])
        assert rows(found) == [("a,1", f"b{sign}", "c"), ("d", "e", "f")]
        assert said[0].endswith(f"cells are separated by {name}")

    def test_an_open_quotation_is_suspected(self, table):
        said = []
        assert len(table('a,"b\nc,d\n', "t.csv", said)) == 1
        assert any("it has an odd number of quotation marks (1); is one not closed?" in line for line in said)

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends(self, table, end):
        assert rows(table(f"a\tb{end}c\td{end}")) == [("a", "b"), ("c", "d")]

    def test_blank_lines_are_empty_rows(self, table):
        assert rows(table("a\tb\n\nc\td\n\n")) == [("a", "b"), ("", ""), ("c", "d"), ("", "")]

    def test_names_come_from_the_header_or_are_numbers(self, table):
        said = []
        assert table("word\tphones\ncat\tk a\n", said=said).names == ["word", "phones"]
        assert said[-1].endswith("the first row is a header: word, phones (--no-header if that is wrong)")
        assert table("cat\tk a\ndog\td o\n", said=said).names == ["1", "2"]
        assert said[-1].endswith(
            "words.tsv: no header: the first row, cat | k a, is taken as data and columns are named by number"
            " (--header if that is wrong)"
        )
        assert rows(table("word\tphones\ncat\tk a\n", header=False)) == [("word", "phones"), ("cat", "k a")]
        found = table("cat\tk a\ndog\td o\n", header=True, said=(said := []))
        assert (found.names, rows(found), said) == (["cat", "k a"], [("dog", "d o")], [])

    @pytest.mark.parametrize(
        ("row", "shown"),
        [
            ("mot\tson", ", mot | son,"),
            ("a\tb\tc\td\te", ", a | b | c | d | …,"),
            ("x" * 30 + "\ty", f", {'x' * 19}… | y,"),
            ("\x1b[31mx\t\u202ey", ", ␛[31mx | y,"),
            ("\t \ta", ", ∅ | ∅ | a,"),
            ("\t ", ""),
        ],
    )
    def test_the_first_row_is_shown_where_it_is_taken_as_data(self, table, row, shown):
        table(f"{row}\n{row}\nx{row}\n", said=(said := []))
        assert said[0].endswith(
            f"no header: the first row{shown} is taken as data and columns are named by number"
            " (--header if that is wrong)"
        )

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ('"word","ipa"\n"cat","k æ t"\n"a, b","x"\n', True),
            ('"word";"ipa"\r\n"cat";"k"\r\n', True),
            ('"Go on," she said.\n"Stop," said he.\n', False),
            ('"a"\n"b"\n', False),
            ("cat,k\ndog,d\n", False),  # commas alone are in many texts
            ('"a","b"\t"c"\n"d","e"\t"f"\n', False),
        ],
    )
    def test_csv_under_another_name_is_suspected(self, table, content, expected):
        table(content, said=(said := []), header=False)
        assert [line.partition(": ")[2] for line in said] == ["it looks like CSV: rename it to .csv"] * expected
        table(content, "words.csv", said=(said := []), header=False)
        assert not any("looks like" in line for line in said)

    @pytest.mark.parametrize(
        ("lines", "expected"),
        [
            (["word,ipa", "cat,k æ t", "", "dog,d"], True),
            (["a;b;c"] * 20 + ["a"], True),
            (["a;b;c"] * 10 + ["a"] * 2, False),
            (["a", "b"], False),
            (["", " "], False),
            ([], False),
            (["x" * 200_000 + ",y"], False),  # longer than a cell of the module may be
        ],
    )
    def test_lines_that_look_like_csv(self, lines, expected):
        assert formats.looks_like_csv(lines) is expected

    def test_ragged_rows_are_left_out_and_named(self, table):
        content = "word\tphones\n" + "cat\tk a\n" * 9 + "dog\nx\ty\tz\n" + "cat\tk a\n" * 20
        found = table(content, said=(said := []))
        assert len(found) == 29
        assert found.ragged == 2
        assert found.ragged_first == ((11, 1), (12, 3))
        assert said[-1].endswith("2 rows left out, not having 2 cells: line 11 has 1; line 12 has 3")
        assert [found.row_number(row) for row in (0, 8, 9, 28)] == [2, 10, 13, 32]
        assert found.place(9).endswith("words.tsv, line 13")

    def test_line_numbers_hold_over_blocks(self, write, monkeypatch):
        monkeypatch.setattr(formats, "BLOCK", 1000)
        lines = [f"w{i}\tx" if i % 50 else "ragged" for i in range(1, 1001)]
        found = read(write("t.tsv", "\n".join(lines)), header=False, say=(said := []).append)
        assert found.ragged == 20
        assert [(f"w{found.row_number(row)}", "x") for row in range(len(found))] == rows(found)
        assert "; …" in said[0]

    @pytest.mark.parametrize("content", ["a\tb\nc\nd\n" + "e\tf\n" * 4, "a b\nc\td\ne\tf\n"])
    def test_too_many_ragged_rows_are_an_error(self, table, content):
        with pytest.raises(
            RegardError, match=r"2 of \d rows do not have \d cells? like the first row \(line 2 has \d; "
        ):
            table(content)

    def test_a_row_longer_than_a_block(self, write, monkeypatch):
        monkeypatch.setattr(formats, "BLOCK", 100)
        with pytest.raises(RegardError, match=r"t.csv: a row after row 1 is longer than 0 MB; is a quotation mark not"):
            read(write("t.csv", 'a,b\nc,"' + "d\n" * 100), header=False)

    @pytest.mark.parametrize("content", ["", "\n", "  \n \n"])
    def test_an_empty_file(self, table, content):
        with pytest.raises(RegardError, match=r"words.tsv is empty; a table needs at least one row$"):
            table(content)

    def test_a_header_alone(self, table):
        with pytest.raises(
            RegardError, match=r"words.tsv has no rows below its header \(--no-header if it has none\)$"
        ):
            table("word\tphones\n")
        with pytest.raises(RegardError, match=r"words.tsv has no rows$"):
            table("word\tphones\n", header=True)

    def test_what_is_not_utf_8_even_in_a_ragged_row(self, table):
        with pytest.raises(RegardError, match=r"words.tsv, line 2: byte 0xff is not UTF-8"):
            table(b"a\tb\nc\xff\n" + b"d\te\n" * 30)


class TestLines:
    def test_parallel_files(self, write):
        paths = [write("train.en", "a\tb\n\nc\n"), write("train.de.gz", gzip.compress("ä\n„\nd".encode()))]
        found = read(paths)
        assert found.names == ["en", "de"]
        assert not found.header
        assert rows(found) == [("a\tb", "ä"), ("", "„"), ("c", "d")]
        assert found.place(2) == f"{paths[0]} + {paths[1]}, line 3"

    def test_names_that_do_not_differ(self, write, tmp_path):
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "a.txt").write_text("x\n")
        write("a.txt", "y\n")
        write("b.txt", "z\n")
        assert read([tmp_path / "a.txt", tmp_path / "b.txt"]).names == ["a.txt", "b.txt"]
        found = read([tmp_path / "a.txt", tmp_path / "other" / "a.txt"])
        assert (found.names, rows(found)) == (["a.txt", "a.txt.2"], [("y", "x")])

    def test_they_must_be_as_long(self, write):
        with pytest.raises(RegardError, match=r"need as many lines each: .*a.en has 2 lines, .*a.de has 1 lines$"):
            read([write("a.en", "x\ny\n"), write("a.de", "z\n")])


class TestJSON:
    def test_values_become_text(self, table):
        lines = ['{"a": "x\\ty", "b": 3, "c": true}', "", '{"c": null, "b": 1.5}', '{"a": "\u2028\x85"}']
        found = table("\n".join(lines), "t.jsonl")
        assert found.names == ["a", "b", "c"]
        assert rows(found) == [("x\ty", "3", "true"), ("", "1.5", ""), ("\u2028\x85", "", "")]
        assert [found.row_number(row) for row in range(3)] == [1, 3, 4]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("word", r"line 2 is not JSON: Expecting value"),
            ("[" * 100_000, r"line 2 is not JSON: maximum recursion"),
            ('["a"]', r"""line 2: expected an object with a key a column, found '\["a"\]'"""),
            ('{"a": ["x"]}', r"line 2: 'a' holds list, expected text"),
            ('{"a": {"x": 1}}', r"line 2: 'a' holds dict, expected text"),
            ('{"a": "x\\ud800y"}', r"line 2: \\ud800 is half of a character; mend this line"),
        ],
    )
    def test_mistakes_are_named_with_their_line(self, table, line, message):
        with pytest.raises(RegardError, match=message):
            table('{"a": "x"}\n' + line, "t.jsonl")

    def test_a_key_that_comes_late(self, table):
        lines = ['{"word": "x"}'] * formats.SAMPLE + ['{"wrod": "x"}']
        with pytest.raises(
            RegardError, match=r"line 1001: key 'wrod' is in none of the first rows; did you mean 'word'"
        ):
            table("\n".join(lines), "t.jsonl")

    @pytest.mark.parametrize("content", ["", "\n", "{}\n"])
    def test_nothing_in_it(self, table, content):
        with pytest.raises(RegardError, match=r"is empty; a table needs at least one row"):
            table(content, "t.jsonl")

    def test_any_name_may_be_a_column(self, table):
        found = table('{"\\u0000line": "x", "": 1}', "t.jsonl")
        assert (found.names, rows(found)) == ([formats.LINE, "2"], [("x", "1")])


class TestArrow:
    def test_what_cannot_be_text_is_left_out(self, write):
        arrow = pa.table(
            {
                "word": pa.array(["a", None], pa.large_string()),
                "n": pa.array([1, 2]),
                "class": pa.array(["x", "y"]).dictionary_encode(),
                "view": pa.array(["v", "w"], pa.string_view()),
                "flag": pa.array([True, None]),
                "bytes": pa.array([b"a", b"b"]),
                "list": pa.array([[1], [2]]),
                "nothing": pa.nulls(2),
            }
        )
        for name, content in {"t.arrow": arrow_bytes(arrow), "t.parquet": parquet_bytes(arrow)}.items():
            found = read(write(name, content), say=(said := []).append)
            assert found.names == ["word", "n", "class", "view", "flag", "nothing"]
            assert rows(found) == [("a", "1", "x", "v", "true", ""), ("", "2", "y", "w", "", "")]
            assert said[-1].endswith("left out, as they hold no text: bytes, list")
            assert found.place(1).endswith(f"{name}, row 2")

    def test_nothing_of_it_can(self):
        with pytest.raises(RegardError, match=r"has no column of text or numbers; its columns: a, b$"):
            read(pa.table({"a": [b"x"], "b": [[1]]}))

    def test_no_rows(self):
        with pytest.raises(RegardError, match=r"^the table given has no rows$"):
            read(pa.table({"a": pa.array([], pa.string())}))

    @pytest.mark.parametrize("make", [arrow_bytes, parquet_bytes])
    def test_half_a_file(self, table, make):
        whole = make(pa.table({"a": [str(i) for i in range(1000)]}))
        with pytest.raises(RegardError, match=r"is not a whole (Parquet|Arrow) file"):
            table(whole[: len(whole) // 2], "words")


PIECES = st.sampled_from(
    [*'\t\n\r,;"{}[]: \x00\x1c\x85\u2028é语', "a", "word", '"a"', "\\u", "d800", "null", "1e9", "\ufeff", "NaN"]
)
ANY = st.one_of(
    st.binary(max_size=80),
    st.lists(PIECES, max_size=40).map(lambda pieces: "".join(pieces).encode()),
    st.builds(
        lambda a, b: a + b, st.sampled_from([b"PAR1", b"ARROW1", b"\x1f\x8b\x08", b"\xff\xfe"]), st.binary(max_size=40)
    ),
    st.binary(max_size=40).map(gzip.compress),
)


@given(ANY, st.sampled_from(["", "x.tsv", "x.csv", "x.jsonl"]), st.sampled_from([None, True, False]))
def test_any_bytes_are_a_table_or_one_clear_line(content, name, header):
    found = mistake = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = read(Stream(content, name), header=header)
        except RegardError as error:
            mistake = str(error)
    if found is None:
        assert "\n" not in mistake
        return
    assert len(found) > 0
    for row in rows(found):
        assert all(isinstance(cell, str) for cell in row)
    assert [found.row_number(row) for row in range(len(found))] == sorted(
        {found.row_number(i) for i in range(len(found))}
    )


class Stream:
    """An open file with a name."""

    def __init__(self, content: bytes, name: str):
        self.content, self.name = content, name

    def read(self) -> bytes:
        return self.content


CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[CELL] * width), min_size=1, max_size=8)))
def test_what_is_written_as_csv_or_json_comes_back(written):
    quoted = "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in written)
    lines = "".join(json.dumps({f"c{i}": cell for i, cell in enumerate(row)}) + "\n" for row in written)
    if quoted.strip():
        assert rows(read(Stream(quoted.encode(), "x.csv"), header=False)) == written
    assert rows(read(Stream(lines.encode(), "x.jsonl"))) == written


def test_sources_are_opened_as_often_as_needed():
    source = Source("words", None, b"a\tb\n")
    for _ in range(2):
        assert sum(len(batch) for batch in formats.read_delimited(source, "tsv", False).batches) == 1


def test_a_path_object_will_do(write):
    assert rows(read(Path(write("t.tsv", "a\tb\nc\td\n")))) == rows(read(str(write("t.tsv", "a\tb\nc\td\n"))))


class TestWhatArrowsThreadsHold:
    """When reading has ended, none holds a handler of ours: else it lets go of it while the interpreter is leaving."""

    CONTENT = "a\tb\n" + "x\n" + "c\td\n" * 20

    @pytest.fixture
    def held(self, monkeypatch):
        """What a thread holds that lets go late."""
        held, real = [], pyarrow.csv.open_csv

        def open_csv(stream, read, parse, convert):
            held.append(parse.invalid_row_handler)
            timer = Timer(0.2, held.clear)
            timer.start()
            held_by.append(timer)
            return real(stream, read, parse, convert)

        held_by: list[Timer] = []
        monkeypatch.setattr(pyarrow.csv, "open_csv", open_csv)
        yield held
        for timer in held_by:
            timer.join()

    def test_read_to_the_end(self, held, table):
        assert len(table(self.CONTENT, header=False)) == 21
        assert held == []

    def test_left_in_the_middle(self, held):
        batches = formats.read_delimited(Source("words", None, self.CONTENT.encode()), "tsv", False).batches
        next(batches)
        assert len(held) == 1
        batches.close()
        assert held == []

    def test_read_to_a_mistake(self, held, table, monkeypatch):
        monkeypatch.setattr(formats, "BLOCK", 8)
        began = monotonic()
        with pytest.raises(RegardError, match="is longer than"):
            table("a\tb\n" + "word " * 10 + "\tb\n", header=False)
        assert held == []
        assert monotonic() - began < formats.LET_GO / 2

    def test_it_is_not_waited_for_for_ever(self, held, table, monkeypatch):
        monkeypatch.setattr(formats, "LET_GO", 0.0)
        assert len(table(self.CONTENT, header=False)) == 21
        assert len(held) == 1
