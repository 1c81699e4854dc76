"""Encoders, looks and a decoder as one module, and that module as search sees it.

Legend: B batch, T steps, K beams, V vocabulary.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.attention.attention import beams_of, over_all_places
from regard.batch import END, START, Batch, Total
from regard.config import Config
from regard.decoders import DECODERS, SequenceDecoder
from regard.embedding import Embedding
from regard.encoders import ENCODERS, Encoder
from regard.errors import RegardError, nearest
from regard.masks import pack_left
from regard.memory import Encoded, Glance, Memory, MemorySizes, levels, map_tensors, reorder_beams
from regard.search import Advance
from regard.terms import Seen

Forced = Mapping[str, Mapping[int, int]]  # what if: by look, output: the place that it must look at


class Model(nn.Module):
    """What a configuration describes, over columns of known extents."""

    def __init__(self, config: Config, extents: Mapping[str, Any]):
        super().__init__()
        self.config = config
        self.encoders = nn.ModuleDict(
            {name: ENCODERS.build(options, extents) for name, options in config.encoders.items()}
        )
        memories: dict[str, MemorySizes] = {}
        for name, encoder in self.encoders.items():
            memories |= levels(name, encoder.sizes)
        kind = DECODERS[config.decoder.type]  # type: ignore[attr-defined]
        self.decoder: SequenceDecoder = kind(config.decoder, config.looks, memories, extents)
        self.target = self.decoder.target
        if self.decoder.shares is not None:
            if self.decoder.shares not in self.encoders:
                raise RegardError(
                    f'decoder.share = "{self.decoder.shares}" is no encoder;'
                    f" {nearest(self.decoder.shares, self.encoders)}"
                )
            self.decoder.adopt(self.encoders[self.decoder.shares])

    def tensors(self) -> dict[str, Tensor]:
        """Every parameter and buffer by its name; one that has two (tied, shared) under the first."""
        found: dict[int, tuple[str, Tensor]] = {}
        for name, tensor in self.state_dict(keep_vars=True).items():
            found.setdefault(id(tensor), (name, tensor))
        return dict(found.values())

    def parts(self) -> dict[str, Encoder]:
        """The encoders by name, as the types that they are."""
        return dict(self.encoders.items())  # type: ignore[arg-type]

    def vectors(self) -> list[Embedding]:
        """The embeddings that a file of pretrained vectors is to fill."""
        return [part for part in self.modules() if isinstance(part, Embedding) and part.file is not None]

    def encode(self, columns: Mapping[str, Any]) -> Encoded:
        """All memories, and the glances of encoders that attend inside."""
        memories: dict[str, Memory] = {}
        glances: dict[str, Glance] = {}
        for name, encoder in self.encoders.items():
            memory, inside = encoder(columns)
            memories |= levels(name, memory)
            glances |= {f"{name}.{level}": glance for level, glance in inside.items()}
        return Encoded(memories, glances, columns)

    def looked_at(self, glance: str) -> tuple[str, str]:
        """(encoder, level) that a glance of this name looks at; the name is a look's, or an encoder's own."""
        at = self.config.looks[glance].at if glance in self.config.looks else glance
        name, _, level = at.partition(".")
        return name, level or str(self.encoders[name].level)

    def memory_of(self, encoded: Encoded, glance: str) -> Memory:
        """The memory that a glance of this name looks at."""
        name, level = self.looked_at(glance)
        return encoded.memories[name if level == self.encoders[name].level else f"{name}.{level}"]

    def force(self, encoded: Encoded, asked: Mapping[str, Int[Tensor, "B T"]]) -> Encoded:
        """What if: by look, which of its own places each step of an example must look at (below 0: as it likes)."""
        forced = {}
        for name in asked.keys() & self.config.looks.keys():
            order = pack_left(self.memory_of(encoded, name).keep)
            forced[name] = torch.where(asked[name] < 0, -1, order.gather(1, asked[name].clamp(min=0)))
        return encoded._replace(forced=forced) if forced else encoded

    def forward(
        self, batch: Batch, *, own: float = 0.0, smoothing: float = 0.0
    ) -> tuple[Total, Float[Tensor, "B T"], dict[str, Glance]]:
        """(loss, losses of every step, glances) of a batch with its targets; each example counts by its weight."""
        seen = self.see(batch, own=own, smoothing=smoothing)
        return seen.loss, seen.losses, seen.glances

    def see(self, batch: Batch, *, own: float = 0.0, smoothing: float = 0.0) -> Seen:
        """The same, with all that a loss term may need beside it."""
        targets = batch.columns[self.target]
        encoded = self.encode(batch.columns)
        said, fixed = self.decoder.unroll(encoded, targets.ids, own)
        losses = self.decoder.emission.loss(said, fixed.emission, targets.ids, targets.keep, smoothing)
        weights = batch.weights[:, None] * targets.keep
        glances = {name: said.glances[name] for name in self.config.looks} | encoded.glances
        memories = {name: self.memory_of(encoded, name) for name in glances}
        return Seen(batch, losses, targets.keep, weights, glances, memories)

    def anneal(self, share: float) -> None:
        """Tell every part that changes over training (`anneal`) how much of the run is done, from 0 to 1."""
        for part in self.modules():
            if part is not self and (tell := getattr(part, "anneal", None)) is not None:
                tell(share)


class Shown(NamedTuple):
    """A glance as arrays."""

    weights: np.ndarray
    places: np.ndarray | None


class Example(NamedTuple):
    """What belongs to the examples, for one model of a stepper."""

    fixed: Any  # the decoder's
    inside: dict[str, Glance]  # of the encoders, for every step alike
    orders: dict[str, Int[Tensor, "B S"] | None]  # for each glance: what brings an example's own places to the front


# log P of every symbol (B, K, V) -> (log P (B, K, C), ids (B, K, C)) of the candidates
Choose = Callable[[Tensor], tuple[Tensor, Tensor]]


class ModelStepper:
    """One model, or several whose probabilities are averaged, as a search's Stepper.

    log P(y) = log mean_m P_m(y); the glances of several models are averaged too. Unusual here: the places of the
    glances that come out are each example's own, in their order, the batch's padding behind them wherever it lay, so
    that a look does not depend on what else is in the batch. `forced` (what if): by look, for some steps the own place
    that each example must look at.
    """

    start_id, end_id = START, END

    def __init__(self, *models: Model, forced: Forced | None = None):
        self.models, self.forced = models, forced or {}
        self.device = next(models[0].parameters()).device

    def start(self, batch: Batch, beams: int) -> tuple[Any, Any]:
        with torch.inference_mode():
            examples, states = [], []
            for model in self.models:
                encoded = self._forced(model, model.encode(batch.columns), len(batch.rows))
                fixed, moving = model.decoder.begin(encoded, len(batch.rows), beams)
                keeps = {name: model.memory_of(encoded, name).keep for name in (*model.config.looks, *encoded.glances)}
                orders = {name: _own_first(keep) for name, keep in keeps.items()}
                examples.append(Example(fixed, encoded.glances, orders))
                states.append(moving)
        return tuple(examples), tuple(states)

    def advance(self, fixed: Any, moving: Any, tokens: np.ndarray, parents: np.ndarray, top: int) -> Advance:
        return self.proposed(fixed, moving, tokens, parents, lambda log_probs: best_symbols(log_probs, top))

    def proposed(self, fixed: Any, moving: Any, tokens: np.ndarray, parents: np.ndarray, choose: Choose) -> Advance:
        """One step whose candidates are those that `choose` takes."""
        with torch.inference_mode():
            ids = torch.tensor(tokens).to(self.device)
            moved, spoken, answers, glances = [], [], [], []
            for model, example, own_moving in zip(self.models, fixed, moving, strict=True):
                state = reorder_beams(own_moving, torch.tensor(parents).to(self.device))
                said, state = model.decoder.step(example.fixed, state, ids)
                log_probs, state = model.decoder.log_probs(example.fixed, state, said)
                spoken.append(said)
                answers.append(log_probs)
                moved.append(state)
            log_probs = answers[0]
            if len(answers) > 1:
                log_probs = torch.stack(answers).logsumexp(0) - float(np.log(len(answers)))
            best, chosen = choose(log_probs)
            for model, example, state, said in zip(self.models, fixed, moved, spoken, strict=True):
                looks = model.decoder.seen(example.fixed, state, said, chosen)
                inside = map_tensors(example.inside, lambda part: beams_of(part, ids.shape[1]))
                glances.append({name: _own(glance, example.orders[name]) for name, glance in (looks | inside).items()})
            return Advance(chosen.cpu().numpy(), best.cpu().numpy(), tuple(moved), _averaged(glances))

    def narrow(self, fixed: Any, moving: Any, rows: np.ndarray) -> tuple[Any, Any]:
        with torch.inference_mode():
            kept = torch.tensor(rows).to(self.device)
            return map_tensors(fixed, lambda part: part[kept]), map_tensors(moving, lambda part: part[kept])

    def _forced(self, model: Model, encoded: Encoded, examples: int) -> Encoded:
        asked = {}
        for name, steps in self.forced.items():
            asked[name] = torch.full((examples, 1 + max(steps, default=-1)), -1, device=self.device)
            for step, place in steps.items():
                asked[name][:, step] = place
        return model.force(encoded, asked)


def best_symbols(
    log_probs: Float[Tensor, "B K V"], top: int
) -> tuple[Float[Tensor, "B K top"], Int[Tensor, "B K top"]]:
    """The `top` best of each row, best first, ties to the lower id.

    `topk` alone leaves ties to chance. It is asked for one more, so that a tie across the border is seen; only then
    is everything sorted.
    """
    size = log_probs.shape[-1]
    if top < size:
        values, ids = log_probs.topk(top + 1, sorted=True)
        if not bool((values[..., 1:] == values[..., :-1]).any()):
            return values[..., :top], ids[..., :top]
    values, ids = log_probs.sort(dim=-1, descending=True, stable=True)
    return values[..., :top], ids[..., :top]


def _own_first(keep: Bool[Tensor, "B S"]) -> Int[Tensor, "B S"] | None:
    """What brings each example's own places to the front; None where they stand there."""
    return None if bool((keep[:, 1:] <= keep[:, :-1]).all()) else pack_left(keep)


def _own(glance: Glance, order: Int[Tensor, "B S"] | None) -> Glance:
    """A glance (B, K, W) or, where it depends on the candidate, (B, K, C, W), over each example's own places."""
    if order is None:
        return glance
    shape = glance.weights.shape[1:-1]
    order = order.view(len(order), *[1] * len(shape), -1).expand(-1, *shape, -1)
    if glance.places is None:
        chances = None if glance.chances is None else glance.chances.gather(-1, order)
        return glance._replace(weights=glance.weights.gather(-1, order), chances=chances)
    return glance._replace(places=order.argsort(-1).gather(-1, glance.places))


def _averaged(models: Sequence[dict[str, Glance]]) -> dict[str, Shown]:
    """Glances as arrays, each averaged over the models that have it; several windows become one over all places."""
    seen = {}
    for name in dict.fromkeys(name for glances in models for name in glances):
        own = [glances[name] for glances in models if name in glances]
        if len(own) > 1 and any(glance.places is not None for glance in own):
            size = max(g.weights.shape[-1] if g.places is None else int(g.places.max()) + 1 for g in own)
            own = [Glance(over_all_places(glance, size)) for glance in own]
        weights = torch.stack([glance.weights.float() for glance in own]).mean(0)
        places = own[0].places
        seen[name] = Shown(weights.cpu().numpy(), None if places is None else places.cpu().numpy())
    return seen
