"""What a person sees of a model with each focus: trained, answering, its look drawn, saved and read again."""

import math

import numpy as np
import pytest

import regard
from regard.attention import FOCUSES
from regard.looking import Look

FORMS = {
    **{name: {"focus": name} for name in FOCUSES.names()},
    "local-m": {"focus.type": "local", "focus.kind": "monotonic", "focus.width": 1},
    "local-p": {"focus.type": "local", "focus.width": 1},
}


@pytest.fixture(scope="module", params=FORMS)
def trained(request, words, tiny, tmp_path_factory):
    """A model of one focus, what it is, and the folder that it was loaded from again."""
    folder = tmp_path_factory.mktemp("focuses") / request.param
    regard.train(words, out=folder, settings=tiny | {"epochs": 1} | FORMS[request.param], say=lambda line: None)
    model = regard.load(folder)
    (look,) = model.answerer.models[0].decoder.looks.values()
    return model, look.focus


def test_a_look_is_drawn_of_real_places_whatever_the_focus(trained):
    model, focus = trained
    for text in ("abcd", "a"):
        look = model.look(text)
        (gaze,) = look.gazes
        assert gaze.weights.shape == (len(look.outputs), len(text))
        assert (gaze.weights >= 0).all()
        total = gaze.weights.sum(1)
        assert (total <= 1 + 1e-5).all()
        if focus.sums_to_one:
            np.testing.assert_allclose(total, 1, atol=1e-5)
        assert Look.from_json(look.to_json()) == look
        assert "∎" in str(look)
        assert "<svg" in look._repr_html_() or "<table" in look._repr_html_()


def test_the_penalty_for_places_not_looked_at_counts_all_that_were_given(trained):
    """A window or a single place shows but a few of them at the first step."""
    model, _ = trained
    settings = {"coverage_penalty": 0.5, "length_normalisation": 0.0, "beam": 2}
    for answer in (model.predict("abcd", **settings), model.predict(["a", "dcb"], **settings)[1]):
        seen = answer.look.gazes[0].weights.sum(0).astype(np.float64)
        penalty = sum(math.log(min(max(weight, np.finfo(np.float32).tiny), 1.0)) for weight in seen)
        assert answer.score == pytest.approx(answer.log_prob + 0.5 * penalty, rel=1e-4)


def test_an_empty_source_is_answered(trained):
    model, _ = trained
    look = model.predict("", coverage_penalty=0.5).look
    assert look.gazes[0].weights.shape == (len(look.outputs), 0)
