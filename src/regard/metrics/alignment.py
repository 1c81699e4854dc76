"""How far links between words are from the true ones: alignment error rate, precision and recall.

    AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|),  precision = |A ∩ P| / |A|,  recall = |A ∩ S| / |S|

for the links A that were found, the sure links S and the possible ones P, S among them (Och and Ney 2003). Where all
true links are sure, AER is 1 − F. How ours differs: links to nothing (NULL) are no links, on either side; pairs without
any true link are taken for pairs that nobody linked, and are not measured. Its JSON is published:
`docs/schemas/align.json` is `schema()` written out, and a test holds the two in step.
"""

import json
from collections.abc import Collection, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType
from rich.text import Text

from regard.data.links import Link, Links
from regard.display import grid
from regard.errors import RegardError
from regard.metrics.bootstrap import interval, resample
from regard.metrics.metric import percent


class LinkCounts(BaseModel):
    """What the figures were counted over."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pairs: int = Field(description="pairs of texts that have true links")
    unlinked: int = Field(description="pairs without any, which are not measured")
    found: int = Field(description="links found")
    sure: int = Field(description="sure links")
    possible: int = Field(description="possible links, the sure ones among them")
    found_sure: int = Field(description="links found that are sure")
    found_possible: int = Field(description="links found that are possible")


class AlignmentReport(BaseModel):
    """What `regard align --gold` found out; every figure is in percent."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="regard align --json, measured")

    aer: float = Field(description="alignment error rate (Och and Ney 2003)")
    precision: float = Field(description="links found that are possible")
    recall: float = Field(description="sure links that were found")
    intervals: dict[str, tuple[float, float]] = Field(description="95 % bootstrap interval of each figure, by its name")
    counts: LinkCounts
    seed: int = Field(description="of the resampling")
    samples: int = Field(description="how many resamples the intervals come from")


def statistics(found: Sequence[Collection[Link]], gold: Sequence[Links]) -> np.ndarray:
    """(N, 5) for each pair |A|, |S|, |P|, |A ∩ S|, |A ∩ P|: they may be summed over any set of pairs."""
    rows = [
        (len(links), len(sure), len(possible), len(links & sure), len(links & possible))
        for links, (sure, possible) in zip(map(frozenset, found), gold, strict=True)
    ]
    return np.array(rows, np.float64).reshape(-1, 5)


def scores(totals: np.ndarray) -> dict[str, float]:
    """The figures in percent, from statistics summed to (5,)."""
    found, sure, _, found_sure, found_possible = totals
    return {
        "aer": percent(found + sure - found_sure - found_possible, found + sure),
        "precision": percent(found_possible, found),
        "recall": percent(found_sure, sure),
    }


def measure(
    found: Sequence[Collection[Link]], gold: Sequence[Links], *, seed: int = 0, samples: int = 1000
) -> AlignmentReport:
    """Links against the true ones, a set of each for every pair."""
    whole = statistics(found, gold)
    rows = whole[whole[:, 2] > 0]
    if not len(rows):
        raise RegardError(f"nothing to measure: none of {len(gold):,} pairs has a true link")
    totals = rows.sum(0)
    drawn = [scores(sums) for sums in resample(rows, samples, seed)]
    figures = scores(totals)
    a, s, p, a_s, a_p = map(int, totals)
    return AlignmentReport(
        **figures,
        intervals={name: interval(np.array([one[name] for one in drawn])) for name in figures},
        counts=LinkCounts(
            pairs=len(rows), unlinked=len(whole) - len(rows), found=a, sure=s, possible=p, found_sure=a_s,
            found_possible=a_p,
        ),
        seed=seed,
        samples=samples,
    )  # fmt: skip


def schema() -> str:
    """The JSON schema of a report, as `docs/schemas/align.json` holds it."""
    return json.dumps(AlignmentReport.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def show(report: AlignmentReport) -> RenderableType:
    """The report for a console."""
    counts = report.counts
    left = f"; {counts.unlinked:,} pairs without true links are not measured" if counts.unlinked else ""
    table = grid(None, "", ">percent", "95 % interval")
    for name, label in (("aer", "alignment error"), ("precision", "precision"), ("recall", "recall")):
        low, high = report.intervals[name]
        table.add_row(label, f"{getattr(report, name):.2f}", f"{low:.2f} to {high:.2f}")
    said = (
        f"{counts.pairs:,} pairs, {counts.found:,} links found; {counts.sure:,} sure and"
        f" {counts.possible - counts.sure:,} more possible ones are true{left}\n"
    )
    return Group(Text(said), table)
