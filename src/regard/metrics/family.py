"""All metrics by name, ours and those of others, and one figure of a set of answers, as training wants it."""

from collections.abc import Hashable, Sequence

from regard.metrics.metric import Answered
from regard.metrics.rates import Accuracy, SymbolErrorRate, WordErrorRate
from regard.metrics.translation import Bleu, Chrf
from regard.parts import Family

METRICS = Family("metric", "regard.metrics", [WordErrorRate, SymbolErrorRate, Accuracy, Bleu, Chrf])


def score(
    name: str,
    answers: Sequence[str],
    references: Sequence[Sequence[str]],
    answer_symbols: Sequence[Sequence[Hashable]] | None = None,
    reference_symbols: Sequence[Sequence[Sequence[Hashable]]] | None = None,
    unit: str = "character",
) -> float:
    """One figure in percent; without symbols, those are the characters of the text."""
    metric = METRICS[name]()
    answered = Answered(
        answers,
        references,
        answers if answer_symbols is None else answer_symbols,
        references if reference_symbols is None else reference_symbols,
        unit,
    )
    return float(metric.score(metric.statistics(answered).sum(axis=0)))
