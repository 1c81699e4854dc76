"""Encoders, looks and a decoder as one module, and that module as search sees it.

Legend: B batch, T steps, K beams, V vocabulary.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.batch import END, START, Batch, Extent, Tokens
from regard.config import Config
from regard.decoders import DECODERS, MemorySizes, SequenceDecoder
from regard.encoders import ENCODERS
from regard.errors import RegardError, nearest
from regard.memory import Encoded, Glance, map_tensors, reorder_beams


class Total(NamedTuple):
    """A loss as a sum and what to divide it by; over several processes both are added up first."""

    total: Float[Tensor, ""]
    count: Float[Tensor, ""]


class Model(nn.Module):
    """What a configuration describes, over columns of known extents."""

    def __init__(self, config: Config, extents: dict[str, Extent]):
        super().__init__()
        self.config = config
        self.encoders = nn.ModuleDict(
            {name: ENCODERS.build(options, extents) for name, options in config.encoders.items()}
        )
        memories = {
            name: MemorySizes(encoder.width, encoder.summary_width, encoder.places)
            for name, encoder in self.encoders.items()
        }
        kind = DECODERS[config.decoder.type]
        self.decoder: SequenceDecoder = kind(config.decoder, config.looks, memories, extents)
        self.target = self.decoder.target
        if self.decoder.shares is not None:
            if self.decoder.shares not in self.encoders:
                raise RegardError(
                    f'decoder.share = "{self.decoder.shares}" is no encoder;'
                    f" {nearest(self.decoder.shares, self.encoders)}"
                )
            self.decoder.adopt(self.encoders[self.decoder.shares])

    def encode(self, columns: dict[str, Tokens]) -> Encoded:
        """All memories, and the glances of encoders that attend inside, by `encoder.name`."""
        memories, glances = {}, {}
        for name, encoder in self.encoders.items():
            memories[name], inside = encoder(columns)
            glances |= {f"{name}.{key}": glance for key, glance in inside.items()}
        return Encoded(memories, glances)

    def forward(
        self, batch: Batch, *, own: float = 0.0, smoothing: float = 0.0
    ) -> tuple[Total, Float[Tensor, "B T"], dict[str, Glance]]:
        """(loss, losses of every step, glances) of a batch with its targets; each example counts by its weight."""
        targets = batch.columns[self.target]
        encoded = self.encode(batch.columns)
        features, glances = self.decoder.unroll(encoded, targets.ids, own)
        losses = self.decoder.emission.loss(features, targets.ids, targets.keep, smoothing)
        weights = batch.weights[:, None] * targets.keep
        return Total((losses * weights).sum(), weights.sum()), losses, encoded.glances | glances


class Seen(NamedTuple):
    """A glance as arrays."""

    weights: np.ndarray
    places: np.ndarray | None


class Advance(NamedTuple):
    """One step of search, as `regard.search` wants it."""

    ids: np.ndarray
    log_probs: np.ndarray
    moving: Any
    glances: dict[str, Seen]


class ModelStepper:
    """One model, or several whose probabilities are averaged, as a search's Stepper.

    log P(y) = log mean_m P_m(y); the glances of several models are averaged too.
    """

    start_id, end_id = START, END

    def __init__(self, *models: Model):
        self.models = models
        self.device = next(models[0].parameters()).device

    def start(self, batch: Batch, beams: int) -> tuple[Any, Any]:
        with torch.inference_mode():
            begun = [
                model.decoder.begin(model.encode(batch.columns), len(batch.rows), beams) for model in self.models
            ]
        return tuple(fixed for fixed, _ in begun), tuple(moving for _, moving in begun)

    def advance(self, fixed: Any, moving: Any, tokens: np.ndarray, parents: np.ndarray, top: int) -> Advance:
        with torch.inference_mode():
            ids = torch.tensor(tokens).to(self.device)
            moved, answers, glances = [], [], []
            for model, own_fixed, own_moving in zip(self.models, fixed, moving, strict=True):
                state = reorder_beams(own_moving, torch.tensor(parents).to(self.device))
                features, glance, state = model.decoder.step(own_fixed, state, ids)
                answers.append(model.decoder.emission.log_probs(features))
                glances.append(glance)
                moved.append(state)
            log_probs = answers[0]
            if len(answers) > 1:
                log_probs = torch.stack(answers).logsumexp(0) - float(np.log(len(answers)))
            best, chosen = best_symbols(log_probs, top)
            return Advance(chosen.cpu().numpy(), best.cpu().numpy(), tuple(moved), _averaged(glances))

    def narrow(self, fixed: Any, moving: Any, rows: np.ndarray) -> tuple[Any, Any]:
        with torch.inference_mode():
            kept = torch.tensor(rows).to(self.device)
            return map_tensors(fixed, lambda part: part[kept]), map_tensors(moving, lambda part: part[kept])


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


def _averaged(glances: list[dict[str, Glance]]) -> dict[str, Seen]:
    """The models' glances as arrays, averaged over models."""
    return {
        name: Seen(
            torch.stack([glance[name].weights.float() for glance in glances]).mean(0).cpu().numpy(),
            None if first.places is None else first.places.cpu().numpy(),
        )
        for name, first in glances[0].items()
    }
