"""What a survey of a table says, as one object.

Its JSON is published: `docs/schemas/inspect-table.json` is `schema()` written out, and a test holds the two in step.
"""

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from regard.data.forms import RARE, Form

Direction = Literal["left to right", "right to left", "mixed", "none"]


class Part(BaseModel):
    """A part of a survey: complete, and never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Bar(Part):
    """A bar of a histogram."""

    shortest: int
    longest: int
    rows: int


class Lengths(Part):
    """Of the cells that are not empty, in symbols."""

    shortest: int
    median: float
    most: int = Field(description="95 % of the cells are no longer than this")
    longest: int
    histogram: list[Bar]


class SymbolCount(Part):
    """How often a symbol was seen."""

    symbol: str
    count: int


class Symbols(Part):
    """What a model would see: letters perhaps taken apart, words, tags, subwords."""

    different: int
    seen: int
    once: int = Field(description="different symbols seen once")
    rare: int = Field(description=f"different symbols seen fewer than {RARE} times, those seen once among them")
    commonest: list[SymbolCount]
    rarest: list[SymbolCount]


class FormCounts(Part):
    """How accents are written; rows that read the same in both forms are plain."""

    form: Form
    plain: int
    nfc: int
    nfd: int
    other: int = Field(description="rows in neither form")
    taken_apart: bool = Field(description="whether training would take characters apart")
    notes: list[str]


class Directions(Part):
    """Which way cells run; numbers and signs alone run neither way."""

    direction: Direction
    left_to_right: int
    right_to_left: int
    mixed: int = Field(description="cells in which both occur")


class ColumnSurvey(Part):
    """One column."""

    name: str
    role: Literal["source", "feature", "target", "weight"] | None = Field(description="what training would use it as")
    kind: Literal["text"]
    unit: str
    reason: str = Field(description="why this unit was found")
    empty: int = Field(description="cells without text")
    different: int = Field(description="different cells")
    example: str
    lengths: Lengths | None
    symbols: Symbols | None
    forms: FormCounts | None
    directions: Directions


class LeftOut(Part):
    """Rows that training would leave out."""

    why: str
    rows: int
    first: str = Field(description="where the first of them stands")


class Duplicates(Part):
    """Rows that come again; accents written in another form make no difference."""

    rows: int = Field(description="rows equal to an earlier one in all columns")
    sources: int | None = Field(description="rows whose source occurred before, whatever is written for it")
    several_answers: int | None = Field(description="different sources for which different things are written")


class UnknownSymbol(Part):
    """A part of a cell that a model does not know."""

    symbol: str
    count: int
    first: str = Field(description="where it stands first")
    example: str = Field(description="that cell")


class Unknown(Part):
    """What a model does not know of a column, all the commonest first."""

    column: str = Field(description="as the table calls it")
    rows: int = Field(description="rows that hold something unknown")
    symbols: list[UnknownSymbol]
    longest_known: int = Field(description="symbols of the longest cell that the model was trained on")
    longer: int = Field(description="rows longer than that")


class Survey(Part):
    """What `regard inspect` says of a table."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="regard inspect --json, of a table")

    origin: str
    rows: int
    header: bool
    columns: list[ColumnSurvey]
    undecided: str | None = Field(description="why no column is read or written: the error that training would give")
    left_out: list[LeftOut]
    duplicates: Duplicates
    unknown: list[Unknown] = Field([], description="what a model that was given too does not know")


def schema() -> str:
    """The JSON schema of a survey, as `docs/schemas/inspect-table.json` holds it."""
    return json.dumps(Survey.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
