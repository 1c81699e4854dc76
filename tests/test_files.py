"""A file is written whole or not at all, for whom the umask says, and nothing but files is replaced."""

import os
import stat
import threading

import pytest

from regard.files import write_atomically, write_text


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_text(tmp_path):
    write_text(tmp_path / "a", "ä\r\n")
    assert (tmp_path / "a").read_bytes() == "ä\r\n".encode()
    write_text(tmp_path / "a", "b")
    assert (tmp_path / "a").read_text() == "b"
    assert names(tmp_path) == ["a"]


def test_the_old_file_stays_where_the_writer_fails(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")

    def fail(fresh):
        fresh.write_text("half")
        assert path.read_text() == "old"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_atomically(path, fail)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_it_is_readable_by_whom_the_umask_says(tmp_path, mask, expected):
    before = os.umask(mask)
    try:
        write_text(tmp_path / "a", "b")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == expected


def test_a_link_stays_one(tmp_path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "link").symlink_to("a")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_text() == "new"


def test_a_pipe_is_written_into_and_not_replaced(tmp_path):
    """As /dev/null is, which a rename would take away from everyone."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    write_text(pipe, "new")
    reader.join(10)
    assert found == ["new"]
    assert pipe.is_fifo()
    assert names(tmp_path) == ["pipe"]


@pytest.mark.parametrize(
    ("path", "error"), [("folder", IsADirectoryError), (".", IsADirectoryError), ("no/file", FileNotFoundError)]
)
def test_where_nothing_can_be_written(tmp_path, monkeypatch, path, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(error) as found:
        write_text(type(tmp_path)(path), "text")
    assert found.value.strerror
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == []
