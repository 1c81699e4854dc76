"""The coverage penalty of GNMT (Wu et al. 2016, equation 14): an answer that left places unlooked-at costs.

    penalty = beta * sum over kept places j of log min(sum over steps t of weights[t, j], 1)

Legend: n examples still open, K beams, S places, W places in a window.
How ours differs: which places are real must be known, and padding must not count, or the answer would depend on the
batch. Where the caller does not say (`keep`), they are the places that got any weight at the very first step: a soft
focus gives every kept place some weight and padding exactly none. That set is fixed from then on, so that answers
which ended at different times are compared over the same places. A look at one place or through a window shows too few
at the first step, so there `keep` must be given; it may be narrower than the weights, whose rest is padding. A place
never looked at counts as log of the smallest normal float32 (about -87), not as -inf, so that answers with gaps can
still be ranked.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from regard.search.hypothesis import of_choice
from regard.search.options import SearchOptions

LEAST = float(np.finfo(np.float32).tiny)


class Coverage:
    """How much weight each place got so far, for every slot; does nothing where the penalty is off."""

    def __init__(self, options: SearchOptions, keep: np.ndarray | None):
        self._beta, self._look = options.coverage_penalty, options.coverage_look
        self._keep = keep  # (n, S)
        self._sums: np.ndarray | None = None  # (n, K, S)

    def add(self, parents: np.ndarray, choices: np.ndarray, glances: Mapping[str, Any]) -> None:
        """Follow `parents` (n, K), then count what each slot's parent looked at in this step for that candidate."""
        if not self._beta:
            return
        glance = self._pick(glances)
        rows = np.arange(len(parents))[:, None]
        weights = of_choice(np.asarray(glance.weights, np.float64), rows, parents, choices)
        if self._keep is None:
            self._keep = self._seen(glance)
        if self._sums is None:
            self._sums = np.zeros((*parents.shape, self._keep.shape[1]))
        sums = self._sums[rows, parents]
        size = sums.shape[-1]
        if glance.places is None:
            sums += weights[..., :size]
        elif size:
            slots = np.arange(parents.shape[1])[None, :, None]
            np.add.at(sums, (rows[:, :, None], slots, np.minimum(glance.places[rows, parents], size - 1)), weights)
        self._sums = sums

    def penalty(self) -> np.ndarray | float:
        """(n, K), zero or below."""
        if self._sums is None or self._keep is None:
            return 0.0
        logs = np.log(np.clip(self._sums, LEAST, 1.0))
        return self._beta * np.where(self._keep[:, None, :], logs, 0.0).sum(axis=-1)

    def narrow(self, rows: np.ndarray) -> None:
        """Keep only these examples."""
        if self._keep is not None:
            self._keep = self._keep[rows]
        if self._sums is not None:
            self._sums = self._sums[rows]

    def _pick(self, glances: Mapping[str, Any]) -> Any:
        if not glances:
            raise ValueError("coverage_penalty needs a model that attends; this one looks at nothing: set it to 0")
        name = next(iter(glances)) if self._look is None else self._look
        if name not in glances:
            raise ValueError(f"coverage_look is {name!r}, but this model's looks are: {', '.join(sorted(glances))}")
        return glances[name]

    def _seen(self, glance: Any) -> np.ndarray:
        """(n, S): the places with any weight in slot 0 at the first step."""
        if glance.places is not None:
            raise ValueError("coverage_penalty cannot see all places through a window (local attention): set it to 0")
        first = np.asarray(glance.weights)[:, 0]
        return first > 0 if first.ndim == 2 else np.any(first > 0, axis=1)
