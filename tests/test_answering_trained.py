"""Answers of a trained model: one does not depend on what else is asked, and its look lands on what was typed.

Beside `test_answering.py`, whose models are not trained: here what is answered comes by way of a folder.
"""

from unicodedata import normalize

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard import answering
from regard.answering import AnsweredRecord, record, spread
from regard.api import load, train
from regard.batch import END, Batch, Tokens
from regard.errors import RegardError

WORDS = ["abcd", "b", "", "dcba", "aaaaaaaaaaaa", "xyz", "ab", "a b"]


@pytest.fixture(scope="module")
def model(model_folder):
    return load(model_folder)


@pytest.fixture(scope="module")
def apart(tmp_path_factory, tiny):
    """A model that takes accents and Korean syllables apart, in what it reads and in what it writes."""
    table = tmp_path_factory.mktemp("apart") / "words.tsv"
    syllables = ["한", "국", "말", "é", "ö", "a"]
    rows = [one + two for one in syllables for two in syllables]
    table.write_text("source\ttarget\n" + "".join(f"{row}\t{row[::-1]}\n" for row in rows), encoding="utf-8")
    own = {f"data.columns.{name}.{key}": value for name in ("source", "target")
           for key, value in (("decompose", True), ("unit", "character"))}  # fmt: skip
    return train(table, settings=tiny | own, say=lambda line: None)


def assert_same(one, other):
    """Two answers, down to every weight."""
    assert (one.given, one.text, one.symbols) == (other.given, other.text, other.symbols)
    assert one.hypothesis.tokens == other.hypothesis.tokens
    np.testing.assert_allclose(one.hypothesis.log_probs, other.hypothesis.log_probs, atol=1e-5)
    for gaze, its in zip(one.look.gazes, other.look.gazes, strict=True):
        assert gaze.places == its.places
        np.testing.assert_allclose(gaze.weights, its.weights, atol=1e-5)


# -- an answer is its own ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [{}, {"method": "greedy"}, {"beam": 2}, {"method": "sample"}], ids=str)
def test_an_answer_does_not_depend_on_its_batch(model, search):
    together = model.predict(WORDS, **search)
    assert [answer.given["word"] for answer in together] == WORDS
    for word, answer in zip(WORDS, together, strict=True):
        if search.get("method") != "sample":  # whose draws go by the row
            assert_same(model.predict(word, **search), answer)
    for one, other in zip(together[:3], model.predict(WORDS[:3], **search), strict=True):
        assert_same(one, other)


@pytest.mark.parametrize(("name", "value"), [("EXAMPLES", 2), ("PLACES", 10.0)])
def test_nor_on_how_batches_are_cut(model, monkeypatch, name, value):
    whole = model.predict(WORDS)
    monkeypatch.setattr(answering, name, value)
    for one, other in zip(whole, model.predict(WORDS), strict=True):
        assert_same(one, other)


def test_nor_on_n_best(model):
    for word in WORDS:
        several = model.predict(word, n_best=4)
        assert_same(model.predict(word), several[0])
        assert [one.score for one in several] == sorted((one.score for one in several), reverse=True)
        assert len({one.hypothesis.tokens for one in several}) == len(several)


def test_the_same_again(model):
    for search in ({}, {"method": "sample", "seed": 3}):
        for one, other in zip(model.predict(WORDS, **search), model.predict(WORDS, **search), strict=True):
            assert_same(one, other)


def test_draws(model):
    drawn = model.predict("abcd", method="sample", samples=20, temperature=2.0)
    assert len(drawn) == 20
    assert len({one.text for one in drawn}) > 3
    other = model.predict("abcd", method="sample", samples=20, temperature=2.0, seed=1)
    assert [one.text for one in other] != [one.text for one in drawn]


@settings(max_examples=15)
@given(st.lists(st.text("abcdxé ", max_size=8), max_size=4))
def test_any_texts_are_answered_in_their_order(model, texts):
    assert [one.given["word"] for one in model.predict(texts)] == texts


# -- what an answer says -------------------------------------------------------------------------------------------


def test_figures(model):
    answer = model.predict("abcd")
    assert answer.hypothesis.tokens[-1] == END
    assert answer.score == pytest.approx(answer.log_prob / len(answer.hypothesis.tokens), rel=1e-5)
    plain = model.predict("abcd", length_normalisation=0.0)
    assert plain.score == pytest.approx(plain.log_prob, rel=1e-5)
    assert answer.symbols == answer.text.split(" ")


def test_a_record_comes_back(model):
    answers = model.predict("abcd", n_best=2)
    found = record(answers)
    assert AnsweredRecord.model_validate_json(found.model_dump_json()) == found
    assert [one.text for one in found.answers] == [one.text for one in answers]


def test_a_look(model):
    answer = model.predict("dab")
    look = answer.look
    assert (look.given, look.text) == ({"word": "dab"}, answer.text)
    assert [piece.text for piece in look.outputs] == [*answer.symbols, ""]
    assert [look.text[slice(*piece.span)] for piece in look.outputs] == [*answer.symbols, ""]
    assert look.log_prob == pytest.approx(sum(piece.log_prob for piece in look.outputs))
    (gaze,) = look.gazes
    assert [(place.text, place.span) for place in gaze.places] == [("d", (0, 1)), ("a", (1, 2)), ("b", (2, 3))]
    np.testing.assert_allclose(gaze.weights.sum(1), 1.0, atol=1e-5)


def test_the_weights_drawn_are_those_of_the_answer_read_at_once(model):
    """Of the third best answer, whose beams were reordered, against teacher forcing, in which nothing is."""
    answer = model.predict("abdc", n_best=3)[2]
    source = torch.from_numpy(model.answerer.columns["word"].encode_ids(["abdc"])[0]).long()[None]
    target = torch.tensor([answer.hypothesis.tokens])
    columns = {"word": Tokens(source, source > 0), "sounds": Tokens(target, target > 0)}
    _, _, glances = model.answerer.models[0](Batch(columns, torch.zeros(1, dtype=torch.long), torch.ones(1)))
    (gaze,) = answer.look.gazes
    np.testing.assert_allclose(gaze.weights, glances["source"].weights[0], atol=1e-5)
    assert np.ptp(gaze.weights, axis=0).max() > 1e-3  # the rows differ, so that their order is tested


def test_an_empty_text_is_answered_and_nothing_is_looked_at(model):
    answer = model.predict("")
    (gaze,) = answer.look.gazes
    assert gaze.places == ()
    assert gaze.weights.shape == (len(answer.look.outputs), 0)
    assert str(answer.look)
    assert spread(answer.hypothesis.glances["source"], 0).shape == gaze.weights.shape


def test_an_unknown_symbol_keeps_its_place_and_is_as_any_other(model):
    (gaze,) = model.look("aéb").gazes
    assert [place.text for place in gaze.places] == ["a", "é", "b"]
    one, other = model.predict("axb"), model.predict("ayb")
    assert (one.text, one.log_prob) == (other.text, other.log_prob)


def test_special_symbols_are_never_written(model):
    for drawn in model.predict(["", "x", "abcd"], method="sample", temperature=20.0, samples=30):
        for answer in drawn:
            assert not {0, 1, 3} & {*answer.hypothesis.tokens}


def test_weights_that_are_not_numbers_do_not_answer(model_folder):
    model = load(model_folder)
    model.answerer.models[0].tensors()["decoder.emission.output.bias"].fill_(float("nan"))
    with pytest.raises(RegardError, match="its weights are damaged"):
        model.predict("a")


def test_the_longest_answer(model):
    free = model.predict(WORDS, method="sample", temperature=50.0)
    assert max(len(one.symbols) for one in free) > 2
    for one in model.predict(WORDS, method="sample", temperature=50.0, longest=2):
        assert len(one.hypothesis.tokens) <= 2 + 1  # the end, or one symbol more where it does not end
    assert max(len(one.symbols) for one in model.predict(WORDS, longest=1)) == 1


# -- spans ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("word", ["한é", "éa", "말국한", "aéö"])
def test_looks_tie_back_to_what_was_typed(apart, form, word):
    typed, inside = normalize(form, word), normalize("NFD", word)
    look = apart.look(typed)
    assert look.given == {"source": typed}
    (gaze,) = look.gazes
    assert len(gaze.places) == len(inside)
    for place, part in zip(gaze.places, inside, strict=True):
        assert part in normalize("NFD", typed[slice(*place.span)])
        assert place.text in (part, typed[slice(*place.span)])
    assert {at for place in gaze.places for at in range(*place.span)} == set(range(len(typed)))


def test_letters_that_share_a_character_are_told_apart(apart):
    (gaze,) = apart.look("한a").gazes
    assert [place.span for place in gaze.places] == [(0, 1)] * 3 + [(1, 2)]
    assert [place.text for place in gaze.places] == [*normalize("NFD", "한"), "a"]


def test_what_is_written_comes_in_the_form_of_the_data(apart):
    for answer in apart.predict(["한é", "말국", "öa", normalize("NFD", "국é")]):
        assert normalize("NFC", answer.text) == answer.text
        for piece in answer.look.outputs:
            assert 0 <= piece.span[0] <= piece.span[1] <= len(answer.text)


def test_both_forms_are_the_same_question(apart):
    for word in ("한é", "öa말"):
        composed, decomposed = (apart.predict(normalize(form, word)) for form in ("NFC", "NFD"))
        assert composed.text == decomposed.text
        assert composed.log_prob == pytest.approx(decomposed.log_prob, abs=1e-5)
