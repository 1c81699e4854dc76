"""Parts trained apart before they are joined: the encoder as an autoencoder or language model of its own column, the
decoder as a language model of the target whose context is zero.

Unusual here: nothing is trained by a loop of its own. Each apprenticeship is an ordinary model around the very parts
that the joined model will use, so what they learn is simply there when it ends.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from regard.batch import END, CopiedTokens, Extent, Tokens
from regard.config import Config
from regard.data.examples import Examples
from regard.decoders import SequenceOptions
from regard.errors import RegardError
from regard.memory import Encoded, Memory, levels, map_tensors
from regard.model import Model
from regard.training.average import Average
from regard.training.loop import update
from regard.training.optimiser import make_optimiser
from regard.training.run import Run

OWN = "\x00own"  # the encoder's column once more, as something to write
Tell = Callable[[dict[str, Any]], object]


class Blind(Model):
    """A model whose memories hold nothing: every look's context and every summary is zero."""

    def encode(self, columns: Mapping[str, Any]) -> Encoded:
        ids = columns[self.target].ids
        memories = {}
        for encoder, part in self.parts().items():
            for name, sizes in levels(encoder, part.sizes).items():
                nothing = torch.zeros(len(ids), 1, sizes.width, device=ids.device)
                keep = torch.zeros_like(ids[:, :1], dtype=torch.bool)
                memories[name] = Memory(nothing, keep, nothing.new_zeros(len(ids), sizes.summary), (1,))
        return Encoded(memories, {})


def check_apart(config: Config) -> None:
    """What would otherwise go wrong only once the folder is begun."""
    for options in config.encoders.values():
        if config.training.encoder_first == "language-model" and getattr(options, "two_way", False):
            raise RegardError(
                'encoder_first = "language-model" needs an encoder that reads one way, as a language model does:'
                ' set two_way = false, or encoder_first = "autoencode"'
            )


def train_apart(model: Model, extents: dict[str, Extent], train: Examples, tell: Tell) -> None:
    """Whatever the configuration trains alone first."""
    options = model.config.training
    if options.encoder_first != "none":
        for name, encoder in model.parts().items():
            apprentice = _encoder_apprentice(model, name, extents, options.encoder_first == "language-model")
            _train(apprentice, f"encoder {name} alone ({options.encoder_first})", train, tell, encoder.reads[0])
    if options.decoder_first != "none":
        blind = Blind(model.config, extents)
        blind.decoder = model.decoder
        _train(blind, "decoder alone (language-model)", train, tell)


def freeze(model: Model) -> None:
    """No further training for what the configuration freezes."""
    for part in model.config.training.freeze:
        (model.encoders if part == "encoder" else model.decoder).requires_grad_(False)


def _encoder_apprentice(model: Model, name: str, extents: dict[str, Extent], predicts: bool) -> Model:
    """The encoder with a decoder that writes its (first) column again, or as what predicts its next symbol."""
    encoder, options = model.parts()[name], model.config.encoders[name]
    own = extents[encoder.reads[0]]
    extents = extents | {OWN: Extent(own.size, own.longest + 1)}
    shape = {key: getattr(options, key) for key in ("cell", "reset", "hidden", "layers", "dropout", "embedding")}
    shape |= {"writes": OWN, "readout": ("state", "previous")}
    if not predicts:
        config = Config(encoders={name: options}, decoder=SequenceOptions(**shape), training=model.config.training)
        apprentice = Model(config, extents)
        apprentice.encoders[name] = encoder
        return apprentice
    config = Config(decoder=SequenceOptions(start="zero", **shape), training=model.config.training)
    apprentice = Model(config, extents)
    apprentice.decoder.embedding = encoder.embeddings[0]  # type: ignore[index,assignment]
    apprentice.decoder.adopt(encoder)
    return apprentice


def _train(model: Model, what: str, train: Examples, tell: Tell, column: str | None = None) -> None:
    """Some epochs of an apprentice; `column`: what it writes as `OWN`."""
    options, seen = model.config.training, 0
    device = torch.device(options.device)  # parts of its own begin on the CPU
    run = Run(model.to(device).train(), Average(model, 0.0), make_optimiser(model, options))
    examples = options.batch or 1
    for epoch in range(options.first_epochs):
        sums = torch.zeros(3)
        for batch in train.shuffled(train.budget(examples), examples, options.seed, epoch):
            if column is not None:
                batch = batch._replace(columns=batch.columns | {OWN: with_end(batch.columns[column])})
            batch = map_tensors(batch, lambda part: part.to(device))
            sums += update(run, batch, options, seen / (len(train) * options.first_epochs)).cpu()
            seen += len(batch.rows)
        tell({"event": "alone", "what": what, "epoch": epoch + 1, "train_loss": float(sums[0] / sums[1])})


def with_end(tokens: Tokens | CopiedTokens) -> Tokens:
    """The same cells as something to write: each ends with the end symbol."""
    lengths = tokens.keep.sum(1, keepdim=True)
    ids = torch.nn.functional.pad(tokens.ids, (0, 1)).scatter(1, lengths, END)
    return Tokens(ids, torch.arange(ids.shape[1]) <= lengths)
