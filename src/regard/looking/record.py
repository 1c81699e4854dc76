"""A look as JSON: the published form (docs/schemas/look.json), written, read and checked from one set of models.

A file with one look is an object; one with several is a list of such objects. Weights are float32 and are written
with as few digits as bring back the same number.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError

from regard.errors import RegardError
from regard.looking.look import Gaze, Look, Piece, Place

Weight = Annotated[float, Field(ge=-1e9, le=1e9)]  # far beyond any weight, and within float32
Span = Annotated[tuple[int, int], Field(description="first character and the one after the last")]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PieceRecord(_Record):
    """One symbol of the answer."""

    text: str = Field(description='as a person reads it; "" is the end of the answer')
    span: Span
    log_prob: FiniteFloat = Field(description="natural logarithm of its probability")


class PlaceRecord(_Record):
    """One place that could be looked at."""

    text: str
    column: str = Field(description="the column of `given` that it lies in")
    span: Span
    parent: Annotated[int, Field(ge=0)] | None = Field(description="its place in the level above, where there is one")
    unknown: bool = Field(default=False, description="whether the model does not know it, or a part of it")


class GazeRecord(_Record):
    """Everything one look of the model did for the answer."""

    look: str = Field(description="the look's name in the configuration")
    memory: str = Field(description="what it looked at")
    level: str = Field(description='"places", "words", "sentences" …')
    above: str | None = Field(default=None, description="the level that the parents lie in")
    places: list[PlaceRecord]
    weights: list[list[Weight]] = Field(description="a row an output, a number a place")


class LookRecord(_Record):
    """One answer and where the model looked for it."""

    format: Literal[1] = Field(description="the version of this form")
    given: dict[str, str] = Field(description="column: the text exactly as the person gave it")
    text: str = Field(description="the answer")
    log_prob: FiniteFloat = Field(description="natural logarithm of the answer's probability")
    outputs: list[PieceRecord]
    gazes: list[GazeRecord] = Field(description="none: the model attends to nothing")


_FILE: TypeAdapter[LookRecord | list[LookRecord]] = TypeAdapter(LookRecord | list[LookRecord])


def schema() -> dict[str, Any]:
    """The JSON schema of a file of looks, as it is published."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Looks", **_FILE.json_schema()}


def _short(weights: np.ndarray) -> list[list[float]]:
    return [[float(str(weight)) for weight in row] for row in weights.astype(np.float32)]


def record_of(look: Look) -> LookRecord:
    return LookRecord(
        format=1,
        given=look.given,
        text=look.text,
        log_prob=look.log_prob,
        outputs=[PieceRecord(text=p.text, span=p.span, log_prob=p.log_prob) for p in look.outputs],
        gazes=[
            GazeRecord(
                look=gaze.look,
                memory=gaze.memory,
                level=gaze.level,
                above=gaze.above,
                places=[PlaceRecord(**vars(place)) for place in gaze.places],
                weights=_short(gaze.weights),
            )
            for gaze in look.gazes
        ],
    )


def to_json(look: Look) -> str:
    return record_of(look).model_dump_json()


def from_json(text: str | bytes) -> Look:
    """One look; a RegardError says what is wrong with a text that holds none."""
    try:
        record = LookRecord.model_validate_json(text)
    except ValidationError as error:
        raise _unreadable(*_first(error)) from None
    _check(record)
    look = Look(
        given=record.given,
        text=record.text,
        log_prob=record.log_prob,
        outputs=tuple(Piece(p.text, p.span, p.log_prob) for p in record.outputs),
        gazes=tuple(
            Gaze(
                look=gaze.look,
                memory=gaze.memory,
                level=gaze.level,
                above=gaze.above,
                places=tuple(Place(**dict(place)) for place in gaze.places),
                weights=np.array(gaze.weights, dtype=np.float32).reshape(len(record.outputs), len(gaze.places)),
            )
            for gaze in record.gazes
        ),
    )
    for number, gaze in enumerate(look.gazes):
        _check_parents(f"gazes.{number}.places", gaze, look.above(gaze))
    return look


def _first(error: ValidationError) -> tuple[str, str]:
    problem = error.errors(include_url=False)[0]
    return ".".join(str(part) for part in problem["loc"]) or "the text", problem["msg"]


def _unreadable(where: str, what: str) -> RegardError:
    return RegardError(f"not a look as Regard writes it (docs/schemas/look.json): {where}: {what}")


def _check(record: LookRecord) -> None:
    """What a schema cannot say: spans lie in their texts, weights fit the outputs and places."""
    for at, piece in enumerate(record.outputs):
        _check_span(f"outputs.{at}.span", piece.span, record.text)
    for number, gaze in enumerate(record.gazes):
        here = f"gazes.{number}"
        rows = [len(row) for row in gaze.weights]
        if rows != [len(gaze.places)] * len(record.outputs):
            expected = f"expected {len(record.outputs)} rows of {len(gaze.places)} numbers"
            raise _unreadable(f"{here}.weights", f"{expected}, one row an output and one number a place")
        for at, place in enumerate(gaze.places):
            if place.column not in record.given:
                raise _unreadable(f"{here}.places.{at}.column", f"{place.column!r} is not in `given`")
            _check_span(f"{here}.places.{at}.span", place.span, record.given[place.column])


def _check_span(where: str, span: tuple[int, int], text: str) -> None:
    inside = (0, *span, len(text))
    if any(left > right for left, right in pairwise(inside)):
        raise _unreadable(where, f"{list(span)} does not lie in a text of {len(text)} characters")


def _check_parents(where: str, gaze: Gaze, above: list[Gaze]) -> None:
    parents = [place.parent for place in gaze.places if place.parent is not None]
    if len(parents) not in (0, len(gaze.places)):
        raise _unreadable(where, "some have a parent and some have none")
    if parents and len(above) == 1 and max(parents) >= len(above[0].places):
        raise _unreadable(
            where, f"a parent is {max(parents)}, but {above[0].level!r} has {len(above[0].places)} places"
        )


class Json:
    """Several looks are a list, one is an object."""

    name = "json"

    @staticmethod
    def draw(looks: Sequence[Look]) -> bytes:
        records: LookRecord | list[LookRecord] = [record_of(look) for look in looks]
        if isinstance(records, list) and len(records) == 1:
            records = records[0]
        return _FILE.dump_json(records) + b"\n"
