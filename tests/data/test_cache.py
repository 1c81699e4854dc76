"""The cache itself: entries come whole or not at all, and go when they are not used."""

import os
import time
from pathlib import Path

import pyarrow as pa
import pytest

from regard.data import cache

SCHEMA = pa.schema([("a", pa.string())])


def batches(*cells: str):
    for cell in cells:
        yield pa.record_batch({"a": [cell]})


def test_what_is_kept_is_found(cache_folder):
    assert cache.find("name") is None
    cache.keep("name", SCHEMA, batches("x", "y"), lambda: {"why": "ä"})
    table, notes = cache.find("name")
    assert (table.to_pydict(), notes) == ({"a": ["x", "y"]}, {"why": "ä"})
    cache.keep("name", SCHEMA, batches("z"), dict)  # another process was first, or the entry is damaged
    assert cache.find("name")[0].to_pydict() == {"a": ["z"]}
    assert [entry.name for entry in cache_folder.iterdir()] == ["name"]


def test_a_mistake_half_way_leaves_nothing(cache_folder):
    def wrong():
        yield from batches("x")
        raise KeyError("half way")

    with pytest.raises(KeyError):
        cache.keep("name", SCHEMA, wrong(), dict)
    assert list(cache_folder.iterdir()) == []


def test_what_is_not_used_goes(cache_folder):
    old = time.time() - 40 * 86_400
    for name in ("a" * 32, "b" * 32, ".new-xyz", "of another program"):
        (cache_folder / name).mkdir(parents=True)
        os.utime(cache_folder / name, (old, old))
    cache.keep("c" * 32, SCHEMA, batches("x"), dict)
    assert sorted(entry.name for entry in cache_folder.iterdir()) == ["c" * 32, "of another program"]


def test_what_is_used_stays(cache_folder):
    cache.keep("a" * 32, SCHEMA, batches("x"), dict)
    old = time.time() - 40 * 86_400
    os.utime(cache_folder / ("a" * 32), (old, old))
    assert cache.find("a" * 32)
    cache.keep("b" * 32, SCHEMA, batches("x"), dict)
    assert len(list(cache_folder.iterdir())) == 2


def test_the_key_follows_the_file_and_how_it_is_read(write):
    path = write("words", "a")
    key = cache.key([path], {})
    assert len(key) == 32
    assert cache.key([path], {}) == cache.key([path.parent / "." / path.name], {}) == key
    assert cache.key([path], {"header": True}) != key
    write("words", "ab")
    assert cache.key([path], {}) != key


def test_where_it_lies(monkeypatch):
    assert cache.folder() == Path(os.environ["REGARD_CACHE"])
    monkeypatch.delenv("REGARD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache.folder() == Path("/somewhere/regard")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/person")
    assert cache.folder() == Path("/home/person/.cache/regard")
