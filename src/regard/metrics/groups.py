"""Rows with the same source are one example with several references; weights say how often each was attested."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple


class Grouped(NamedTuple):
    """One entry a source, in the order of their first rows."""

    sources: list[Any]  # as they came: texts, or tuples of several columns
    references: list[list[str]]  # the heaviest first, of equals the one that came first; none twice
    weights: list[float]  # the sum over the source's rows
    first: list[int]  # its first row, from which other columns may be read


def group(sources: Sequence[Hashable], references: Sequence[str], weights: Sequence[float] | None = None) -> Grouped:
    """Put the references of equal sources together. A source made of several columns is a tuple."""
    if weights is None:
        weights = [1.0] * len(sources)
    found: dict[Hashable, dict[str, float]] = {}
    first: list[int] = []
    for row, (source, reference, weight) in enumerate(zip(sources, references, weights, strict=True)):
        if source not in found:
            found[source] = {}
            first.append(row)
        own = found[source]
        own[reference] = own.get(reference, 0.0) + weight
    return Grouped(
        sources=list(found),
        references=[sorted(own, key=lambda reference: -own[reference]) for own in found.values()],
        weights=[sum(own.values()) for own in found.values()],
        first=first,
    )
