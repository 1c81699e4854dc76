"""What a search returns, and the record of its steps from which an answer is read back along its back-pointers.

Legend: B examples, n examples still open, K beams, T symbols of an answer, W places in a window, N answers read back.
Unusual here: nothing is copied when beams are reordered. Each step is stored once, as the stepper gave it, and the
answers are gathered at the end, all of a batch together. A glance belongs to the symbol it helped to choose: the one
that `advance` returned when it proposed y_t, in the slot of y_t's parent; one that depends on the symbol has a row for
each candidate, and y_t's is taken.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class Glances(NamedTuple):
    """All that one look did along one hypothesis."""

    weights: np.ndarray  # (T, W), a row a symbol
    places: np.ndarray | None  # (T, W); None: W is all of S


@dataclass(frozen=True, eq=False, repr=False)
class Hypothesis:
    """One answer. `tokens` holds the end symbol where the answer `ended`; otherwise it ran into its limit."""

    tokens: tuple[int, ...]
    log_probs: np.ndarray  # (T,) float32, the model's own, whatever the score or the temperature
    score: float
    ended: bool
    glances: dict[str, Glances]

    @property
    def log_prob(self) -> float:
        """The sum of `log_probs`."""
        return float(self.log_probs.sum(dtype=np.float64))

    def __repr__(self) -> str:
        how = "" if self.ended else ", cut off"
        return f"<Hypothesis {len(self.tokens)} tokens, log P {self.log_prob:.4f}{how}>"


class Found(NamedTuple):
    """Answers of a batch, best first, as places in the trellis; a score of -inf marks an empty slot."""

    scores: np.ndarray  # (B, K) float64
    lengths: np.ndarray  # (B, K) how many steps long
    slots: np.ndarray  # (B, K) the slot of its last symbol
    ended: np.ndarray  # (B, K)


class Step(NamedTuple):
    rows: np.ndarray  # (n,) which examples these are, ascending
    tokens: np.ndarray  # (n, K)
    parents: np.ndarray  # (n, K) the slot each came from
    choices: np.ndarray  # (n, K) which of its parent's candidates it was
    log_probs: np.ndarray  # (n, K)
    glances: Mapping[str, Any]  # by parent's slot


class Trellis:
    """Every step of a search."""

    def __init__(self) -> None:
        self._steps: list[Step] = []

    def add(self, step: Step) -> None:
        self._steps.append(step)

    def read(self, found: Found, best: int) -> list[list[Hypothesis]]:
        """The first `best` answers of each example."""
        wanted = found.scores[:, :best] > -np.inf
        examples, ranks = np.nonzero(wanted)
        lengths = found.lengths[examples, ranks]
        tokens, log_probs, glances = self._walk_back(examples, lengths, found.slots[examples, ranks])
        answers: list[list[Hypothesis]] = [[] for _ in wanted]
        for index, (example, rank, length) in enumerate(zip(examples, ranks, lengths, strict=True)):
            own = {
                name: Glances(
                    look.weights[index, :length].copy(),  # a copy: one kept answer must not keep its whole batch
                    None if look.places is None else look.places[index, :length].copy(),
                )
                for name, look in glances.items()
            }
            answers[example].append(
                Hypothesis(
                    tokens=tuple(tokens[index, :length].tolist()),
                    log_probs=log_probs[index, :length].copy(),
                    score=float(found.scores[example, rank]),
                    ended=bool(found.ended[example, rank]),
                    glances=own,
                )
            )
        return answers

    def _walk_back(
        self, examples: np.ndarray, lengths: np.ndarray, slots: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, dict[str, Glances]]:
        """Tokens (N, T), log-probs (N, T) and glances (N, T, W) of answers given by where they end."""
        count, longest = len(examples), int(lengths.max(initial=0))
        tokens = np.zeros((count, longest), np.int64)
        log_probs = np.zeros((count, longest), np.float32)
        glances = {
            name: Glances(
                np.zeros((count, longest, glance.weights.shape[-1]), glance.weights.dtype),
                None if glance.places is None else np.zeros((count, longest, glance.places.shape[-1]), np.int64),
            )
            for name, glance in self._steps[0].glances.items()
        }
        slots = slots.copy()
        for time in reversed(range(longest)):
            step = self._steps[time]
            on = np.flatnonzero(lengths > time)
            at = np.searchsorted(step.rows, examples[on])
            parents, choices = step.parents[at, slots[on]], step.choices[at, slots[on]]
            tokens[on, time] = step.tokens[at, slots[on]]
            log_probs[on, time] = step.log_probs[at, slots[on]]
            for name, look in glances.items():
                glance = step.glances[name]
                look.weights[on, time] = of_choice(glance.weights, at, parents, choices)
                if look.places is not None:
                    look.places[on, time] = glance.places[at, parents]
            slots[on] = parents
        return tokens, log_probs, glances


def of_choice(weights: np.ndarray, rows: np.ndarray, parents: np.ndarray, choices: np.ndarray) -> np.ndarray:
    """What belongs to a symbol: the weights (n, K, W) of its parent's slot, or of its own there (n, K, C, W)."""
    return weights[rows, parents] if weights.ndim == 3 else weights[rows, parents, choices]


def normalised(total: np.ndarray, length: Any, exponent: float) -> np.ndarray:
    """score = total / length ^ exponent."""
    return total / np.power(np.asarray(length, np.float64), exponent)


def check_numbers(log_probs: np.ndarray) -> None:
    """A model whose numbers went wrong must not answer as if nothing had happened."""
    if np.isnan(log_probs).any():
        raise ValueError("the model gave log-probabilities that are not numbers (NaN): its weights are damaged")


NOTHING_POSSIBLE = "the model gave no symbol any probability: its weights are damaged, or every symbol is forbidden"
