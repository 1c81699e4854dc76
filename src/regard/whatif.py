"""What if an output had looked elsewhere: the answer as it is, the answer with some looks forced, what is left of the
first one.

Legend: T outputs. Unusual here: a look is forced inside the model, as one place with all the weight, and the search
runs again, so everything after that output may change with it. Outputs and places are counted from 0, as in a `Look`;
the last output is the end of the answer.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter
from rich.console import Group, RenderableType
from rich.text import Text

from regard.answering import Answer, Answerer
from regard.batch import START
from regard.config import SearchOptions
from regard.data.examples import Cells, collate
from regard.display import cell, grid
from regard.errors import RegardError, nearest
from regard.looking import Look
from regard.looking.labels import headline, label, percent, piece_label
from regard.looking.record import LookRecord, record_of
from regard.looking.terminal import HeatMap
from regard.memory import map_tensors
from regard.model import Forced, ModelStepper

ALL = 2**31  # symbols of a step: every one that there is
WIDEST = 24  # cells of a text in the table


@dataclass(frozen=True)
class Step:
    """One output that was made to look at one place, and what became of the symbol that it was."""

    look: str
    output: int
    place: int
    without: float  # log P of the answer's own symbol there
    forced: float  # the same, with all looks forced that are to be, the symbols before it being what they were


@dataclass(frozen=True, repr=False)
class WhatIf:
    """An answer, and the answer that would have been."""

    without: Look
    forced: Look
    steps: tuple[Step, ...]
    log_prob: float  # of the answer without, had the looks been forced; `without.log_prob` is what it was

    def to_json(self) -> str:
        """As JSON, in the published form (docs/schemas/what-if.json)."""
        return to_json([self]).rstrip()

    def __rich__(self) -> RenderableType:
        return show(self)


class StepRecord(BaseModel):
    """One output that was made to look at one place."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    look: str = Field(description="the look's name in the configuration")
    output: int = Field(ge=0, description="which output, from 0: a row of the weights")
    place: int = Field(ge=0, description="what it was made to look at, from 0: a column of the weights")
    log_prob_without: FiniteFloat = Field(description="log P of the symbol that the output was")
    log_prob_forced: FiniteFloat = Field(description="the same with the looks forced, the symbols before it kept")


class WhatIfRecord(BaseModel):
    """What `regard look --force --json` writes: an answer, and the answer that would have been."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = Field(description="the version of this form")
    without: LookRecord
    forced: LookRecord
    steps: list[StepRecord]
    log_prob: FiniteFloat = Field(description="of the answer without, had the looks been forced")


_FILE: TypeAdapter[WhatIfRecord | list[WhatIfRecord]] = TypeAdapter(WhatIfRecord | list[WhatIfRecord])


def asked(given: Iterable[str]) -> dict[Any, Any]:
    """`3=0` and `NAME:3=0` of the command line, as `{3: 0, "NAME": {3: 0}}`."""
    found: dict[Any, Any] = {}
    for text in given:
        name, _, pair = text.rpartition(":")
        output, equals, place = pair.partition("=")
        if not (equals and output.isdecimal() and place.isdecimal()):
            raise RegardError(f"--force {text!r}: expected OUTPUT=PLACE such as 3=0, or LOOK:OUTPUT=PLACE")
        room = found.setdefault(name, {}) if name else found
        if room.setdefault(int(output), int(place)) != int(place):
            raise RegardError(f"--force {text!r}: output {output} is made to look at {room[int(output)]} already")
    return found


def by_look(answerer: Answerer, force: Mapping[Any, Any]) -> Forced:
    """`{3: 0}` or `{"NAME": {3: 0}}` by the names of looks."""
    names = list(dict.fromkeys(name for model in answerer.models for name in model.config.looks))
    if not names:
        raise RegardError("this model attends to nothing: there is no look to force")
    found: dict[str, dict[int, int]] = {}
    for key, value in force.items():
        if isinstance(key, str) and key not in names:
            raise RegardError(f"this model has no look {key!r}; {nearest(key, names)}")
        if not isinstance(key, str) and len(names) > 1:
            raise RegardError(f"this model has several looks: say which one is forced, as in {names[0]}:{key}={value}")
        steps = value if isinstance(key, str) else {key: value}
        if not isinstance(steps, Mapping) or not all(
            type(number) is int for number in (*steps.keys(), *steps.values())
        ):
            raise RegardError(f'a look is forced by numbers, {{3: 0}} or {{"{names[0]}": {{3: 0}}}}, not {force!r}')
        found.setdefault(key if isinstance(key, str) else names[0], {}).update(steps)
    return found


def what_if(
    answerer: Answerer, given: Mapping[str, Sequence[str]], force: Mapping[Any, Any], settings: SearchOptions
) -> list[WhatIf]:
    """For each input the best answer, and the best one where these outputs must look at these places."""
    looks = by_look(answerer, force)
    plain = [ranked[0] for ranked in answerer.answers(given, settings)]
    for answer in plain:
        for output in (output for steps in looks.values() for output in steps):
            count = len(answer.hypothesis.tokens)
            if not 0 <= output < count:
                raise RegardError(
                    f"output {output} is not there: the answer {answer.text!r} has {count} outputs, 0 to {count - 1};"
                    " the last is its end"
                )
    others = [ranked[0] for ranked in answerer.answers(given, settings, looks)]
    stepper = ModelStepper(*answerer.models, forced=looks)
    found = []
    for one, other in zip(plain, others, strict=True):
        left = along(answerer, stepper, one)
        steps = tuple(
            Step(name, output, place, float(one.hypothesis.log_probs[output]), float(left[output]))
            for name, asked in looks.items()
            for output, place in sorted(asked.items())
        )
        found.append(WhatIf(one.look, other.look, steps, float(left.sum(dtype=np.float64))))
    return found


def along(answerer: Answerer, stepper: ModelStepper, answer: Answer) -> Float[np.ndarray, " T"]:
    """log P of each symbol of an answer, the symbols before it given, as a search over this stepper would have it."""
    cells = {name: Cells.of([answerer.columns[name].encode_ids([answer.given[name]])]) for name in answerer.reads}
    batch = map_tensors(collate(cells, np.zeros(1, np.int64)), lambda part: part.to(stepper.device))
    fixed, moving = stepper.start(batch, 1)
    found, before = [], START
    for token in answer.hypothesis.tokens:
        advance = stepper.advance(fixed, moving, np.array([[before]]), np.zeros((1, 1), np.int64), ALL)
        found.append(advance.log_probs[0, 0][advance.ids[0, 0] == token][0])
        moving, before = advance.moving, token
    return np.array(found, np.float32)


def record(found: WhatIf) -> WhatIfRecord:
    """In the published form."""
    steps = [
        StepRecord(
            look=step.look,
            output=step.output,
            place=step.place,
            log_prob_without=step.without,
            log_prob_forced=step.forced,
        )
        for step in found.steps
    ]
    looks = {"without": record_of(found.without), "forced": record_of(found.forced)}
    return WhatIfRecord(format=1, **looks, steps=steps, log_prob=found.log_prob)


def to_json(found: Sequence[WhatIf]) -> str:
    """One is an object, several are a list, as with looks."""
    records: WhatIfRecord | list[WhatIfRecord] = [record(one) for one in found]
    if isinstance(records, list) and len(records) == 1:
        records = records[0]
    return _FILE.dump_json(records).decode() + "\n"


def schema() -> str:
    """The JSON schema of it, as `docs/schemas/what-if.json` holds it."""
    table = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "regard look --force --json"}
    return json.dumps(table | _FILE.json_schema(), indent=2, ensure_ascii=False) + "\n"


def show(found: WhatIf) -> RenderableType:
    """Both answers, the forced look, and how likely each symbol of the first answer still is."""
    same = "the same answer" if found.forced.text == found.without.text else "another answer"
    table = grid(None, "output", "made to look at", ">without", ">forced")
    for step in found.steps:
        (gaze,) = (gaze for gaze in found.without.gazes if gaze.look == step.look)
        piece, place = found.without.outputs[step.output], gaze.places[step.place]
        several = f"{step.look}: " if len({one.look for one in found.steps}) > 1 else ""
        table.add_row(
            Text(f"{step.output} ").append_text(cell(piece_label(piece.text), WIDEST)),
            Text(f"{several}{step.place} ").append_text(cell(label(place.text), WIDEST)),
            percent(exp(min(step.without, 0.0))),
            percent(exp(min(step.forced, 0.0))),
        )
    whole = (percent(exp(min(log_prob, 0.0))) for log_prob in (found.without.log_prob, found.log_prob))
    table.add_row("the whole of", cell(piece_label(found.without.text), WIDEST), *whole)
    before = Text(f"without: {headline(found.without)}\nforced, {same}:\n")
    return Group(before, HeatMap(found.forced), Text(), table)
