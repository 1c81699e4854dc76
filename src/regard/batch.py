"""Where the data and the model meet: a batch of columns as tensors, padded, with what is real marked by `keep`.

Legend: B batch, S places. Special ids are the same in every text column: 0 pad, 1 start, 2 end, 3 unknown.
A source column holds the person's symbols only; a target column ends with `END`; the decoder puts `START` before.
"""

from typing import NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor

PAD, START, END, UNKNOWN = 0, 1, 2, 3
SPECIALS = ("<pad>", "<start>", "<end>", "<unknown>")


class Tokens(NamedTuple):
    """A text column."""

    ids: Int[Tensor, "B S"]
    keep: Bool[Tensor, "B S"]  # True = a real symbol; real ones come first


class Batch(NamedTuple):
    """Some rows of a table; `columns` holds for each column name its kind's tensors."""

    columns: dict[str, Tokens]
    rows: Int[Tensor, "B"]  # which rows of the table these are
    weights: Float[Tensor, "B"]  # how much each example counts (1 unless the table says otherwise)


class Extent(NamedTuple):
    """What a model must know of a column before it is built."""

    size: int  # ids, the special ones included
    longest: int  # symbols of the longest cell in training
