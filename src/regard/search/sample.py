"""Sampling: draws from the model, with temperature, then top-k, then top-p, as is usual.

Legend: n examples still open, K draws of one example, V vocabulary.
Unusual here: every draw has a stream of random numbers of its own, seeded by (seed, row, number of the draw), and uses
one number a step. So an example's draws depend neither on its batch nor on how many draws were asked for.
"""

from typing import Any

import numpy as np

from regard.search.hypothesis import Hypothesis
from regard.search.options import SearchOptions
from regard.search.stepper import Stepper
from regard.search.walks import walk

EVERY_SYMBOL = int(np.iinfo(np.int32).max)  # a stepper returns all V where top >= V


def sample_search(
    stepper: Stepper, batch: Any, limits: np.ndarray, options: SearchOptions, keep: np.ndarray | None,
    rows: np.ndarray,
) -> list[list[Hypothesis]]:  # fmt: skip
    """`samples` draws for each example; the same answer may be drawn twice."""
    longest = int(limits.max())
    chances = np.array(
        [[_stream(options.seed, int(row), draw).random(longest) for draw in range(options.samples)] for row in rows]
    )  # (B, K, T)

    def pick(at: np.ndarray, step: int, log_probs: np.ndarray) -> np.ndarray:
        return draw(log_probs, chances[at, :, step], options.temperature, options.top_p)

    top = EVERY_SYMBOL if options.top_k is None else options.top_k
    return walk(stepper, batch, limits, options, keep, walks=options.samples, top=top, choose=pick)


def draw(log_probs: np.ndarray, chance: np.ndarray, temperature: float, top_p: float) -> np.ndarray:
    """Invert the cumulated distribution: log-probs (n, K, V) best first and chances (n, K) in [0, 1) give (n, K).

    The distribution is softmax(log p / temperature), cut to the fewest best symbols whose sum reaches `top_p`.
    """
    scaled = log_probs.astype(np.float64) / temperature
    with np.errstate(invalid="ignore"):  # -inf - -inf where nothing is possible: the walk says so
        cumulated = np.cumsum(np.exp(scaled - scaled[:, :, :1]), axis=-1)
    total = cumulated[:, :, -1:]
    last = (cumulated < top_p * total).sum(axis=-1, keepdims=True)  # the symbol that reaches top_p, still allowed
    last = np.minimum(last, log_probs.shape[-1] - 1)
    mass = np.take_along_axis(cumulated, last, axis=-1)
    return np.minimum((cumulated <= chance[:, :, None] * mass).sum(axis=-1), last[:, :, 0])


def _stream(seed: int, row: int, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, row, number))))
