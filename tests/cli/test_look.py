"""regard look: in the terminal, as JSON in the published form, and into files by their ending."""

import json

import pytest

from regard.api import load
from regard.looking import Look


@pytest.fixture(scope="module")
def model(model_folder):
    return load(model_folder)


def test_in_the_terminal(regard, model, model_folder):
    done = regard("look", model_folder, "abc", "d")
    assert (done.code, done.err) == (0, "")
    titles = [line for line in done.out.splitlines() if " → " in line]
    assert titles == [f"{word} → {model.predict(word).text}" for word in ("abc", "d")]


def test_markup_is_data(regard, model_folder):
    assert regard("look", model_folder, "[red]:bear:").out.startswith("[red]:bear: → ")


def test_json(regard, model, model_folder):
    done = regard("look", model_folder, "abc", "--json")
    assert (done.code, done.err) == (0, "")
    assert Look.from_json(done.out) == Look.from_json(model.look("abc").to_json())
    several = json.loads(regard("look", model_folder, "--json", stdin="abc\n\n").out)
    assert [Look.from_json(json.dumps(one)).given["word"] for one in several] == ["abc", ""]


def test_of_two_columns(regard, tagged_folder):
    found = Look.from_json(regard("look", tagged_folder, "kal", "V;PST", "--json").out)
    assert found.given == {"lemma": "kal", "tags": "V;PST"}
    assert {place.column for place in found.gazes[0].places} == {"lemma", "tags"}


def test_settings_of_the_search(regard, model, model_folder):
    found = Look.from_json(regard("look", model_folder, "abcd", "--set", "method=greedy", "--json").out)
    assert found.text == model.predict("abcd", method="greedy").text
    assert regard("look", model_folder, "abcd", "--beam", 1, "--json").out == found.to_json() + "\n"


@pytest.mark.parametrize(
    ("ending", "begins"), [("svg", b"<"), ("html", b"<!"), ("json", b'{"format":1'), ("SVG", b"<")]
)
def test_into_a_file(regard, model_folder, tmp_path, ending, begins):
    assert regard("look", model_folder, "abc", "--out", f"look.{ending}") == (0, "", "")
    content = (tmp_path / f"look.{ending}").read_bytes()
    assert content.lstrip().startswith(begins)
    assert len(content) > 300


def test_what_json_writes_is_what_a_file_holds(regard, model_folder, tmp_path):
    regard("look", model_folder, "abc", "--out", "look.json")
    assert (tmp_path / "look.json").read_text() == regard("look", model_folder, "abc", "--json").out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["no", "a", "--out", "look.gif"], "cannot draw a look into 'look.gif': its name must end in one of .html"),
        (["no", "a"], "there is no model folder no"),
    ],
)
def test_mistakes(refused, given, said):
    assert refused("look", *given).startswith(said)


def test_a_place_that_cannot_be_written(refused, model_folder):
    said = refused("look", model_folder, "a", "--out", "/dev/null/look.svg")
    assert said.startswith("cannot write '/dev/null/look.svg': ")
