"""Where bytes come from: a file (gzip or not, told by its first bytes) or standard input, opened as often as needed."""

import gzip
import io
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from regard.errors import RegardError

GZIP = b"\x1f\x8b"
MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
LOOK = 1 << 20  # bytes of a file that guesses are made from


@dataclass(frozen=True)
class Source:
    """Some bytes, with the name that messages use."""

    origin: str
    path: Path | None  # None: everything is in `content`
    content: bytes = b""

    def open(self) -> Any:
        """An Arrow input stream of the bytes, unpacked."""
        packed = self._raw_head(2) == GZIP
        try:
            if self.path is not None:
                return pa.input_stream(str(self.path), compression="gzip" if packed else None)
            reader = pa.BufferReader(self.content)
            return pa.CompressedInputStream(reader, "gzip") if packed else reader
        except OSError as error:
            raise RegardError(f"{self.origin} cannot be read: {error}") from None

    def _raw_head(self, size: int) -> bytes:
        if self.path is None:
            return self.content[:size]
        with self.path.open("rb") as file:
            return file.read(size)

    def head(self) -> bytes:
        """The first bytes, unpacked; a byte order mark of UTF-16 is refused here, for all formats."""
        try:
            with self.open() as stream:
                found: bytes = stream.read(LOOK)
        except OSError as error:
            raise RegardError(f"{self.origin} cannot be unpacked: {error}; is the file whole?") from None
        for mark, name in MARKS.items():
            if found.startswith(mark):
                raise RegardError(f"{self.origin} is in {name}; save it as UTF-8")
        return found.removeprefix(b"\xef\xbb\xbf")

    def check(self) -> int:
        """That all is UTF-8, or an error with its line; and how many quotation marks (") there are."""
        decoder = getincrementaldecoder("utf-8")()
        quotes = 0
        try:
            with self.open() as stream:
                while block := stream.read(LOOK):
                    quotes += block.count(b'"')
                    decoder.decode(block)
                decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            for _ in self.lines():  # raises where the bytes go wrong
                pass
        except OSError as error:
            raise RegardError(f"{self.origin} cannot be unpacked: {error}; is the file whole?") from None
        return quotes

    def lines(self) -> Iterator[tuple[int, str]]:
        """Line numbers and lines without their ends; what is not UTF-8 is an error with its line."""
        raw: IO[bytes] = self.path.open("rb") if self.path else io.BytesIO(self.content)
        with raw:
            unpacked = gzip.GzipFile(fileobj=raw) if self._raw_head(2) == GZIP else raw
            try:
                for number, line in enumerate(unpacked, 1):
                    if number == 1:
                        line = line.removeprefix(b"\xef\xbb\xbf")
                    try:
                        yield number, line.removesuffix(b"\n").removesuffix(b"\r").decode()
                    except UnicodeDecodeError as error:
                        wrong = line[error.start]
                        raise RegardError(
                            f"{self.origin}, line {number}: byte 0x{wrong:02x} is not UTF-8; "
                            "save the file as UTF-8, or mend this line"
                        ) from None
            except (OSError, EOFError, zlib.error) as error:
                raise RegardError(f"{self.origin} cannot be unpacked: {error}; is the file whole?") from None

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size if self.path else len(self.content)


def from_path(path: Path) -> Source:
    """A file; what can be read only once (a pipe, as of `--file <(zcat words.gz)`) is read now."""
    try:
        with path.open("rb") as file:
            once = not path.is_file()
            return Source(str(path), None, file.read()) if once else Source(str(path), path)
    except FileNotFoundError:
        raise RegardError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise RegardError(f"{path} is a folder; a table is a file (TSV, CSV, JSON Lines, Parquet, Arrow)") from None
    except OSError as error:
        raise RegardError(f"{path} cannot be read: {error.strerror}") from None
