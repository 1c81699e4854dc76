"""The plain loop, for what must go step by step: recurrence that looking feeds, looks that remember looks. This is the
definition; faster forms must give the same numbers.

Legend: B batch, T steps, I input width.
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard.memory import map_tensors


def scan(
    advance: Callable[[Tensor, Any], tuple[Any, Any]], inputs: Float[Tensor, "B T I"], state: Any
) -> tuple[Any, Any]:
    """state, outcome = advance(x_t, state) for each step; the outcomes, each tensor stacked over T, and the last state.

    `advance` sees (B, 1, I), one step of one beam, and its outcomes' tensors are (B, 1, …).
    """
    outcomes = []
    for step in inputs.split(1, dim=1):
        outcome, state = advance(step, state)
        outcomes.append(outcome)
    return concatenate_steps(outcomes), state


def concatenate_steps(outcomes: list[Any]) -> Any:
    """One tree of (B, T, …) out of T trees of (B, 1, …)."""
    columns: list[list[Tensor]] = []
    for outcome in outcomes:
        leaves: list[Tensor] = []
        map_tensors(outcome, lambda leaf, into=leaves: into.append(leaf) or leaf)  # type: ignore[misc]
        columns.append(leaves)
    joined = iter([torch.cat(leaves, 1) for leaves in zip(*columns, strict=True)])
    return map_tensors(outcomes[0], lambda _: next(joined))
