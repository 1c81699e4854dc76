"""The record: levels multiplied by hand, what it says of itself, and each mistake in one line."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest

from regard.errors import RegardError
from regard.looking import Gaze, Look, Piece, Place


def gaze(level, parents, weights, *, look="look", above=None):
    """Places without texts that matter, with these parents."""
    seen = tuple(Place(str(at), "text", (0, 0), parent) for at, parent in enumerate(parents))
    return Gaze(look, "text", level, seen, np.array(weights, dtype=np.float32), above)


def look_with(*gazes):
    pieces = tuple(Piece("x", (0, 1), -1.0) for _ in gazes[0].weights)
    return Look({"text": "t"}, "x", pieces, gazes)


def test_words_are_weighed_by_their_sentences(looks):
    flat = looks["document"].flatten("words")
    # words .1 .7 .2 | .1 .2 .1 .6 and sentences .25 .75, multiplied; the sum is 1 already
    np.testing.assert_allclose(flat.gazes[0].weights, [[0.025, 0.175, 0.05, 0.075, 0.15, 0.075, 0.45]], rtol=1e-6)
    assert [one.level for one in flat.gazes] == ["words"]
    assert all(place.parent is None for place in flat.gazes[0].places)
    assert flat.outputs == looks["document"].outputs


def test_the_top_level_stays_as_it_is(looks):
    flat = looks["document"].flatten("sentences")
    np.testing.assert_allclose(flat.gazes[0].weights, [[0.25, 0.75]])
    assert flat.gazes[0].places == looks["document"].gazes[1].places


def test_a_level_with_none_above_keeps_rows_that_sum_to_less():
    """Local and monotonic looks have such rows, and what is drawn is what was used."""
    flat = look_with(gaze("places", [None, None], [[0.25, 0.5], [0.0, 0.0]])).flatten("places")
    assert flat.gazes[0].weights.tolist() == [[0.25, 0.5], [0.0, 0.0]]


def test_words_that_sum_to_one_over_the_whole_document_are_scaled():
    words = gaze("words", [0, 0, 1], [[0.2, 0.2, 0.6], [0.5, 0.5, 0.0]])
    sentences = gaze("sentences", [None, None], [[0.75, 0.25], [0.0, 1.0]])
    flat = look_with(words, sentences).flatten("words")
    # .15 .15 .15 over their sum .45; in the second row nothing is left to scale
    np.testing.assert_allclose(flat.gazes[0].weights, [[1 / 3, 1 / 3, 1 / 3], [0, 0, 0]], rtol=1e-6)


def test_three_levels_are_multiplied_up_to_the_top():
    characters = gaze("characters", [0, 0, 1, 2], [[0.5, 0.5, 1.0, 1.0]], above="words")
    words = gaze("words", [0, 0, 1], [[0.4, 0.6, 1.0]], above="sentences")
    sentences = gaze("sentences", [None, None], [[0.1, 0.9]])
    flat = look_with(characters, words, sentences).flatten("characters")
    np.testing.assert_allclose(flat.gazes[0].weights, [[0.02, 0.02, 0.06, 0.9]], rtol=1e-6)


def test_a_look_goes_with_its_own_level_above():
    first = gaze("words", [0, 1], [[1.0, 1.0]], look="first"), gaze("lines", [None] * 2, [[0.1, 0.9]], look="first")
    second = gaze("words", [0, 1], [[1.0, 1.0]], look="second"), gaze("lines", [None] * 2, [[0.8, 0.2]], look="second")
    flat = look_with(*first, *second).flatten("words")
    np.testing.assert_allclose([one.weights[0] for one in flat.gazes], [[0.1, 0.9], [0.8, 0.2]], rtol=1e-6)


def test_two_levels_above_without_a_name_are_refused():
    below, above = gaze("words", [0], [[1.0]]), gaze("lines", [None], [[1.0]])
    with pytest.raises(RegardError) as caught:
        look_with(below, above, replace(above, level="pages")).flatten("words")
    assert str(caught.value) == (
        "cannot tell which look lies above 'words' of 'look': 2 looks at the level above of 'text', 1 expected; "
        "keep one with dataclasses.replace(look, gazes=…)"
    )
    named = replace(below, above="pages")
    assert look_with(named, above, replace(above, level="pages")).flatten("words").gazes[0].weights == [[1.0]]


def test_a_level_above_that_is_absent_is_named():
    with pytest.raises(RegardError, match=r"0 looks at the level 'pages' of 'text', 1 expected"):
        look_with(gaze("words", [0], [[1.0]], above="pages")).flatten("words")


def test_levels_in_a_circle_are_refused():
    words, lines = gaze("words", [0], [[1.0]]), gaze("lines", [0], [[1.0]])
    with pytest.raises(RegardError) as caught:
        look_with(words, lines).flatten("words")
    assert str(caught.value) == "the levels of 'text' lie in a circle (words, lines): one must be on top"


def test_an_unknown_level_names_the_nearest(looks):
    with pytest.raises(RegardError) as caught:
        looks["document"].flatten("word")
    assert str(caught.value) == "this look has no level 'word': did you mean 'words'?"
    with pytest.raises(RegardError, match=r"^this look has no level 'words': known: none$"):
        looks["no_gaze"].flatten("words")


def test_some_parents_and_some_none_is_our_own_mistake():
    with pytest.raises(AssertionError, match="some places of 'words' have a parent and some have none"):
        gaze("words", [0, None], [[1.0, 0.0]]).parents()


def test_weights_must_fit_places_and_outputs():
    with pytest.raises(AssertionError, match="2 weights, 1 places"):
        gaze("places", [None], [[1.0, 0.0]])
    with pytest.raises(AssertionError, match="1 rows, 2 outputs"):
        Look({"text": "t"}, "x", (Piece("x", (0, 1), 0.0),) * 2, (gaze("places", [None], [[1.0]]),))


def test_looks_are_equal_where_their_weights_are():
    one = gaze("places", [None], [[0.5]])
    assert one == gaze("places", [None], [[0.5]])
    assert one != gaze("places", [None], [[0.25]])
    assert one != replace(one, above="words")
    assert one != "places"
    assert look_with(one) == look_with(gaze("places", [None], [[0.5]]))


def test_a_probability_never_exceeds_one():
    assert Piece("x", (0, 1), -1.0).probability == exp(-1)
    assert Piece("x", (0, 1), 1e-7).probability == 1.0


def test_it_says_in_a_line_what_it_is(looks):
    assert repr(looks["no_gaze"]) == "<Look source='through' → 'θɹu', 4 outputs, 0 gazes>"
    assert repr(looks["inflection"]).startswith("<Look lemma='schreiben', features='V;PST;3;SG' → 'schrieb', 8 outputs")


def test_it_draws_itself_where_it_is_shown(looks, tmp_path):
    look = looks["french"]
    assert str(look).startswith("chaussée → ʃose\n")
    assert look._repr_html_().startswith("<style>")
    assert type(look.__rich__()).__name__ == "HeatMap"
    look.save(tmp_path / "look.svg")
    assert (tmp_path / "look.svg").read_text(encoding="utf-8").startswith("<svg")
    assert Look.from_json(look.to_json()) == look
