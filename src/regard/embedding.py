"""Symbols as vectors: trained, one-hot (no parameters), or read from a file of pretrained vectors.

Legend: B batch, S places, V vocabulary, E embedding width. Unusual here: a vector file is read once, when training
begins (`fill`); from then on its numbers travel in the model's own weights.
"""

from collections.abc import Iterable
from gzip import open as open_gzip
from pathlib import Path
from typing import IO, Any, Literal

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
        """`embedding = 64` is a width, `embedding = "one-hot"` a type."""
        if isinstance(given, int):
            return {"width": given}
        return {"type": given} if isinstance(given, str) else given

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
    """ids -> vectors; the pad symbol's is zero."""

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
    for _, vector in _vectors(path):
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
    for word, vector in _vectors(path):
        for row in rows.get(word, []):
            found.setdefault(row, vector)
        if word in exact:
            found[exact[word]] = vector
    if found:
        known = torch.tensor(list(found.values()), dtype=table.dtype)
        if known.numel() > 1:
            table.mul_(known.std() / table.std())
        table[torch.tensor(list(found))] = known
        table[PAD] = 0.0
    return len(found)


def _vectors(path: Path) -> Iterable[tuple[str, list[float]]]:
    width: int | None = None
    with _open(path) as lines:
        for number, line in enumerate(lines, 1):
            word, *numbers = line.rstrip().split(" ")
            if number == 1 and len(numbers) == 1:  # word2vec's first line: how many, how wide
                continue
            try:
                vector = [float(item) for item in numbers]
            except ValueError:
                raise RegardError(f"{path}, line {number}: expected `word v1 … vn`, got {line[:40]!r}") from None
            if width is not None and len(vector) != width:
                raise RegardError(f"{path}, line {number}: {len(vector)} numbers, where the first line has {width}")
            width = len(vector)
            yield word, vector


def _open(path: Path) -> IO[str]:
    try:
        if path.suffix == ".gz":
            return open_gzip(path, "rt", encoding="utf-8")
        return path.open(encoding="utf-8")
    except OSError as error:
        raise RegardError(f"cannot read the vectors {path}: {error.strerror}") from None
