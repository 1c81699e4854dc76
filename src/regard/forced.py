"""A model along answers that are known: a search over a stepper that proposes nothing else.

Legend: B examples, K beams, V vocabulary, T steps. Unusual here: forced decoding is no second road through the model.
The same steps, the same log-probabilities, the same glances in each example's own places; only the candidates of a
step are the one symbol that is given. So what is read off along a known answer is what a search would have had.
"""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int
from torch import Tensor

from regard.batch import Batch
from regard.model import ModelStepper
from regard.search import Advance

LEAST = float(np.log(np.finfo(np.float32).tiny))  # of a symbol that no answer holds (unknown): about -87


class Along(NamedTuple):
    """What belongs to the examples: the models' own, and what is to be written."""

    models: Any
    targets: Int[Tensor, "B T"]


class ForcedStepper(ModelStepper):
    """Proposes at each step the symbol of the batch's own target column."""

    def start(self, batch: Batch, beams: int) -> tuple[Any, Any]:
        models, moving = super().start(batch, beams)
        return Along(models, batch.columns[self.models[0].target].ids), (moving, 0)

    def advance(self, fixed: Along, moving: Any, tokens: np.ndarray, parents: np.ndarray, top: int) -> Advance:
        states, step = moving
        ids = fixed.targets[:, step, None, None].expand(*tokens.shape, 1)

        def given(log_probs: Tensor) -> tuple[Tensor, Tensor]:
            return log_probs.gather(-1, ids).clamp(min=LEAST), ids

        found = self.proposed(fixed.models, states, tokens, parents, given)
        return found._replace(moving=(found.moving, step + 1))
