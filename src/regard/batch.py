"""Where the data and the model meet: a batch of columns as tensors, padded, with what is real marked by `keep`.

Legend: B batch, S places. Special ids are the same in every text column: 0 pad, 1 start, 2 end, 3 unknown.
A source column holds the person's symbols only; a target column ends with `END`; the decoder puts `START` before.
Unusual here: each kind of column has tensors and an extent of its own (a NamedTuple each, `Tokens` and `Extent` for
text), which only the encoders that read that kind look into; everything between passes them on. Where a model copies,
a target may hold ids from V (the size of its vocabulary) on: V + j is the symbol at place j of the copied column.
"""

from typing import Any, NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor

PAD, START, END, UNKNOWN = 0, 1, 2, 3
LINKS = "links"  # where `Batch.columns` holds true links between what is read and what is written
SPECIALS = ("<pad>", "<start>", "<end>", "<unknown>")


class Tokens(NamedTuple):
    """A text column."""

    ids: Int[Tensor, "B S"]
    keep: Bool[Tensor, "B S"]  # True = a real symbol; real ones come first


class CopiedTokens(NamedTuple):
    """A text column that an emission copies from."""

    ids: Int[Tensor, "B S"]
    keep: Bool[Tensor, "B S"]
    copies: Int[Tensor, "B S"]  # what writes each symbol: the target's id, or V + the first place that has the same one


class Links(NamedTuple):
    """True links between the symbols of the target and those of the first column read."""

    links: Float[Tensor, "B T S"]  # 1: linked


class Batch(NamedTuple):
    """Some rows of a table; `columns` holds for each column name its kind's tensors."""

    columns: dict[str, Any]
    rows: Int[Tensor, "B"]  # which rows of the table these are
    weights: Float[Tensor, "B"]  # how much each example counts (1 unless the table says otherwise)


class Total(NamedTuple):
    """A loss as a sum and what to divide it by; over several processes both are added up first."""

    total: Float[Tensor, ""]
    count: Float[Tensor, ""]  # type: ignore[assignment]  # hides tuple.count


class Extent(NamedTuple):
    """What a model must know of a text column before it is built."""

    size: int  # ids, the special ones included
    longest: int  # symbols of the longest cell in training
