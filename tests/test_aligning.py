"""From a look along a known answer to links between words: by hand, and of models that look where they are told."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.aligning import AlignedPair, align, by_words, column_of, linked, schema, shown_step, symmetrised
from regard.answering import Answerer, extents
from regard.config import compose
from regard.data.columns import TextColumn
from regard.errors import RegardError
from regard.model import Model

TEXTS = ["ab cd", "cad b", "dd"]


def build(*settings, unit="character", tags=False, recipe=None):
    columns = {"text": TextColumn.fit("text", TEXTS, unit=unit, rare=1)}
    if tags:
        columns["tags"] = TextColumn.fit("tags", ["X", "Y"], unit="symbol")
    columns["other"] = TextColumn.fit("other", TEXTS, unit=unit, end=True, rare=1)
    table = {"encoders": {"source": {"reads": [*columns][:-1]}}, "decoder": {"writes": "other"}} | (recipe or {})
    config = compose(table, ["hidden=6", "embedding=5", *settings])
    return Answerer(config, columns, [Model(config, extents(columns)).eval()])


# -- by hand -------------------------------------------------------------------------------------------------------


def test_places_are_summed_and_symbols_averaged():
    weights = np.array([[0.5, 0.2, 0.1, 0.2], [0.1, 0.1, 0.4, 0.4], [0.0, 0.0, 0.0, 1.0]])
    sources = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])  # the third place is a space
    targets = np.array(
        [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    )  # the last symbol ends the answer; the second word has none
    np.testing.assert_allclose(by_words(weights, sources, targets), [[0.45, 0.3], [0.0, 0.0]])


def test_a_place_over_several_words_is_shared_out():
    found = by_words(np.array([[1.0]]), np.array([[0.25, 0.75]]), np.array([[1.0]]))
    np.testing.assert_allclose(found, [[0.25, 0.75]])


@given(st.integers(0, 3), st.integers(0, 4), st.integers(1, 5), st.integers(1, 5))
def test_weight_is_neither_made_nor_lost(words, more, steps, places):
    weights = np.random.default_rng(words).dirichlet(np.ones(places), steps)
    sources = np.eye(places)[:, np.arange(places) % (words + 1) == 0] if words else np.eye(places)
    targets = np.eye(steps, steps + more)  # words beyond the symbols have none
    found = by_words(weights, sources, targets)
    np.testing.assert_allclose(found[:steps].sum(1), weights @ sources.sum(1))
    assert not found[steps:].any()


def test_links():
    weights = np.array([[0.6, 0.4, 0.0], [0.4, 0.4, 0.2], [0.0, 0.0, 0.0]])
    assert linked(weights) == {(0, 0), (0, 1)}  # of equals the first; what looked at nothing has none
    assert linked(weights, 0.4) == {(0, 0), (1, 0), (0, 1), (1, 1)}
    assert linked(weights, 1.0) == set()
    assert linked(weights[:, :0]) == linked(weights[:0]) == linked(weights[:, :0], 0.1) == set()


def test_two_directions():
    def pair(*links):
        return AlignedPair(given={}, text="", links=links, log_prob=0.0)

    forwards, backwards = [pair((0, 0), (1, 2)), pair()], [pair((0, 0), (1, 2), (2, 1)), pair((5, 3))]
    assert [one.links for one in symmetrised(forwards, backwards, "intersection")] == [[(0, 0), (1, 2)], []]
    assert [one.links for one in symmetrised(forwards, backwards, "union")] == [[(0, 0), (1, 2), (2, 1)], [(3, 5)]]
    assert str(forwards[0]) == "0-0 1-2"


# -- of models -----------------------------------------------------------------------------------------------------


def looking_at(answerer, place):
    """The model looks at this place and at nothing else, whatever it reads and writes."""
    score = answerer.models[0].decoder.looks["source"].score
    score.pair = lambda query, keys: torch.where(torch.arange(keys.shape[1]) == place, 99.0, 0.0).expand(
        query.shape[0], query.shape[1], keys.shape[1]
    )
    return answerer


@pytest.mark.parametrize(
    ("unit", "place", "word"), [("character", 1, 0), ("character", 3, 1), ("character", 2, None), ("symbol", 1, 1)]
)
def test_every_word_is_linked_to_the_one_looked_at(unit, place, word):
    answerer = looking_at(build("score=general", unit=unit), place)
    (pair,) = align(answerer, {"text": ["ab cd"]}, [" d  ca b"])
    targets = range(3)
    if word is None:  # a space: what is left of the weight, where exponentials leave any, goes to no word above 0.1
        assert align(answerer, {"text": ["ab cd"]}, [" d  ca b"], threshold=0.1)[0].links == []
    else:
        assert pair.links == [(word, target) for target in targets]
    assert (pair.given, pair.text) == ({"text": "ab cd"}, " d  ca b")
    assert pair.log_prob < 0


def test_a_look_that_was_shown_links_one_step_late_is_read_there():
    plain = build("score=general", unit="symbol")
    late = build("score=general", "terms.supervised.step=next", unit="symbol")
    late.models = plain.models
    given, texts = {"text": ["ab cd dd"]}, ["d ab cd b"]
    with torch.no_grad():
        for parameter in plain.models[0].parameters():
            parameter.normal_()
    weights = plain.forced(given, texts)[0].look.gazes[0].weights
    own, following = ([(int(row.argmax()), at) for at, row in enumerate(rows)] for rows in (weights[:-1], weights[1:]))
    assert own != following
    assert align(plain, given, texts)[0].links == align(late, given, texts, step="own")[0].links == sorted(own)
    assert align(late, given, texts)[0].links == align(plain, given, texts, step="next")[0].links == sorted(following)


def test_a_term_that_guides_another_look_says_nothing_of_this_one():
    looks = {"looks": {"one": {"at": "source"}, "two": {"at": "source", "when": "before"}}}
    answerer = build("terms.supervised.look=two", "terms.supervised.step=next", recipe=looks)
    assert [shown_step(answerer, look) for look in ("one", "two")] == ["own", "next"]


def test_columns_beside_the_first_are_no_words_of_it():
    answerer = looking_at(build("score=general", tags=True, unit="symbol"), 2)  # the first tag
    given = {"text": ["ab cd"], "tags": ["X Y"]}
    assert align(answerer, given, ["d"], threshold=0.1)[0].links == []
    assert column_of(answerer, None) == ("source", "text")


def test_empty_texts_have_no_links():
    for given_text, text in (("", "d"), ("ab", ""), ("", "")):
        (pair,) = align(build(), {"text": [given_text]}, [text])
        assert pair.links == []


def test_the_look_to_go_by():
    looks = {"looks": {"one": {"at": "source"}, "two": {"at": "source", "when": "before"}}}
    answerer = build(recipe=looks, unit="symbol")
    found = {
        name: align(answerer, {"text": ["ab cd"] * 2}, ["d", "b ca"], look=name, threshold=1e-9)
        for name in (None, "one", "two")
    }
    assert found[None] == found["one"]
    assert found["one"][1].links == [(source, target) for source in range(2) for target in range(2)]
    with pytest.raises(RegardError, match=r"^this model has no look 'too'; did you mean 'two'\?$"):
        align(answerer, {"text": []}, [], look="too")


@pytest.mark.parametrize("threshold", [0.0, 1.01, float("nan")])
def test_a_threshold_that_is_no_share(threshold):
    with pytest.raises(RegardError, match=r"is above 0 and at most 1$"):
        align(build(), {"text": []}, [], threshold=threshold)


def test_a_model_that_attends_to_nothing_says_so():
    with pytest.raises(RegardError, match=r"^this model attends to nothing, so it links nothing: train with"):
        align(build(recipe={"conditioning": "first"}), {"text": ["ab"]}, ["d"])


def test_the_published_schema_is_in_step():
    published = Path(__file__).parents[1] / "docs" / "schemas" / "align-pair.json"
    command = "python -c 'import regard.aligning as m; print(m.schema(), end=\"\")' > docs/schemas/align-pair.json"
    assert published.read_text(encoding="utf-8") == schema(), f"write it anew: {command}"
