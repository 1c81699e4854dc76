"""Tables out of bytes, with what was said of them; a cache of their own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from regard.data.tables import Table, read
from regard.errors import on_command_line


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory, monkeypatch) -> Path:
    """No test meets the cache of a person, or of another test."""
    folder = tmp_path_factory.mktemp("cache") / "regard"
    monkeypatch.setenv("REGARD_CACHE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def commands() -> Iterator[None]:
    """What is said in this room is tested as the command line says it."""
    with on_command_line():
        yield


@pytest.fixture
def write(tmp_path) -> Callable[[str, str | bytes], Path]:
    """A file of this name and content."""

    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


@pytest.fixture
def table(write) -> Callable[..., Table]:
    """The table in such a file; what is said of it goes into `said`."""

    def make(content: str | bytes, name: str = "words.tsv", said: list[str] | None = None, **more: Any) -> Table:
        return read(write(name, content), say=None if said is None else said.append, **more)

    return make


def rows(table: Table) -> list[tuple[str, ...]]:
    """The cells of a table, row by row."""
    return list(zip(*(table.arrow.column(name).to_pylist() for name in table.names), strict=True))
