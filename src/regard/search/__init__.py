"""Search: from a model that proposes next symbols to answers, over plain integers.

Nothing here knows what a symbol means, and nothing imports torch, tokenizers or any other room of ours: a torch model,
an ONNX session, an ensemble and a fake in a test look the same from here (`Stepper`).
"""

from typing import Any

import numpy as np

from regard.search.beam import beam_search
from regard.search.greedy import greedy_search
from regard.search.hypothesis import Glances, Hypothesis
from regard.search.options import SearchOptions
from regard.search.sample import sample_search
from regard.search.stepper import Advance, Stepper

__all__ = ["Advance", "Glances", "Hypothesis", "SearchOptions", "Stepper", "search"]


def search(
    stepper: Stepper,
    batch: Any,
    limits: np.ndarray,
    options: SearchOptions,
    *,
    rows: np.ndarray | None = None,
    keep: np.ndarray | None = None,
) -> list[list[Hypothesis]]:
    """Answers for each example of the batch, best first.

    `limits` (B,): the longest answer allowed, its end symbol counted. `rows` (B,): which examples these are, for the
    seeds of sampling (unset: 0, 1, …). `keep` (B, S), True = a real place: for a coverage penalty over a look that
    does not give every real place some weight at its first step (see `coverage.py`).
    """
    limits = np.asarray(limits)
    if limits.size and (limits.ndim != 1 or limits.min() < 1):
        raise ValueError("limits must be one number for each example, each at least 1 (the end symbol counts)")
    if not limits.size:
        return []
    if options.method == "greedy":
        return greedy_search(stepper, batch, limits, options, keep)
    if options.method == "sample":
        rows = np.arange(len(limits)) if rows is None else np.asarray(rows)
        return sample_search(stepper, batch, limits, options, keep, rows)
    return beam_search(stepper, batch, limits, options, keep)
