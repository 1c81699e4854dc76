"""From what a person gave to answers and looks: columns encode, a search runs over the model, columns decode.

Legend: B examples, T symbols of an answer, S places. Unusual here: an answer's text and its look are made of the same
hypothesis that search returned, after reordering, so the weights drawn are the weights used. Looks are built when
asked for, since most answers are never looked at.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from pydantic import BaseModel, ConfigDict, Field

from regard.batch import UNKNOWN, Extent
from regard.config import Config, copied_column
from regard.config import SearchOptions as SearchSettings
from regard.data.columns import Encoded, Pieces, TextColumn
from regard.data.copying import Copier
from regard.data.examples import Cells, collate, copied, cut
from regard.display import isolated, short
from regard.encoders import Origin
from regard.errors import RegardError
from regard.forced import ForcedStepper
from regard.looking import Gaze, Look, Piece, Place
from regard.looking.labels import label
from regard.memory import map_tensors
from regard.model import Forced, Model, ModelStepper
from regard.search import Glances, Hypothesis, Stepper, search
from regard.search import SearchOptions as PlainSearchOptions

Columns = Mapping[str, TextColumn]
EXAMPLES, PLACES = 256, 6000.0  # at most so many in a batch: examples, and padded places
BEAMS = 5  # for so many beams or draws of each; for more, as many fewer
LOOKED_AT, LISTED, LONGEST = 1000, 8, 20  # inputs that are searched for what is unknown; of it, how much is listed


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """One answer to one input."""

    given: dict[str, str]
    text: str
    hypothesis: Hypothesis
    reader: "Answerer"
    cut: Pieces | None = None  # a text that was given to be written, as it is cut; None: the search wrote it
    strange: tuple[str, ...] = ()  # the columns in which something was given that the model does not know

    @property
    def score(self) -> float:
        """What the search ranked it by: log P, normalised for its length."""
        return self.hypothesis.score

    @property
    def log_prob(self) -> float:
        """log P of the whole answer, its end included."""
        return self.hypothesis.log_prob

    def __repr__(self) -> str:
        given = " ".join(f"{column}={text!r}" for column, text in self.given.items())
        return f"<Answer {given or 'to nothing'} → {self.text!r}, log P {self.log_prob:.4f}>"

    @property
    def symbols(self) -> list[str]:
        """The answer's symbols, as the target column counts them."""
        return [piece for piece, _ in self._pieces.pieces if piece]

    @property
    def _pieces(self) -> Pieces:
        return self.cut or self.reader.spell(self.hypothesis.tokens, self.given)

    @cached_property
    def unknown(self) -> dict[str, list[str]]:
        """Column → the parts of it that the model does not know, as they were given."""
        return {name: self.reader.columns[name].unknown(self.given[name]) for name in self.strange}

    @cached_property
    def look(self) -> Look:
        """Where this answer came from."""
        text, pieces = self._pieces
        outputs = tuple(
            Piece(piece, span, float(log_prob))
            for (piece, span), log_prob in zip(pieces, self.hypothesis.log_probs, strict=True)
        )
        gazes = tuple(self._gaze(name, glances) for name, glances in self.hypothesis.glances.items())
        return Look(self.given, text, outputs, gazes, self.log_prob)

    def _gaze(self, name: str, glances: Glances) -> Gaze:
        memory, level = self.reader.models[0].looked_at(name)
        places = self.reader.places(memory, self.given)[level]
        return Gaze(name, memory, level, places, spread(glances, len(places)))


class AnswerRecord(BaseModel):
    """One answer, as `regard predict --json` writes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    score: float = Field(description="what the answers are ranked by: log P / length^(length normalisation)")
    log_prob: float = Field(description="natural logarithm of the answer's probability, its end included")


class AnsweredRecord(BaseModel):
    """One input with its answers: a line of `regard predict --json`."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="regard predict --json")

    given: dict[str, str] = Field(description="column: the text exactly as it was given")
    unknown: dict[str, list[str]] = Field(
        {}, description="column: its parts that the model does not know, as they were given; without those it knows"
    )
    answers: list[AnswerRecord] = Field(description="best first")


def schema() -> str:
    """The JSON schema of a line, as `docs/schemas/predict.json` holds it."""
    return json.dumps(AnsweredRecord.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def record(answers: Sequence[Answer]) -> AnsweredRecord:
    """All answers to one input in their published form."""
    rows = [AnswerRecord(text=one.text, score=one.score, log_prob=one.log_prob) for one in answers]
    return AnsweredRecord(given=answers[0].given, unknown=answers[0].unknown, answers=rows)


def unknown_in(answers: Sequence[Answer], *, table: bool) -> str | None:
    """One line on what the model does not know of these inputs, an answer for each; None where it knows all."""
    strange = [answer for answer in answers if answer.strange]
    if not strange:
        return None
    parts = Counter(part for answer in strange[:LOOKED_AT] for found in answer.unknown.values() for part in found)
    shown = [isolated(short(label(part), LONGEST)) for part, _ in parts.most_common(LISTED)]
    more = ["…"] if len(parts) > LISTED or len(strange) > LOOKED_AT else []
    which = "the input has" if len(answers) == 1 else f"{len(strange):,} of {len(answers):,} inputs have"
    see = " (all: regard inspect TABLE --model MODEL)" if table else ""
    return f"{which} symbols that the model does not know: {' '.join([*shown, *more])}{see}"


class Answerer:
    """One model, or several whose probabilities are averaged, with their columns."""

    def __init__(self, config: Config, columns: Columns, models: Sequence[Model]):
        self.config, self.columns, self.models = config, columns, tuple(models)
        self.target = columns[models[0].target]
        self.reads = tuple(name for name in columns if name != models[0].target)
        self.copier = copier_of(models[0].config, columns)
        self.stepper = ModelStepper(*models)

    def answers(
        self,
        given: Mapping[str, Sequence[str]],
        settings: SearchSettings | None = None,
        forced: Forced | None = None,
    ) -> list[list[Answer]]:
        """For each input its answers, best first; `given` has a list of texts for each column that is read.

        `forced` (what if): by look, for some outputs the place that each must look at.
        """
        settings = settings or self.config.search
        stepper = ModelStepper(*self.models, forced=forced) if forced else self.stepper
        self._check_given(given)
        self._check_places(given, forced or {})
        cells, inputs = self._cells(given), self._inputs(given)
        lengths = np.stack([np.ones(len(inputs), np.int64), *(column.lengths for column in cells.values())], 1)
        limits = self._limits(lengths.sum(1), settings)
        more = max(1.0, {"beam": settings.beam, "sample": settings.samples}.get(settings.method, 1) / BEAMS)
        options, sizes = self._counted(settings.for_search(), given)
        found = self._searched(stepper, cells, lengths, limits, options, more, sizes)
        return [
            [Answer(own, self.spell(one.tokens, own).text, one, self, strange=odd) for one in ranked]
            for own, ranked, odd in zip(inputs, found, self._strange(cells, len(inputs)), strict=True)
        ]

    def forced(self, given: Mapping[str, Sequence[str]], texts: Sequence[str]) -> list[Answer]:
        """For each input the answer that is given for it, with the model's own probabilities and looks along it.

        A symbol that no answer can hold (one that the model does not know) has the least probability of float32.
        """
        self._check_given(given)
        if any(len(given[name]) != len(texts) for name in self.reads):
            counts = " and ".join(str(len(given[name])) for name in self.reads)
            raise RegardError(f"{counts} inputs and {len(texts)} outputs were given: each input needs one")
        cells, encoded = self._cells(given, texts), self.target.encode(texts)
        lengths = np.stack([column.lengths for column in cells.values()], 1)
        greedy = PlainSearchOptions("greedy", length_normalisation=self.config.search.length_normalisation)
        found = self._searched(ForcedStepper(*self.models), cells, lengths, lengths[:, -1], greedy, 1.0)
        return [
            Answer({name: given[name][row] for name in self.reads}, text, one, self, self._cut(text, cut))
            for row, (text, cut, (one,)) in enumerate(zip(texts, encoded, found, strict=True))
        ]

    def _check_given(self, given: Mapping[str, Sequence[str]]) -> None:
        missing = [name for name in self.reads if name not in given]
        if missing:
            raise RegardError(f"the model reads {', '.join(self.reads)}, but nothing was given for {missing[0]!r}")
        for name in self.reads:
            _check_characters(name, given[name])

    def _strange(self, cells: Mapping[str, Cells], count: int) -> list[tuple[str, ...]]:
        """For each input the columns in which something is unknown; what is copied need not be known."""
        found: list[tuple[str, ...]] = [()] * count
        for name in self.reads:
            if self.copier is None or name != self.copier.source.name:
                for row in cells[name].having(UNKNOWN).tolist():
                    found[row] = (*found[row], name)
        return found

    def _cells(self, given: Mapping[str, Sequence[str]], texts: Sequence[str] | None = None) -> dict[str, Cells]:
        """What is read, and what is written where that is known, as ids."""
        cells = {name: Cells.of([self.columns[name].encode_ids(given[name])]) for name in self.reads}
        if texts is not None:
            _check_characters(self.target.name, texts)
            cells[self.target.name] = Cells.of([self.target.encode_ids(texts)])
        if self.copier is not None:
            cells = copied(cells, self.copier, given[self.copier.source.name], texts)
        return cells

    def _searched(
        self, stepper: Stepper, cells: dict[str, Cells], lengths: np.ndarray, limits: np.ndarray,
        options: PlainSearchOptions, more: float, sizes: Int[np.ndarray, " n"] | None = None,
    ) -> list[list[Hypothesis]]:  # fmt: skip
        """The hypotheses of each row; `more`: how many times fewer rows go together than usual; `sizes`: the places
        that a coverage penalty is to count."""
        found: dict[int, list[Hypothesis]] = {}
        examples = max(1, int(EXAMPLES / more))
        # rows of like length together: the answers do not depend on it, the time does
        for like in cut(lengths, np.argsort(lengths.sum(1), kind="stable"), PLACES / more):
            for rows in np.split(like, range(examples, len(like), examples)):
                batch = map_tensors(collate(cells, rows), lambda part: part.to(self.stepper.device))
                keep = None if sizes is None else np.arange(sizes[rows].max()) < sizes[rows][:, None]
                try:
                    ranked = search(stepper, batch, limits[rows], options, rows=rows, keep=keep)
                except ValueError as error:  # search knows nothing of ours, our errors included
                    raise RegardError(str(error)) from error
                found |= dict(zip(rows.tolist(), ranked, strict=True))
        return [found[row] for row in range(len(found))]

    def spell(self, tokens: Sequence[int], given: Mapping[str, str]) -> Pieces:
        """The text of an answer to one input; what was copied comes from there."""
        there: Sequence[str] = ()
        if self.copier is not None and any(token >= self.target.size for token in tokens):
            (there,) = self.copier.symbols([given[self.copier.source.name]])
        return self.target.pieces(tokens, there)

    def _cut(self, text: str, cut: Encoded) -> Pieces:
        """A text as it was given, and what each of its symbols is in it."""
        spans = [(int(start), int(end)) for start, end in cut.spans]
        return Pieces(text, [(_shown(self.target, text, cut, at), span) for at, span in enumerate(spans)])

    def places(self, encoder: str, given: Mapping[str, str]) -> dict[str, tuple[Place, ...]]:
        """Each level of an encoder's memory of one input: its places, tied back to what was given."""
        reader = self.models[0].parts()[encoder]
        found = {name: self.columns[name].encode([given[name]])[0] for name in reader.reads}
        batch = collate({name: Cells.of([[one.ids]]) for name, one in found.items()}, np.zeros(1, np.int64))

        def place(origin: Origin) -> Place:
            own = found[origin.column]
            first, last = origin.start[0], origin.end[0] - 1
            start, end = int(own.spans[first, 0]), int(own.spans[last, 1])
            text = given[origin.column][start:end]
            if first == last:
                text = _shown(self.columns[origin.column], given[origin.column], own, first)
            unknown = bool((own.ids[first : last + 1] == UNKNOWN).any())
            return Place(text, origin.column, (start, end), origin.parent, unknown)

        levels = reader.places(batch.columns)
        return {level: tuple(map(place, origins)) for level, origins in levels.items()}

    def _counted(
        self, options: PlainSearchOptions, given: Mapping[str, Sequence[str]]
    ) -> tuple[PlainSearchOptions, Int[np.ndarray, " n"] | None]:
        """How many places of each input a coverage penalty is to count: a look that sees but a few at a time cannot
        tell."""
        look = options.coverage_look or next(iter(self.config.looks), None)
        if not options.coverage_penalty or look not in self.config.looks:
            return options, None
        return replace(options, coverage_look=look), np.array(self._sizes(look, given))

    def _check_places(self, given: Mapping[str, Sequence[str]], forced: Forced) -> None:
        """That every input has the places that it is forced to look at."""
        for name, steps in forced.items():
            for one, count in zip(self._inputs(given), self._sizes(name, given), strict=True):
                for place in steps.values():
                    if not 0 <= place < count:
                        there = f"{count} places, 0 to {count - 1}" if count else "nothing to look at"
                        said = " · ".join(map(repr, one.values()))
                        raise RegardError(f"place {place} cannot be looked at: {said} has {there}")

    def _sizes(self, look: str, given: Mapping[str, Sequence[str]]) -> list[int]:
        """How many places a look has in each input."""
        memory, level = self.models[0].looked_at(look)
        return [len(self.places(memory, one)[level]) for one in self._inputs(given)]

    def _inputs(self, given: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
        """Each input by itself; a model that reads nothing has one."""
        rows = zip(*(given[name] for name in self.reads), strict=True) if self.reads else [()]
        return [dict(zip(self.reads, row, strict=True)) for row in rows]

    def _limits(self, lengths: np.ndarray, settings: SearchSettings) -> np.ndarray:
        """The longest answer allowed: that of training, and more for a source longer than those of training."""
        if settings.longest is not None:
            return np.full(len(lengths), settings.longest + 1)
        known = 1 + sum(self.columns[name].longest for name in self.reads)
        return np.ceil((self.target.longest + 1) * np.maximum(1.0, lengths / known)).astype(np.int64)


def _shown(column: TextColumn, text: str, found: Encoded, at: int) -> str:
    """What one symbol of a cell is called: the part of the text that it stands for."""
    span = found.spans[at]
    shared = span[0] < span[1] and (found.spans == span).all(1).sum() > 1  # as a letter and its accent do
    if shared and found.ids[at] != UNKNOWN:
        return column.symbol(int(found.ids[at]))
    return text[span[0] : span[1]]


def _check_characters(name: str, texts: Sequence[str]) -> None:
    """That all is text: half of a character comes from JSON, or for a byte of the command line that is not UTF-8."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            half = ascii(text[error.start])[1:-1]
            raise RegardError(
                f"{text!a}, given for {name!r}, is not text: {half} is half of a character, or stands for a byte"
                " that is not UTF-8"
            ) from None


def spread(glances: Glances, size: int) -> Float[np.ndarray, "T S"]:
    """Weights over a window of places as weights over all `size` real places; padding has none."""
    weights, places = glances
    if places is None:
        return weights[:, :size]
    whole = np.zeros((len(weights), size + 1), weights.dtype)
    np.add.at(whole, (np.arange(len(weights))[:, None], np.minimum(places, size)), weights)
    return whole[:, :size]


def copier_of(config: Config, columns: Columns) -> Copier | None:
    """What copying needs to know of its two columns; None where nothing is copied."""
    source = columns.get(copied_column(config) or "")
    return None if source is None else Copier(source, columns[config.decoder.writes])  # type: ignore[attr-defined]


def extents(columns: Columns) -> dict[str, Extent]:
    """What a model must know of its columns."""
    return {name: Extent(column.size, column.longest) for name, column in columns.items()}
