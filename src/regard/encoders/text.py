"""Text columns, embedded, joined end to end, and read by a recurrence one way or two.

Legend: B batch, S places, E embedding width. Unusual here: several columns (a lemma and its features) become one
source. Each has symbols of its own, and each row's real places are moved together, so that no padding stands between.
"""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from pydantic import Field
from torch import nn

from regard.embedding import Embedding, EmbeddingOptions
from regard.encoders.encoder import Encoder, Origin
from regard.errors import RegardError, typed
from regard.masks import pack_left, take_places
from regard.memory import Glance, Memory, MemorySizes
from regard.parts import Options
from regard.recurrence import CellName, Dropout, Reset, SequenceEncoder


class RecurrentOptions(Options):
    """Reads text with a recurrent network."""

    type: Literal["recurrent"] = "recurrent"
    reads: tuple[str, ...] = Field((), description="columns to read, joined in this order")
    cell: CellName = Field("lstm", description="rnn, gru or lstm")
    reset: Reset = Field("after", description="where a GRU resets: before or after the product")
    two_way: bool = Field(True, description="read forwards and backwards")
    hidden: int = Field(256, gt=0, description="width of each direction")
    layers: int = Field(1, gt=0, description="layers of recurrence")
    embedding: EmbeddingOptions = Field(EmbeddingOptions(), description="how symbols become vectors")
    dropout: float = Field(0.3, ge=0, lt=1, description="share dropped from embeddings, between layers, at the end")
    variational: bool = Field(False, description="drop the same values at every step of a sequence")

    def idle(self) -> list[str]:
        keys = self.model_fields_set
        found = ["reset (only a GRU resets)"] if "reset" in keys and self.cell != "gru" else []
        if "variational" in keys and self.variational and self.dropout == 0:
            found.append("variational (dropout is 0)")
        return found


class Recurrent(Encoder):
    """h_j = [→h_j; ←h_j], →h_j = cell(→h_{j-1}, e(x_j)), ←h_j = cell(←h_{j+1}, e(x_j))."""

    name = "recurrent"
    Options = RecurrentOptions

    def __init__(
        self,
        extents: Mapping[str, Any],
        *,
        reads: tuple[str, ...],
        cell: CellName = "lstm",
        reset: Reset = "after",
        two_way: bool = True,
        hidden: int = 256,
        layers: int = 1,
        embedding: EmbeddingOptions | None = None,
        dropout: float = 0.3,
        variational: bool = False,
    ):
        super().__init__()
        if not reads:
            which = typed("--from", "source")
            alone = typed("--recipe language-model", 'recipe="language-model"')
            raise RegardError(
                f"the encoder has no column to read: say which with {which}, or train on one column alone with {alone}"
            )
        self.reads = reads
        embeddings = [Embedding(embedding or EmbeddingOptions(), extents[c].size, c) for c in reads]
        self.embeddings = nn.ModuleList(embeddings)
        # one-hot embeddings differ in width: narrower ones are padded with zeros, so that columns can be joined
        self.inputs = max(item.width for item in embeddings)
        self.more = [self.inputs - item.width for item in embeddings]
        self.recurrence = SequenceEncoder(
            self.inputs, hidden, two_way=two_way, layers=layers, cell=cell, reset=reset, dropout=dropout,
            variational=variational,
        )  # fmt: skip
        self.dropout = Dropout(dropout, variational)
        width, longest = self.recurrence.width, sum(extents[column].longest for column in reads)
        self.sizes = MemorySizes(width, width, (longest,), columns=reads)

    def forward(self, columns: Mapping[str, Any]) -> tuple[Memory, dict[str, Glance]]:
        tokens = [columns[name] for name in self.reads]
        vectors = [
            nn.functional.pad(embed(column.ids), (0, more))
            for embed, more, column in zip(self.embeddings, self.more, tokens, strict=True)
        ]
        keep = torch.cat([column.keep for column in tokens], 1)
        inputs = torch.cat(vectors, 1)
        if len(tokens) > 1:
            order = pack_left(keep)
            keep, inputs = keep.gather(1, order), take_places(inputs, order)
        states, summary = self.recurrence(self.dropout(inputs), keep)
        return Memory(self.dropout(states), keep, summary, (keep.shape[1],)), {}

    def places(self, columns: Mapping[str, Any]) -> dict[str, tuple[Origin, ...]]:
        symbols = [(name, number) for name in self.reads for number in range(columns[name].ids.shape[1])]
        return {self.level: tuple(Origin(name, (number,), (number + 1,)) for name, number in symbols)}
