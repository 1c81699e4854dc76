"""A learning curve: the error on one dev part after training on halves of the data, and where the line leads.

Unusual here: the guess is a straight line through the logarithms, error = a · rows^-b, fitted by least squares; it is a
guess and says so. Its range comes of leaving each point out in turn, where there are at least three.
"""

from collections.abc import Sequence
from math import exp, log

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from rich import box
from rich.table import Table

from regard.display import plain


class Point(BaseModel):
    """One training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rows: int
    word_error_rate: float
    symbol_error_rate: float


class Guess(BaseModel):
    """What a straight line through the logarithms says of twice the data."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rows: int
    symbol_error_rate: float
    low: float
    high: float


class Curve(BaseModel):
    """What `regard curve` found out; figures in percent."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="regard curve --json")

    points: list[Point]
    guess: Guess | None = Field(description="null where an error of 0 leaves nothing to guess from")

    def table(self) -> Table:
        """For the terminal."""
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in ("rows", "word error", "symbol error"):
            table.add_column(name, justify="right")
        for point in self.points:
            table.add_row(f"{point.rows:,}", f"{point.word_error_rate:.2f}", f"{point.symbol_error_rate:.2f}")
        if self.guess is not None:
            one = self.guess
            guessed = f"{one.symbol_error_rate:.2f} ({one.low:.2f} to {one.high:.2f})"
            table.add_row(f"{one.rows:,}", "a guess:", guessed, style="italic")
        return table

    def __str__(self) -> str:
        return plain(self.table())

    def __repr__(self) -> str:
        return f"<Curve {len(self.points)} points, {self.points[0].rows:,} to {self.points[-1].rows:,} rows>"


def curve_of(points: Sequence[Point]) -> Curve:
    """The points, and the guess for twice the largest."""
    ranked = sorted(points, key=lambda point: point.rows)
    errors = [point.symbol_error_rate for point in ranked]
    if len(ranked) < 2 or min(errors) <= 0:
        return Curve(points=ranked, guess=None)
    rows = [point.rows for point in ranked]
    twice = 2 * rows[-1]
    best = extrapolate(rows, errors, twice)
    others = [best]
    if len(ranked) > 2:
        others += [extrapolate(rows[:i] + rows[i + 1 :], errors[:i] + errors[i + 1 :], twice) for i in range(len(rows))]
    return Curve(points=ranked, guess=Guess(rows=twice, symbol_error_rate=best, low=min(others), high=max(others)))


def extrapolate(rows: Sequence[int], errors: Sequence[float], at: int) -> float:
    """error = a · rows^-b through these points, by least squares in the logarithms, at another number of rows."""
    slope, start = np.polyfit([log(count) for count in rows], [log(error) for error in errors], 1)
    return exp(float(start) + float(slope) * log(at))
