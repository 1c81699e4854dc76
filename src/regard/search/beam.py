"""Beam search over a batch of examples, each of which is searched as if it were alone.

Legend: B examples, n examples still open, K beams.
The rules, for each example:
- At each step the K best continuations are taken, by the sum of log p. Those that end join the *kept* answers, of
  which the K best by score stay. Ties go to the earlier slot, in it to the lower id, and to the answer found first.
- An ended answer keeps its place in the beam: of kept answers and open hypotheses together, ranked by normalised
  score, only the best K go on. So a beam of 1 is greedy search, and many good answers make a narrow beam.
- The example is done when nothing is open, when its limit is reached, or when no open hypothesis can beat the
  n-best-th kept answer. log p <= 0 and the penalty <= 0, so the best that an open hypothesis with sum s can still
  become is s / limit ^ exponent. n-best decides only when to stop, so that it never changes the best.
- Only where nothing ended are hypotheses that ran into the limit returned.
Unusual here: slots that are dead (their continuation ended, or was crowded out) are not squeezed out but carry a sum
of -inf, so that a slot is an index into the step before; finished examples leave the batch (`Stepper.narrow`).
"""

from itertools import count
from typing import Any

import numpy as np

from regard.search.coverage import Coverage
from regard.search.hypothesis import NOTHING_POSSIBLE, Found, Hypothesis, Step, Trellis, check_numbers, normalised
from regard.search.options import SearchOptions
from regard.search.stepper import Stepper


def beam_search(
    stepper: Stepper, batch: Any, limits: np.ndarray, options: SearchOptions, keep: np.ndarray | None = None
) -> list[list[Hypothesis]]:
    """The `n_best` best answers that the beam finds for each example, best first (fewer where fewer ended)."""
    examples, beams = len(limits), options.beam
    found, kept = _nothing(examples, beams), _nothing(examples, beams)
    trellis, coverage = Trellis(), Coverage(options, keep)
    rows = np.arange(examples)
    sums = np.full((examples, beams), -np.inf)
    sums[:, 0] = 0.0  # all beams start equal, so only one may speak
    tokens = np.full((examples, beams), stepper.start_id, np.int64)
    parents = np.broadcast_to(np.arange(beams), (examples, beams))
    fixed, moving = stepper.start(batch, beams)
    for length in count(1):
        advance = stepper.advance(fixed, moving, tokens, parents, beams)
        check_numbers(advance.log_probs)
        parents, choices, tokens, log_probs, sums = _best_continuations(sums, advance.ids, advance.log_probs)
        trellis.add(Step(rows, tokens, parents, choices, log_probs, advance.glances))
        coverage.add(parents, choices, advance.glances)

        scores = normalised(sums, length, options.length_normalisation)
        final = scores + coverage.penalty()
        live, ended = sums > -np.inf, tokens == stepper.end_id
        kept = _merge(kept, np.where(live & ended, final, -np.inf), length, ended=True)
        open_ = live & ~ended
        open_ &= _rank(kept.scores, scores, open_) < beams
        sums = np.where(open_, sums, -np.inf)

        limit = limits[rows]
        best_possible = normalised(sums.max(axis=1), limit, options.length_normalisation)
        done = (best_possible <= kept.scores[:, options.n_best - 1]) | (length >= limit)
        if done.any():
            empty = (kept.scores[:, :1] == -np.inf) & open_
            outcome = _merge(kept, np.where(empty, final, -np.inf), length, ended=False)
            if (outcome.scores[done, 0] == -np.inf).any():
                raise ValueError(NOTHING_POSSIBLE)
            for whole, part in zip(found, outcome, strict=True):
                whole[rows[done]] = part[done]
            stay = np.flatnonzero(~done)
            if not len(stay):
                return trellis.read(found, options.n_best)
            rows, sums, tokens, parents = rows[stay], sums[stay], tokens[stay], parents[stay]
            kept = Found(*(part[stay] for part in kept))
            fixed, moving = stepper.narrow(fixed, advance.moving, stay)
            coverage.narrow(stay)
        else:
            moving = advance.moving
    raise AssertionError("every example has a limit")


def _nothing(examples: int, beams: int) -> Found:
    shape = (examples, beams)
    return Found(np.full(shape, -np.inf), np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, bool))


def _best_continuations(
    sums: np.ndarray, ids: np.ndarray, log_probs: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of all continuations (n, K, top) the K best: parent, which of its candidates, token, log p, sum; each (n, K)."""
    n, beams, top = ids.shape
    totals = (sums[:, :, None] + log_probs).reshape(n, beams * top)
    order = np.argsort(-totals, axis=1, kind="stable")[:, :beams]
    tokens, chosen = (np.take_along_axis(part.reshape(n, -1), order, axis=1) for part in (ids, log_probs))
    return order // top, order % top, tokens, chosen, np.take_along_axis(totals, order, axis=1)


def _merge(kept: Found, scores: np.ndarray, length: int, ended: bool) -> Found:
    """The K best of the kept answers and of this step's (scores by slot, -inf: none); the older first when equal."""
    new = Found(
        scores, np.full(scores.shape, length), np.broadcast_to(np.arange(scores.shape[1]), scores.shape),
        np.full(scores.shape, ended),
    )  # fmt: skip
    both = Found(*(np.concatenate(pair, axis=1) for pair in zip(kept, new, strict=True)))
    order = np.argsort(-both.scores, axis=1, kind="stable")[:, : scores.shape[1]]
    return Found(*(np.take_along_axis(part, order, axis=1) for part in both))


def _rank(kept_scores: np.ndarray, scores: np.ndarray, open_: np.ndarray) -> np.ndarray:
    """How many kept answers and open hypotheses stand before each slot (open slots are sorted, best first)."""
    before = (kept_scores[:, None, :] >= scores[:, :, None]).sum(axis=-1)
    return before + np.cumsum(open_, axis=1) - open_
