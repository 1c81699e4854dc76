"""The decoder that writes a sequence, step by step (`step`) or along a known target (`unroll`), with equal numbers.

Legend: B batch, T steps, K beams, E embedding, H hidden, M memory, F feature width, S places. Unusual here: nothing
asks which score, focus or preset it was given. What reaches the cell (`feed`) and the readout is a list of names;
where nothing that is fed depends on the step before, the recurrence runs over the whole target at once and every look
is one broadcast over (B, T); only then is there no loop.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import FOCUSES, SCORES, Attention, Bound, Past, Sizes
from regard.attention.attention import beams_of
from regard.attention.options import LookOptions
from regard.batch import START, UNKNOWN
from regard.decoders.emissions import EMISSIONS, Said, Surroundings
from regard.decoders.options import SequenceOptions
from regard.decoders.readout import Readout
from regard.decoders.start import Start
from regard.embedding import Embedding
from regard.encoders.encoder import Encoder
from regard.errors import RegardError
from regard.memory import Encoded, Glance, MemorySizes, map_tensors
from regard.recurrence import Dropout, Masks, Recurrence, States
from regard.scan import concatenate_steps, scan


class Fixed(NamedTuple):
    """What belongs to the example: bound memories and summaries."""

    bounds: dict[str, Bound]
    summaries: dict[str, Float[Tensor, "B 1 N"]]
    dropped: "Dropped"
    emission: Any  # what the emission made of the memories


class Dropped(NamedTuple):
    """What variational dropout drops at every step of a sequence alike; None where it is off."""

    previous: Float[Tensor, "B 1 E"] | None
    layers: Masks
    readout: Float[Tensor, "B 1 F"] | None


class Moving(NamedTuple):
    """What belongs to the hypothesis; every tensor is (B, K, …)."""

    cells: States
    contexts: dict[str, Float[Tensor, "B K M"]]  # of looks whose last context feeds the next step
    readout: Float[Tensor, "B K F"] | None  # where the last readout feeds the next step
    pasts: dict[str, Past]  # of looks that remember
    emission: Any  # what the emission remembers


class Outcome(NamedTuple):
    """What one step, or all steps, came to; every tensor is (B, K, …) or (B, T, …)."""

    state: Float[Tensor, "B N H"]
    contexts: dict[str, Float[Tensor, "B N M"]]
    glances: dict[str, Glance]
    features: Float[Tensor, "B N F"] | None


class SequenceDecoder(nn.Module):
    """s_t = cell(s_{t-1}, [e(y_{t-1}); feed]); f_t = readout(s_t, …); P(y_t) = emission(f_t)."""

    name = "sequence"
    Options = SequenceOptions

    def __init__(
        self,
        options: SequenceOptions,
        looks: dict[str, LookOptions],
        memories: dict[str, MemorySizes],
        extents: Mapping[str, Any],
    ):
        super().__init__()
        options.check(looks, memories)
        self.options, self.target, self.shares = options, options.writes, options.share
        size = extents[self.target].size
        self.embedding = Embedding(options.embedding, size, self.target)
        self.at = {name: look.at for name, look in looks.items()}
        self.before = [name for name, look in looks.items() if look.when == "before"]
        self.after = [name for name, look in looks.items() if look.when == "after"]
        self.looks: Any = nn.ModuleDict()
        for name, look in looks.items():
            sizes = Sizes(options.hidden, memories[look.at].width, memories[look.at].shape)
            self.looks[name] = Attention(SCORES.build(look.score, sizes), FOCUSES.build(look.focus, sizes))
        self.feed, self.reads = options.feed or (), options.readout or ()
        width = options.readout_width or (self.embedding.width if options.tied else options.hidden)
        widths = {"state": options.hidden, "previous": self.embedding.width, "readout": width}
        widths |= {f"look.{name}": memories[look.at].width for name, look in looks.items()}
        widths |= {f"summary.{name}": memory.summary for name, memory in memories.items()}
        self.widths = widths
        self.recurrence = Recurrence(
            self.embedding.width + sum(widths[name] for name in self.feed),
            options.hidden,
            cell=options.cell,
            layers=options.layers,
            reset=options.reset,
            dropout=options.dropout,
            variational=options.variational,
        )
        self.start = Start(options.start, self.recurrence, sum(memory.summary for memory in memories.values()))
        self.readout = Readout(sum(widths[name] for name in self.reads), width, options.readout_layer)
        self.dropout = Dropout(options.dropout, options.variational)
        around = Surroundings(
            width,
            size,
            self.target,
            looks={name: memories[look.at] for name, look in looks.items()},
            fed=frozenset(name for name in looks if f"look.{name}" in self.feed),
            extents=extents,
            tied=self.embedding.table.weight if options.tied and self.embedding.table is not None else None,
            dropout=options.dropout,
        )
        self.emission = EMISSIONS.build(options.emission, around)
        self.readout_dropout = Dropout(0.0 if self.emission.mixes else options.dropout, options.variational)
        # what of one step the next one is fed with; where this is empty, steps need not follow one another
        self.fed_contexts = [name for name in self.after if f"look.{name}" in self.feed]
        self.loops = "readout" in self.feed or bool(around.fed)

    def adopt(self, encoder: Encoder) -> None:
        """Move with an encoder's recurrence: one set of parameters for both."""
        theirs = getattr(encoder, "recurrence", None)
        one_way = [] if theirs is None or theirs.backwards else theirs.forwards
        cells = [cell for layer in one_way for cell in layer.cells]
        forms = [
            [(type(cell), [part.shape for part in cell.parameters()]) for cell in side]
            for side in (cells, self.recurrence.cells)
        ]
        if forms[0] != forms[1]:
            raise RegardError(
                "decoder.share needs an encoder and a decoder of one form: one way (two_way = false), the same cell,"
                " layers, hidden and embedding width, and nothing fed beside the previous output"
            )
        self.recurrence.cells = nn.ModuleList(cells)

    # -- one step ------------------------------------------------------------------------------------------------

    def begin(self, encoded: Encoded, batch: int, beams: int = 1) -> tuple[Fixed, Moving]:
        """Bind the memories and make the first state, `beams` times for each of `batch` examples."""
        memories = {name: encoded.memories[at] for name, at in self.at.items()}
        bounds = {name: look.bind(memories[name], encoded.forced.get(name)) for name, look in self.looks.items()}
        pasts = {name: look.start(bounds[name]) for name, look in self.looks.items()}
        emission = self.emission.bind(encoded, memories)
        summaries = {name: memory.summary[:, None] for name, memory in encoded.memories.items()}
        zero = self.recurrence.zero(batch)
        joined = torch.cat([zero[0][0][:, :0], *(memory.summary for memory in encoded.memories.values())], -1)
        empty = {name: zero[0][0].new_zeros(batch, self.widths[f"look.{name}"]) for name in self.fed_contexts}
        readout = zero[0][0].new_zeros(batch, self.readout.width) if "readout" in self.feed else None
        pasts = {name: past for name, past in pasts.items() if past is not None}
        moving = Moving(self.start(joined, zero), empty, readout, pasts, self.emission.start(emission))
        dropped = Dropped(
            self.dropout.mask(zero[0][0].new_empty(batch, 1, self.embedding.width)),
            self.recurrence.masks(batch),
            self.readout_dropout.mask(zero[0][0].new_empty(batch, 1, self.readout.width)),
        )
        return Fixed(bounds, summaries, dropped, emission), map_tensors(moving, lambda part: beams_of(part, beams))

    def step(self, fixed: Fixed, moving: Moving, tokens: Int[Tensor, "B K"]) -> tuple[Said, Moving]:
        """(said, moving) after the symbols `tokens`."""
        moving = moving._replace(emission=self.emission.remember(fixed.emission, moving.emission, tokens))
        vectors = self._vectors(tokens, fixed)
        outcome, moving = self._advance(fixed, vectors, moving)
        features = self._features(fixed, vectors, outcome) if outcome.features is None else outcome.features
        return Said(features, outcome.glances), moving

    def log_probs(self, fixed: Fixed, moving: Moving, said: Said) -> tuple[Float[Tensor, "B K V"], Moving]:
        """(log P of every next symbol, moving) after what a step said."""
        found, past = self.emission.log_probs(said, fixed.emission, moving.emission)
        return found, moving._replace(emission=past)

    def seen(self, fixed: Fixed, moving: Moving, said: Said, ids: Int[Tensor, "B K C"]) -> dict[str, Glance]:
        """The glances of a step; some may depend on which of its candidates follows: weights (B, K, C, S)."""
        return said.glances | self.emission.seen(said, fixed.emission, moving.emission, ids)

    def _advance(self, fixed: Fixed, vectors: Float[Tensor, "B K E"], moving: Moving) -> tuple[Outcome, Moving]:
        contexts, glances, pasts = dict(moving.contexts), {}, dict(moving.pasts)

        def look(names: list[str], query: Tensor) -> None:
            for name in names:
                contexts[name], glances[name], past = self.looks[name](query, fixed.bounds[name], pasts.get(name))
                if past is not None:
                    pasts[name] = past

        look(self.before, moving.cells[-1][0])
        known = {f"look.{name}": context for name, context in contexts.items()} | {"readout": moving.readout}
        inputs = self._join(self.feed, fixed, vectors, known)
        state, cells = self.recurrence.step(inputs, moving.cells, fixed.dropped.layers)
        look(self.after, state)
        outcome = Outcome(state, contexts, glances, None)
        if moving.readout is not None:
            outcome = outcome._replace(features=self._features(fixed, vectors, outcome))
        fed = {name: contexts[name] for name in self.fed_contexts}
        return outcome, Moving(cells, fed, outcome.features, pasts, moving.emission)

    # -- all steps -----------------------------------------------------------------------------------------------

    def unroll(self, encoded: Encoded, targets: Int[Tensor, "B T"], own: float = 0.0) -> tuple[Said, Fixed]:
        """(said, fixed) of every step along the targets, each step fed with the true symbol before it.

        With `own` > 0, each symbol fed is with that probability the model's own best guess instead of the true one
        (scheduled sampling, Bengio et al. 2015; 1 = always its own, as the lectures write it).
        """
        batch = len(targets)
        fixed, moving = self.begin(encoded, batch)
        inputs = torch.cat([targets.new_full((batch, 1), START), targets[:, :-1]], 1)
        if own > 0:
            return self._unroll_own(fixed, moving, inputs, own), fixed
        vectors = self._vectors(inputs, fixed)
        if self.loops:
            outcome, _ = scan(lambda step, state: self._advance(fixed, step, state), vectors, moving)
        else:
            outcome = self._at_once(fixed, vectors, moving)
        features = self._features(fixed, vectors, outcome) if outcome.features is None else outcome.features
        return Said(features, outcome.glances), fixed

    def _at_once(self, fixed: Fixed, vectors: Float[Tensor, "B T E"], moving: Moving) -> Outcome:
        first = map_tensors(moving.cells, lambda part: part[:, 0])
        states, _ = self.recurrence(self._join(self.feed, fixed, vectors, {}), first, fixed.dropped.layers)
        earlier = torch.cat([first[-1][0][:, None].to(states.dtype), states[:, :-1]], 1)
        contexts, glances = {}, {}
        for name, look in self.looks.items():
            query = earlier if name in self.before else states
            contexts[name], glances[name] = look.along(query, fixed.bounds[name], moving.pasts.get(name))
        return Outcome(states, contexts, glances, None)

    def _unroll_own(self, fixed: Fixed, moving: Moving, inputs: Int[Tensor, "B T"], own: float) -> Said:
        outcomes, tokens = [], inputs[:, :1]
        for number in range(inputs.shape[1]):
            said, moving = self.step(fixed, moving, tokens)
            outcomes.append(said)
            if number + 1 < inputs.shape[1]:
                with torch.no_grad():
                    log_probs, moving = self.log_probs(fixed, moving, said)
                guess = log_probs.argmax(-1)
                chosen = torch.rand(guess.shape, device=guess.device) < own
                tokens = torch.where(chosen, guess, inputs[:, number + 1, None])
        return concatenate_steps(outcomes)

    # -- what both share -----------------------------------------------------------------------------------------

    def _vectors(self, tokens: Int[Tensor, "B N"], fixed: Fixed) -> Float[Tensor, "B N E"]:
        vectors = self.embedding(tokens.masked_fill(tokens >= self.embedding.size, UNKNOWN))  # beyond lie copies
        if self.options.previous == "blank":
            return torch.zeros_like(vectors)
        return self.dropout(vectors, fixed.dropped.previous)

    def _features(self, fixed: Fixed, vectors: Float[Tensor, "B N E"], outcome: Outcome) -> Float[Tensor, "B N F"]:
        known = {f"look.{name}": context for name, context in outcome.contexts.items()}
        known |= {"state": outcome.state, "previous": vectors}
        features = self.readout(self._parts(self.reads, fixed, vectors, known))
        return self.readout_dropout(features, fixed.dropped.readout)

    def _join(self, names: tuple[str, ...], fixed: Fixed, vectors: Tensor, known: dict[str, Any]) -> Tensor:
        return torch.cat([vectors, *self._parts(names, fixed, vectors, known)], -1)

    def _parts(self, names: tuple[str, ...], fixed: Fixed, vectors: Tensor, known: dict[str, Any]) -> list[Tensor]:
        summaries = {f"summary.{name}": summary for name, summary in fixed.summaries.items()}
        steps = vectors.shape[1]
        return [known[name] if name in known else summaries[name].expand(-1, steps, -1) for name in names]
