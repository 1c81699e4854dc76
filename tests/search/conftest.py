"""A model that is a table: log-probabilities and weights are functions of (example, symbols so far), nothing else.

Its state is the prefix of each beam, so a search that reorders wrongly asks for the wrong prefix and is found out.
"""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from regard.search import Advance

START, END = 1, 0
Prefix = tuple[int, ...]


class TableModel:
    """`table(example, prefix)` gives log-probabilities (V,); `look(example, prefix)` weights, and places or None."""

    start_id, end_id = START, END

    def __init__(
        self,
        table: Callable[[int, Prefix], Sequence[float]],
        look: Callable[[int, Prefix], tuple[np.ndarray, np.ndarray | None]] | None = None,
    ):
        self.table, self.look = table, look
        self.advanced: list[int] = []  # how many examples each step had

    def start(self, batch: Any, beams: int) -> tuple[Any, Any]:
        moving = np.empty((len(batch), beams), dtype=object)
        for index in np.ndindex(*moving.shape):
            moving[index] = None  # nothing read yet, not even the start symbol
        return np.asarray(batch), moving

    def advance(self, fixed: Any, moving: Any, tokens: np.ndarray, parents: np.ndarray, top: int) -> Advance:
        n, beams = tokens.shape
        self.advanced.append(n)
        after = np.empty((n, beams), dtype=object)
        for row, beam in np.ndindex(n, beams):
            before = moving[row, parents[row, beam]]
            assert before is not None or tokens[row, beam] == START
            after[row, beam] = () if before is None else (*before, int(tokens[row, beam]))
        all_log_probs = np.array([[self.table(int(fixed[r]), after[r, k]) for k in range(beams)] for r in range(n)])
        all_log_probs = all_log_probs.astype(np.float32)
        ids = np.argsort(-all_log_probs, axis=-1, kind="stable")[:, :, :top]
        glances = {}
        if self.look is not None:
            looks = [[self.look(int(fixed[r]), after[r, k]) for k in range(beams)] for r in range(n)]
            weights = np.array([[look[0] for look in row] for row in looks])
            places = None if looks[0][0][1] is None else np.array([[look[1] for look in row] for row in looks])
            glances["source"] = SimpleNamespace(weights=weights, places=places)
        return Advance(ids, np.take_along_axis(all_log_probs, ids, axis=-1), after, glances)

    def narrow(self, fixed: Any, moving: Any, rows: np.ndarray) -> tuple[Any, Any]:
        return fixed[rows], moving[rows]


def random_table(symbols: int, sharpness: float = 1.5) -> Callable[[int, Prefix], np.ndarray]:
    """A model whose every distribution is random, but the same for the same example and prefix."""

    def table(example: int, prefix: Prefix) -> np.ndarray:
        logits = np.random.default_rng((example, len(prefix), *prefix)).normal(size=symbols) * sharpness
        logits[START] = -np.inf
        return logits - np.log(np.exp(logits).sum())

    return table


def random_look(places: int) -> Callable[[int, Prefix], tuple[np.ndarray, None]]:
    """Soft weights over `example % places + 1` real places, the others padding."""

    def look(example: int, prefix: Prefix) -> tuple[np.ndarray, None]:
        weights = np.random.default_rng((99, example, *prefix)).random(places) + 1e-3
        weights[example % places + 1 :] = 0.0
        return weights / weights.sum(), None

    return look


@pytest.fixture(scope="session")
def fake_kit() -> SimpleNamespace:
    return SimpleNamespace(Model=TableModel, random_table=random_table, random_look=random_look, START=START, END=END)


@pytest.fixture
def fake(fake_kit: SimpleNamespace) -> SimpleNamespace:
    return fake_kit
