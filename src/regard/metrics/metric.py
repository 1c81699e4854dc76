"""What a metric is: statistics of each example, which add up, and a score of their sum.

Legend: N examples, D statistics of one example.
Unusual here: no metric scores an example or a corpus directly. Because the statistics add up, the same two functions
serve the figure, its bootstrap interval (other sums of the same rows) and the figure of a part (one length, one fold),
and nothing is aligned or tokenized twice.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from regard.errors import RegardError


class Nearest(NamedTuple):
    """For each answer its nearest reference: fewest edits, and of equals the longest, then the first."""

    which: np.ndarray  # (N,) its place among the example's references
    edits: np.ndarray  # (N,) insertions, deletions and replacements of symbols
    length: np.ndarray  # (N,) that reference's symbols


@dataclass(frozen=True)
class Answered:
    """Answers beside their references, as text and as symbols: all that a metric may read."""

    answers: Sequence[str]
    references: Sequence[Sequence[str]]  # one or several for each answer
    answer_symbols: Sequence[Sequence[Hashable]]
    reference_symbols: Sequence[Sequence[Sequence[Hashable]]]
    unit: str = field(default="character")  # what a symbol is; "symbol": the text is already split by spaces

    def __post_init__(self) -> None:
        counts = {
            "answers": len(self.answers), "references": len(self.references),
            "answer symbols": len(self.answer_symbols), "reference symbols": len(self.reference_symbols),
        }  # fmt: skip
        if len(set(counts.values())) > 1:
            given = ", ".join(f"{count} {name}" for name, count in counts.items())
            raise RegardError(f"cannot score {given}: give one of each for every example")
        if not self.answers:
            raise RegardError(
                "nothing to score: there are no answers; is the file empty, or does a condition (where) leave no row?"
            )
        for number, (texts, symbols) in enumerate(zip(self.references, self.reference_symbols, strict=True), 1):
            if not texts or len(texts) != len(symbols):
                raise RegardError(
                    f"example {number} has {len(texts)} references as text and {len(symbols)} as symbols: "
                    "give at least one, and as many of each"
                )

    @cached_property
    def nearest(self) -> Nearest:
        """Worked out once for all that need it."""
        rows = []
        for answer, references in zip(self.answer_symbols, self.reference_symbols, strict=True):
            edits = [Levenshtein.distance(reference, answer) for reference in references]
            index = min(range(len(references)), key=lambda i: (edits[i], -len(references[i])))
            rows.append((index, edits[index], len(references[index])))
        return Nearest(*np.array(rows, np.int64).T)


class Metric(ABC):
    """One measure; a third party subclasses this and names it under the entry point group `regard.metrics`."""

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True

    @abstractmethod
    def statistics(self, answered: Answered) -> np.ndarray:
        """(N, D) numbers that may be summed over any set of examples."""

    @abstractmethod
    def score(self, totals: np.ndarray) -> float:
        """The figure in percent, from statistics summed to (D,)."""

    def signature(self, answered: Answered) -> str:
        """How the figure was computed, where there is more than one way; else nothing."""
        return ""


def percent(part: float, whole: float) -> float:
    """100 part / whole; with nothing to count by, every mistake counts as one in one."""
    return float(100.0 * part / max(whole, 1.0))
