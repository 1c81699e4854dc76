"""A Look: the record of where a model looked for one output, tied back to what the person gave.

Legend: T output pieces, S places of one memory. Products over levels (words within sentences) are never stored:
`flatten` multiplies them when asked. A Look holds numpy and plain Python only, so that a saved one opens without torch.
The renderers import this file and not the other way round; the methods that draw fetch theirs when they are called.
"""

from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from regard.errors import RegardError, nearest


@dataclass(frozen=True)
class Piece:
    """One symbol of the answer: as a person reads it, where it stands in the answer's text, how sure the model was."""

    text: str  # "" for the end of the answer
    span: tuple[int, int]  # in Look.text
    log_prob: float

    @property
    def probability(self) -> float:
        return exp(min(self.log_prob, 0.0))


@dataclass(frozen=True)
class Place:
    """One place that could be looked at: a span of characters in what was given in `column`."""

    text: str
    column: str
    span: tuple[int, int]
    parent: int | None = None  # its place in the level above, where there is one
    unknown: bool = False  # whether the model does not know it, or a part of it


@dataclass(frozen=True, eq=False)
class Gaze:
    """Everything one look of the model did for one answer."""

    look: str  # the look's name in the configuration
    memory: str  # what it looked at
    level: str  # "places", "words", "sentences" …
    places: tuple[Place, ...]
    weights: Float[np.ndarray, "T S"]  # a row an output piece; sums to 1 over the places (of each parent), or less
    above: str | None = None  # the level that the parents lie in; None: the memory's only other level

    def __post_init__(self) -> None:
        assert self.weights.ndim == 2, f"weights (T, S), not {self.weights.shape}"
        assert self.weights.shape[1] == len(self.places), f"{self.weights.shape[1]} weights, {len(self.places)} places"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Gaze):
            return NotImplemented
        names = ("look", "memory", "level", "places", "above")
        same = all(getattr(self, name) == getattr(other, name) for name in names)
        return same and np.array_equal(self.weights, other.weights)

    def parents(self) -> Int[np.ndarray, " S"] | None:
        """For each place its place above, or None at the top level."""
        found = [place.parent for place in self.places if place.parent is not None]
        assert len(found) in (0, len(self.places)), f"some places of {self.level!r} have a parent and some have none"
        return np.array(found, dtype=np.int64) if found else None


@dataclass(frozen=True, repr=False)
class Look:
    """One answer and where it came from. The last piece is the end of the answer, with an empty text and span."""

    given: dict[str, str]  # column -> the text exactly as the person gave it
    text: str
    outputs: tuple[Piece, ...]
    gazes: tuple[Gaze, ...] = field(default=())  # none: the model attends to nothing
    log_prob: float = 0.0

    def __post_init__(self) -> None:
        for gaze in self.gazes:
            assert len(gaze.weights) == len(self.outputs), f"{len(gaze.weights)} rows, {len(self.outputs)} outputs"

    def flatten(self, level: str) -> "Look":
        """The same answer seen at one level, with all levels above multiplied in.

        w'[t, s] = w[t, s] · w_above[t, parent(s)], up to the top, then each row divided by its sum: where the words
        of each sentence sum to 1 that sum is 1 already; where they sum to 1 over the whole document it is what the
        pointer over a two-level encoder uses. A level with none above is as it was, whatever its rows sum to.
        """
        levels = sorted({gaze.level for gaze in self.gazes})
        if level not in levels:
            raise RegardError(f"this look has no level {level!r}: {nearest(level, levels)}")
        flat = []
        for gaze in self.gazes:
            if gaze.level == level:
                product = self._product(gaze)
                total = product.sum(1, keepdims=True)
                shares = np.divide(product, total, out=np.zeros_like(product), where=total > 0)
                weights = product if gaze.parents() is None else shares
                places = tuple(replace(place, parent=None) for place in gaze.places)
                flat.append(replace(gaze, places=places, weights=weights, above=None))
        return replace(self, gazes=tuple(flat))

    def above(self, gaze: Gaze) -> list[Gaze]:
        """The gazes that the parents of this one's places may lie in."""
        found = [
            other
            for other in self.gazes
            if other.memory == gaze.memory and other.level == (gaze.above or other.level) != gaze.level
        ]
        # Several looks may read one memory (layers, heads): a look's words go with its own sentences.
        return [other for other in found if other.look == gaze.look] or found

    def _product(self, gaze: Gaze, below: tuple[str, ...] = ()) -> Float[np.ndarray, "T S"]:
        parents = gaze.parents()
        if parents is None:
            return gaze.weights
        above = self.above(gaze)
        if len(above) != 1:
            wanted = f"level {gaze.above!r}" if gaze.above else "level above"
            raise RegardError(
                f"cannot tell which look lies above {gaze.level!r} of {gaze.look!r}: {len(above)} looks at the "
                f"{wanted} of {gaze.memory!r}, 1 expected; keep one with dataclasses.replace(look, gazes=…)"
            )
        if above[0].level in below:
            circle = ", ".join((*below, gaze.level))
            raise RegardError(f"the levels of {gaze.memory!r} lie in a circle ({circle}): one must be on top")
        return gaze.weights * self._product(above[0], (*below, gaze.level))[:, parents]

    def to_json(self) -> str:
        """This look as JSON, in the published form (docs/schemas/look.json)."""
        from regard.looking.record import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Look":
        """Read what `to_json` wrote."""
        from regard.looking.record import from_json

        return from_json(text)

    def save(self, path: str | Path) -> None:
        """Draw this look into a file; its ending (.html, .json, .png, .svg …) chooses the renderer."""
        from regard.looking.renderers import save

        save(self, path)

    def _repr_html_(self) -> str:
        from regard.looking.html import fragment

        return fragment([self])

    def __rich__(self) -> object:
        from regard.looking.terminal import HeatMap

        return HeatMap(self)

    def __str__(self) -> str:
        from regard.looking.terminal import plain

        return plain(self)

    def __repr__(self) -> str:
        given = ", ".join(f"{column}={text!r}" for column, text in self.given.items())
        return f"<Look {given} → {self.text!r}, {len(self.outputs)} outputs, {len(self.gazes)} gazes>"
