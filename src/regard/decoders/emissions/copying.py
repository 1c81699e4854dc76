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
LOWEST = -87.0  # its logarithm: a loss stays finite where a look leaves out the only place that writes a symbol


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


def mixture(
    log_vocabulary: Float[Tensor, "*N V"],
    gate: Float[Tensor, "*N"],
    weights: Float[Tensor, "*N S"],
    symbols: Int[Tensor, "*N S"],
) -> Float[Tensor, "*N V+S"]:
    """log P(y), P(y) = (1 − (1−g) Σ_j α_j) P_vocabulary(y) + (1−g) Σ_{j writes y} α_j, g = sigmoid(gate)."""
    size = log_vocabulary.shape[-1]
    log_copy = F.logsigmoid(-gate)
    elsewhere = (1 - weights.sum(-1)).clamp(min=LEAST).log()
    log_write = torch.logaddexp(F.logsigmoid(gate), log_copy + elsewhere)
    copied = weights.new_zeros(*weights.shape[:-1], size + weights.shape[-1]).scatter_add(-1, symbols, weights)
    log_copied = copied.clamp(min=LEAST).log().masked_fill(copied == 0, float("-inf")) + log_copy[..., None]
    known = torch.logaddexp(log_write[..., None] + log_vocabulary, log_copied[..., :size])
    return torch.cat([known, log_copied[..., size:]], -1)


class Copying(Emission):
    """P(y) = g P_vocabulary(y) + (1−g) Σ_{j: the symbol at place j is y} α_j, P_vocabulary = softmax(W f + b),
    g = sigmoid(w · f + c), f the readout's features and α the weights of a look.

    Pointer-generator (See, Liu and Manning 2017); writing what is read began with CopyNet (Gu et al. 2016), whose two
    scores share one softmax. How ours differs: g is computed of the features, which hold what theirs is computed of
    (context, state, previous output) in whatever form the readout gives them; and the look's weights on places beyond
    the copied column (features of a lemma), or what a look has left (nothing to look at), go to the vocabulary, so that
    P always sums to 1. Label smoothing spreads ε over the V symbols, none over places.
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
        rows = kept // max(1, keep.shape[1])
        weights = self._weights(said, bound).flatten(0, 1)[kept]
        log_probs = self._mixed(said.features.flatten(0, 1)[kept], weights, bound.symbols[rows])
        chosen = targets.reshape(-1)[kept]
        chosen = chosen.masked_fill(chosen >= log_probs.shape[-1], UNKNOWN)  # there is nothing to copy it from
        true = log_probs.gather(-1, chosen[:, None])[:, 0]
        losses = -true.masked_fill(true == float("-inf"), LOWEST)
        if smoothing:
            losses = (1 - smoothing) * losses - smoothing * log_probs[:, : self.output.out_features].mean(-1)
        return losses.new_zeros(keep.numel()).index_copy(0, kept, losses).view_as(keep)

    def log_probs(self, said: Said, bound: Source, past: Any) -> tuple[Float[Tensor, "B K V"], Any]:
        weights = self._weights(said, bound)
        symbols = bound.symbols[:, None].expand(-1, weights.shape[1], -1)
        return log_softmax_of_answers(self._mixed(said.features, weights, symbols)), past

    def _weights(self, said: Said, bound: Source) -> Float[Tensor, "B N S"]:
        """The look's, at the places of the column."""
        weights = over_all_places(said.glances[self.look], bound.memory.shape[1]).float()
        at = bound.at[:, None].expand(-1, weights.shape[1], -1)
        return weights.gather(-1, at) * bound.keep[:, None]

    def _mixed(self, features: Tensor, weights: Tensor, symbols: Tensor) -> Tensor:
        log_vocabulary = self.output(features).float().log_softmax(-1)
        return mixture(log_vocabulary, self.gate(features).float()[..., 0], weights, symbols)
