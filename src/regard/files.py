"""Writing files so that a reader never meets half of one: a new file beside it, flushed to the disk, then renamed."""

import os
from collections.abc import Callable
from errno import EISDIR
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a new file, then put it in the place of `path` in one move.

    A link stays a link; what is no file (/dev/null, a pipe) takes no new file's place and is written to as it is.
    """
    path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    if path.exists() and not path.is_file():
        write(path)
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        write(fresh)
        with fresh.open("rb+") as file:
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the name too must reach the disk
    finally:
        os.close(folder)


def write_text(path: Path, text: str) -> None:
    """A text file, in UTF-8, whole or not at all."""
    write_atomically(path, lambda fresh: fresh.write_text(text, encoding="utf-8"))
