"""One harness for every way that the parts can be put together: what must hold of any model, as checks on a Model.

Legend: B batch, S source places, T steps, F features. Unusual here: a check knows no part by name. `build` makes a
small model of what `--set` would say, and each check asks of it what DESIGN.md promises of all. A new score or focus is
run by `test_harness.py` without a line here; a kernel is one more *road* (encoded memories and targets in, features and
glances out) that `same` compares with the others, in values and in gradients.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from regard.answering import spread
from regard.attention import SCORES
from regard.attention.attention import over_all_places
from regard.batch import END, PAD, START, UNKNOWN, Batch, CopiedTokens, Extent, Tokens, Total
from regard.config import Config, compose
from regard.memory import Encoded, Glance, map_tensors, reorder_beams
from regard.model import Model, ModelStepper
from regard.scan import concatenate_steps
from regard.search import SearchOptions, search

SYMBOLS, LONGEST = 9, 4
EXTENTS = {name: Extent(SYMBOLS, LONGEST) for name in ("source", "more", "target")}
SIZES = ("hidden=3", "decoder.hidden=6", "embedding=4", "dropout=0")  # queries as wide as two-way memories
SMALL = {"width": 5, "filters": 3, "size": 3}  # options of scores, where they have them
# what is tried of a focus: that its defaults build is known elsewhere, here windows must be smaller than sources
FORMS: dict[str, list[dict[str, Any]]] = {
    "local": [{"kind": "monotonic", "width": 1}, {"width": 1}, {"renormalise": True}],
    "monotonic": [{"bias": -0.5}],
}

Road = Callable[[Model, Encoded, Tensor], tuple[Tensor, dict[str, Glance]]]


def forms(focus: str) -> list[dict[str, Any]]:
    """The tables of a focus that the harness runs; of one that it does not know, the defaults."""
    return [{"type": focus, **form} for form in FORMS.get(focus, [{}])]


def configuration(*settings: str, score: str | None = None, focus: Any = "soft", **table: Any) -> Config:
    """A small model's configuration: `table` as a recipe, `settings` over it."""
    table = {"encoders": {"source": {"reads": ["source"]}}, "decoder": {}} | table
    if table.get("conditioning") == "none":
        table["encoders"] = {}
    if score is not None:
        known = SCORES[score].Options.model_fields
        for look in table.setdefault("looks", {"source": {"at": "source"}}).values():
            look |= {"score": {"type": score} | {key: SMALL[key] for key in SMALL if key in known}, "focus": focus}
    table["decoder"]["writes"] = "target"
    sizes = [size for size in SIZES if table["encoders"] or not size.startswith("hidden")]
    return compose(table, [*sizes, *settings])


def build(config: Config) -> Model:
    """A model in double precision, in use and not in training, whose vectors are not the small ones of a beginning."""
    model = Model(config, EXTENTS).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def column(lengths: Sequence[int], more: int = 0, end: bool = False) -> Tokens | CopiedTokens:
    """Random symbols; padding holds symbols too, so that what leaks is seen."""
    keep = torch.arange(max(lengths) + more) < torch.tensor(lengths)[:, None]
    ids = torch.randint(4, SYMBOLS, keep.shape)
    if end:
        rows = [row for row, length in enumerate(lengths) if length]
        ids[rows, [lengths[row] - 1 for row in rows]] = END
        return Tokens(ids, keep)
    return CopiedTokens(ids, keep, copies(ids))


def copies(ids: Tensor) -> Tensor:
    """What writes each symbol, where the target knows the even ones only."""
    places = torch.arange(ids.shape[1]).expand(len(ids), ids.shape[1], -1)
    same = ids[:, :, None] == ids[:, None]
    first = places.masked_fill(~same, ids.shape[1]).sort(-1).values[..., :1].sum(-1)  # of those with the same symbol
    return torch.where(ids % 2 == 0, ids, SYMBOLS + first)


def make_batch(sources: Sequence[int] = (2, LONGEST), targets: Sequence[int] = (3, 2)) -> Batch:
    columns = {"source": column(sources), "more": column(sources[::-1]), "target": column(targets, end=True)}
    return Batch(columns, torch.arange(len(sources)), torch.rand(len(sources)) + 0.5)


def padded(batch: Batch, more: int) -> Batch:
    """The same batch with more padding, full of symbols."""

    def wider(part: Tensor) -> Tensor:
        shape = (len(part), more)
        extra = torch.zeros(shape, dtype=torch.bool) if part.dtype == torch.bool else torch.randint(4, SYMBOLS, shape)
        return torch.cat([part, extra], 1)

    return batch._replace(columns=map_tensors(batch.columns, wider))


def alone(batch: Batch, row: int) -> Batch:
    """One example without any padding."""
    columns = {}
    for name, tokens in batch.columns.items():
        size = int(tokens.keep[row].sum())
        columns[name] = map_tensors(tokens, lambda part, row=row, size=size: part[row : row + 1, :size])
    return Batch(columns, batch.rows[row : row + 1], batch.weights[row : row + 1])


# -- roads: the same numbers by different ways ---------------------------------------------------------------------


def by_unroll(model: Model, encoded: Encoded, targets: Tensor) -> tuple[Tensor, dict[str, Glance]]:
    return model.decoder.unroll(encoded, targets)[0]


def by_steps(model: Model, encoded: Encoded, targets: Tensor) -> tuple[Tensor, dict[str, Glance]]:
    """As search goes: one step at a time, each fed with the true symbol before it."""
    fixed, moving = model.decoder.begin(encoded, len(targets))
    tokens = torch.cat([torch.full_like(targets[:, :1], START), targets[:, :-1]], 1)
    features, glances = [], []
    for step in range(targets.shape[1]):
        said, moving = model.decoder.step(fixed, moving, tokens[:, step, None])
        features.append(said.features)
        glances.append(said.glances)
    return torch.cat(features, 1), concatenate_steps(glances)


def weights_of(model: Model, encoded: Encoded, glances: dict[str, Glance]) -> dict[str, Tensor]:
    """Every look's weights over all places: a window's width depends on the batch, and what it shows must not."""
    return {
        name: over_all_places(glance, model.memory_of(encoded, name).keep.shape[1]) for name, glance in glances.items()
    }


class Outcome(NamedTuple):
    features: Tensor  # (B, T, F)
    weights: dict[str, Tensor]  # (B, T, S)
    gradients: dict[str, Tensor]  # of every parameter, through features and weights alike


def outcome(model: Model, batch: Batch, road: Road = by_unroll, seed: int = 0) -> Outcome:
    """What a road gives, and its gradients for a random direction of all that it gives."""
    model.zero_grad()
    torch.manual_seed(seed)
    encoded = model.encode(batch.columns)
    features, glances = road(model, encoded, batch.columns[model.target].ids)
    weights = weights_of(model, encoded, glances)
    torch.manual_seed(seed + 1)
    total = sum((part * torch.randn_like(part)).sum() for part in (features, *weights.values()))
    total.backward()
    gradients = {name: part.grad.clone() for name, part in model.named_parameters() if part.grad is not None}
    return Outcome(features.detach(), {name: part.detach() for name, part in weights.items()}, gradients)


def same(one: Outcome, other: Outcome) -> None:
    torch.testing.assert_close(one.features, other.features)
    assert set(one.weights) == set(other.weights)
    for name, weights in one.weights.items():
        torch.testing.assert_close(weights, other.weights[name])
    assert set(one.gradients) == set(other.gradients)
    for name, gradient in one.gradients.items():
        torch.testing.assert_close(gradient, other.gradients[name], msg=lambda said, name=name: f"{name}: {said}")


# -- what must hold of every model ---------------------------------------------------------------------------------


def check_shapes(model: Model) -> None:
    """Features, losses and weights as wide as they should be; each row of weights is one over real places."""
    batch = make_batch()
    loss, losses, glances = model(batch)
    targets = batch.columns["target"]
    assert losses.shape == targets.ids.shape
    assert losses[~targets.keep].eq(0).all()
    torch.testing.assert_close(loss.total, (losses * batch.weights[:, None]).sum())
    torch.testing.assert_close(loss.count, (batch.weights[:, None] * targets.keep).sum())
    assert set(glances) == set(model.config.looks)
    encoded = model.encode(batch.columns)
    said, _ = model.decoder.unroll(encoded, targets.ids)
    assert said.features.shape == (*targets.ids.shape, model.decoder.readout.width)
    fixed, moving = model.decoder.begin(encoded, len(targets.ids), beams=3)
    said, moving = model.decoder.step(fixed, moving, torch.full((len(targets.ids), 3), START))
    log_probs, _ = model.decoder.log_probs(fixed, moving, said)
    assert log_probs.shape[:2] == (len(targets.ids), 3)
    torch.testing.assert_close(log_probs.exp().sum(-1), torch.ones_like(log_probs[..., 0]))
    check_weights(model, encoded, glances, targets.ids)


def check_weights(model: Model, encoded: Encoded, glances: dict[str, Glance], targets: Tensor) -> None:
    """Over real places only, none below zero; a row is one, or no more than that where its focus says so."""
    for name, weights in weights_of(model, encoded, glances).items():
        keep = model.memory_of(encoded, name).keep
        assert weights.shape == (*targets.shape, keep.shape[1])
        assert weights.masked_select(~keep[:, None]).eq(0).all()
        assert weights.ge(0).all()
        assert weights.sum(-1).le(1 + 1e-9).all()
        if model.decoder.looks[name].focus.sums_to_one:
            some = keep.any(1)[:, None].expand(weights.shape[:2]).to(weights.dtype)
            torch.testing.assert_close(weights.sum(-1), some)


def check_padding(model: Model) -> None:
    """Padding more changes nothing; an example alone is as it is in a batch."""
    batch = make_batch()
    loss, losses, looked = said_of(model, batch)
    wider, longer, more = said_of(model, padded(batch, 3))
    torch.testing.assert_close(wider.total, loss.total)
    torch.testing.assert_close(longer[:, : losses.shape[1]], losses)
    for name, weights in looked.items():
        torch.testing.assert_close(more[name][:, : losses.shape[1], : weights.shape[2]], weights)
    for row in range(len(batch.rows)):
        _, own, seen = said_of(model, alone(batch, row))
        torch.testing.assert_close(own[0], losses[row, : own.shape[1]])
        for name, weights in seen.items():
            torch.testing.assert_close(weights[0], looked[name][row, : own.shape[1], : weights.shape[2]])


def said_of(model: Model, batch: Batch) -> tuple[Total, Tensor, dict[str, Tensor]]:
    """(loss, losses, weights over all places) of a batch."""
    loss, losses, glances = model(batch)
    return loss, losses, weights_of(model, model.encode(batch.columns), glances)


def check_empty_rows(model: Model) -> None:
    """A row without a source looks at nothing; one without a target counts for nothing; gradients stay finite."""
    batch = make_batch(sources=(3, 0, 2), targets=(3, 2, 0))
    model.zero_grad()
    loss, losses, glances = model(batch)
    (loss.total + sum(glance.weights.square().sum() for glance in glances.values())).backward()
    assert losses.isfinite().all()
    assert losses[2].eq(0).all()
    for name, parameter in model.named_parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all(), name
    for glance in glances.values():
        assert glance.weights[1].eq(0).all()


def check_roads(model: Model, *roads: Road) -> None:
    """Steps, and any other roads, equal unroll: values, and gradients through features and weights."""
    batch = make_batch()
    whole = outcome(model, batch)
    for road in (by_steps, *roads):
        same(outcome(model, batch, road), whole)


def check_state(model: Model) -> None:
    """A fresh model of the same configuration, filled with this one's state, is this one."""
    batch = make_batch()
    fresh = build(model.config)
    fresh.load_state_dict(model.state_dict())
    torch.testing.assert_close(fresh(batch)[1], model(batch)[1])


def one_step(model: Model, fixed: Any, moving: Any, tokens: Tensor) -> tuple[Tensor, dict[str, Glance], Any]:
    """(log P, glances, moving) of one step of search; glances that depend on the candidate are those of symbol 4."""
    said, moving = model.decoder.step(fixed, moving, tokens)
    log_probs, moving = model.decoder.log_probs(fixed, moving, said)
    found = model.decoder.seen(fixed, moving, said, torch.full((*tokens.shape, 1), 4))
    return log_probs, {name: at_candidate(glance, 0) for name, glance in found.items()}, moving


def at_candidate(glance: Glance, number: int) -> Glance:
    return Glance(glance.weights[:, :, number]) if glance.weights.dim() == 4 else glance


def along(model: Model, batch: Batch, ids: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """(log P of each of these symbols among those that an answer can hold, glances over all places), by unrolling: what
    search must have found step by step."""
    encoded = model.encode(batch.columns)
    said, fixed = model.decoder.unroll(encoded, ids)
    seen = said.glances | model.decoder.emission.seen_along(said, fixed.emission, ids)
    by_symbol = []
    start, moving = model.decoder.begin(encoded, len(ids))
    symbols = one_step(model, start, moving, torch.full_like(ids[:, :1], START))[0].shape[-1]  # those copied, too
    for symbol in range(symbols):  # one other last symbol at each place: −loss is log P, its rest too
        at = [ids.clone() for _ in range(ids.shape[1])]
        for step, changed in enumerate(at):
            changed[:, step] = symbol
        keep = torch.ones_like(ids, dtype=torch.bool)
        losses = [model.decoder.emission.loss(said, fixed.emission, changed, keep) for changed in at]
        by_symbol.append(-torch.stack([loss[:, step] for step, loss in enumerate(losses)], 1))
    log_probs = torch.stack(by_symbol, -1)
    log_probs = log_probs.index_fill(-1, torch.tensor([PAD, START, UNKNOWN]), float("-inf")).log_softmax(-1)
    return log_probs.gather(-1, ids[..., None])[..., 0], weights_of(model, encoded, seen)


def check_beams(model: Model) -> None:
    """Beams that are reordered go on as their parents, each as if it were alone."""
    batch, beams = make_batch(), 2
    encoded = model.encode(batch.columns)
    fixed, moving = model.decoder.begin(encoded, len(batch.rows), beams)
    first, second = torch.randint(4, SYMBOLS, (2, len(batch.rows), beams))
    parents = torch.tensor([[1, 0], [1, 1]])
    log_probs, glances, moving = one_step(model, fixed, moving, first)
    log_probs, glances, _ = one_step(model, fixed, reorder_beams(moving, parents), second)
    looked = weights_of(model, encoded, glances)
    for beam in range(beams):
        single, state = model.decoder.begin(encoded, len(batch.rows))
        _, _, state = one_step(model, single, state, first.gather(1, parents)[:, beam, None])
        expected, seen, _ = one_step(model, single, state, second[:, beam, None])
        torch.testing.assert_close(log_probs[:, beam], expected[:, 0])
        for name, weights in weights_of(model, encoded, seen).items():
            torch.testing.assert_close(looked[name][:, beam], weights[:, 0])


def check_search(model: Model) -> None:
    """Answers and their looks are the same alone and in a batch, and their log-probabilities are the model's."""
    batch, stepper = make_batch(), ModelStepper(model)
    found = search(stepper, batch, np.full(2, 4), SearchOptions(beam=3, n_best=2))
    for row, answers in enumerate(found):
        own = search(stepper, alone(batch, row), np.full(1, 4), SearchOptions(beam=3, n_best=2))[0]
        assert [answer.tokens for answer in own] == [answer.tokens for answer in answers]
        for one, other in zip(own, answers, strict=True):
            log_probs, glances = along(model, alone(batch, row), torch.tensor([one.tokens]))
            for answer in (one, other):
                np.testing.assert_allclose(answer.log_probs, log_probs[0].detach().numpy(), atol=1e-5)
                for name, glance in answer.glances.items():
                    expected = glances[name][0].detach().numpy()
                    found = spread(glance, expected.shape[1])
                    np.testing.assert_allclose(found, expected, atol=1e-6)


def check_training(model: Model) -> None:
    """What must hold while places are drawn and temperatures fall: the same seed gives the same numbers, weights are
    weights, empty rows are finite, and where steps follow one another both roads draw the same."""
    model.train()
    batch = make_batch((3, 0, LONGEST), (3, 2, 0))
    once = outcome(model, batch, seed=5)
    same(outcome(model, batch, seed=5), once)
    for name, gradient in once.gradients.items():
        assert gradient.isfinite().all(), name
    encoded = model.encode(batch.columns)
    check_weights(
        model, encoded, by_unroll(model, encoded, batch.columns["target"].ids)[1], batch.columns["target"].ids
    )
    if model.decoder.loops or any(look.remembers for look in model.decoder.looks.values()):
        check_roads(model)
    check_empty_rows(model)
    model.eval()


def check_forced(model: Model) -> None:
    """A step that is forced looks at its place alone; steps before it, and all where nothing is forced, stay as they
    were; and steps equal unroll."""
    batch = make_batch()
    encoded, targets = model.encode(batch.columns), batch.columns["target"].ids
    plain = by_unroll(model, encoded, targets)
    for places in ([[-1, -1], [-1, -1]], [[-1, 1], [-1, 0]]):
        asked = torch.tensor(places)
        forced = encoded._replace(forced=dict.fromkeys(model.config.looks, asked))
        features, glances = by_unroll(model, forced, targets)
        stepped, seen = by_steps(model, forced, targets)
        torch.testing.assert_close(stepped, features)
        before = slice(None) if asked.max() < 0 else slice(1)
        torch.testing.assert_close(features[:, before], plain[0][:, before], rtol=0, atol=1e-12)
        for name, glance in glances.items():
            size = model.memory_of(encoded, name).keep.shape[1]
            torch.testing.assert_close(seen[name].weights, glance.weights)
            own = over_all_places(plain[1][name], size)
            torch.testing.assert_close(glance.weights[:, before], own[:, before], rtol=0, atol=1e-12)
            if asked.max() >= 0:
                assert torch.equal(glance.weights[:, 1], torch.eye(size, dtype=torch.float64)[asked[:, 1]])


CHECKS = [check_shapes, check_padding, check_empty_rows, check_roads, check_state, check_beams, check_forced]
