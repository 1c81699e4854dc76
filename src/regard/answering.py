"""From what a person gave to answers and looks: columns encode, a search runs over the model, columns decode.

Legend: B examples, T symbols of an answer, S places. Unusual here: an answer's text and its look are made of the same
hypothesis that search returned, after reordering, so the weights drawn are the weights used. Looks are built when
asked for, since most answers are never looked at.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field

from regard.batch import UNKNOWN, Extent
from regard.config import Config
from regard.config import SearchOptions as SearchSettings
from regard.data.columns import TextColumn
from regard.data.examples import Cells, collate, cut
from regard.display import isolated, short
from regard.encoders import Origin
from regard.errors import RegardError
from regard.looking import Gaze, Look, Piece, Place
from regard.looking.labels import label
from regard.memory import map_tensors
from regard.model import Model, ModelStepper
from regard.search import Glances, Hypothesis, search

Columns = Mapping[str, TextColumn]
EXAMPLES, PLACES = 256, 6000.0  # at most so many in a batch: examples, and padded places
BEAMS = 5  # for so many beams or draws of each; for more, as many fewer
LOOKED_AT, LISTED, LONGEST = 1000, 8, 20  # inputs that are searched for what is unknown; of it, how much is listed


@dataclass(frozen=True, eq=False)
class Answer:
    """One answer to one input."""

    given: dict[str, str]
    text: str
    hypothesis: Hypothesis
    reader: "Answerer"
    strange: tuple[str, ...] = ()  # the columns in which something was given that the model does not know

    @property
    def score(self) -> float:
        """What the search ranked it by: log P, normalised for its length."""
        return self.hypothesis.score

    @property
    def log_prob(self) -> float:
        """log P of the whole answer, its end included."""
        return self.hypothesis.log_prob

    @property
    def symbols(self) -> list[str]:
        """The answer's symbols, as the target column counts them."""
        return [piece for piece, _ in self.reader.target.pieces(self.hypothesis.tokens).pieces if piece]

    @cached_property
    def unknown(self) -> dict[str, list[str]]:
        """Column → the parts of it that the model does not know, as they were given."""
        return {name: self.reader.columns[name].unknown(self.given[name]) for name in self.strange}

    @cached_property
    def look(self) -> Look:
        """Where this answer came from."""
        text, pieces = self.reader.target.pieces(self.hypothesis.tokens)
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
        self.stepper = ModelStepper(*models)

    def answers(self, given: Mapping[str, Sequence[str]], settings: SearchSettings | None = None) -> list[list[Answer]]:
        """For each input its answers, best first; `given` has a list of texts for each column that is read."""
        settings = settings or self.config.search
        missing = [name for name in self.reads if name not in given]
        if missing:
            raise RegardError(f"the model reads {', '.join(self.reads)}, but nothing was given for {missing[0]!r}")
        for name in self.reads:
            _check_characters(name, given[name])
        count = len(given[self.reads[0]]) if self.reads else 1
        cells = {name: Cells.of([self.columns[name].encode_ids(given[name])]) for name in self.reads}
        lengths = np.stack([np.ones(count, np.int64), *(column.lengths for column in cells.values())], 1)
        strange: dict[int, tuple[str, ...]] = {}
        for name, column in cells.items():
            for row in column.having(UNKNOWN).tolist():
                strange[row] = (*strange.get(row, ()), name)
        found: dict[int, list[Answer]] = {}
        # rows of like length together: the answers do not depend on it, the time does
        more = max(1.0, {"beam": settings.beam, "sample": settings.samples}.get(settings.method, 1) / BEAMS)
        examples = max(1, int(EXAMPLES / more))
        for like in cut(lengths, np.argsort(lengths.sum(1), kind="stable"), PLACES / more):
            for rows in np.split(like, range(examples, len(like), examples)):
                batch = map_tensors(collate(cells, rows), lambda part: part.to(self.stepper.device))
                limits = self._limits(lengths[rows].sum(1), settings)
                try:
                    hypotheses = search(self.stepper, batch, limits, settings.for_search(), rows=rows)
                except ValueError as error:  # search knows nothing of ours, our errors included
                    raise RegardError(str(error)) from error
                for row, ranked in zip(rows, hypotheses, strict=True):
                    own = {name: given[name][row] for name in self.reads}
                    odd = strange.get(int(row), ())
                    found[int(row)] = [Answer(own, self.target.decode(one.tokens), one, self, odd) for one in ranked]
        return [found[row] for row in range(len(found))]

    def places(self, encoder: str, given: Mapping[str, str]) -> dict[str, tuple[Place, ...]]:
        """Each level of an encoder's memory of one input: its places, tied back to what was given."""
        reader = self.models[0].parts()[encoder]
        found = {name: self.columns[name].encode([given[name]])[0] for name in reader.reads}
        batch = collate({name: Cells.of([[one.ids]]) for name, one in found.items()}, np.zeros(1, np.int64))

        def place(origin: Origin) -> Place:
            ids, spans = found[origin.column]
            first, last = origin.start[0], origin.end[0] - 1
            start, end = int(spans[first, 0]), int(spans[last, 1])
            text = given[origin.column][start:end]
            shared = first == last and (spans == spans[first]).all(1).sum() > 1  # as a letter and its accent do
            if shared and ids[first] != UNKNOWN:
                text = self.columns[origin.column].symbol(int(ids[first]))
            unknown = bool((ids[first : last + 1] == UNKNOWN).any())
            return Place(text, origin.column, (start, end), origin.parent, unknown)

        levels = reader.places(batch.columns)
        return {level: tuple(map(place, origins)) for level, origins in levels.items()}

    def _limits(self, lengths: np.ndarray, settings: SearchSettings) -> np.ndarray:
        """The longest answer allowed: that of training, and more for a source longer than those of training."""
        if settings.longest is not None:
            return np.full(len(lengths), settings.longest + 1)
        known = 1 + sum(self.columns[name].longest for name in self.reads)
        return np.ceil((self.target.longest + 1) * np.maximum(1.0, lengths / known)).astype(np.int64)


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


def extents(columns: Columns) -> dict[str, Extent]:
    """What a model must know of its columns."""
    return {name: Extent(column.size, column.longest) for name, column in columns.items()}
