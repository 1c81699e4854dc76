"""Where bytes come from."""

import gzip
import os
import threading

import pytest

from regard.data.sources import Source, from_path
from regard.errors import RegardError

TEXT = "a\tb\r\nç\td"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_gzip_and_byte_order_mark_make_no_difference(write, packed, mark):
    content = mark + TEXT.encode()
    path = write("words", gzip.compress(content) if packed else content)
    for source in (from_path(path), Source("standard input", None, path.read_bytes())):
        assert source.head() == TEXT.encode()
        assert list(source.lines()) == [(1, "a\tb"), (2, "ç\td")]
        with source.open() as stream:
            assert stream.read().removeprefix(mark) == TEXT.encode()
        assert source.check() == 0


def test_what_is_missing(tmp_path):
    with pytest.raises(RegardError, match=r"^there is no file .*nowhere\.tsv$"):
        from_path(tmp_path / "nowhere.tsv")
    with pytest.raises(RegardError, match=r"is a folder; a table is a file \(TSV, CSV, JSON Lines, Parquet, Arrow\)$"):
        from_path(tmp_path)
    with pytest.raises(RegardError, match="cannot be read: File name too long"):
        from_path(tmp_path / ("n" * 300))


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_utf_16_is_refused(mark):
    with pytest.raises(RegardError, match=r"^words is in UTF-16; save it as UTF-8$"):
        Source("words", None, mark + b"a\0").head()


@pytest.mark.parametrize("content", [b"a\nb\xe4r\nc\n", b"a\nb\xe4", b"a\n\xed\xa0\x80\n"])
@pytest.mark.parametrize("walk", [lambda source: list(source.lines()), Source.check])
def test_what_is_not_utf_8_is_named_with_its_line(content, walk):
    with pytest.raises(
        RegardError, match=r"^words, line 2: byte 0xe[4d] is not UTF-8; save the file as UTF-8, or mend"
    ):
        walk(Source("words", None, content))


@pytest.mark.parametrize("walk", [lambda source: list(source.lines()), Source.check])
def test_a_broken_gzip_is_named(walk):
    whole = gzip.compress(os.urandom(200_000).hex().encode())
    for content in (whole[:1000], whole[:-9], b"\x1f\x8b" + b"?" * 50, whole[:500] + b"\0" * 100 + whole[600:]):
        with pytest.raises(RegardError, match=r"^words cannot be unpacked: .*; is the file whole\?$"):
            walk(Source("words", None, content))


def test_a_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"a\tb\n",))
    writer.start()
    source = from_path(path)
    writer.join()
    assert source.head() == source.head() == b"a\tb\n"
    assert source.origin == str(path)


def test_quotation_marks_are_counted():
    assert Source("words", None, b'"a",b\n"c\n').check() == 3
