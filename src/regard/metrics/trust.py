"""Does a model use what it looks at? Figures, intervals and a verdict, out of probabilities with places deleted.

Legend: N outputs, I inputs, U units that are resampled, D figures. The falls are those of DeYoung et al. 2020 (ERASER):
*comprehensiveness* deletes the places looked at most, *sufficiency* keeps nothing else. How ours differs: each is set
beside two controls, as many places at random and those looked at least; every symbol of an answer is an output of its
own; and nothing is averaged over several shares of places. Unusual here: outputs of one input are no independent
witnesses, so whole inputs are resampled, as long as there are enough of them.
"""

import json
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from regard.metrics.bootstrap import interval, resample

KINDS = ("most", "random", "least")  # which places, in the order of the columns below
CLEAR = 10.0  # points by which deleting what was looked at must hurt more than chance does, to be called use
SLIGHT = 1.0  # points less than which are no sign of anything, however sure they are
FAINT = 5.0  # points: where no deletion lowers a probability by as much, the source hardly matters
STILL = 0.5  # points within which nothing is lost
ENOUGH = 10.0  # points that may be lost where the places kept are called enough
INPUTS = 10  # below so many inputs, outputs are resampled
LEAST, OUTPUTS = 5, 20  # outputs below which nothing is concluded, and below which no sign is not taken for none

Finding = Literal["uses", "a little", "no sign", "elsewhere", "idle", "too few"]


class Witnesses(NamedTuple):
    """What was found out about each output; probabilities of the output's own symbol."""

    inputs: Int[np.ndarray, " N"]  # whose outputs these are
    whole: Float[np.ndarray, " N"]  # with everything in its place
    deleted: Float[np.ndarray, "N 3"]  # without these places: most, random, least
    kept: Float[np.ndarray, "N 3"]  # with nothing but them
    forced: Float[np.ndarray, "N 2"]  # made to look at one place alone: that looked at most, another at random
    gradient: Float[np.ndarray, "N 3"] | None  # same top place (0 or 1), what chance would give, rank correlation


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Figure(_Record):
    """A mean and its 95 % interval."""

    value: float
    low: float
    high: float

    def of(self, unit: str) -> str:
        """`62 points (58 to 66)`."""
        largest = max(abs(self.value), abs(self.low), abs(self.high))
        value, low, high = (points(number, largest) for number in (self.value, self.low, self.high))
        return f"{value}{' ' + unit if unit else ''} ({low} to {high})"

    def __str__(self) -> str:
        return self.of("")


class Falls(_Record):
    """By how many points the probability of an output falls, on average."""

    most: Figure = Field(description="for the places looked at most")
    random: Figure = Field(description="for as many places at random")
    least: Figure = Field(description="for as many places, those looked at least")
    over_random: Figure = Field(description="most less random")
    over_least: Figure = Field(description="most less least")


class Forced(_Record):
    """By how many points it falls where nothing is deleted and the look alone is moved."""

    most: Figure = Field(description="made to look at the place looked at most and at no other")
    random: Figure = Field(description="made to look at another place, drawn at random")


class Agreement(_Record):
    """Weights beside gradient × input, place by place."""

    same_top: Figure = Field(description="percent of the outputs whose highest place is the same by both")
    by_chance: float = Field(description="percent that would be the same if one of them were drawn")
    rank: Figure = Field(description="Spearman's rank correlation, -1 to 1, the mean over the outputs")


class LookCheck(_Record):
    """Whether a model uses what one of its looks looks at."""

    look: str = Field(description="the look's name in the configuration")
    finding: Finding = Field(description="the verdict in a word; docs/trust.md has the rules")
    verdict: str = Field(description="the verdict, a paragraph")
    inputs: int
    outputs: int = Field(description="symbols of the answers to them, the ends counted")
    left_out: int = Field(
        description="outputs that could not be checked: of inputs with fewer than two places, and copied ones"
    )
    share: float = Field(description="share of the places that counts as looked at most, at least one place")
    seed: int = Field(description="of the drawing and the resampling")
    samples: int = Field(description="how many resamples the intervals come from")
    resampled: Literal["inputs", "outputs"] = Field(description="what was resampled; outputs where inputs are few")
    probability: Figure = Field(description="mean probability of an output with all places there, in percent")
    deleting: Falls = Field(description="comprehensiveness, with its controls")
    keeping: Falls = Field(description="sufficiency, with its controls: all but these places deleted")
    forcing: Forced = Field(description="with nothing deleted, its look moved")
    gradient: Agreement | None = Field(description="null: this encoder's symbols have no gradient")


_FILE: TypeAdapter[list[LookCheck]] = TypeAdapter(list[LookCheck])


def to_json(found: Sequence[LookCheck]) -> str:
    """What `regard look --check --json` writes: a list, a look an entry."""
    return _FILE.dump_json(list(found), indent=2).decode() + "\n"


def schema() -> str:
    """The JSON schema of that, as `docs/schemas/check-looks.json` holds it."""
    table = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "regard look --check --json"}
    return json.dumps(table | _FILE.json_schema(), indent=2, ensure_ascii=False) + "\n"


def rank_correlation(one: Float[np.ndarray, " S"], other: Float[np.ndarray, " S"]) -> float:
    """Spearman's ρ, equal values sharing the mean of their ranks; 0 where either is even all over and has no order."""
    first, second = (_ranks(values) - (len(values) - 1) / 2 for values in (one, other))
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return float(first @ second / size) if size > 0 else 0.0


def _ranks(values: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[which]


def checked(look: str, found: Witnesses, *, left_out: int, share: float, seed: int, samples: int = 1000) -> LookCheck:
    """All figures of one look over the same resamples, and the verdict."""
    columns = [found.whole]
    for chances in (found.deleted, found.kept):
        most, random, least = (found.whole - chances[:, at] for at in range(len(KINDS)))
        columns += [most, random, least, most - random, most - least]
    columns += [found.whole - found.forced[:, at] for at in range(2)]
    if found.gradient is not None:
        columns += list(found.gradient.T)
    inputs = np.unique(found.inputs)
    few = len(inputs) < INPUTS
    figures = _figures(np.stack(columns, 1), np.arange(len(found.inputs)) if few else found.inputs, samples, seed)
    percent = [Figure(value=100 * one.value, low=100 * one.low, high=100 * one.high) for one in figures[:13]]
    names = list(Falls.model_fields)
    deleting, keeping = (Falls(**dict(zip(names, percent[at : at + 5], strict=True))) for at in (1, 6))
    forcing = Forced(most=percent[11], random=percent[12])
    agreement = None if found.gradient is None else _agreement(*figures[13:])
    kind = finding(deleting, forcing, len(found.inputs))
    said = verdict(kind, deleting, keeping, forcing, agreement, share, len(found.inputs) if few else None)
    return LookCheck(
        look=look,
        finding=kind,
        verdict=said,
        inputs=len(inputs),
        outputs=len(found.inputs),
        left_out=left_out,
        share=share,
        seed=seed,
        samples=samples,
        resampled="outputs" if few else "inputs",
        probability=percent[0],
        deleting=deleting,
        keeping=keeping,
        forcing=forcing,
        gradient=agreement,
    )


def _figures(values: Float[np.ndarray, "N D"], units: Int[np.ndarray, " N"], samples: int, seed: int) -> list[Figure]:
    """The mean of each column and its interval, whole units resampled."""
    _, which = np.unique(units, return_inverse=True)
    sums = np.zeros((which.max() + 1, values.shape[1] + 1))
    np.add.at(sums, which, np.concatenate([values, np.ones((len(values), 1))], 1))
    drawn = resample(sums, samples, seed)
    means = drawn[:, :-1] / drawn[:, -1:]
    ends = [interval(column) for column in means.T]
    whole = values.mean(0)
    return [Figure(value=float(mean), low=low, high=high) for mean, (low, high) in zip(whole, ends, strict=True)]


def _agreement(top: Figure, chance: Figure, rank: Figure) -> Agreement:
    same = Figure(value=100 * top.value, low=100 * top.low, high=100 * top.high)
    return Agreement(same_top=same, by_chance=100 * chance.value, rank=rank)


def finding(deleting: Falls, forcing: Forced, outputs: int) -> Finding:
    """The rule. Where moving the look alone costs nothing (the whole interval within `STILL` points of 0), "idle". Else
    by how much more it hurts to delete the places looked at most than as many at random: the whole interval above 0
    and the mean at least `CLEAR` points, "uses"; the whole interval above 0, "a little"; below 0, "elsewhere"; else
    "no sign". With fewer than `LEAST` outputs, or where few show no sign, "too few"."""
    if outputs < LEAST:
        return "too few"
    if all(fall.low > -STILL and fall.high < STILL for fall in (forcing.most, forcing.random)):
        return "idle"
    more = deleting.over_random
    if more.low > 0 and more.value >= SLIGHT:
        return "uses" if more.value >= CLEAR else "a little"
    if more.high < 0 and more.value <= -SLIGHT:
        return "elsewhere"
    return "no sign" if outputs >= OUTPUTS else "too few"


BEGINNINGS: dict[Finding, str] = {
    "uses": "This model uses what it looks at",
    "a little": "This model uses what it looks at, but only a little",
    "no sign": "There is no sign that this model uses what it looks at",
    "elsewhere": "This model relies on other places more than on those it looks at",
    "idle": "This model does not use what it looks at: wherever it is made to look, it answers the same",
    "too few": "These outputs are too few to tell whether this model uses what it looks at",
}
LIMIT = (
    "What this cannot say: a source with places deleted is like none that the model has learned from, so a part of each"
    " fall is the strangeness of the source and not the loss of the place; the two controls show how large that is."
)


def verdict(
    kind: Finding,
    deleting: Falls,
    keeping: Falls,
    forcing: Forced,
    gradient: Agreement | None,
    share: float,
    outputs: int | None,
) -> str:
    """One paragraph; `outputs`: how many there are, where the inputs were too few to speak for others."""
    most = f"the places looked at most ({100 * share:.0f} % of them) lowers the probability of an output by"
    said = [
        f"{BEGINNINGS[kind]}{'. Deleting' if kind in ('idle', 'too few') else ': deleting'} {most}"
        f" {deleting.most.of('points')}, as many at random by {deleting.random}, those looked at least by"
        f" {deleting.least}. The difference from random is {deleting.over_random.of('points')}"
        f"{', which may be nothing' if kind in ('no sign', 'too few') else ''}."
    ]
    if max(fall.value for fall in (deleting.most, deleting.random, deleting.least)) < FAINT:
        said.append("No deletion changes much: most of an answer comes from elsewhere, such as the symbols before it.")
    if keeping.most.value <= ENOUGH:
        worth = "either is enough" if keeping.random.value <= ENOUGH else "they are enough"
    elif keeping.over_random.high < 0:
        worth = "they hold more than other places, and not enough"
    else:
        worth = "they hold no more than other places"
    alone = f"{keeping.most.of('points')}, with as many at random {keeping.random}"
    said.append(f"With nothing but these places it loses {alone}: {worth}.")
    if kind != "idle":
        moved = f"{forcing.most.of('points')}; at another, drawn at random, {forcing.random}"
        said.append(f"With nothing deleted, but made to look at the top place alone, it loses {moved}.")
    if gradient is not None:
        said.append(
            f"In {gradient.same_top.value:.0f} % of the outputs ({gradient.by_chance:.0f} % by chance) the place looked"
            f" at most is also that of the largest gradient × input; rank correlation"
            f" {gradient.rank.value:.2f}.".replace("-", "−")
        )
    if outputs is not None:
        said.append(f"The intervals are those of these {outputs} outputs, and say nothing of other texts.")
    return " ".join([*said, LIMIT])


def points(value: float, largest: float) -> str:
    """A number of points: whole where one beside it reaches 10, else with one decimal."""
    shown = f"{value:.0f}" if largest >= 10 else f"{value:.1f}"
    return shown.removeprefix("-") if not shown.strip("-0.") else shown.replace("-", "−")
