"""Known answers: the same numbers that a search had, and that teacher forcing has; whatever else is in the batch."""

import numpy as np
import pytest
import torch

from regard import answering
from regard.answering import Answerer, extents
from regard.batch import END, UNKNOWN
from regard.config import SearchOptions, compose
from regard.data.columns import TextColumn
from regard.data.examples import Cells, collate
from regard.errors import RegardError
from regard.forced import LEAST
from regard.model import Model

LEMMAS, TAGS = ["cat", "mouse", "horse", "\u00e9t\u00e9", "\u05e9\u05dc\u05d5\u05dd"], ["N;PL", "V;SG"]
SOUNDS = ["k a t s", "m a", "h o", "e", "s"]
GIVEN = {"lemma": ["cat", "", "mouse", "zzz", "horsecat"], "tags": ["N;PL", "", "V;SG", "V", ""]}
TEXTS = ["k a t s", "s", "", "m  o o o o o ", "a"]
FORMS = {
    "after": [],
    "before": ["when=before"],
    "any order": ["decoder.emission.type=marginal"],
    "monotonic": ["decoder.emission.type=marginal", "decoder.emission.order=monotonic"],
}


def build(*settings, models=1):
    columns = {
        "lemma": TextColumn.fit("lemma", LEMMAS, unit="character"),
        "tags": TextColumn.fit("tags", TAGS, unit="tags"),
        "form": TextColumn.fit("form", SOUNDS, unit="symbol", end=True, rare=1),
    }
    recipe = {"encoders": {"source": {"reads": ["lemma", "tags"]}}, "decoder": {"writes": "form"}}
    config = compose(recipe, ["hidden=6", "embedding=5", *settings])
    made = [Model(config, extents(columns)).eval() for _ in range(models)]
    with torch.no_grad():
        for parameter in (parameter for model in made for parameter in model.parameters()):
            parameter.add_(0.7 * torch.randn_like(parameter))
    return Answerer(config, columns, made)


def same(one, other):
    assert (one.given, one.hypothesis.tokens, one.hypothesis.ended) == (
        other.given, other.hypothesis.tokens, other.hypothesis.ended,
    )  # fmt: skip
    np.testing.assert_allclose(one.hypothesis.log_probs, other.hypothesis.log_probs, atol=1e-5)
    assert one.score == pytest.approx(other.score, abs=1e-5)
    for gaze, its in zip(one.look.gazes, other.look.gazes, strict=True):
        assert gaze.places == its.places
        np.testing.assert_allclose(gaze.weights, its.weights, atol=1e-5)


@pytest.mark.parametrize("models", [1, 2])
@pytest.mark.parametrize("settings", FORMS.values(), ids=FORMS)
def test_along_an_answer_that_a_search_found_all_is_as_it_was(settings, models):
    answerer = build(*settings, models=models)
    found = answerer.answers(GIVEN, SearchOptions(method="sample", samples=6, temperature=3.0))
    answers = [answer for ranked in found for answer in ranked if answer.hypothesis.ended]
    assert len(answers) >= 3
    given = {name: [answer.given[name] for answer in answers] for name in GIVEN}
    for one, other in zip(answerer.forced(given, [answer.text for answer in answers]), answers, strict=True):
        same(one, other)
        assert [(piece.text, piece.span) for piece in one.look.outputs] == [
            (piece.text, piece.span) for piece in other.look.outputs
        ]


@pytest.mark.parametrize("settings", FORMS.values(), ids=FORMS)
def test_steps_are_those_of_teacher_forcing(settings):
    """Against `unroll`, which knows the posterior of all steps at once."""
    answerer = build(*settings)
    model = answerer.models[0]
    cells = {name: Cells.of([answerer.columns[name].encode_ids(GIVEN[name])]) for name in GIVEN}
    cells["form"] = Cells.of([answerer.columns["form"].encode_ids(TEXTS)])
    batch = collate(cells, np.arange(5))
    with torch.inference_mode():
        targets = batch.columns["form"]
        said, fixed = model.decoder.unroll(model.encode(batch.columns), targets.ids)
        glances = said.glances | model.decoder.emission.seen_along(said, fixed.emission, targets.ids)
    for row, answer in enumerate(answerer.forced(GIVEN, TEXTS)):
        steps, places = answer.look.gazes[0].weights.shape
        expected = glances["source"].weights[row, :steps, :places]
        np.testing.assert_allclose(answer.look.gazes[0].weights, expected, atol=1e-5)


@pytest.mark.parametrize("settings", FORMS.values(), ids=FORMS)
def test_one_does_not_depend_on_the_others(settings, monkeypatch):
    answerer = build(*settings)
    together = answerer.forced(GIVEN, TEXTS)
    for row, answer in enumerate(together):
        (alone,) = answerer.forced({name: [texts[row]] for name, texts in GIVEN.items()}, [TEXTS[row]])
        same(alone, answer)
    monkeypatch.setattr(answering, "EXAMPLES", 2)
    for one, other in zip(answerer.forced(GIVEN, TEXTS), together, strict=True):
        same(one, other)


def test_probabilities_of_all_answers_of_one_symbol_add_up():
    """P(end | nothing) + Σ P(symbol) = 1 at the first step, read off one known answer for each."""
    answerer = build()
    symbols = [answerer.target.symbol(id) for id in range(4, answerer.target.size)]
    given = {"lemma": ["cat"] * (len(symbols) + 1), "tags": ["N"] * (len(symbols) + 1)}
    firsts = [answer.hypothesis.log_probs[0] for answer in answerer.forced(given, ["", *symbols])]
    assert np.exp(firsts).sum() == pytest.approx(1.0, abs=1e-5)


def test_an_ensemble_averages_probabilities_and_weights():
    both = build(models=2)
    one, two, mean = (
        Answerer(both.config, both.columns, models).forced({"lemma": ["cat"], "tags": ["N;PL"]}, ["k a"])[0]
        for models in ([both.models[0]], [both.models[1]], both.models)
    )
    expected = np.log((np.exp(one.hypothesis.log_probs) + np.exp(two.hypothesis.log_probs)) / 2)
    np.testing.assert_allclose(mean.hypothesis.log_probs, expected, atol=1e-5)
    weights = (one.look.gazes[0].weights + two.look.gazes[0].weights) / 2
    np.testing.assert_allclose(mean.look.gazes[0].weights, weights, atol=1e-5)


def test_the_look_stands_on_the_text_as_it_was_given():
    (answer,) = build().forced({"lemma": ["cat"], "tags": ["N;PL"]}, ["  k  q t "])
    assert answer.text == answer.look.text == "  k  q t "
    assert [(piece.text, piece.span) for piece in answer.look.outputs] == [
        ("k", (2, 3)), ("q", (5, 6)), ("t", (7, 8)), ("", (9, 9)),
    ]  # fmt: skip
    assert answer.symbols == ["k", "q", "t"]
    assert answer.hypothesis.tokens[1] == UNKNOWN
    assert answer.hypothesis.tokens[-1] == END
    assert answer.hypothesis.log_probs[1] == pytest.approx(LEAST)  # no answer holds what is unknown
    assert answer.look.outputs[1].probability == pytest.approx(0, abs=1e-30)


def test_no_inputs_have_no_answers():
    assert build().forced({"lemma": [], "tags": []}, []) == []


@pytest.mark.parametrize(
    ("given", "texts", "said"),
    [
        ({"lemma": ["a"]}, ["k"], "the model reads lemma, tags, but nothing was given for 'tags'"),
        ({"lemma": ["a"], "tags": ["N"]}, [], "1 and 1 inputs and 0 outputs were given: each input needs one"),
        ({"lemma": ["a"], "tags": ["N"]}, ["\ud800"], "'\\ud800', given for 'form', is not text: \\ud800 is half of"),
    ],
)
def test_mistakes(given, texts, said):
    with pytest.raises(RegardError) as error:
        build().forced(given, texts)
    assert str(error.value).startswith(said)
