"""Exact hard attention: every place says what it would write, and the answer is summed over the places.

Legend: B batch, T steps, K beams, N T or K, C candidates, S places, F feature width, V vocabulary. Unusual here:
nothing is sampled and no context is formed. The look's weights are the chances α of each place, and this emission reads
the memory itself; its past is the filter over places, which travels with the beam. What it reports of its look is the
*posterior*: where the symbol came from, once it is known. For spellings that reads like an alignment.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from regard.attention.attention import over_all_places
from regard.decoders.emissions.emission import Emission, Said, Surroundings, look_of
from regard.decoders.emissions.linear import log_softmax_of_answers, output_layer
from regard.errors import RegardError
from regard.memory import Encoded, Glance, Memory
from regard.parts import Options

NEVER = -1e4  # the logarithm of no chance at all: finite, so that gradients are
AT_ONCE = 2**24  # numbers of (B, T, S, V) that are held at once


class MarginalOptions(Options):
    """Exact hard attention: P(y) = Σ_j α_j P(y | h_j, s), summed over all places."""

    type: Literal["marginal"] = "marginal"
    order: Literal["any", "monotonic"] = Field("any", description="any: places as they come; monotonic: never back")
    look: str | None = Field(None, description="the look whose weights are the chances; unset: the first")


class Places(NamedTuple):
    """What belongs to the examples."""

    keys: Float[Tensor, "B S F"]  # W h_j, zero at padding
    keep: Bool[Tensor, "B S"]  # a row without any place has one that holds nothing


class Filter(NamedTuple):
    """What a hypothesis knows of the places."""

    chances: Float[Tensor, "B *K S"]  # log: before a step's symbol is known, of this step; after, of all so far
    joint: Float[Tensor, "B *K S F"]  # what each place would say
    totals: Float[Tensor, "B *K S"]  # log Σ_v exp of it


def onward(log_alpha: Float[Tensor, "*N S"], last: Float[Tensor, "*N S"]) -> Float[Tensor, "*N S"]:
    """log P(a_t = j) = log Σ_{i≤j} P(a_{t-1} = i) α_j / Σ_{k≥i} α_k: one step that never goes back."""
    rest = log_alpha.flip(-1).logcumsumexp(-1).flip(-1)
    return log_alpha + (last - rest).logcumsumexp(-1)


def at_first(like: Float[Tensor, "*N S"]) -> Float[Tensor, "*N S"]:
    """log P of the place before the first step: from there all places are yet to come."""
    return torch.full_like(like, NEVER).index_fill(-1, torch.tensor([0], device=like.device), 0.0)


def filtered(
    log_alpha: Float[Tensor, "B T S"], said: Float[Tensor, "B T S"], made: Bool[Tensor, "B T"] | None = None
) -> tuple[Float[Tensor, "B T S"], Float[Tensor, "B T S"]]:
    """(log P(a_t | y_<t), log P(a_t | y_≤t)) of places that never go back, from the first on, by the forward
    recursion; `said` is log P(y_t | a_t), `made` the steps that were made to look somewhere and so may go back."""
    first = last = at_first(log_alpha[:, 0])
    made = log_alpha.new_zeros(log_alpha.shape[:2], dtype=torch.bool) if made is None else made
    before, after = [], []
    for alpha, emitted, forced in zip(log_alpha.unbind(1), said.unbind(1), made.unbind(1), strict=True):
        chances = onward(alpha, torch.where(forced[:, None], first, last)).clamp(min=NEVER)
        last = (chances + emitted).log_softmax(-1).clamp(min=NEVER)
        before.append(chances)
        after.append(last)
    return torch.stack(before, 1), torch.stack(after, 1)


class Marginal(Emission):
    """P(y_t) = Σ_j α_{t,j} P(y_t | h_j, s_t), P(· | h_j, s_t) = softmax(V tanh(f_t + W h_j) + b), f_t the readout.

    `order = "any"`: α_t as the look has it (Wu et al. 2018, "hard non-monotonic", zeroth order). `"monotonic"`: places
    never go back, P(a_t = j | a_{t-1} = i) ∝ α_{t,j} for j ≥ i, summed exactly by the forward recursion (Wu and
    Cotterell 2019); in search the same recursion is a filter. How ours differs: α comes of whatever look and score
    there is, and the recursion costs S and not S² a step; the context feeds nothing, or places could not be summed
    out. A source without any place has one that holds zeros.
    """

    name = "marginal"
    Options = MarginalOptions
    mixes = True

    def __init__(self, around: Surroundings, order: str = "any", look: str | None = None):
        super().__init__(around)
        self.monotonic, self.look = order == "monotonic", _look(look, around)
        sizes = around.looks[self.look]
        if self.monotonic and sizes.shape is not None and len(sizes.shape) > 1:
            raise RegardError('the emission "marginal" cannot be monotonic over a grid: set decoder.emission.order=any')
        self.project = nn.Linear(sizes.width, around.features, bias=False)
        self.output = output_layer(around)
        self.dropout = nn.Dropout(around.dropout)

    def bind(self, encoded: Encoded, memories: Mapping[str, Memory]) -> Places:
        memory = memories[self.look]
        values, keep = memory.values * memory.keep[..., None], memory.keep
        if keep.shape[1] == 0:
            values, keep = F.pad(values, (0, 0, 0, 1)), F.pad(keep, (0, 1))
        first = torch.arange(keep.shape[1], device=keep.device) == 0
        return Places(self.project(values), keep | (first & ~keep.any(1, keepdim=True)))

    def start(self, bound: Places) -> Filter:
        chances = at_first(bound.keys[..., 0].float())
        return Filter(chances, torch.zeros_like(bound.keys), torch.zeros_like(chances))

    def loss(
        self,
        said: Said,
        bound: Places,
        targets: Int[Tensor, "B T"],
        keep: Bool[Tensor, "B T"],
        smoothing: float = 0.0,
    ) -> Float[Tensor, "B T"]:
        """−log P(y_t | y_<t), label smoothing as in `Linear`; examples are taken a few at a time where (B, T, S, V)
        would not fit, and worked out once more in the backward pass."""
        each = targets.shape[1] * bound.keep.shape[1] * self.output.out_features
        rows = max(1, AT_ONCE // max(each, 1))
        given = (said.features, self._log_alpha(said, bound), self._made(said), *bound, targets)
        parts = [part.split(rows) for part in given]
        run: Callable[..., Tensor] = self._losses
        if rows < len(targets) and torch.is_grad_enabled():
            run = lambda *some: checkpoint(self._losses, *some, use_reentrant=False)  # noqa: E731
        losses = torch.cat([run(*some, smoothing) for some in zip(*parts, strict=True)])
        return losses * keep

    def _losses(
        self,
        features: Tensor,
        log_alpha: Tensor,
        made: Tensor,
        keys: Tensor,
        keep: Tensor,
        targets: Tensor,
        smoothing: float,
    ) -> Tensor:
        logits = self._logits(self._joint(features, keys))  # (B, T, S, V)
        totals = logits.logsumexp(-1)
        emitted = logits.gather(-1, targets[:, :, None, None].expand(-1, -1, logits.shape[2], 1))[..., 0] - totals
        chances = filtered(log_alpha, emitted, made)[0] if self.monotonic else log_alpha
        losses = -(chances + emitted).logsumexp(-1)
        if smoothing:
            mixed = (logits + (chances - totals)[..., None]).logsumexp(2)
            losses = (1 - smoothing) * losses - smoothing * mixed.mean(-1)
        return losses

    def log_probs(self, said: Said, bound: Places, past: Filter) -> tuple[Float[Tensor, "B K V"], Filter]:
        chances = self._log_alpha(said, bound)
        if self.monotonic:
            last = torch.where(self._made(said)[..., None], at_first(past.chances), past.chances)
            chances = onward(chances, last).clamp(min=NEVER)
        joint = self._joint(said.features, bound.keys)
        logits = self._logits(joint)
        totals = logits.logsumexp(-1)
        mixed = (logits + (chances - totals)[..., None]).logsumexp(2)
        return log_softmax_of_answers(mixed), Filter(chances, joint, totals)

    def remember(self, bound: Places, past: Filter, tokens: Int[Tensor, "B K"]) -> Filter:
        return past._replace(chances=self._after(past, tokens[..., None])[:, :, 0]) if self.monotonic else past

    def seen(self, said: Said, bound: Places, past: Filter, ids: Int[Tensor, "B K C"]) -> dict[str, Glance]:
        return {self.look: self._glance(self._after(past, ids), said)}

    def seen_along(self, said: Said, bound: Places, targets: Int[Tensor, "B T"]) -> dict[str, Glance]:
        log_alpha, joint = self._log_alpha(said, bound), self._joint(said.features, bound.keys)
        past = Filter(log_alpha, joint, self._logits(joint).logsumexp(-1))
        if self.monotonic:
            _, after = filtered(log_alpha, self._emitted(past, targets[..., None])[:, :, 0], self._made(said))
        else:
            after = self._after(past, targets[..., None])[:, :, 0]
        return {self.look: self._glance(after, said)}

    def _log_alpha(self, said: Said, bound: Places) -> Float[Tensor, "B N S"]:
        weights = over_all_places(said.glances[self.look], bound.keep.shape[1]).float()
        empty = weights.sum(-1, keepdim=True) == 0  # nothing is looked at: whatever is there, alike
        weights = torch.where(empty, bound.keep[:, None].to(weights.dtype), weights)
        log_alpha = weights.clamp(min=torch.finfo(weights.dtype).tiny).log() - weights.sum(-1, keepdim=True).log()
        elsewhere = self._made(said)[..., None] & (weights == 0)
        return log_alpha.masked_fill(~bound.keep[:, None] | elsewhere, NEVER)

    def _made(self, said: Said) -> Bool[Tensor, "B N"]:
        """The steps that were made to look somewhere."""
        glance = said.glances[self.look]
        if glance.forced is not None:
            return glance.forced
        return torch.zeros(glance.weights.shape[:-1], dtype=torch.bool, device=glance.weights.device)

    def _joint(self, features: Tensor, keys: Tensor) -> Float[Tensor, "B N S F"]:
        return self.dropout(torch.tanh(features[:, :, None] + keys[:, None]))

    def _logits(self, joint: Tensor) -> Float[Tensor, "B N S V"]:
        return self.output(joint).float()

    def _emitted(self, past: Filter, ids: Int[Tensor, "B N C"]) -> Float[Tensor, "B N C S"]:
        """log P(id | place)."""
        logits = F.embedding(ids, self.output.weight) @ past.joint.transpose(2, 3) + self.output.bias[ids][..., None]
        return logits.float() - past.totals[:, :, None]

    def _after(self, past: Filter, ids: Int[Tensor, "B N C"]) -> Float[Tensor, "B N C S"]:
        """log P(place | symbols up to this one), for each candidate."""
        return (past.chances[:, :, None] + self._emitted(past, ids)).log_softmax(-1).clamp(min=NEVER)

    def _glance(self, after: Tensor, said: Said) -> Glance:
        """As weights over the places that there are; a row that could look at nothing looked at nothing."""
        looked = said.glances[self.look]
        size = looked.weights.shape[-1] if looked.places is None else after.shape[-1]
        there = looked.weights.sum(-1) > 0
        weights = after.exp()[..., :size]
        return Glance(weights * there.view(*there.shape, *[1] * (weights.dim() - there.dim())))


def _look(name: str | None, around: Surroundings) -> str:
    """The look that an emission goes by, once it is known to be there and to feed nothing."""
    found = look_of("marginal", name, around)
    if found in around.fed:
        raise RegardError(
            f'the emission "marginal" needs the look {found!r} to feed nothing: its places could not be summed out;'
            f' take look.{found} out of decoder.feed (when = "after")'
        )
    return found
