"""What if an output had looked elsewhere: forced weights by hand, the figures of both answers, mistakes, the published
form. That every score and focus can be forced, the harness checks."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console

import regard
from regard.answering import Answerer, extents
from regard.batch import END, PAD, START, UNKNOWN, Tokens
from regard.config import compose
from regard.data.columns import TextColumn
from regard.data.examples import Cells, collate
from regard.decoders.emissions.marginal import filtered
from regard.errors import RegardError
from regard.memory import Encoded
from regard.model import Model, ModelStepper
from regard.whatif import WhatIfRecord, along, asked, by_look, record, schema, to_json


def build(*settings, models=1, **recipe):
    """Untrained models of two columns, with weights that are not small, whose answers never end by themselves."""
    columns = {
        "lemma": TextColumn.fit("lemma", ["cat", "mouse"], unit="character"),
        "tags": TextColumn.fit("tags", ["N;PL", "V;SG"], unit="tags"),
        "form": TextColumn.fit("form", ["k a t s", "m a"], unit="symbol", end=True, rare=1),
    }
    recipe = {"encoders": {"source": {"reads": ["lemma", "tags"]}}, "decoder": {"writes": "form"}} | recipe
    config = compose(recipe, ["hidden=6", "embedding=5", *settings])
    made = [Model(config, extents(columns)).eval() for _ in range(models)]
    with torch.no_grad():
        for parameter in (parameter for model in made for parameter in model.parameters()):
            parameter.add_(0.9 * torch.randn_like(parameter))
        for model in made:
            model.decoder.emission.output.bias[END] -= 99  # answers run into their limit
    return Answerer(config, columns, made)


GIVEN = {"lemma": ["cat", "m"], "tags": ["N;PL", ""]}
LONG = ["search.longest=4", "search.length_normalisation=0"]
FORMS = {
    "soft": [],
    "fed": ["when=before"],
    "any": ["emission=marginal"],
    "monotonic": ['emission={type="marginal", order="monotonic"}'],
}


def refused(call, *arguments, **more):
    with pytest.raises(RegardError) as error:
        call(*arguments, **more)
    assert "\n" not in str(error.value)
    return str(error.value)


# -- the model -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [["method=greedy"], ["beam=3"], ["method=sample"]], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_a_forced_output_looks_at_its_place_alone(form, search):
    answerer = build(*FORMS[form], *LONG, *search)
    plain = answerer.answers(GIVEN)
    found = answerer.answers(GIVEN, forced={"source": {1: 0}})
    for (before, *_), (after, *_) in zip(plain, found, strict=True):
        weights, other = (answer.look.gazes[0].weights for answer in (after, before))
        assert len(weights) == 5
        assert weights[1].tolist() == [1.0] + [0.0] * (weights.shape[1] - 1)
        if after.hypothesis.tokens[0] == before.hypothesis.tokens[0]:
            np.testing.assert_array_equal(weights[0], other[0])
        if weights.shape[1] > 1:
            assert (weights[2:].max(1) < 1.0).all()


def test_nothing_forced_changes_nothing_to_the_last_bit():
    answerer = build(*LONG, "when=before")
    plain = answerer.answers(GIVEN)
    for forced in ({}, {"source": {}}, {"source": {99: 0}}):  # no answer has a hundred outputs
        for (one, *_), (other, *_) in zip(plain, answerer.answers(GIVEN, forced=forced), strict=True):
            assert one.hypothesis.tokens == other.hypothesis.tokens
            np.testing.assert_array_equal(one.hypothesis.log_probs, other.hypothesis.log_probs)
            np.testing.assert_array_equal(one.look.gazes[0].weights, other.look.gazes[0].weights)


def test_the_context_is_that_place():
    """By hand: with the state as readout's only company, the forced context is the memory's own row."""
    model = build("readout_layer=linear", 'readout=["look.source"]', "dropout=0").models[0]
    ids = torch.tensor([[5, 6, 7]])
    columns = {"lemma": Tokens(ids, ids > 0), "tags": Tokens(ids[:, :0], ids[:, :0] > 0)}
    encoded = model.encode(columns)
    forced = encoded._replace(forced={"source": torch.tensor([[-1, 2]])})
    said, _ = model.decoder.unroll(forced, torch.tensor([[4, 5, 6]]))
    readout = model.decoder.readout
    torch.testing.assert_close(said.features[0, 1], readout([encoded.memories["source"].values[:, 2:3]])[0, 0])
    assert said.glances["source"].forced.tolist() == [[False, True, False]]


def test_a_monotonic_model_that_is_forced_may_go_back():
    """Three places, the filter at the last one: made to look at the first, all its chances lie there; after it, all
    places may come again."""
    even = torch.full((1, 3, 3), 1 / 3).log()
    log_alpha = even.clone()
    log_alpha[0, 0] = torch.tensor([-1e4, -1e4, 0.0])
    log_alpha[0, 1] = torch.tensor([0.0, -1e4, -1e4])
    said = torch.zeros(1, 3, 3)
    free, _ = filtered(log_alpha, said)
    assert free[0, 1].exp().tolist() != [1.0, 0.0, 0.0]
    before, after = filtered(log_alpha, said, torch.tensor([[False, True, False]]))
    torch.testing.assert_close(before.exp()[0], torch.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]]))
    torch.testing.assert_close(after, before)


@pytest.mark.parametrize("form", FORMS)
def test_steps_of_search_equal_the_loss_of_the_unrolled_answer(form):
    answerer = build(*FORMS[form], *LONG)
    stepper = ModelStepper(*answerer.models, forced={"source": {1: 4, 2: 0}})
    answer = answerer.answers(GIVEN)[0][0]
    left = along(answerer, stepper, answer)
    model = answerer.models[0]
    encoded: Encoded = model.encode(columns_of(answerer, answer))
    encoded = encoded._replace(forced={"source": torch.tensor([[-1, 4, 0]])})
    targets = torch.tensor([answer.hypothesis.tokens])
    said, fixed = model.decoder.unroll(encoded, targets)
    losses = [by_loss(model, said, fixed, targets, step, token) for step, token in enumerate(targets[0])]
    never = [sum(by_loss(model, said, fixed, targets, step, token).exp() for token in NEVER) for step in range(5)]
    expected = torch.stack(losses) - (1 - torch.stack(never)).log()  # what no answer holds takes no share in a search
    np.testing.assert_allclose(left, expected.detach().numpy(), atol=1e-4)


NEVER = (PAD, START, UNKNOWN)


def by_loss(model, said, fixed, targets, step, token):
    """log P of a symbol at one step, by the loss of training."""
    changed = targets.clone()
    changed[:, step] = token
    keep = torch.ones_like(targets, dtype=torch.bool)
    return -model.decoder.emission.loss(said, fixed.emission, changed, keep)[0, step]


def columns_of(answerer, answer):
    cells = {name: Cells.of([answerer.columns[name].encode_ids([answer.given[name]])]) for name in answerer.reads}
    return collate(cells, np.zeros(1, np.int64)).columns


def test_along_an_answer_without_force_is_what_the_search_found():
    answerer = build(*LONG, models=2)
    for ranked in answerer.answers(GIVEN):
        left = along(answerer, answerer.stepper, ranked[0])
        np.testing.assert_allclose(left, ranked[0].hypothesis.log_probs, atol=1e-5)


def test_two_models_and_two_looks():
    answerer = build(*LONG, models=2, looks={"one": {"at": "source"}, "two": {"at": "source"}})
    (ranked,) = answerer.answers({"lemma": ["cat"], "tags": ["N"]}, forced={"two": {0: 3}})
    one, two = ranked[0].look.gazes
    assert two.weights[0].tolist() == [0.0, 0.0, 0.0, 1.0]
    assert one.weights[0].max() < 1.0


# -- what is said of it --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(model_folder):
    return regard.load(model_folder)


def test_both_answers_and_what_is_left_of_the_first(model):
    found = model.what_if("abcd", force={1: 3, 0: 0})
    plain = model.predict("abcd")
    assert found.without == plain.look
    assert found.forced == model.look("abcd", force={1: 3, 0: 0})
    assert found.forced.gazes[0].weights[:2].tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]
    assert [(step.look, step.output, step.place) for step in found.steps] == [("source", 0, 0), ("source", 1, 3)]
    assert [step.without for step in found.steps] == [float(plain.hypothesis.log_probs[at]) for at in (0, 1)]
    stepper = ModelStepper(*model.answerer.models, forced={"source": {0: 0, 1: 3}})
    left = along(model.answerer, stepper, plain)
    assert [step.forced for step in found.steps] == left[:2].tolist()
    assert found.log_prob == pytest.approx(float(left.sum()))
    assert found.steps[1].forced < found.steps[1].without


def test_in_the_terminal(model):
    found = model.what_if("abcd", force={1: 3})
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(found)
    text = "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())
    assert text.startswith(f"without: abcd → {found.without.text}\nforced, ")
    assert f"abcd → {found.forced.text}\n" in text
    rows = [line.split() for line in text.splitlines()[-2:]]
    assert rows[0][:4] == ["1", found.without.outputs[1].text, "3", "d"]
    assert rows[1][:3] == ["the", "whole", "of"]


def test_json(model):
    one, two = (model.what_if(word, force={0: 1}) for word in ("abcd", "ba"))
    assert json.loads(one.to_json()) == json.loads(to_json([one]))
    assert [WhatIfRecord.model_validate(table) for table in json.loads(to_json([one, two]))] == [
        record(one),
        record(two),
    ]
    assert json.loads(one.to_json())["steps"][0] == {
        "look": "source", "output": 0, "place": 1,
        "log_prob_without": one.steps[0].without, "log_prob_forced": one.steps[0].forced,
    }  # fmt: skip


def test_the_published_schema_is_in_step():
    published = Path(__file__).parents[1] / "docs" / "schemas" / "what-if.json"
    command = "python -c 'import regard.whatif as w; print(w.schema(), end=\"\")' > docs/schemas/what-if.json"
    assert published.read_text(encoding="utf-8") == schema(), f"write it anew: {command}"


# -- mistakes ------------------------------------------------------------------------------------------------------


def test_what_is_asked_on_the_command_line():
    assert asked(["3=0", "left:2=1", "left:4=1", "3=0"]) == {3: 0, "left": {2: 1, 4: 1}}
    expected = "expected OUTPUT=PLACE such as 3=0, or LOOK:OUTPUT=PLACE"
    for wrong in ("3", "=3", "3=", "a=0", "3=-1", "-1=0", "3=0.5", ":", ""):
        assert refused(asked, [wrong]) == f"--force {wrong!r}: {expected}"
    assert refused(asked, ["3=0", "3=1"]) == "--force '3=1': output 3 is made to look at 0 already"


def test_which_look(model):
    assert by_look(model.answerer, {3: 0}) == by_look(model.answerer, {"source": {3: 0}}) == {"source": {3: 0}}
    assert by_look(model.answerer, {3: 0, "source": {2: 1}}) == {"source": {3: 0, 2: 1}}
    assert refused(by_look, model.answerer, {"sorce": {3: 0}}) == (
        "this model has no look 'sorce'; did you mean 'source'?"
    )
    two = build(looks={"one": {"at": "source"}, "two": {"at": "source"}})
    assert refused(by_look, two, {3: 0}) == "this model has several looks: say which one is forced, as in one:3=0"
    assert by_look(two, {"two": {3: 0}}) == {"two": {3: 0}}
    nothing = build("conditioning=first")
    assert refused(by_look, nothing, {3: 0}) == "this model attends to nothing: there is no look to force"
    for wrong in ({3: "0"}, {"source": 3}, {3.0: 1}, {True: 0}):
        assert refused(by_look, model.answerer, wrong) == (
            f'a look is forced by numbers, {{3: 0}} or {{"source": {{3: 0}}}}, not {wrong!r}'
        )


def test_places_and_outputs_that_are_not_there(model, tagged_folder):
    assert refused(model.what_if, "abc", force={0: 3}) == ("place 3 cannot be looked at: 'abc' has 3 places, 0 to 2")
    assert refused(model.look, "abc", force={0: -1}).startswith("place -1 cannot be looked at: 'abc'")
    assert refused(model.look, "", force={0: 0}) == "place 0 cannot be looked at: '' has nothing to look at"
    text = model.predict("abc").text
    count = len(model.look("abc").outputs)
    for output in (count, -1):
        assert refused(model.look, "abc", force={output: 0}) == (
            f"output {output} is not there: the answer {text!r} has {count} outputs, 0 to {count - 1}; the last is"
            " its end"
        )
    tagged = regard.load(tagged_folder)
    assert refused(tagged.look, "kal", "V;PST", force={0: 5}) == (
        "place 5 cannot be looked at: 'kal' · 'V;PST' has 5 places, 0 to 4"
    )
