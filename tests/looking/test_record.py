"""JSON: what was written comes back the same, what is published is what is checked, and each refusal in one line."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RegardError
from regard.looking import Gaze, Look, Piece, Place
from regard.looking.record import Json, from_json, schema, to_json

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas" / "look.json"


def test_the_published_schema_is_the_one_in_use():
    written = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    assert PUBLISHED.read_text(encoding="utf-8") == written, "write schema() into docs/schemas/look.json"


def test_a_look_comes_back(any_look):
    assert from_json(to_json(any_look)) == any_look
    assert from_json(Json.draw([any_look])) == any_look


@given(st.data())
def test_any_look_comes_back(strange, data):
    look = data.draw(strange)()
    back = from_json(to_json(look))
    assert back == look
    assert [gaze.weights.dtype for gaze in back.gazes] == [np.float32] * len(look.gazes)


def test_it_reads_as_documented():
    gaze = Gaze("source", "source", "places", (Place("a", "text", (0, 1)),), np.array([[0.1]], np.float32))
    look = Look({"text": "a"}, "b", (Piece("b", (0, 1), -0.5),), (gaze,), -0.5)
    assert json.loads(to_json(look)) == {
        "format": 1,
        "given": {"text": "a"},
        "text": "b",
        "log_prob": -0.5,
        "outputs": [{"text": "b", "span": [0, 1], "log_prob": -0.5}],
        "gazes": [
            {
                "look": "source",
                "memory": "source",
                "level": "places",
                "above": None,
                "places": [{"text": "a", "column": "text", "span": [0, 1], "parent": None, "unknown": False}],
                "weights": [[0.1]],  # as short as float32 allows, not 0.10000000149011612
            }
        ],
    }


def test_what_is_not_known_is_marked_and_older_files_have_no_mark(looks):
    table = json.loads(to_json(looks["not_known"]))
    marks = [place.pop("unknown") for place in table["gazes"][0]["places"]]
    assert [at for at, mark in enumerate(marks) if mark] == [2, 10]
    assert from_json(json.dumps(table)) == looks["inflection"]
    assert from_json(to_json(looks["not_known"])) == looks["not_known"] != looks["inflection"]


def test_weights_of_other_precision_are_written_as_float32(looks):
    gaze = looks["document"].gazes[1]
    double = replace(looks["document"], gazes=(replace(gaze, weights=np.array([[1 / 3, 2 / 3]])),))
    assert json.loads(to_json(double))["gazes"][0]["weights"] == [[0.33333334, 0.6666667]]


def test_several_looks_are_a_list(looks):
    several = json.loads(Json.draw([looks["french"], looks["urdu"]]))
    assert several == [json.loads(to_json(looks[name])) for name in ("french", "urdu")]
    assert json.loads(Json.draw([])) == []
    assert b"\\u" not in Json.draw([looks["urdu"]])  # other scripts stay readable


def changed(look, path, value):
    """The look's JSON with one value replaced, or taken out (...)."""
    record = json.loads(to_json(look))
    *way, last = path
    inner = record
    for step in way:
        inner = inner[step]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return json.dumps(record)


@pytest.mark.parametrize(
    ("path", "value", "where", "what"),
    [
        (["format"], 2, "format", "Input should be 1"),
        (["text"], ..., "text", "Field required"),
        (["colour"], "blue", "colour", "Extra inputs are not permitted"),
        (["log_prob"], float("nan"), "log_prob", "Input should be a finite number"),
        (["outputs", 0, "span"], [0], "outputs.0.span.1", "Field required"),
        (["outputs", 0, "span"], [2, 1], "outputs.0.span", "[2, 1] does not lie in a text of 4 characters"),
        (["outputs", 0, "span"], [0, 5], "outputs.0.span", "[0, 5] does not lie in a text of 4 characters"),
        (["outputs", 0, "span"], [-1, 2], "outputs.0.span", "[-1, 2] does not lie in a text of 4 characters"),
        (["gazes", 0, "places", 6, "span"], [0, 35], "gazes.0.places.6.span",
         "[0, 35] does not lie in a text of 34 characters"),
        (["gazes", 0, "places", 6, "column"], "text", "gazes.0.places.6.column", "'text' is not in `given`"),
        (["gazes", 0, "places", 6, "parent"], None, "gazes.0.places", "some have a parent and some have none"),
        (["gazes", 0, "places", 6, "parent"], 2, "gazes.0.places", "a parent is 2, but 'sentences' has 2 places"),
        (["gazes", 0, "places", 6, "parent"], -1, "gazes.0.places.6.parent",
         "Input should be greater than or equal to 0"),
        (["gazes", 1, "weights"], [], "gazes.1.weights",
         "expected 1 rows of 2 numbers, one row an output and one number a place"),
        (["gazes", 1, "weights"], [[0.5]], "gazes.1.weights",
         "expected 1 rows of 2 numbers, one row an output and one number a place"),
        (["gazes", 1, "weights"], [[0.5, float("inf")]], "gazes.1.weights.0.1",
         "Input should be less than or equal to 1000000000"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(looks, path, value, where, what):
    with pytest.raises(RegardError) as caught:
        from_json(changed(looks["document"], path, value))
    assert str(caught.value) == f"not a look as Regard writes it (docs/schemas/look.json): {where}: {what}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "Invalid JSON: EOF while parsing a value at line 1 column 0"),
        ("[]", "Input should be an object"),
        (b"\xff", "Invalid JSON: expected value at line 1 column 1"),
    ],
)
def test_what_is_no_look_at_all(text, what):
    with pytest.raises(RegardError) as caught:
        from_json(text)
    assert str(caught.value) == f"not a look as Regard writes it (docs/schemas/look.json): the text: {what}"


@given(st.data())
def test_whatever_is_changed_gives_a_look_or_a_line(strange, data):
    record = json.loads(to_json(data.draw(strange)()))
    inner = record
    while isinstance(inner, dict | list) and inner:
        keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
        key, holder = data.draw(st.sampled_from(keys)), inner
        inner = inner[key]
        if data.draw(st.booleans()):
            break
    holder[key] = data.draw(st.none() | st.integers(-2, 9) | st.floats() | st.text(max_size=2) | st.just([]))
    try:
        look = from_json(json.dumps(record))
    except RegardError:  # anything else fails the test
        return
    assert from_json(to_json(look)) == look
