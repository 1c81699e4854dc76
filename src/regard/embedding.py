"""Symbols as vectors: trained, one-hot (no parameters), or read from a file of pretrained vectors.

Legend: B batch, S places, V vocabulary, E embedding width. Unusual here: a vector file is read once, when training
begins (`fill`); from then on its numbers travel in the model's own weights.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from gzip import open as open_gzip
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from pydantic import Field, model_validator
from torch import Tensor, nn
from torch.nn import functional as F

from regard.batch import PAD
from regard.errors import RegardError
from regard.parts import Options


class EmbeddingOptions(Options):
    """How a column's symbols become vectors."""

    type: Literal["trained", "one-hot", "vectors"] = Field("trained", description="trained, one-hot, or vectors")
    width: int = Field(128, gt=0, description="width; a one-hot embedding is as wide as its vocabulary")
    file: str | None = Field(None, description="for vectors: a file of `word v1 … vn` lines, plain or gzip")
    frozen: bool = Field(False, description="keep the vectors as they are while training")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        """`embedding = 64` is a width, `embedding = "one-hot"` a type; a file is one of vectors."""
        if isinstance(given, int) and not isinstance(given, bool):
            return {"width": given}
        if isinstance(given, str):
            return {"type": given}
        if isinstance(given, Mapping) and given.get("file") is not None:
            return {"type": "vectors", **given}
        return given

    @model_validator(mode="after")
    def _fits(self) -> "EmbeddingOptions":
        if (self.type == "vectors") != (self.file is not None):
            raise ValueError('an embedding of type "vectors" needs a file, and only that type has one')
        return self

    def idle(self) -> list[str]:
        one_hot = self.type == "one-hot"
        keys = [key for key in ("width", "frozen") if one_hot and key in self.model_fields_set]
        return [f"{key} (a one-hot embedding has no weights)" for key in keys]


class Embedding(nn.Module):
    """ids -> vectors; the pad symbol's is zero, one-hot too."""

    def __init__(self, options: EmbeddingOptions, size: int, column: str):
        super().__init__()
        self.column, self.file = column, options.file
        self.size = size
        self.register_buffer("like", torch.zeros(()), persistent=False)  # of the model's type and device
        self.width = size if options.type == "one-hot" else options.width
        self.table: nn.Embedding | None = None
        self.like: Tensor
        if options.type != "one-hot":
            self.table = nn.Embedding(size, self.width, padding_idx=PAD)
            self.table.weight.requires_grad_(not options.frozen)

    def forward(self, ids: Int[Tensor, "*N"]) -> Float[Tensor, "*N E"]:
        if self.table is not None:
            return self.table(ids)
        return F.one_hot(ids, self.size).to(self.like.dtype) * (ids != PAD)[..., None]


def vector_file_width(path: Path) -> int:
    """How wide the vectors of a file are, read off its first vector."""
    for _, vector in _vectors(path, lambda word: True):
        return len(vector)
    raise RegardError(f"{path}: no vectors; expected lines of `word v1 … vn`")


def fill(embedding: Embedding, symbols: Iterable[str], path: Path) -> int:
    """Copy the file's vectors into the rows of the symbols that it knows; return how many it knew.

    A symbol that it does not know takes its lower-case form's vector, or keeps its random one, scaled to the
    spread of those found.
    """
    assert embedding.table is not None
    rows: dict[str, list[int]] = {}
    exact: dict[str, int] = {}
    for row, symbol in enumerate(symbols):
        exact[symbol] = row
        rows.setdefault(symbol.lower(), []).append(row)
    table = embedding.table.weight.data
    found: dict[int, list[float]] = {}
    for word, vector in _vectors(path, lambda word: word in exact or word in rows):
        for row in rows.get(word, []):
            found.setdefault(row, vector)
        if word in exact:
            found[exact[word]] = vector
    if found:
        known = torch.tensor(list(found.values()), dtype=table.dtype, device=table.device)
        if known.numel() > 1:
            table.mul_(known.std() / table.std())
        table[torch.tensor(list(found), device=table.device)] = known
        table[PAD] = 0.0
    return len(found)


def _vectors(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, list[float]]]:
    """The vectors of the words that are wanted; only these lines, and the first, are read as numbers."""
    width: int | None = None
    try:
        with _open(path) as lines:
            for number, line in enumerate(lines, 1):
                word, *numbers = line.rstrip().split(" ")
                if number == 1 and len(numbers) == 1 and word.isdigit():  # word2vec's head: how many, how wide
                    continue
                if width is not None and len(numbers) > width and not _is_number(numbers[-width - 1]):
                    word, *numbers = line.rstrip().rsplit(" ", width)  # a word with spaces, as in GloVe
                if width is not None and not wanted(word):
                    continue
                if not numbers or not all(map(_is_number, numbers)):
                    raise RegardError(f"{path}, line {number}: expected `word v1 … vn`, got {line.rstrip()[:40]!r}")
                if width is not None and len(numbers) != width:
                    raise RegardError(
                        f"{path}, line {number}: {len(numbers)} numbers, where the first line has {width}"
                    )
                width = len(numbers)
                if wanted(word):
                    yield word, [float(item) for item in numbers]
    except (OSError, EOFError) as error:
        raise RegardError(f"cannot read the vectors {path}: {getattr(error, 'strerror', None) or error}") from None


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _open(path: Path) -> TextIOWrapper:
    """Bytes that are no UTF-8 stay in words that nobody asks for."""
    opened = open_gzip if path.suffix == ".gz" else open
    return opened(path, "rt", encoding="utf-8", errors="replace", newline="\n")
