"""From texts to answers: whatever was typed, in whatever company, and never more at once than memory bears."""

from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.answering import BEAMS, EXAMPLES, LISTED, PLACES, Answerer, extents, record, schema, spread, unknown_in
from regard.config import SearchOptions, compose
from regard.data.columns import TextColumn
from regard.errors import RegardError
from regard.model import Model
from regard.search import Glances

LEMMAS, TAGS = ["cat", "mouse", "horse", "\u00e9t\u00e9", "\u05e9\u05dc\u05d5\u05dd"], ["N;PL", "V;SG"]
SOUNDS = ["k a t s", "m a", "h o", "e", "s"]
ODD = [
    "",
    " ",
    "\u0301",
    "cat\u0301",
    "zzz",
    "\u05e9\u05b8\u05c1",
    "\u0633\u0644\u0627\u0645\u200f",
    "a\0b",
    "\U0001f469\u200d\U0001f467",
    "cat" * 60,
]


def build(*models, settings=()):
    columns = {
        "lemma": TextColumn.fit("lemma", LEMMAS, unit="character"),
        "tags": TextColumn.fit("tags", TAGS, unit="tags"),
        "form": TextColumn.fit("form", SOUNDS, unit="symbol", end=True, rare=1),
    }
    recipe = {"encoders": {"source": {"reads": ["lemma", "tags"]}}, "decoder": {"writes": "form"}}
    config = compose(recipe, ["hidden=6", "embedding=5", *settings])
    made = [Model(config, extents(columns)).eval() for _ in range(2)]
    with torch.no_grad():
        for parameter in (parameter for model in made for parameter in model.parameters()):
            parameter.add_(0.7 * torch.randn_like(parameter))
    return Answerer(config, columns, made[: models[0] if models else 1])


@pytest.fixture
def answerer():
    return build()


@pytest.mark.parametrize(
    "search",
    [{}, {"beam": 40, "n_best": 40}, {"coverage_penalty": 0.3}, {"method": "sample", "samples": 3, "top_k": 99}],
    ids=str,
)
def test_whatever_was_typed_has_answers_and_looks_whatever_is_beside_it(answerer, search):
    settings = SearchOptions(**search)
    tags = ["", "N;PL", "V", ";", "N;;PL", "", "x", "PL", "N;PL", "V;SG"]
    together = answerer.answers({"lemma": ODD, "tags": tags}, settings)
    assert len(together) == len(ODD)
    for row, answers in enumerate(together):
        (alone,) = answerer.answers({"lemma": [ODD[row]], "tags": [tags[row]]}, settings)
        if settings.method == "beam":  # what is drawn depends on the row
            assert [answer.text for answer in alone] == [answer.text for answer in answers]
            np.testing.assert_allclose(
                [answer.score for answer in alone], [answer.score for answer in answers], atol=1e-5
            )
        for answer in answers[:3]:
            assert answer.given == {"lemma": ODD[row], "tags": tags[row]}
            (gaze,) = answer.look.gazes
            for place in gaze.places:
                start, end = place.span
                assert 0 <= start <= end <= len(answer.given[place.column])
            total = gaze.weights.sum(1)
            np.testing.assert_allclose(total, np.ones(len(total)) if gaze.places else np.zeros(len(total)), atol=1e-5)


@pytest.mark.parametrize("column", ["lemma", "tags"])
def test_whatever_was_typed_may_be_copied(column):
    answerer = build(settings=["emission=copying", f"emission.column={column}"])
    with torch.no_grad():
        answerer.models[0].decoder.emission.gate.bias.fill_(-3.0)
    tags = ["", "N;PL", "V", ";", "N;;PL", "", "x", "PL", "N;PL", "V;SG"]
    settings = SearchOptions(n_best=3, longest=6)
    together = answerer.answers({"lemma": ODD, "tags": tags}, settings)
    size, copied = answerer.target.size, 0
    for row, answers in enumerate(together):
        (alone,) = answerer.answers({"lemma": [ODD[row]], "tags": [tags[row]]}, settings)
        assert [answer.text for answer in alone] == [answer.text for answer in answers]
        assert [answer.hypothesis.tokens for answer in alone] == [answer.hypothesis.tokens for answer in answers]
        typed = normalize("NFC", answers[0].given[column])
        for answer in answers:
            outputs = answer.look.outputs
            for token, piece in zip(answer.hypothesis.tokens, outputs, strict=True):
                copied += token >= size
                assert token < size or normalize("NFC", piece.text) in typed
                assert answer.text[slice(*piece.span)] == piece.text
    assert copied > 20


def test_more_beams_than_symbols_find_different_answers(answerer):
    (answers,) = answerer.answers({"lemma": ["cat"], "tags": ["N"]}, SearchOptions(beam=60, n_best=60))
    assert len({answer.hypothesis.tokens for answer in answers}) == len(answers) > answerer.target.size
    assert [answer.score for answer in answers] == sorted((answer.score for answer in answers), reverse=True)


def test_nothing_given_has_no_answers(answerer):
    assert answerer.answers({"lemma": [], "tags": []}) == []


@pytest.mark.parametrize("text", ["\ud800", "caf\udce9"])
def test_what_is_no_text(answerer, text):
    with pytest.raises(RegardError) as error:
        answerer.answers({"lemma": ["cat", text], "tags": ["N", "N"]})
    half = ascii(text[-1])[1:-1]
    assert str(error.value) == (
        f"{text!a}, given for 'lemma', is not text: {half} is half of a character, or stands for a byte that is"
        " not UTF-8"
    )


def test_a_column_that_is_not_given(answerer):
    with pytest.raises(RegardError, match=r"^the model reads lemma, tags, but nothing was given for 'tags'$"):
        answerer.answers({"lemma": ["cat"]})


def test_what_a_search_refuses_is_a_users_mistake(answerer):
    with pytest.raises(RegardError, match=r"^coverage_look is 'x', but this model's looks are: source$"):
        answerer.answers({"lemma": ["c"], "tags": [""]}, SearchOptions(coverage_penalty=1.0, coverage_look="x"))


@pytest.mark.parametrize(
    ("search", "beams"),
    [
        ({}, BEAMS),
        ({"method": "greedy"}, 1),
        ({"beam": 2}, 2),
        ({"beam": 50}, 50),
        ({"method": "sample", "samples": 400}, 400),
        ({"beam": 50, "method": "sample"}, 1),
    ],
    ids=str,
)
@pytest.mark.parametrize("lemma", ["cat", "cat" * 20])
def test_more_beams_mean_fewer_examples_at_once(answerer, monkeypatch, lemma, search, beams):
    seen = []

    def begin(batch, number):
        assert number == beams
        seen.append((len(batch.rows), sum(column.keep.shape[1] for column in batch.columns.values()) + 1))
        raise ValueError("enough")

    monkeypatch.setattr(answerer.stepper, "start", begin)
    count = 3 * EXAMPLES
    with pytest.raises(RegardError, match="enough"):
        answerer.answers({"lemma": [lemma] * count, "tags": ["N"] * count}, SearchOptions(**search))
    ((examples, places),) = seen
    more = max(1, beams / BEAMS)
    assert examples == max(1, min(int(EXAMPLES / more), int(PLACES / more / places)))


def test_the_longest_answer_follows_from_the_source(answerer):
    known = answerer.columns["lemma"].longest + answerer.columns["tags"].longest + 1
    most = answerer.target.longest + 1  # longest counts the end, and one symbol more is allowed
    settings = SearchOptions()
    found = answerer._limits(np.array([1, known, 2 * known, 2 * known + 1]), settings)
    assert found.tolist() == [most, most, 2 * most, int(np.ceil(most * (2 * known + 1) / known))]
    assert answerer._limits(np.array([1, 99]), SearchOptions(longest=3)).tolist() == [4, 4]


def test_an_ensemble_answers_through_the_same_road():
    answerer = build(2)
    given = {"lemma": ["cat", ""], "tags": ["N;PL", ""]}
    (first, second) = answerer.answers(given)
    assert len(first[0].look.gazes[0].places) == 5
    assert second[0].look.gazes[0].places == ()


def test_the_published_form(answerer):
    (answers,) = answerer.answers({"lemma": ["cat"], "tags": ["N"]}, SearchOptions(n_best=2))
    found = record(answers).model_dump()
    assert (found["given"], found["unknown"]) == ({"lemma": "cat", "tags": "N"}, {})
    assert found["answers"] == [{"text": a.text, "score": a.score, "log_prob": a.log_prob} for a in answers]
    assert answers[0].symbols == answers[0].text.split()
    assert answers[0].log_prob == pytest.approx(float(answers[0].hypothesis.log_probs.sum()))


def test_the_published_schema_is_in_step():
    published = Path(__file__).parents[1] / "docs" / "schemas" / "predict.json"
    command = "python -c 'import regard.answering as a; print(a.schema(), end=\"\")' > docs/schemas/predict.json"
    assert published.read_text(encoding="utf-8") == schema(), f"write it anew: {command}"


GIVEN = {"lemma": ["cat", "cät", "", "zzq", "c t"], "tags": ["N;PL", "N;DU", "X", "N", "V"]}


def test_what_is_not_known_is_in_the_answer(answerer):
    ranked = answerer.answers(GIVEN, SearchOptions(n_best=2))
    assert [answers[0].strange for answers in ranked] == [(), ("lemma", "tags"), ("tags",), ("lemma",), ("lemma",)]
    assert [answers[-1].unknown for answers in ranked] == [
        {}, {"lemma": ["ä"], "tags": ["DU"]}, {"tags": ["X"]}, {"lemma": ["z", "z", "q"]}, {"lemma": [" "]},
    ]  # fmt: skip
    assert record(ranked[1]).unknown == {"lemma": ["ä"], "tags": ["DU"]}
    marked = [[place.text for place in answers[0].look.gazes[0].places if place.unknown] for answers in ranked]
    assert marked == [[], ["ä", "DU"], ["X"], ["z", "z", "q"], [" "]]


def test_of_a_letter_that_is_taken_apart_what_is_not_known_is_shown_as_given():
    answerer = build()
    apart = TextColumn.fit("lemma", LEMMAS, unit="character", decompose=True)
    vars(answerer)["columns"] = {**answerer.columns, "lemma": apart}
    seen = answerer.places("source", {"lemma": "\u00c9\u00e9", "tags": ""})["places"]
    assert [(place.text, place.unknown) for place in seen] == [
        ("\u00c9", True), ("\u0301", False), ("e", False), ("\u0301", False),
    ]  # fmt: skip


@settings(max_examples=30)
@given(st.lists(st.text(st.sampled_from([*"cat\u0301ä z\u05e9"]), max_size=5), min_size=1, max_size=6))
def test_an_answer_knows_what_its_column_does_not(lemmas):
    answerer = build()
    ranked = answerer.answers({"lemma": lemmas, "tags": ["N"] * len(lemmas)}, SearchOptions(method="greedy"))
    column = answerer.columns["lemma"]
    assert [answers[0].unknown.get("lemma", []) for answers in ranked] == [column.unknown(lemma) for lemma in lemmas]


def test_one_line_on_what_is_not_known(answerer):
    best = [answers[0] for answers in answerer.answers(GIVEN)]
    said = "symbols that the model does not know: "
    assert unknown_in(best, table=False) == f"4 of 5 inputs have {said}z ä DU X q ␣"
    assert unknown_in(best[3:4], table=True) == f"the input has {said}z q (all: regard inspect TABLE --model MODEL)"
    assert unknown_in(best[:1], table=True) is unknown_in([], table=False) is None
    (many,) = answerer.answers({"lemma": ["zyxwvqpfgj"], "tags": ["N"]})
    assert unknown_in(many[:1], table=False) == f"the input has {said}{' '.join('zyxwvqpfgj'[:LISTED])} …"


def test_windows_are_spread_over_the_real_places():
    weights = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    assert spread(Glances(weights, None), 2).tolist() == [[0.5, 0.25], [1.0, 0.0]]
    places = np.array([[3, 1, 1], [0, 5, 4]])  # of four real places; what lies beyond is padding
    assert spread(Glances(weights, places), 4).tolist() == [[0.0, 0.5, 0.0, 0.5], [1.0, 0.0, 0.0, 0.0]]
