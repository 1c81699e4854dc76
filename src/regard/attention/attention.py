"""Looking: a score and a focus put together. Bind a memory once, then look as often as you like.

Legend: B batch, *N nothing, T steps or K beams, N one of the latter, S places, W places in a window, M memory width,
Q query width, A attention width. Unusual here: nothing is kept on the module. `bind` returns what belongs to the
example, `past` is what belongs to the hypothesis (nothing, for scores and focuses without memory of their own looks),
and both go in and come out. No line asks which score or focus it has: a window is a batch of small memories, and what
a score remembers is added to its keys.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from regard.attention.focus import Focus
from regard.attention.scores import Score
from regard.memory import Glance, Memory, map_tensors
from regard.scan import scan


class Bound(NamedTuple):
    """A memory made ready: its keys are projected once."""

    memory: Memory
    keys: Float[Tensor, "B S A"]
    lengths: Int[Tensor, "B"]  # kept places
    forced: Int[Tensor, "B T"] | None = None  # what if: the place that a step must look at; below 0, as it likes
    score: Any = None  # what a score that remembers made of the memory


class Past(NamedTuple):
    """What a look knows of the steps before."""

    time: Int[Tensor, "B N"]  # how many there were
    score: Any
    focus: Any


def weighted_sum(glance: Glance, values: Float[Tensor, "B S M"]) -> Float[Tensor, "B N M"]:
    """c = Σ_j α_j h_j, over all places or over those that the glance names."""
    if glance.places is None:
        return glance.weights @ values
    return (glance.weights[:, :, None] @ _at(values, glance.places))[:, :, 0]


def over_all_places(glance: Glance, size: int) -> Float[Tensor, "*N S"]:
    """The weights of a glance over all `size` places; beyond its window there are none."""
    if glance.places is None:
        return F.pad(glance.weights, (0, size - glance.weights.shape[-1]))
    whole = glance.weights.new_zeros(*glance.weights.shape[:-1], size)
    return whole.scatter_add(-1, glance.places, glance.weights)


def force(glance: Glance, forced: Int[Tensor, "B T"], time: Int[Tensor, "B N"], size: int) -> Glance:
    """All weight on the place that a step is forced to look at; other steps as they were."""
    if not forced.shape[1]:
        return glance
    asked = forced.gather(1, time.clamp(max=forced.shape[1] - 1)).masked_fill(time >= forced.shape[1], -1)
    own = over_all_places(glance, size)
    there = F.one_hot(asked.clamp(min=0), size).to(own.dtype)
    made = asked >= 0
    return Glance(torch.where(made[..., None], there, own), forced=made)


class Attention(nn.Module):
    """context = Σ_j α_j h_j, α = focus(score(query, h))."""

    def __init__(self, score: Score, focus: Focus):
        super().__init__()
        self.score, self.focus = score, focus
        self.remembers = score.remembers or focus.remembers  # then steps must follow one another

    def bind(self, memory: Memory, forced: Int[Tensor, "B T"] | None = None) -> Bound:
        return Bound(memory, self.score.keys(memory), memory.keep.sum(1), forced, self.score.bind(memory))

    def start(self, bound: Bound) -> Past | None:
        """What is known before the first look, each tensor (B, …); None where nothing needs to be."""
        focus = self.focus.start(bound.memory)
        if not self.remembers and not self.focus.timed and focus is None and bound.forced is None:
            return None
        return Past(torch.zeros_like(bound.lengths), self.score.start(bound.memory), focus)

    def forward(
        self, query: Float[Tensor, "B *N Q"], bound: Bound, past: Past | None = None
    ) -> tuple[Float[Tensor, "B *N M"], Glance, Past | None]:
        """(context, glance, past) for one query of each example, or for one of each of its beams; where nothing is
        remembered, for all its steps as well."""
        if query.dim() == 2:
            beams = map_tensors(past, lambda part: part[:, None])
            return map_tensors(self(query[:, None], bound, beams), lambda part: part[:, 0])
        past = self._from_the_first(bound, query.shape[1]) if past is None else past
        time = None if past is None else past.time
        queries, keys, keep = self.score.query(query), bound.keys, bound.memory.keep[:, None]
        recalled = self.score.recall(past.score) if past is not None and self.score.remembers else None
        choice = self.focus.choose(query, bound.memory, bound.lengths, time)
        if choice is not None:
            keep = choice.keep
            if choice.places is not None:
                keys = _at(keys, choice.places)
                recalled = None if recalled is None else _at(recalled, choice.places)
        if recalled is not None:
            keys = self.score.renew(keys if keys.dim() == 4 else keys[:, None], recalled)
        glance = self.focus.weigh(self._pair(queries, keys), keep, choice, None if past is None else past.focus)
        if bound.forced is not None and past is not None:
            glance = force(glance, bound.forced, past.time, bound.memory.keep.shape[1])
        if past is not None:
            past = self._remember(past, query, glance, bound)
        return weighted_sum(glance, bound.memory.values), glance, past

    def along(
        self, queries: Float[Tensor, "B T Q"], bound: Bound, past: Past | None = None
    ) -> tuple[Float[Tensor, "B T M"], Glance]:
        """(contexts, glances) of all steps from the first on: at once, or one by one where looks are remembered;
        `past`: what one beam knows before the first, where that has been made already."""
        past = self._from_the_first(bound, 1) if past is None else past
        if past is not None and self.remembers:

            def look(query: Tensor, past: Past) -> tuple[tuple[Tensor, Glance], Past | None]:
                context, glance, moved = self(query, bound, past)
                return (context, glance), moved

            return scan(look, queries, past)[0]
        if past is not None:
            past = past._replace(time=past.time + torch.arange(queries.shape[1], device=queries.device))
        context, glance, _ = self(queries, bound, past)
        return context, glance

    def _from_the_first(self, bound: Bound, beams: int) -> Past | None:
        """What so many beams know before their first look."""
        return map_tensors(self.start(bound), lambda part: beams_of(part, beams))

    def _pair(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Energies (B, N, W); where each query has keys of its own (B, N, W, A), each is an example of its own."""
        if keys.dim() == 3:
            return self.score.pair(queries, keys)
        energies = self.score.pair(queries.flatten(0, 1)[:, None], keys.flatten(0, 1))
        return energies[:, 0].unflatten(0, queries.shape[:2])

    def _remember(self, past: Past, query: Tensor, glance: Glance, bound: Bound) -> Past:
        score = past.score
        if self.score.remembers:
            whole = Glance(over_all_places(glance, bound.memory.keep.shape[1]))
            score = self.score.remember(score, query, whole, bound.score)
        focus = self.focus.remember(past.focus, glance) if self.focus.remembers else past.focus
        return Past(past.time + 1, score, focus)


def beams_of(part: Tensor, beams: int) -> Tensor:
    """(B, …) as `beams` equal beams (B, K, …)."""
    return part[:, None].expand(-1, beams, *part.shape[1:])


def _at(rows: Float[Tensor, "B *N S A"], places: Int[Tensor, "B N W"]) -> Float[Tensor, "B N W A"]:
    """rows[b, places[b, n, w]], or rows[b, n, places[b, n, w]] where each query has rows of its own."""
    examples = torch.arange(len(rows), device=rows.device)[:, None, None]
    if rows.dim() == 3:
        return rows[examples, places]
    return rows[examples, torch.arange(rows.shape[1], device=rows.device)[:, None], places]
