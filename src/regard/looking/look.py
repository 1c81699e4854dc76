"""A Look: the record of where a model looked for one output, tied back to what the person gave.

Legend: T output pieces, S places of one memory. Products over levels (words within sentences) are never stored:
`flatten` multiplies them when asked. A Look holds numpy and plain Python only, so that a saved one opens without torch.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Piece:
    """One symbol of the answer: as a person reads it, where it stands in the answer's text, how sure the model was."""

    text: str  # "" for the end of the answer
    span: tuple[int, int]  # in Look.text
    log_prob: float


@dataclass(frozen=True)
class Place:
    """One place that could be looked at: a span of characters in what was given in `column`."""

    text: str
    column: str
    span: tuple[int, int]
    parent: int | None = None  # its place in the level above, where there is one


@dataclass(frozen=True)
class Gaze:
    """Everything one look of the model did for one answer."""

    look: str  # the look's name in the configuration
    memory: str  # what it looked at
    level: str  # "places", "words", "sentences" …
    places: tuple[Place, ...]
    weights: np.ndarray  # (T, S), a row an output piece; rows sum to 1 over the places


@dataclass(frozen=True)
class Look:
    """One answer and where it came from. The last piece is the end of the answer, with an empty text and span."""

    given: dict[str, str]  # column -> the text exactly as the person gave it
    text: str
    outputs: tuple[Piece, ...]
    gazes: tuple[Gaze, ...] = field(default=())  # none: the model attends to nothing
    log_prob: float = 0.0
