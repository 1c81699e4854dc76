"""A model against a table whose answers are known: one report, or the few figures that training goes by.

Unusual here: rows with the same source are one question with several right answers; and symbols are counted as a
reader would count them (characters as written, words, phones), not as the model cuts them inside.
"""

from collections.abc import Mapping, Sequence

from regard.answering import Answer, Answerer
from regard.data.units import UNITS
from regard.metrics import Grouped, Report, group, report, score

BY_UNIT = {"word": "bleu", "subword": "bleu"}  # else word error: sentences are seldom right as a whole


class Questions:
    """Sources of a table, each once, with all answers that the table has for it."""

    def __init__(
        self,
        reads: Sequence[str],
        target: str,
        texts: Mapping[str, Sequence[str]],
        weights: Sequence[float] | None = None,
    ):
        rows = list(zip(*(texts[name] for name in reads), strict=True)) if reads else [()] * len(texts[target])
        self.grouped: Grouped = group(rows, list(texts[target]), weights)
        self.given = {name: [source[at] for source in self.grouped.sources] for at, name in enumerate(reads)}

    @property
    def references(self) -> list[list[str]]:
        return self.grouped.references


def default_metric(unit: str) -> str:
    """What chooses the best weights where nobody says: BLEU for sentences, word error for words."""
    return BY_UNIT.get(unit, "word_error_rate")


def figure(metric: str, answerer: Answerer, questions: Questions, answers: Sequence[Answer]) -> float:
    """One metric of these answers."""
    symbols = UNITS[answerer.target.unit].counted[1]
    return score(
        metric,
        [answer.text for answer in answers],
        questions.references,
        [symbols(answer.text) for answer in answers],
        [[symbols(text) for text in texts] for texts in questions.references],
        answerer.target.unit,
    )


def evaluate(answerer: Answerer, questions: Questions, answers: Sequence[Answer], also: Sequence[str] = ()) -> Report:
    """Everything about these answers."""
    unit, symbols = UNITS[answerer.target.unit].counted
    first = answerer.reads[0] if answerer.reads else None
    return report(
        [answer.text for answer in answers],
        questions.references,
        sources=[" · ".join(source) for source in questions.grouped.sources],
        answer_symbols=[symbols(answer.text) for answer in answers],
        reference_symbols=[[symbols(text) for text in texts] for texts in questions.references],
        source_lengths=[len(answerer.columns[first].encode_ids([text])[0]) for text in questions.given[first]]
        if first
        else [0] * len(answers),
        unit=unit,
        also=also,
        unknown=[[part for found in answer.unknown.values() for part in found] for answer in answers],
    )
