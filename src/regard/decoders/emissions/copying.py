"""Writing what is read: the usual softmax, mixed with a pointer at the places of a look.

Legend: B batch, T steps, K beams, N T or K, F feature width, S places of the column that is copied, M of the memory,
V vocabulary. Unusual here: there are V + S symbols. The first V are the target's own; V + j is the symbol at place j of
the example, for one that the target does not know, so that words and names never seen before can be written. Which
symbol each place writes, the data know (`CopiedTokens`); whatever feeds on outputs takes those from V on as unknown.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from regard.attention.attention import over_all_places
from regard.batch import UNKNOWN, CopiedTokens
from regard.decoders.emissions.emission import Emission, Said, Surroundings, look_of
from regard.decoders.emissions.linear import log_softmax_of_answers, output_layer
from regard.errors import RegardError, nearest
from regard.memory import Encoded, Memory
from regard.parts import Options

LEAST = torch.finfo(torch.float32).tiny


class CopyingOptions(Options):
    """Pointer-generator: a symbol of the target's, or one that is read."""

    type: Literal["copying"] = "copying"
    look: str | None = Field(None, description="the look that points at what is copied; unset: the first")
    column: str | None = Field(
        None, description="the column that is copied; unset: the first that is read where the look looks"
    )


class Source(NamedTuple):
    """What belongs to the examples."""

    symbols: Int[Tensor, "B S"]  # which each place of the column writes
    at: Int[Tensor, "B S"]  # where that place is in the memory
    keep: Bool[Tensor, "B S"]
    memory: Bool[Tensor, "B M"]  # the memory's own keep


def shares(
    gate: Float[Tensor, "*N"], weights: Float[Tensor, "*N S"]
) -> tuple[Float[Tensor, "*N"], Float[Tensor, "*N"]]:
    """(log (1 − (1−g) Σ_j α_j), log (1−g)): what of P the vocabulary has, and what a weight of 1 would."""
    log_copy = F.logsigmoid(-gate)
    left = (1 - weights.sum(-1)).clamp(min=LEAST).log()
    return torch.logaddexp(F.logsigmoid(gate), log_copy + left), log_copy


def mixture(
    log_vocabulary: Float[Tensor, "B N V"],
    gate: Float[Tensor, "B N"],
    weights: Float[Tensor, "B N S"],
    symbols: Int[Tensor, "B S"],
) -> Float[Tensor, "B N V+S"]:
    """log P(y), P(y) = (1 − (1−g) Σ_j α_j) P_vocabulary(y) + (1−g) Σ_{j writes y} α_j, g = sigmoid(gate)."""
    log_write, log_copy = shares(gate, weights)
    same = (symbols[:, :, None] == symbols[:, None]).to(weights.dtype)
    log_copied = (weights @ same).log() + log_copy[..., None]  # of each place's symbol
    places = symbols[:, None].expand_as(weights)
    mixed = F.pad(log_vocabulary + log_write[..., None], (0, symbols.shape[1]), value=float("-inf"))
    return mixed.scatter(-1, places, torch.logaddexp(mixed.gather(-1, places), log_copied))


def log_prob_of(
    targets: Int[Tensor, "*N"],
    log_vocabulary: Float[Tensor, "*N"],
    gate: Float[Tensor, "*N"],
    weights: Float[Tensor, "*N S"],
    symbols: Int[Tensor, "*N S"],
    size: int,
) -> Float[Tensor, "*N"]:
    """The same of one symbol each, for which nothing is as wide as the vocabulary; `log_vocabulary` is log P of the
    target there, if it is one of the `size`. Finite where a look leaves out the only place that writes a symbol."""
    log_write, log_copy = shares(gate, weights)
    copied = (weights * (symbols == targets[..., None])).sum(-1).clamp(min=LEAST).log() + log_copy
    return torch.where(targets < size, torch.logaddexp(log_write + log_vocabulary, copied), copied)


class Copying(Emission):
    """P(y) = g P_vocabulary(y) + (1−g) Σ_{j: the symbol at place j is y} α_j, P_vocabulary = softmax(W f + b),
    g = sigmoid(w · f + c), f the readout's features and α the weights of a look.

    Pointer-generator (See, Liu and Manning 2017); writing what is read began with CopyNet (Gu et al. 2016), whose two
    scores share one softmax. How ours differs: g is computed of the features, which hold what theirs is computed of
    (context, state, previous output) in whatever form the readout gives them; and the look's weights on places beyond
    the copied column (features of a lemma), or what a look has left (nothing to look at), go to the vocabulary, so that
    P always sums to 1. Label smoothing spreads ε over the V symbols as the vocabulary writes them, none over places.
    """

    name = "copying"
    Options = CopyingOptions
    copies = True

    def __init__(self, around: Surroundings, look: str | None = None, column: str | None = None):
        super().__init__(around)
        self.look = look_of(self.name, look, around)
        there = around.looks[self.look].columns
        if not there:
            raise RegardError(
                f'the emission "copying" copies symbols of text, and the look {self.look!r} looks at none; set'
                " decoder.emission.look to one that does"
            )
        self.column = there[0] if column is None else column
        if self.column not in there:
            raise RegardError(
                f'decoder.emission.column = "{self.column}" is no column that the look {self.look!r} looks at;'
                f" {nearest(self.column, there)}"
            )
        self.before = there[: there.index(self.column)]
        self.output = output_layer(around)
        self.gate = nn.Linear(around.features, 1)

    def bind(self, encoded: Encoded, memories: Mapping[str, Memory]) -> Source:
        memory = memories[self.look].keep
        if self.column not in encoded.columns:  # a decoder that is trained alone reads nothing
            nowhere = torch.zeros(len(memory), 0, dtype=torch.long, device=memory.device)
            return Source(nowhere, nowhere, nowhere.bool(), memory)
        tokens = encoded.columns[self.column]
        assert isinstance(tokens, CopiedTokens), f"the batch does not say what writes the symbols of {self.column!r}"
        places = torch.arange(tokens.keep.shape[1], device=memory.device).expand_as(tokens.keep)
        for name in self.before:  # places of joined columns stand close together
            places = places + encoded.columns[name].keep.sum(1, keepdim=True)
        return Source(tokens.copies, places, tokens.keep, memory)

    def loss(
        self,
        said: Said,
        bound: Source,
        targets: Int[Tensor, "B T"],
        keep: Bool[Tensor, "B T"],
        smoothing: float = 0.0,
    ) -> Float[Tensor, "B T"]:
        kept = keep.reshape(-1).nonzero().squeeze(1)  # padding never meets the output layer
        size, rows = self.output.out_features, kept // max(1, keep.shape[1])
        chosen = targets.reshape(-1)[kept]
        chosen = chosen.masked_fill(chosen >= size + bound.symbols.shape[1], UNKNOWN)  # nowhere to copy it from
        features, weights = said.features.flatten(0, 1)[kept], self._weights(said, bound).flatten(0, 1)[kept]
        logits, gate = self.output(features).float(), self.gate(features).float()[:, 0]
        totals = logits.logsumexp(-1)
        own = logits.gather(-1, chosen.masked_fill(chosen >= size, UNKNOWN)[:, None])[:, 0] - totals
        losses = -log_prob_of(chosen, own, gate, weights, bound.symbols[rows], size)
        if smoothing:
            spread = shares(gate, weights)[0] + logits.mean(-1) - totals
            losses = (1 - smoothing) * losses - smoothing * spread
        return losses.new_zeros(keep.numel()).index_copy(0, kept, losses).view_as(keep)

    def log_probs(self, said: Said, bound: Source, past: Any) -> tuple[Float[Tensor, "B K V"], Any]:
        log_vocabulary = self.output(said.features).float().log_softmax(-1)
        gate = self.gate(said.features).float()[..., 0]
        mixed = mixture(log_vocabulary, gate, self._weights(said, bound), bound.symbols)
        return log_softmax_of_answers(mixed), past

    def _weights(self, said: Said, bound: Source) -> Float[Tensor, "B N S"]:
        """The look's, at the places of the column."""
        weights = over_all_places(said.glances[self.look], bound.memory.shape[1]).float()
        at = bound.at[:, None].expand(-1, weights.shape[1], -1)
        return weights.gather(-1, at) * bound.keep[:, None]
