"""What a search needs of a model: two calls on plain integers.

Legend: B examples, K beams, V vocabulary. A Stepper may be a torch model, an ONNX session, an ensemble, or a fake in
a test. `fixed` belongs to the example and is never reordered; `moving` is the state of each beam, and the stepper
reorders it by `parents` at the start of each step. The search looks into neither.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np


class Advance(NamedTuple):
    """One step of all beams of all examples."""

    ids: np.ndarray  # (B, K, top) the best next symbols, best first, ties to the lower id
    log_probs: np.ndarray  # (B, K, top) float32, natural logarithms
    moving: Any
    # look name -> something with .weights (B, K, W), or (B, K, top, W) where they depend on the symbol, and .places
    # (B, K, W) or None, as arrays
    glances: dict[str, Any]


@runtime_checkable  # the tests check types at run time
class Stepper(Protocol):
    start_id: int
    end_id: int

    def start(self, batch: Any, beams: int) -> tuple[Any, Any]:
        """Encode; return (fixed, moving) with `beams` equal beams for each example."""
        ...

    def advance(self, fixed: Any, moving: Any, tokens: np.ndarray, parents: np.ndarray, top: int) -> Advance:
        """Reorder `moving` by `parents` (B, K), feed `tokens` (B, K), return the `top` best (all V where top >= V)."""
        ...

    def narrow(self, fixed: Any, moving: Any, rows: np.ndarray) -> tuple[Any, Any]:
        """Keep only these examples (indices into B): finished ones are dropped."""
        ...
