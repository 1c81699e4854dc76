"""Error rates and accuracy, of whole answers and of symbols.

Where a source has several references, an answer is right when it equals one of them, and its symbols are counted
against the nearest. *Word error* is, as usual for lists of words, the share of answers that are not exactly right; what
speech and translation call word error rate is the symbol error of a column whose unit is the word.
"""

from typing import ClassVar

import numpy as np

from regard.metrics.metric import Answered, Metric, percent


class Accuracy(Metric):
    """100 right answers / answers. D: right, answers."""

    name: ClassVar[str] = "accuracy"

    def statistics(self, answered: Answered) -> np.ndarray:
        pairs = zip(answered.answers, answered.references, strict=True)
        return np.array([(answer in references, 1.0) for answer, references in pairs], np.float64)

    def score(self, totals: np.ndarray) -> float:
        return percent(totals[0], totals[1])


class WordErrorRate(Accuracy):
    """100 - accuracy."""

    name: ClassVar[str] = "word_error_rate"
    higher_is_better: ClassVar[bool] = False

    def score(self, totals: np.ndarray) -> float:
        return percent(totals[1] - totals[0], totals[1])


class SymbolErrorRate(Metric):
    """100 edits / symbols of the nearest references; can exceed 100. D: edits, reference symbols."""

    name: ClassVar[str] = "symbol_error_rate"
    higher_is_better: ClassVar[bool] = False

    def statistics(self, answered: Answered) -> np.ndarray:
        return np.stack([answered.nearest.edits, answered.nearest.length], axis=1).astype(np.float64)

    def score(self, totals: np.ndarray) -> float:
        return percent(totals[0], totals[1])
