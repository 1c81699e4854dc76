"""The sequence decoder's options, and the check that they fit the encoders and looks beside them."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny

from regard.attention.options import LookOptions
from regard.decoders.emissions import EMISSIONS
from regard.decoders.emissions.linear import LinearOptions
from regard.decoders.readout import ReadoutLayer
from regard.decoders.start import StartName
from regard.embedding import EmbeddingOptions
from regard.errors import RegardError, nearest
from regard.memory import MemorySizes
from regard.parts import Options
from regard.recurrence import CellName, Reset


class SequenceOptions(Options):
    """Writes a sequence with a recurrent network."""

    type: Literal["sequence"] = "sequence"
    writes: str = Field("", description="the column to write")
    cell: CellName = Field("lstm", description="rnn, gru or lstm")
    reset: Reset = Field("after", description="where a GRU resets: before or after the product")
    hidden: int = Field(512, gt=0, description="width of the state")
    layers: int = Field(1, gt=0, description="layers of recurrence")
    embedding: EmbeddingOptions = Field(EmbeddingOptions(), description="how symbols become vectors")
    previous: Literal["output", "blank"] = Field(
        "output", description="what a step is told of the one before: its output, or nothing (the unfolded baseline)"
    )
    start: StartName = Field("summary", description="the first state: of the encoders' summaries, zero, or learned")
    feed: tuple[str, ...] | None = Field(
        None,
        description="what joins the previous output at the cell: look.NAME, summary.NAME, readout; unset: what the"
        " conditioning and each look's timing imply",
    )
    readout: tuple[str, ...] | None = Field(
        None, description="what the readout joins: state, previous, look.NAME, summary.NAME; unset: as for feed"
    )
    readout_layer: ReadoutLayer = Field("tanh", description="linear, tanh or maxout")
    readout_width: int | None = Field(None, gt=0, description="width of the readout; unset: that of the state")
    emission: Annotated[SerializeAsAny[Options], BeforeValidator(EMISSIONS.options)] = Field(
        LinearOptions(), description="how symbols are drawn from the readout"
    )
    tied: bool = Field(False, description="the output layer takes its weights from the target's embeddings")
    dropout: float = Field(0.3, ge=0, lt=1, description="share dropped from embeddings, between layers, of the readout")
    variational: bool = Field(False, description="drop the same values at every step of a sequence")
    share: str | None = Field(None, description="an encoder whose recurrence this decoder shares")

    def idle(self) -> list[str]:
        keys = self.model_fields_set
        found = ["reset (only a GRU resets)"] if "reset" in keys and self.cell != "gru" else []
        if "variational" in keys and self.variational and self.dropout == 0:
            found.append("variational (dropout is 0)")
        return found

    def check(self, looks: dict[str, LookOptions], memories: dict[str, MemorySizes]) -> None:
        """Refuse names that nothing answers to, and sizes that cannot meet."""
        for name, look in looks.items():
            if look.at not in memories:
                raise RegardError(f'looks.{name}.at = "{look.at}" is no memory; {nearest(look.at, memories)}')
        shared = [f"look.{name}" for name in looks] + [f"summary.{name}" for name in memories]
        for option, names, known in (
            ("feed", self.feed or (), [*shared, "readout"]),
            ("readout", self.readout or (), [*shared, "state", "previous"]),
        ):
            for name in names:
                if name not in known:
                    raise RegardError(f"decoder.{option} names {name!r}, which is not there; {nearest(name, known)}")
        if not self.readout:
            raise RegardError('decoder.readout is empty; give it at least ["state"]')
        if self.start == "summary" and not sum(memory.summary for memory in memories.values()):
            raise RegardError('decoder.start = "summary" needs an encoder with one; use "zero" or "learned"')
        if self.tied and self.embedding.type == "one-hot":
            raise RegardError("decoder.tied needs embeddings with weights, and one-hot ones have none")
        if self.tied and self.readout_width not in (None, self.embedding.width):
            raise RegardError(
                f"decoder.tied needs a readout as wide as the embedding, but readout_width is {self.readout_width}"
                f" and the embedding {self.embedding.width}; leave readout_width out"
            )
