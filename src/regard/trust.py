"""Can the look be trusted? A model's own answers, asked again with some of what it read deleted.

Legend: S places, T outputs, R questions, B questions of a batch, E embedding width. For each output of an answer the
places looked at most are deleted from the input, which the model then encodes anew, and the probability of that same
output after its own true prefix is compared (`regard.metrics.trust` has the figures). Unusual here: a place is deleted
by the rule of the column that it lies in (`without`), never by a mask, so the encoder cannot have seen it; and every
output with its deletions is a row of its own, so that all rows go through the model in a few large batches, gradients
included.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from pydantic import Field, ValidationError
from torch import Tensor

from regard.answering import Answer, Answerer, spread
from regard.batch import Batch
from regard.data.examples import Cells, collate, cut
from regard.embedding import Embedding
from regard.encoders import Origin
from regard.errors import RegardError
from regard.memory import map_tensors
from regard.metrics.trust import LookCheck, Witnesses, checked, rank_correlation
from regard.model import Model
from regard.parts import Options

BUDGET = 8000.0  # padded symbols of a batch, read and written
DRAWS, MOST = 200, 20  # so many draws at random in all: where outputs are few, each has several, at most so many


class CheckOptions(Options):
    """How looks are checked."""

    inputs: int = Field(200, gt=0, description="at most so many inputs, drawn where there are more")
    share: float = Field(0.2, gt=0, le=0.5, description="share of the places that counts as looked at most")
    seed: int = Field(0, ge=0, description="of what is drawn")


def check_options(given: Mapping[str, Any]) -> CheckOptions:
    """Settings of the check, read; the first thing wrong with them is said."""
    try:
        return CheckOptions(**given)
    except ValidationError as error:
        first = error.errors()[0]
        said = first["msg"].removeprefix("Value error, ")
        if first["loc"]:
            said = f"{first['loc'][0]}: {said[:1].lower()}{said[1:]}, got {first['input']!r}"
        raise RegardError(f"check of looks: {said}") from None


class Question(NamedTuple):
    """One output of one answer: how likely is it after its prefix, having read these cells?"""

    cells: dict[str, Int[np.ndarray, " n"]]
    written: Int[np.ndarray, " T"]  # the answer up to and with this output
    place: int = -1  # what it is made to look at; below 0: what it likes
    copies: Int[np.ndarray, " n"] | None = None  # what writes each symbol of a column that is copied


class Asked(NamedTuple):
    """An output that is checked, with the questions that its figures come from."""

    input: int
    weights: Float[np.ndarray, " S"]
    origins: tuple[Origin, ...]  # of the places
    whole: Question
    deleted: tuple[Question, ...]  # the places looked at most, those looked at least, then as many drawn, some times
    kept: tuple[Question, ...]  # nothing but these
    forced: tuple[Question, ...]  # made to look at the top place, then at others that were drawn


def drawn(count: int, options: CheckOptions) -> Int[np.ndarray, " n"]:
    """Which of so many inputs are checked, in their order."""
    if count <= options.inputs:
        return np.arange(count)
    return np.sort(np.random.default_rng(options.seed).choice(count, options.inputs, replace=False))


def looks_of(answerer: Answerer, say: Callable[[str], object]) -> list[str]:
    """The looks that can be checked: those over columns that can be written without some of their symbols."""
    names = list(dict.fromkeys(name for model in answerer.models for name in model.config.looks))
    if not names:
        raise RegardError("this model attends to nothing: there is no look to check")
    found = []
    for name in names:
        columns = answerer.models[0].parts()[answerer.models[0].looked_at(name)[0]].reads
        if all(hasattr(answerer.columns[column], "without") for column in columns):
            found.append(name)
        else:
            say(f"the look {name!r} is not checked: the check is for text that is read as symbols")
    if not found:
        raise RegardError("no look of this model can be checked: the check is for text that is read as symbols")
    return found


def check(
    answerer: Answerer,
    answers: Sequence[Answer],
    options: CheckOptions | None = None,
    say: Callable[[str], object] = print,
) -> list[LookCheck]:
    """Whether each look of the model was used for these answers (the best one to each input)."""
    options = options or CheckOptions()
    outputs = sum(len(answer.hypothesis.tokens) for answer in answers)
    draws = min(MOST, max(1, -(-DRAWS // max(1, outputs))))
    found = []
    for name in looks_of(answerer, say):
        asked = [
            output
            for number, answer in enumerate(answers)
            for output in ask(answerer, name, number, answer, options, draws)
        ]
        if not asked:
            raise RegardError("there is nothing to check: no input has two places that could be looked at")
        seen, left_out = witnesses(answerer, name, asked, options.seed), outputs - len(asked)
        found.append(checked(name, seen, left_out=left_out, share=options.share, seed=options.seed))
    return found


def ask(
    answerer: Answerer, look: str, number: int, answer: Answer, options: CheckOptions, draws: int = 1
) -> Iterator[Asked]:
    """Each output of an answer with its questions; none where there are not two places to choose from."""
    memory, level = answerer.models[0].looked_at(look)
    encoder = answerer.models[0].parts()[memory]
    cells = {name: answerer.columns[name].encode_ids([answer.given[name]])[0] for name in answerer.reads}
    read = collate({name: Cells.of([[cells[name]]]) for name in encoder.reads}, np.zeros(1, np.int64)).columns
    origins = encoder.places(read)[level]
    weights = spread(answer.hypothesis.glances[look], len(origins))
    tokens = np.array(answer.hypothesis.tokens, np.int32)
    copier = answerer.copier
    copies = None if copier is None else copier.copies([answer.given[copier.source.name]])[0]
    for output in range(len(tokens) if len(origins) > 1 else 0):
        if tokens[output] >= answerer.target.size:
            continue  # a copied place: after a deletion its number would mean another
        random = np.random.default_rng((options.seed, number, output))
        most, least = places(weights[output], options.share, random)
        sets = [most, least, *(random.choice(len(origins), len(most), replace=False) for _ in range(draws))]
        rests = [np.setdiff1d(np.arange(len(origins)), some) for some in sets]
        moved = [most[0], *random.choice(np.delete(np.arange(len(origins)), most[0]), draws)]
        whole = Question(cells, tokens[: output + 1], copies=copies)
        deleted, kept = (
            tuple(left_of(answerer, whole, [origins[at] for at in gone]) for gone in groups) for groups in (sets, rests)
        )
        forced = tuple(whole._replace(place=int(place)) for place in moved)
        yield Asked(number, weights[output], origins, whole, deleted, kept, forced)


def places(
    weights: Float[np.ndarray, " S"], share: float, random: np.random.Generator
) -> tuple[Int[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    """(those looked at most, those looked at least): k = share · S, rounded, at least one and at most half, the
    extremest first; equal weights are put in order by chance."""
    size = len(weights)
    count = min(max(1, int(share * size + 0.5)), size // 2)
    order = np.lexsort((random.permutation(size), weights))
    return order[::-1][:count].copy(), order[:count]


def left_of(answerer: Answerer, whole: Question, gone: Sequence[Origin]) -> Question:
    """The same question where these places are deleted."""
    copies = whole.copies
    if answerer.copier is not None and copies is not None:
        name = answerer.copier.source.name
        copies = without(answerer, {name: copies}, [origin for origin in gone if origin.column == name])[name]
    return whole._replace(cells=without(answerer, whole.cells, gone), copies=copies)


def without(
    answerer: Answerer, cells: Mapping[str, Int[np.ndarray, " n"]], gone: Sequence[Origin]
) -> dict[str, Int[np.ndarray, " m"]]:
    """What is left of the cells of an input where these places are deleted."""
    left = dict(cells)
    for name in {origin.column for origin in gone}:
        boxes = [(origin.start[0], origin.end[0]) for origin in gone if origin.column == name]
        left[name] = answerer.columns[name].without(cells[name], boxes)
    return left


def witnesses(answerer: Answerer, look: str, asked: Sequence[Asked], seed: int = 0) -> Witnesses:
    """All questions put to the model, and what it says."""

    def chances(groups: Iterable[tuple[Question, ...]]) -> Float[np.ndarray, "N _"]:
        questions = [question for group in groups for question in group]
        return probabilities(answerer, look, questions)[0].reshape(len(asked), -1)

    whole, gradients = probabilities(answerer, look, [output.whole for output in asked], differentiated=True)
    deleted, kept = (
        np.stack([found[:, 0], found[:, 2:].mean(1), found[:, 1]], 1)
        for found in (chances(output.deleted for output in asked), chances(output.kept for output in asked))
    )
    moved = chances(output.forced for output in asked)
    agreement = None
    if gradients is not None:
        random = np.random.default_rng(seed)
        agreement = np.array([agree(one, row, random) for one, row in zip(asked, gradients, strict=True)])
    return Witnesses(
        inputs=np.array([output.input for output in asked]),
        whole=whole,
        deleted=deleted,
        kept=kept,
        forced=np.stack([moved[:, 0], moved[:, 1:].mean(1)], 1),
        gradient=agreement,
    )


def agree(
    asked: Asked, gradients: Mapping[str, Float[np.ndarray, " n"]], random: np.random.Generator
) -> tuple[float, float, float]:
    """(whether the top place is the same, how often it would be by chance, rank correlation) of weights and
    |gradient × input|."""
    sizes = np.array([abs(gradients[at.column][at.start[0] : at.end[0]].sum()) for at in asked.origins])
    top = [np.lexsort((random.permutation(len(row)), row))[-1] for row in (asked.weights, sizes)]
    return float(top[0] == top[1]), 1 / len(sizes), rank_correlation(asked.weights.astype(np.float64), sizes)


# -- the model -----------------------------------------------------------------------------------------------------


def probabilities(
    answerer: Answerer, look: str, questions: Sequence[Question], differentiated: bool = False
) -> tuple[Float[np.ndarray, " R"], list[dict[str, Float[np.ndarray, " n"]]] | None]:
    """(P of each question's last symbol, its gradient × input by column).

    Gradient × input of a symbol read is Σ_e e(x)_e ∂ log P / ∂ e(x)_e, over all models, for the columns that the look's
    encoder reads; None where it is not asked for, or where these are not embedded.
    """
    columns = {name: [question.cells[name] for question in questions] for name in answerer.reads}
    columns[answerer.target.name] = [question.written for question in questions]
    cells = {name: Cells.of([ids]) for name, ids in columns.items()}
    if answerer.copier is not None:
        name = answerer.copier.source.name
        copies = [question.copies for question in questions if question.copies is not None]
        cells[name] = cells[name]._replace(copies=np.concatenate(copies))
    lengths = np.stack([part.lengths for part in cells.values()], 1)
    found = np.zeros(len(questions))
    gradients: list[dict[str, np.ndarray]] = [{} for _ in questions]
    for rows in cut(lengths, np.lexsort(lengths.T), BUDGET):
        batch = map_tensors(collate(cells, rows), lambda part: part.to(answerer.stepper.device))
        asked = torch.tensor([questions[row].place for row in rows], device=answerer.stepper.device)
        log_probs, read = last_log_probs(answerer.models, batch, look, asked, differentiated)
        found[rows] = log_probs.double().exp().cpu().numpy()
        for name, part in read.items():
            for row, product in zip(rows, part.double().cpu().numpy(), strict=True):
                gradients[row][name] = product
    return found, gradients if all(gradients) else None


def last_log_probs(
    models: Sequence[Model], batch: Batch, look: str, asked: Int[Tensor, " B"], differentiated: bool
) -> tuple[Float[Tensor, " B"], dict[str, Float[Tensor, "B _"]]]:
    """(log P of each row's last target symbol, whose step is made to look at a place; its gradient × input)."""
    target = batch.columns[models[0].target]
    steps = torch.arange(target.ids.shape[1], device=target.ids.device)
    last = target.keep & (steps == target.keep.sum(1, keepdim=True) - 1)
    forced = {look: torch.where(last, asked[:, None], -1)} if bool((asked >= 0).any()) else {}
    embedded: list[tuple[str, Tensor]] = []
    with torch.set_grad_enabled(differentiated), plain_recurrence() if differentiated else nullcontext():
        answers = []
        for model in models:
            with watched(model, look, embedded):
                encoded = model.force(model.encode(batch.columns), forced)
            said, fixed = model.decoder.unroll(encoded, target.ids)
            answers.append(-model.decoder.emission.loss(said, fixed.emission, target.ids, last).sum(1))
        log_probs = torch.stack(answers).logsumexp(0) - float(np.log(len(models)))
        if not (differentiated and embedded):
            return log_probs.detach(), {}
        gradients = torch.autograd.grad(log_probs.sum(), [vectors for _, vectors in embedded])
    products: dict[str, Tensor] = {}
    for (name, vectors), gradient in zip(embedded, gradients, strict=True):
        product = (vectors * gradient).sum(-1).detach()
        products[name] = products[name] + product if name in products else product
    return log_probs.detach(), products


@contextmanager
def plain_recurrence() -> Iterator[None]:
    """Without cuDNN while this lasts: it has no gradient of a recurrence outside training."""
    before = torch.backends.cudnn.enabled
    torch.backends.cudnn.enabled = False
    try:
        yield
    finally:
        torch.backends.cudnn.enabled = before


@contextmanager
def watched(model: Model, look: str, into: list[tuple[str, Tensor]]) -> Iterator[None]:
    """While this lasts, the vectors of the symbols that the look's encoder reads are noted, to be differentiated by."""

    def note(part: Any, given: Any, vectors: Tensor) -> Tensor:
        leaf = vectors.detach().requires_grad_(torch.is_grad_enabled())
        into.append((part.column, leaf))
        return leaf

    encoder = model.parts()[model.looked_at(look)[0]]
    hooks = [part.register_forward_hook(note) for part in encoder.modules() if isinstance(part, Embedding)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
