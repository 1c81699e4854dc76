"""Which word of what is read each word of a known answer comes from: a look along the answer, from places up to words.

Legend: T symbols of the answer, S places, I source words, J target words. Unusual here: nothing asks what a place or a
symbol is. Both have spans in what was given, and a span has a share in each word that it overlaps, so that characters,
subwords, words and whole sentences are brought to words in one way.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field

from regard.answering import Answer, Answerer
from regard.data.links import Link, shares
from regard.errors import RegardError, nearest
from regard.metrics.alignment import AlignmentReport
from regard.terms.supervised import Step, SupervisedOptions

Symmetry = Literal["intersection", "union"]


class AlignedPair(BaseModel):
    """A pair of texts and its links: a line of `regard align --json`."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="regard align --json")

    given: dict[str, str] = Field(description="column: the text that is read")
    text: str = Field(description="the text that is written for it")
    links: list[Link] = Field(description="source word and target word, both from 0, split by white space")
    log_prob: float = Field(description="natural logarithm of the probability that the model gives the text")

    def __str__(self) -> str:
        return " ".join(f"{source}-{target}" for source, target in self.links)


@dataclass(frozen=True)
class Alignment:
    """All pairs of a table with their links, and how true they are where that is known."""

    pairs: list[AlignedPair]
    report: AlignmentReport | None = None

    def __str__(self) -> str:
        return "".join(f"{pair}\n" for pair in self.pairs)


def schema() -> str:
    """The JSON schema of a pair, as `docs/schemas/align-pair.json` holds it."""
    return json.dumps(AlignedPair.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def by_words(
    weights: Float[np.ndarray, "T S"], sources: Float[np.ndarray, "S I"], targets: Float[np.ndarray, "T J"]
) -> Float[np.ndarray, "J I"]:
    """w'_{j,i} = mean over the symbols t of target word j, Σ over the places s of source word i, of w_{t,s}.

    `sources` and `targets` are the shares of places and symbols in words (`regard.data.links.shares`).
    """
    total = targets.sum(0)[:, None]
    return np.divide(
        targets.T @ weights @ sources, total, out=np.zeros((len(total), sources.shape[1])), where=total > 0
    )


def linked(weights: Float[np.ndarray, "J I"], threshold: float | None = None) -> set[Link]:
    """Each target word with the source word that it looked at most, of equals the first; with a threshold, with all
    that have at least so much of its weight. A word that looked at nothing has no link."""
    if threshold is not None:
        return {(int(source), int(target)) for target, source in np.argwhere(weights >= threshold)}
    looked = np.flatnonzero(weights.max(1, initial=0.0) > 0)
    return {(int(weights[target].argmax()), int(target)) for target in looked}


def column_of(answerer: Answerer, look: str | None) -> tuple[str, str]:
    """(look, column): the look that links go by, and the column whose words it links."""
    names = tuple(answerer.config.looks)
    if look is None and not names:
        raise RegardError("this model attends to nothing, so it links nothing: train with conditioning=attend")
    name = names[0] if look is None else look
    if name not in names:
        raise RegardError(f"this model has no look {name!r}; {nearest(name, names)}")
    return name, answerer.models[0].parts()[answerer.models[0].looked_at(name)[0]].reads[0]


def shown_step(answerer: Answerer, look: str) -> Step:
    """The step whose look was shown true links in training: there they are to be read from."""
    first = next(iter(answerer.config.looks))
    for options in answerer.config.terms.values():
        if isinstance(options, SupervisedOptions) and (options.look or first) == look:
            return options.step
    return "own"


def align(
    answerer: Answerer, given: Mapping[str, Sequence[str]], texts: Sequence[str], *, look: str | None = None,
    threshold: float | None = None, step: Step | None = None,
) -> list[AlignedPair]:  # fmt: skip
    """The links of each text with the first column that the look reads, by the look of the step that writes a symbol
    or of the next, which has read it (unset: as training showed it)."""
    if threshold is not None and not 0 < threshold <= 1:
        raise RegardError(f"threshold is {threshold}, but a share of the weight is above 0 and at most 1")
    name, column = column_of(answerer, look)
    late = (step or shown_step(answerer, name)) == "next"
    return [_pair(answer, name, column, threshold, late) for answer in answerer.forced(given, texts)]


def _pair(answer: Answer, name: str, column: str, threshold: float | None, late: bool) -> AlignedPair:
    look = answer.look
    gaze = next(gaze for gaze in look.gazes if gaze.look == name)
    places = np.array([place.span if place.column == column else (0, 0) for place in gaze.places]).reshape(-1, 2)
    symbols = np.array([piece.span for piece in look.outputs])
    looked = gaze.weights.astype(np.float64)
    looked = np.concatenate([looked[1:], looked[-1:]]) if late else looked  # the last symbol ends the text: no word's
    weights = by_words(looked, shares(answer.given[column], places), shares(answer.text, symbols))
    links = sorted(linked(weights, threshold))
    return AlignedPair(given=answer.given, text=answer.text, links=links, log_prob=answer.log_prob)


def symmetrised(forwards: Sequence[AlignedPair], backwards: Sequence[AlignedPair], by: Symmetry) -> list[AlignedPair]:
    """The links that both directions found, or those that either did (Och and Ney 2003)."""
    found = []
    for one, other in zip(forwards, backwards, strict=True):
        ours, theirs = set(one.links), {(source, target) for target, source in other.links}
        links = ours & theirs if by == "intersection" else ours | theirs
        found.append(one.model_copy(update={"links": sorted(links)}))
    return found
