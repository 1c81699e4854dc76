"""How far a figure would move with other examples of the same kind: the percentile bootstrap, seeded.

Legend: N examples, D statistics of an example, R resamples.
Unusual here: a resample is drawn as how often each example was taken, so that R sums of statistics are one matrix
product (R, N) @ (N, D), done in chunks of bounded memory. All metrics are summed over the same resamples.
"""

import numpy as np

CONFIDENCE = 95  # percent
CHUNK = 4_000_000  # numbers drawn at once


def resample(statistics: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Statistics (N, D) summed over N examples drawn with replacement, `samples` times: (R, D)."""
    count = len(statistics)
    random = np.random.default_rng(seed)
    at_once = max(1, CHUNK // count)
    sums = []
    for begin in range(0, samples, at_once):
        size = min(at_once, samples - begin)
        drawn = random.integers(count, size=(size, count)) + np.arange(size)[:, None] * count
        taken = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count)
        sums.append(taken.astype(np.float64) @ statistics)
    return np.concatenate(sums)


def interval(scores: np.ndarray) -> tuple[float, float]:
    """The middle 95 % of the scores (R,) of resamples."""
    tail = (100 - CONFIDENCE) / 2
    low, high = np.percentile(scores, [tail, 100 - tail])
    return float(low), float(high)
