"""Which symbols are taken for which: answers aligned with their nearest reference by the fewest edits.

None stands for nothing: a reference symbol beside None was left out, None beside an answer symbol was made up.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from rapidfuzz.distance import Levenshtein

from regard.metrics.metric import Answered, percent


class Pair(NamedTuple):
    """One column of an alignment."""

    reference: str | None
    answer: str | None


class Confusion(BaseModel):
    """A symbol of the references and what was written instead."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reference: str | None = Field(description="the symbol expected; null: nothing, the answer's symbol is too much")
    answer: str | None = Field(description="the symbol written; null: nothing, the expected symbol is missing")
    count: int = Field(description="how often")
    expected: int | None = Field(description="how often the references hold the expected symbol at all; null with it")


class Worst(BaseModel):
    """An answer far from its nearest reference."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    example: int = Field(description="which example, counted from 0")
    source: str
    answer: str
    reference: str = Field(description="the nearest reference")
    edits: int = Field(description="insertions, deletions and replacements of symbols")
    symbol_error_rate: float = Field(description="edits in percent of the reference's symbols")
    alignment: list[Pair] = Field(description="symbols side by side, [reference, answer]; null: nothing")


def align(reference: Sequence[Hashable], answer: Sequence[Hashable]) -> list[Pair]:
    """Both sequences side by side, in their order, with the fewest edits."""
    pairs: list[Pair] = []
    for part in Levenshtein.opcodes(reference, answer):
        expected: Sequence[str | None] = [str(symbol) for symbol in reference[part.src_start : part.src_end]]
        written: Sequence[str | None] = [str(symbol) for symbol in answer[part.dest_start : part.dest_end]]
        if part.tag == "insert":
            expected = [None] * len(written)
        elif part.tag == "delete":
            written = [None] * len(expected)
        pairs.extend(Pair(*both) for both in zip(expected, written, strict=True))
    return pairs


def confusions(answered: Answered, most: int) -> list[Confusion]:
    """The commonest confusions; equally common ones in the order of their symbols."""
    counts: Counter[Pair] = Counter()
    expected: Counter[str | None] = Counter()
    for reference, answer in _nearest_pairs(answered):
        expected.update(map(str, reference))
        if reference != answer:
            counts.update(pair for pair in align(reference, answer) if pair.reference != pair.answer)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0].reference or "", item[0].answer or ""))
    return [
        Confusion(
            reference=pair.reference,
            answer=pair.answer,
            count=count,
            expected=None if pair.reference is None else expected[pair.reference],
        )
        for pair, count in ranked[:most]
    ]


def worst(answered: Answered, sources: Sequence[str], most: int) -> list[Worst]:
    """The answers with the most edits for their reference's length; of equals those with more edits, then the first."""
    nearest = answered.nearest
    rates = [percent(float(edits), float(length)) for edits, length in zip(nearest.edits, nearest.length, strict=True)]
    wrong = [example for example, edits in enumerate(nearest.edits) if edits]
    wrong.sort(key=lambda example: (-rates[example], -nearest.edits[example]))
    rows = []
    for example in wrong[:most]:
        which = nearest.which[example]
        rows.append(
            Worst(
                example=example,
                source=sources[example],
                answer=answered.answers[example],
                reference=answered.references[example][which],
                edits=int(nearest.edits[example]),
                symbol_error_rate=rates[example],
                alignment=align(answered.reference_symbols[example][which], answered.answer_symbols[example]),
            )
        )
    return rows


def _nearest_pairs(answered: Answered) -> Iterator[tuple[list[Hashable], list[Hashable]]]:
    for references, answer, which in zip(
        answered.reference_symbols, answered.answer_symbols, answered.nearest.which, strict=True
    ):
        yield list(references[which]), list(answer)
