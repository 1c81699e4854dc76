"""Walks that never look back: what greedy search and sampling share.

Legend: B examples, n examples still open, K walks of one example.
A walk chooses one symbol at each step and goes on until it ends or reaches its limit; walks of one example know
nothing of each other. Greedy search is one walk whose choice is the best symbol, sampling is several that draw.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from regard.search.coverage import Coverage
from regard.search.hypothesis import NOTHING_POSSIBLE, Found, Hypothesis, Step, Trellis, check_numbers, normalised
from regard.search.options import SearchOptions
from regard.search.stepper import Stepper

# (rows (n,), step from 0, log-probs (n, K, top)) -> which of the top each walk takes (n, K)
Choice = Callable[[np.ndarray, int, np.ndarray], np.ndarray]


def walk(
    stepper: Stepper, batch: Any, limits: np.ndarray, options: SearchOptions, keep: np.ndarray | None, *,
    walks: int, top: int, choose: Choice,
) -> list[list[Hypothesis]]:  # fmt: skip
    """All walks of each example: those that ended first, and of these the best scored first."""
    shape = (len(limits), walks)
    sums, scores = np.zeros(shape), np.zeros(shape)
    lengths, ended = np.zeros(shape, np.int64), np.zeros(shape, bool)
    trellis, coverage = Trellis(), Coverage(options, keep)
    rows = np.arange(len(limits))
    tokens = np.full(shape, stepper.start_id, np.int64)
    fixed, moving = stepper.start(batch, walks)
    for length in count(1):
        parents = np.broadcast_to(np.arange(walks), tokens.shape)
        advance = stepper.advance(fixed, moving, tokens, parents, top)
        check_numbers(advance.log_probs)
        chosen = choose(rows, length - 1, advance.log_probs)[:, :, None]
        tokens, log_probs = (np.take_along_axis(part, chosen, axis=2)[:, :, 0] for part in advance[:2])
        choices = chosen[:, :, 0]
        trellis.add(Step(rows, tokens, parents, choices, log_probs, advance.glances))
        coverage.add(parents, choices, advance.glances)

        walking = lengths[rows] == 0
        if (log_probs[walking] == -np.inf).any():
            raise ValueError(NOTHING_POSSIBLE)
        sums[rows] += log_probs  # of walks that have ended too: nobody reads theirs again
        at_end = tokens == stepper.end_id
        closing = walking & (at_end | (length >= limits[rows])[:, None])
        final = normalised(sums[rows], length, options.length_normalisation) + coverage.penalty()
        lengths[rows] = np.where(closing, length, lengths[rows])
        scores[rows] = np.where(closing, final, scores[rows])
        ended[rows] |= closing & at_end

        stay = np.flatnonzero((lengths[rows] == 0).any(axis=1))
        if not len(stay):
            break
        moving = advance.moving
        if len(stay) < len(rows):
            fixed, moving = stepper.narrow(fixed, moving, stay)
            rows, tokens = rows[stay], tokens[stay]
            coverage.narrow(stay)
    order = np.lexsort((-scores, ~ended))  # a stable sort: equal walks stay in the order they were drawn
    scores, lengths, ended = (np.take_along_axis(part, order, axis=1) for part in (scores, lengths, ended))
    return trellis.read(Found(scores, lengths, slots=order, ended=ended), walks)
