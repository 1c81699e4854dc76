"""Every cell × score × conditioning × timing, with and without feeding, and every other option beside some of them."""

from itertools import cycle, product

import pytest
import torch

from regard.attention import FOCUSES, SCORES
from regard.batch import START
from regard.errors import RegardError

from .harness import (
    CHECKS,
    build,
    by_unroll,
    check_roads,
    check_search,
    check_training,
    configuration,
    forms,
    make_batch,
    outcome,
    same,
)

CELLS = {"rnn": ["cell=rnn"], "gru": ["cell=gru"], "gru-before": ["cell=gru", "reset=before"], "lstm": ["cell=lstm"]}
FEEDS = {"alone": "feed=[]", "fed": 'feed=["look.source"]', "read": 'feed=["readout"]'}
SLOWER = ("rnn", "lstm")  # the cells under scores that remember: what they remember asks nothing of a cell
EVERY_SEARCH = 5  # searching costs most and is built on steps alone, so it is tried in every fifth case


def combinations():
    for cell, score, when in product(CELLS, SCORES.names(), ("before", "after")):
        if SCORES[score].remembers and cell not in SLOWER:
            continue
        for feed in ("alone", "fed"):
            yield f"{cell}-{score}-{when}-{feed}", [*CELLS[cell], f"when={when}", FEEDS[feed]], score, {}
        yield f"{cell}-{score}-{when}-every", [*CELLS[cell], f"when={when}"], score, {"conditioning": "every"}
    for cell, conditioning in product(CELLS, ("first", "every", "none")):
        yield f"{cell}-{conditioning}", CELLS[cell], None, {"conditioning": conditioning}


CASES = [
    pytest.param(number % EVERY_SEARCH == 0, *case, id=name) for number, (name, *case) in enumerate(combinations())
]


@pytest.mark.parametrize(("searched", "settings", "score", "table"), CASES)
def test_every_combination(searched, settings, score, table):
    model = build(configuration(*settings, score=score, **table))
    for check in CHECKS:
        check(model)
    if searched:
        check_search(model)


def focuses():
    """Every focus, in each of its forms, with every score, both timings, fed or not, the cells in turn. In one run each
    form meets each score once and each timing more than once; `make long` runs them all."""
    tried = [form for name in FOCUSES.names() if name != "soft" for form in forms(name)]
    for pair, (form, score) in enumerate(product(tried, SCORES.names())):
        for timing, (when, feed) in enumerate(product(("before", "after"), ("alone", "fed"))):
            cell = list(CELLS)[(pair // 4 + timing) % len(CELLS)]
            name = "-".join([*(str(value) for value in form.values()), score, when, feed, cell])
            marks = [] if pair % 4 == timing else pytest.mark.long
            settings = [*CELLS[cell], f"when={when}", FEEDS[feed]]
            yield pytest.param(pair % EVERY_SEARCH == 0, form, score, settings, id=name, marks=marks)


@pytest.mark.parametrize(("searched", "form", "score", "settings"), list(focuses()))
def test_every_focus(searched, form, score, settings):
    model = build(configuration(*settings, score=score, focus=form))
    for check in (*CHECKS, check_training):
        check(model)
    if searched:
        check_search(model)


OPTIONS = {
    "linear readout": (["readout_layer=linear"], {}),
    "maxout": (["readout_layer=maxout", "readout_width=5"], {}),
    "readout of the state alone": (['readout=["state"]'], {}),
    "two layers": (["layers=2"], {}),
    "three layers fed": (["layers=3", FEEDS["fed"]], {}),
    "readout fed": ([FEEDS["read"]], {}),
    "readout and look fed": (['feed=["readout", "look.source"]'], {}),
    "all fed": (['feed=["summary.source", "readout", "look.source"]', "when=before"], {}),
    "one way": (["two_way=false", "decoder.hidden=3"], {}),
    "start projected": (["two_way=false"], {}),
    "start zero": (["start=zero"], {}),
    "start learned": (["start=learned", "layers=2"], {}),
    "tied": (["tied=true"], {}),
    "one-hot": (["embedding=one-hot"], {}),
    "frozen": (["embedding={width=3, frozen=true}"], {}),
    "blank": (["previous=blank"], {}),
    "blank fed": (["previous=blank", "when=before"], {}),
    "shared": (["share=source", "two_way=false", "decoder.hidden=3"], {"looks": {}}),
    "shared and attended": (["share=source", "two_way=false", "decoder.hidden=3", "layers=2"], {}),
    "two columns joined": (['reads=["source", "more"]'], {}),
    "two columns one-hot": (['reads=["source", "more"]', "encoders.source.embedding=one-hot"], {}),
    "two looks at one memory": ([], {"looks": {"one": {"at": "source"}, "two": {"at": "source", "when": "before"}}}),
    "two encoders": ([], {"encoders": {"source": {"reads": ["source"]}, "more": {"reads": ["more"], "cell": "rnn"}}}),
    "every and attended twice": (
        [],
        {
            "encoders": {"source": {"reads": ["source"]}, "more": {"reads": ["more"]}},
            "looks": {"source": {"at": "source"}, "more": {"at": "more", "when": "before"}},
            "conditioning": "every",
        },
    ),
    "coverage as a share": (["score.form=fertility"], {}),
    "coverage learned": (["score.form=gru", "score.size=3"], {}),
    "coverage learned and fed": (["score.form=gru", "score.size=3", "when=before"], {}),
    "the sum of all looks": (["score.history=sum"], {}),
    "the last look and the sum": (["score.history=both", FEEDS["read"]], {}),
    "copying": (["emission=copying"], {}),
    "copying before the cell, fed": (["emission=copying", "when=before"], {}),
    "copying, tied": (["emission=copying", "tied=true"], {}),
    "copying the second of two columns": (
        ['reads=["source", "more"]', "emission={type='copying', column='more'}"],
        {},
    ),
    "copying what the second look looks at": (
        ["emission={type='copying', look='two'}"],
        {"looks": {"one": {"at": "source"}, "two": {"at": "source", "when": "before"}}},
    ),
    "marginal": (["emission=marginal"], {}),
    "marginal, monotonic": (["emission={type='marginal', order='monotonic'}"], {}),
    "a language model of two layers": (["layers=2", "start=learned"], {"conditioning": "none"}),
}
SCORE_OF = dict(zip(OPTIONS, cycle(["additive", "general", "location", "mlp"]), strict=False))
SCORE_OF |= {option: "coverage" for option in OPTIONS if option.startswith("coverage")}
SCORE_OF |= {"the sum of all looks": "location-aware", "the last look and the sum": "location-aware"}


BESIDE = [
    (option, cell)
    for option, other in zip(OPTIONS, cycle(["rnn", "gru", "gru-before"]), strict=False)
    for cell in ("lstm", other)
]


@pytest.mark.parametrize(("option", "cell"), BESIDE)
def test_every_option(option, cell):
    settings, table = OPTIONS[option]
    attends = table.get("looks") != {} and table.get("conditioning") != "none" and "encoders" not in table
    model = build(configuration(*CELLS[cell], *settings, score=SCORE_OF[option] if attends else None, **table))
    for check in (*CHECKS, check_search) if cell == "lstm" else CHECKS:
        check(model)


@pytest.mark.parametrize("settings", [[], ["when=before"], [FEEDS["read"], "layers=2"], ["layers=3"]], ids=str)
@pytest.mark.parametrize("cell", CELLS)
def test_variational_dropout_drops_the_same_on_every_road(cell, settings):
    model = build(configuration(*CELLS[cell], *settings, "variational=true", "dropout=0.4", score="additive")).train()
    check_roads(model)
    batch = make_batch()
    assert not torch.equal(outcome(model, batch, seed=1).features, outcome(model, batch, seed=2).features)


@pytest.mark.parametrize("settings", [[], ["when=before"], [FEEDS["fed"], "layers=2"]], ids=str)
def test_dropout_drops_in_training_and_not_in_use(settings):
    model, batch = build(configuration(*settings, "dropout=0.4", score="general")), make_batch()
    same(outcome(model, batch, seed=1)._replace(gradients={}), outcome(model, batch, seed=2)._replace(gradients={}))
    model.train()
    assert not torch.equal(outcome(model, batch, seed=1).features, outcome(model, batch, seed=2).features)


# -- its own outputs in place of the true ones ---------------------------------------------------------------------


def greedy(model, encoded, targets):
    """Every step fed with the best guess of the step before."""
    fixed, moving = model.decoder.begin(encoded, len(targets))
    tokens, features = torch.full_like(targets[:, :1], START), []
    for _ in range(targets.shape[1]):
        said, moving = model.decoder.step(fixed, moving, tokens)
        features.append(said.features)
        log_probs, moving = model.decoder.log_probs(fixed, moving, said)
        tokens = log_probs.argmax(-1)
    return torch.cat(features, 1)


@pytest.mark.parametrize("settings", [[], ["when=before"], [FEEDS["read"]], ["previous=blank"]], ids=str)
@pytest.mark.parametrize("cell", CELLS)
def test_own_outputs(cell, settings):
    model, batch = build(configuration(*CELLS[cell], *settings, score="general")), make_batch((3,) * 40, (4,) * 40)
    encoded, targets = model.encode(batch.columns), batch.columns["target"].ids
    (true, _), _ = model.decoder.unroll(encoded, targets, 0.0)
    (own, _), _ = model.decoder.unroll(encoded, targets, 1.0)
    (mixed, glances), _ = model.decoder.unroll(encoded, targets, 0.5)
    torch.testing.assert_close(own, greedy(model, encoded, targets))
    assert glances["source"].weights.shape == (40, 4, 3)
    first = [(part[:, 1] - true[:, 1]).abs().amax(-1) > 1e-9 for part in (own, mixed)]  # fed with a first guess
    if "previous=blank" in settings:
        torch.testing.assert_close(own, true)
        assert not first[1].any()
    else:
        torch.testing.assert_close(mixed[~first[1], 1], true[~first[1], 1])
        torch.testing.assert_close(mixed[first[1], 1], own[first[1], 1])
        assert 0.2 < first[1].sum() / first[0].sum() < 0.8
    loss, _, _ = model(batch, own=0.5, smoothing=0.1)
    loss.total.backward()
    assert all(part.grad is None or part.grad.isfinite().all() for part in model.parameters())


def test_blank_inputs_know_nothing_of_the_outputs_before():
    model, batch = build(configuration("previous=blank", score="dot")), make_batch()
    encoded, targets = model.encode(batch.columns), batch.columns["target"].ids
    torch.testing.assert_close(by_unroll(model, encoded, targets)[0], by_unroll(model, encoded, targets.flip(1))[0])


def test_shared_parameters_are_one():
    model = build(configuration("share=source", "two_way=false", "decoder.hidden=3", score="additive"))
    assert model.decoder.recurrence.cells[0] is model.encoders["source"].recurrence.forwards[0].cells[0]
    tied = build(configuration("tied=true", score="additive"))
    assert tied.decoder.emission.output.weight is tied.decoder.embedding.table.weight


@pytest.mark.parametrize("setting", ["two_way=true", "cell=gru", "decoder.layers=2", "decoder.hidden=4", "when=before"])
def test_parameters_that_cannot_be_shared(setting):
    one_form = ["share=source", "two_way=false", "decoder.hidden=3", "encoders.source.cell=lstm"]
    with pytest.raises(RegardError, match=r"^decoder.share needs an encoder and a decoder of one form: one way"):
        build(configuration(*one_form, setting.replace("cell=", "decoder.cell="), score="additive"))
