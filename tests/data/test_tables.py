"""Tables from wherever they come, a part of their rows, and the words in which that is said."""

import io
import sys
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from regard.data import tables
from regard.data.formats import SAMPLE
from regard.data.tables import read
from regard.errors import RegardError

from .conftest import rows

WORDS = "word\tphones\tlanguage\ncat\tk a t\tenglish\nKatze\tk a ts ə\tgerman\nchat\tʃ a\tfrench\n"


class TestDataframes:
    @pytest.mark.parametrize(
        "make",
        [
            pa.table,
            pl.DataFrame,
            pd.DataFrame,
            lambda columns: pd.DataFrame(columns, index=["x", "y"]),
            lambda columns: pa.table(columns).to_reader(),
            lambda columns: pl.DataFrame(columns, schema_overrides={"word": pl.Categorical}),
        ],
    )
    def test_whatever_speaks_arrow(self, make):
        said = []
        table = read(make({"word": ["cat", "dog"], "n": [1, 2]}), say=said.append)
        assert (table.names, rows(table), table.header) == (["word", "n"], [("cat", "1"), ("dog", "2")], True)
        assert table.place(1) == "the table given, row 2"
        assert said == []

    def test_what_is_missing_is_empty(self):
        for missing in (pd.DataFrame({"word": ["a", None]}), pl.DataFrame({"word": ["a", None]})):
            assert rows(read(missing)) == [("a",), ("",)]

    def test_several_chunks(self):
        table = read(pa.concat_tables([pa.table({"a": ["x"]}), pa.table({"a": ["y", "z"]})]))
        assert rows(table) == [("x",), ("y",), ("z",)]
        assert [table.row_number(row) for row in range(3)] == [1, 2, 3]

    def test_a_column_of_several_kinds(self):
        with pytest.raises(
            RegardError, match=r"^the table given cannot be read: .*; a column needs values of one kind$"
        ):
            read(pd.DataFrame({"word": ["a", 1, b"c"]}))
        with pytest.raises(
            RegardError, match=r"^the table given cannot be read: \\ud800 is half of a character; mend its cell$"
        ):
            read(pd.DataFrame({"word": pd.Series(["a", "\ud800"], dtype=object)}))


def packed(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "application/vnd.oasis.opendocument.spreadsheet" if name == "mimetype" else "x")
    return file.getvalue()


class TestSpreadsheets:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (packed("[Content_Types].xml", "xl/workbook.xml"), "an Excel file; save it as CSV (UTF-8)"),
            (packed("mimetype", "content.xml"), "a spreadsheet; save it as CSV (UTF-8)"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an Excel file; save it as CSV (UTF-8)"),
            (packed("words.tsv"), "a ZIP archive; unpack it"),
        ],
    )
    @pytest.mark.parametrize("name", ["words.xlsx", "words.tsv"])
    def test_they_are_told_as_such(self, write, content, said, name):
        path = write(name, content)
        for source in (path, [path, path], [write("a.txt", "x\n"), path]):
            with pytest.raises(RegardError) as error:
                read(source)
            assert str(error.value) == f"{path} is {said}"


class TestStreams:
    def test_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("ä\tb\nc\td\n".encode()), "ascii"))
        table = read("-")
        assert rows(table) == [("ä", "b"), ("c", "d")]
        assert table.place(0) == "standard input, line 1"

    def test_an_open_file(self, write):
        path = write("words.csv", "a,b\nc,d\n")
        with path.open() as file:
            table = read(file)
        assert (rows(table), table.origin) == ([("a", "b"), ("c", "d")], str(path))
        assert read(io.StringIO("a\tb\nc\td\n")).origin == "the file given"

    @pytest.mark.parametrize("given", [3, None, {"a": 1}, b"words.tsv", [b"a", b"b"]])
    def test_nothing_of_the_sort(self, given):
        with pytest.raises(
            RegardError, match="a table is a path, two parallel paths, an open file or a dataframe, not"
        ):
            read(given)

    def test_no_file_at_all(self):
        with pytest.raises(RegardError, match="no file was given to read a table from"):
            read([])


class TestWhere:
    def test_rows_are_chosen(self, table):
        found = table(WORDS, where={"language": "german"}, said=(said := []))
        assert rows(found) == [("Katze", "k a ts ə", "german")]
        assert found.place(0).endswith("line 3")
        assert said[-1].endswith("1 of 3 rows have language=german")

    def test_columns_by_number_and_several(self, table):
        assert len(table(WORDS, where={"3": "german", "1": "Katze"})) == 1

    def test_no_row_is_left(self, table):
        message = r"no row has language=dutch; language holds, for example, english, french, german$"
        with pytest.raises(RegardError, match=message):
            table(WORDS, where={"language": "dutch"})

    def test_no_such_column(self, table):
        with pytest.raises(RegardError, match=r"words.tsv has no column 'langauge': did you mean 'language'\?$"):
            table(WORDS, where={"langauge": "german"})


class TestColumns:
    def test_by_name_and_by_number(self, table):
        found = table(WORDS)
        assert [found.column(asked) for asked in ("word", "1", "3")] == ["word", "word", "language"]
        for asked in ("4", "0", "-1", "²", "x"):
            with pytest.raises(RegardError, match=rf"has no column '{asked}': known: language, phones, word$"):
                found.column(asked)

    def test_a_name_that_is_a_number_comes_first(self):
        found = read(pa.table({"2": ["a"], "1": ["b"]}))
        assert found.column("1") == "1"
        assert found.arrow.column(found.column("2")).to_pylist() == ["a"]

    def test_numbers_of_numpy(self, table):
        assert table(WORDS).row_number(int(np.int64(1))) == 3


class TestCached:
    """The same through the cache as in memory: everything is converted once and memory-mapped."""

    @pytest.fixture(autouse=True)
    def nothing_is_small(self, monkeypatch):
        monkeypatch.setattr(tables, "SMALL", 0)

    def test_the_second_time_nothing_is_read(self, write, cache_folder, monkeypatch):
        path = write("words.tsv", WORDS + "ragged\n")
        first = read(path, say=(once := []).append)
        monkeypatch.setattr(tables, "_open", None)
        second = read(path, say=(twice := []).append)
        assert rows(first) == rows(second)
        assert once == twice
        assert len(once) == 2
        assert (second.header, second.ragged, second.ragged_first) == (True, 1, ((5, 1),))
        assert second.place(2) == f"{path}, line 4"
        assert len(list(cache_folder.iterdir())) == 1

    def test_it_is_memory_mapped(self, write):
        path = write("words.txt", "".join(f"{i}\tx\n" for i in range(100_000)))
        before = pa.total_allocated_bytes()
        table = read(path)
        assert pa.total_allocated_bytes() - before < 100_000
        assert table.arrow.nbytes > 1_000_000

    def test_how_it_is_read_and_what_it_holds_make_another_entry(self, write, cache_folder):
        path = write("words.tsv", WORDS)
        assert len(read(path)) == 3
        assert len(read(path, header=False)) == 4
        assert len(read(path, where={"language": "german"})) == 1
        write("words.tsv", WORDS + "Hund\th\tgerman\n")
        assert len(read(path)) == 4
        assert len(list(cache_folder.iterdir())) == 4

    def test_a_damaged_entry_is_made_again(self, write, cache_folder):
        path = write("words.tsv", WORDS)
        right = rows(read(path))
        (entry,) = cache_folder.iterdir()
        for name in ("table.arrow", "notes.json"):
            for content in (b"", (entry / name).read_bytes()[:10]):
                (entry / name).write_bytes(content)
                assert rows(read(path)) == right
                assert (entry / name).stat().st_size > 10
            (entry / name).unlink()
            assert rows(read(path)) == right

    def test_a_mistake_leaves_nothing_behind(self, write, cache_folder):
        with pytest.raises(RegardError, match="is not UTF-8"):
            read(write("words.jsonl", b'{"a": "x"}\n' * SAMPLE + b'{"a": "\xff"}'))
        assert list(cache_folder.iterdir()) == []

    def test_a_cache_that_cannot_be_written(self, write, tmp_path, monkeypatch):
        monkeypatch.setenv("REGARD_CACHE", str(write("file", "") / "cache"))
        path = write("words.tsv", WORDS)
        table = read(path, say=(said := []).append)
        assert len(table) == 3
        assert said[0] == (
            f"{path} is held in memory: the cache {tmp_path / 'file' / 'cache'} cannot be written (Not a directory)"
        )

    def test_parallel_files(self, write):
        for _ in range(2):
            table = read([write("a.en", "x\ny\n"), write("a.de", "1\n2\n")])
            assert (table.names, rows(table)) == (["en", "de"], [("x", "1"), ("y", "2")])
