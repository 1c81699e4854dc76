"""What a score is: it prepares keys once and a query at each step, and says how the two are paired.

Legend: B batch, N queries of an example (steps, beams or 1), S places, A attention width, M memory width, Q query
width. Unusual here: most scores have no pairing of their own. Once keys and query are prepared, dot, scaled, general,
cosine and location are all `pair_dot`; what remains to a score is a few lines, and a fast kernel needs to know only
the pairing. A score that remembers earlier looks adds what it remembers of a place (`recall`, D numbers) to its key
(`renew`) and keeps nothing: its past goes out and comes in again, so that it travels with the beam. Places are chosen
between the two, so that only those in a window are ever made A wide.
"""

from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.memory import Glance, Memory, map_tensors
from regard.parts import Options


def pair_dot(query: Float[Tensor, "B N A"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B N S"]:
    """e_{n,j} = q_n · k_j."""
    return query @ keys.transpose(1, 2)


def pair_additive(
    query: Float[Tensor, "B N A"], keys: Float[Tensor, "B S A"], vector: Float[Tensor, "A"]
) -> Float[Tensor, "B N S"]:
    """e_{n,j} = v · tanh(q_n + k_j)."""
    return torch.tanh(query[:, :, None] + keys[:, None]) @ vector


class Score(nn.Module):
    """e = score(query, place). A subclass sets `name`, `pairing` and `Options`, and gives `keys` and `query`."""

    name: ClassVar[str]
    pairing: ClassVar[Literal["dot", "additive", "own"]]
    Options: ClassVar[type[Options]]
    remembers: ClassVar[bool] = False  # whether energies depend on the looks of the steps before

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        """What is worked out of a memory once, before the first query."""
        raise NotImplementedError

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        """What is worked out of a state at each step."""
        raise NotImplementedError

    def pair(self, query: Float[Tensor, "B N A"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B N S"]:
        """The energies of every query with every place."""
        if self.pairing == "dot":
            return pair_dot(query, keys)
        assert self.pairing == "additive", f"{type(self).__name__} has a pairing of its own and must define pair()"
        return pair_additive(query, keys, self.vector)

    def bind(self, memory: Memory) -> Any:
        """What remembering needs of a memory, worked out once: a tree of tensors (B, …). Nothing, for most."""
        return None

    def start(self, memory: Memory) -> Any:
        """What is remembered before the first look: a tree of tensors (B, …)."""
        return None

    def recall(self, past: Any) -> Float[Tensor, "B N S D"]:
        """What is remembered of each place (asked only of a score that `remembers`)."""
        raise NotImplementedError

    def renew(self, keys: Float[Tensor, "B #N W A"], recalled: Float[Tensor, "B N W D"]) -> Float[Tensor, "B N W A"]:
        """Keys with what is remembered of their places: the sum of both, unless a score has a way of its own."""
        return keys + recalled

    def remember(self, past: Any, state: Float[Tensor, "B N Q"], glance: Glance, bound: Any) -> Any:
        """What is remembered after one more look, whose weights lie over all places: the same tree, (B, N, …)."""
        return past

    def forward(self, state: Float[Tensor, "B N Q"], memory: Memory) -> Float[Tensor, "B N S"]:
        """The energies, all at once, for use without a loop; each state looks for the first time."""
        keys = self.keys(memory)
        if self.remembers:
            first = map_tensors(self.start(memory), lambda part: part[:, None])
            keys = self.renew(keys[:, None], self.recall(first))[:, 0]
        return self.pair(self.query(state), keys)

    vector: Any  # of an additive score: v
