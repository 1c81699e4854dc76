"""Tables converted once: Arrow files in a cache folder, memory-mapped, so that a table larger than memory trains.

An entry is a folder named after what it was made from (path, size, time of change, and how it was read), written beside
its place and moved there whole: a reader never meets half of one. Entries unused for a month are removed when another
is written.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

VERSION = 2  # of what an entry holds
UNUSED_DAYS = 30


def folder() -> Path:
    """`REGARD_CACHE`, or `regard` in `XDG_CACHE_HOME`, or in ~/.cache."""
    if chosen := os.environ.get("REGARD_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "regard"


def key(paths: list[Path], options: dict[str, Any]) -> str:
    """The name of an entry: it changes with the files and with how they are read."""
    files = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    return hashlib.sha256(json.dumps([VERSION, files, options], sort_keys=True).encode()).hexdigest()[:32]


def find(name: str) -> tuple[pa.Table, dict[str, Any]] | None:
    """An entry, memory-mapped, and what was noted about it; None where there is none that can be read."""
    place = folder() / name
    try:
        notes = json.loads((place / "notes.json").read_text(encoding="utf-8"))
        table = pa.ipc.open_file(pa.memory_map(str(place / "table.arrow"))).read_all()
    except (OSError, ValueError, pa.ArrowInvalid):
        return None
    with suppress(OSError):  # a cache that we may read and not write is a cache still
        os.utime(place)
    return table, notes


def keep(name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch], notes: Callable[[], dict[str, Any]]) -> None:
    """Write an entry, batch by batch; an `OSError` says that the cache cannot be written.

    `notes` is asked after the last batch, when everything is known.
    """
    top = folder()
    top.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=top))
    try:
        with pa.OSFile(str(fresh / "table.arrow"), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        (fresh / "notes.json").write_text(json.dumps(notes(), ensure_ascii=False), encoding="utf-8")
        try:
            fresh.rename(top / name)
        except OSError:
            shutil.rmtree(top / name, ignore_errors=True)  # a damaged one, or another process was first
            fresh.rename(top / name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    _tidy(top)


def _tidy(top: Path) -> None:
    oldest = time.time() - UNUSED_DAYS * 86_400
    for entry in top.iterdir():
        ours = len(entry.name) == 32 or entry.name.startswith(".new-")
        with suppress(OSError):  # another process may remove it at the same time
            if ours and entry.is_dir() and entry.stat().st_mtime < oldest:
                shutil.rmtree(entry, ignore_errors=True)
