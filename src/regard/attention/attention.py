"""Looking: a score and a focus put together. Bind a memory once, then look as often as you like.

Legend: B batch, *N nothing, T steps or K beams, N one of the latter, S places, W places in a window, M memory width,
Q query width. Unusual here: nothing is kept on the module. `bind` returns what belongs to the example, `past` is what
belongs to the hypothesis (nothing, for scores and focuses without memory of their own looks), and both go in and come
out.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.focus import Focus
from regard.attention.scores import Score
from regard.memory import Glance, Memory, map_tensors


class Bound(NamedTuple):
    """A memory made ready: its keys are projected once."""

    memory: Memory
    keys: Float[Tensor, "B S A"]


def weighted_sum(glance: Glance, values: Float[Tensor, "B S M"]) -> Float[Tensor, "B N M"]:
    """c = Σ_j α_j h_j, over all places or over those that the glance names."""
    if glance.places is None:
        return glance.weights @ values
    rows = torch.arange(len(values), device=values.device)[:, None, None]
    return (glance.weights[:, :, None] @ values[rows, glance.places])[:, :, 0]


class Attention(nn.Module):
    """context = Σ_j α_j h_j, α = focus(score(query, h))."""

    def __init__(self, score: Score, focus: Focus):
        super().__init__()
        self.score, self.focus = score, focus

    def bind(self, memory: Memory) -> Bound:
        return Bound(memory, self.score.keys(memory))

    def forward(
        self, query: Float[Tensor, "B *N Q"], bound: Bound, past: Any = None
    ) -> tuple[Float[Tensor, "B *N M"], Glance, Any]:
        """(context, glance, past) for one query, all steps' or all beams' queries of each example."""
        queries = query[:, None] if query.dim() == 2 else query
        energies = self.score.pair(self.score.query(queries), bound.keys)
        glance = self.focus.weigh(energies, bound.memory.keep)
        context = weighted_sum(glance, bound.memory.values)
        if query.dim() == 2:
            return context[:, 0], map_tensors(glance, lambda part: part[:, 0]), past
        return context, glance, past
