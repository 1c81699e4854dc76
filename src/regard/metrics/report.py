"""The report of an evaluation: every figure with its interval, by length, confusions and worst answers, as one object.

Its JSON is published: `docs/schemas/evaluate.json` is `schema()` written out, and a test holds the two in step.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_serializer

from regard.display import plain
from regard.errors import RegardError
from regard.metrics.bootstrap import interval, resample
from regard.metrics.confusions import Confusion, Worst, confusions, worst
from regard.metrics.family import METRICS
from regard.metrics.metric import Answered, Metric
from regard.metrics.trust import LookCheck

ALWAYS = ("word_error_rate", "symbol_error_rate", "accuracy", "bleu", "chrf")
BUCKETS, CONFUSIONS, WORST = 6, 20, 10  # how many rows of each, at most
SYMBOLS = 20  # of what is unknown


class Counts(BaseModel):
    """What the figures were counted over."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    examples: int
    references: int
    right: int = Field(description="answers equal to one of their references")
    edits: int = Field(description="insertions, deletions and replacements of symbols against the nearest references")
    reference_symbols: int = Field(description="symbols of the nearest references")


class LengthRow(BaseModel):
    """The examples whose source is of about one length."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    shortest: int
    longest: int
    examples: int
    word_error_rate: float
    symbol_error_rate: float


class UnknownRow(BaseModel):
    """The examples whose sources have symbols that the model does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    examples: int
    right: int = Field(description="of these, answers equal to one of their references")
    word_error_rate: float
    symbol_error_rate: float
    symbols: list[str] = Field(description="the commonest of what is not known, as it was given")


class Report(BaseModel):
    """What `regard evaluate` found out; every figure is in percent."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="regard evaluate --json")

    word_error_rate: float = Field(description="answers that equal none of their references")
    symbol_error_rate: float = Field(description="edits per symbol of the nearest reference; can exceed 100")
    accuracy: float = Field(description="answers that equal one of their references")
    bleu: float = Field(description="0 by definition where no answer has four words")
    chrf: float
    others: dict[str, float] = Field(description="metrics asked for by name")
    intervals: dict[str, tuple[float, float]] = Field(description="95 % bootstrap interval of each figure, by its name")
    signatures: dict[str, str] = Field(description="how a figure was computed, where there is more than one way")
    unit: str = Field(description="what a symbol is")
    counts: Counts
    seed: int = Field(description="of the resampling")
    samples: int = Field(description="how many resamples the intervals come from")
    by_length: list[LengthRow] = Field(description="by the source's length in symbols, shortest first")
    unknown: UnknownRow | None = Field(description="null: the model knows every symbol of every source")
    confusions: list[Confusion] = Field(description="the commonest first")
    worst: list[Worst] = Field(description="the answers with the most edits for their length")
    looks: list[LookCheck] | None = Field(
        None, description="only where the looks were checked: whether the model uses what it looks at"
    )

    @model_serializer(mode="wrap")
    def _only_what_was_asked(self, whole: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return {key: value for key, value in whole(self).items() if key != "looks" or self.looks is not None}

    def __str__(self) -> str:
        """The table that `regard evaluate` prints."""
        from regard.metrics.show import show

        return plain(show(self))

    def __repr__(self) -> str:
        figures = f"word error {self.word_error_rate:.2f} %, symbol error {self.symbol_error_rate:.2f} %"
        return f"<Report {self.counts.examples:,} examples: {figures}>"


def report(
    answers: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    sources: Sequence[str],
    answer_symbols: Sequence[Sequence[str]],
    reference_symbols: Sequence[Sequence[Sequence[str]]],
    source_lengths: Sequence[int] | np.ndarray,
    unit: str,
    seed: int = 0,
    samples: int = 1000,
    also: Sequence[str] = (),
    unknown: Sequence[Sequence[str]] | None = None,
) -> Report:
    """Measure answers against their references; `also` names further metrics of the family, for `others`.

    `unknown`: for each example the parts of its source that the model does not know.
    """
    answered = Answered(answers, references, answer_symbols, reference_symbols, unit)
    if not len(sources) == len(source_lengths) == len(answers):
        raise RegardError(
            f"cannot report on {len(answers)} answers with {len(sources)} sources and {len(source_lengths)} "
            "source lengths: give one of each for every example"
        )
    metrics: dict[str, Metric] = {name: METRICS[name]() for name in dict.fromkeys((*ALWAYS, *also))}
    statistics = {name: metric.statistics(answered) for name, metric in metrics.items()}
    scores = {name: metric.score(statistics[name].sum(axis=0)) for name, metric in metrics.items()}
    edits, length = statistics["symbol_error_rate"].sum(axis=0)
    return Report(
        **{name: scores.pop(name) for name in ALWAYS},
        others=scores,
        intervals=_intervals(metrics, statistics, samples, seed),
        signatures={name: text for name, metric in metrics.items() if (text := metric.signature(answered))},
        unit=unit,
        counts=Counts(
            examples=len(answers),
            references=sum(map(len, references)),
            right=int(statistics["accuracy"][:, 0].sum()),
            edits=int(edits),
            reference_symbols=int(length),
        ),
        seed=seed,
        samples=samples,
        by_length=_by_length(np.asarray(source_lengths), metrics, statistics),
        unknown=_unknown(unknown or [()] * len(answers), metrics, statistics),
        confusions=confusions(answered, CONFUSIONS),
        worst=worst(answered, sources, WORST),
    )


def schema() -> str:
    """The JSON schema of a report, as `docs/schemas/evaluate.json` holds it."""
    return json.dumps(Report.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def _intervals(
    metrics: dict[str, Metric], statistics: dict[str, np.ndarray], samples: int, seed: int
) -> dict[str, tuple[float, float]]:
    """All metrics over the same resamples, so that their intervals can be compared."""
    widths = np.cumsum([statistics[name].shape[1] for name in metrics])
    sums = resample(np.concatenate([statistics[name] for name in metrics], axis=1), samples, seed)
    parts = np.split(sums, widths[:-1], axis=1)
    return {
        name: interval(np.array([metric.score(totals) for totals in part]))
        for (name, metric), part in zip(metrics.items(), parts, strict=True)
    }


def _rates(inside: np.ndarray, metrics: dict[str, Metric], statistics: dict[str, np.ndarray]) -> dict[str, float]:
    """Both error rates of some of the examples."""
    names = ("word_error_rate", "symbol_error_rate")
    return {name: metrics[name].score(statistics[name][inside].sum(axis=0)) for name in names}


def _unknown(
    parts: Sequence[Sequence[str]], metrics: dict[str, Metric], statistics: dict[str, np.ndarray]
) -> UnknownRow | None:
    inside = np.array([len(own) > 0 for own in parts], bool)
    if not inside.any():
        return None
    counts = Counter(part for own in parts for part in own)
    return UnknownRow(
        examples=int(inside.sum()),
        right=int(statistics["accuracy"][inside, 0].sum()),
        symbols=[part for part, _ in counts.most_common(SYMBOLS)],
        **_rates(inside, metrics, statistics),
    )


def _by_length(lengths: np.ndarray, metrics: dict[str, Metric], statistics: dict[str, np.ndarray]) -> list[LengthRow]:
    """Buckets of about as many examples each; one length is never in two."""
    upper = np.unique(np.quantile(lengths, np.linspace(0, 1, BUCKETS + 1)[1:], method="inverted_cdf"))
    bucket = np.searchsorted(upper, lengths)
    rows = []
    for index in range(len(upper)):
        inside = bucket == index
        own, rates = lengths[inside], _rates(inside, metrics, statistics)
        rows.append(LengthRow(shortest=int(own.min()), longest=int(own.max()), examples=len(own), **rates))
    return rows
