"""regard look: in the terminal, as JSON in the published form, and into files by their ending."""

import json

import pytest

from regard.api import load
from regard.looking import Look
from regard.metrics.trust import to_json


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


def test_what_is_not_known_is_marked_and_said(regard, model_folder, tmp_path):
    done = regard("look", model_folder, "aΩb")
    assert done.err == "the input has symbols that the model does not know: Ω\n"
    marks, heads = done.out.splitlines()[2:4]
    assert marks.index("?") == heads.index("Ω")
    assert done.out.rstrip().endswith("? not known to the model")
    done = regard("look", model_folder, "aΩb", "--json")
    assert [place.unknown for place in Look.from_json(done.out).gazes[0].places] == [False, True, False]
    assert regard("look", model_folder, "aΩb", "--out", "look.svg").err.count("\n") == 1
    assert "not known to the model" in (tmp_path / "look.svg").read_text()


def test_a_table_whose_columns_are_called_otherwise(regard, model, model_folder, tmp_path):
    (tmp_path / "t.tsv").write_text("son\tmot\nA B\tab\n")
    done = regard("look", model_folder, "--file", "t.tsv", "--header", "--from", "mot", "--json")
    assert (Look.from_json(done.out).given, done.err) == ({"word": "ab"}, "")


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


def test_what_if(regard, model, model_folder, tmp_path):
    found = model.what_if("abcd", force={1: 3, 2: 0})
    asked = ["look", model_folder, "abcd", "--force", "1=3", "--force", "source:2=0"]
    done = regard(*asked)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"without: abcd → {found.without.text}\nforced, ")
    assert regard(*asked, "--json").out == found.to_json() + "\n"
    assert regard(*asked, "--out", "look.json") == (0, "", "")
    assert Look.from_json((tmp_path / "look.json").read_text()) == Look.from_json(found.forced.to_json())
    several = regard("look", model_folder, "abcd", "dcba", "--force", "1=0", "--json").out
    assert [one["without"]["given"]["word"] for one in json.loads(several)] == ["abcd", "dcba"]


def test_a_check(regard, model, model_folder, tmp_path):
    (found,) = model.check_looks(["abcd", "dcba"])
    done = regard("look", model_folder, "abcd", "dcba", "--check")
    assert (done.code, done.err) == (0, "")
    assert [line for line in done.out.splitlines() if " → " in line]  # the maps come first
    assert " ".join(done.out.split()).endswith(found.verdict)
    asked = ["look", model_folder, "--check", "--check-set", "share=0.5"]
    (tmp_path / "t.tsv").write_text("word\nabcd\ndcba\n")
    of_file = regard(*asked, "--file", "t.tsv").out
    assert of_file.lstrip().startswith("check of the look 'source', ")  # and those of a table do not
    (half,) = model.check_looks(["abcd", "dcba"], check={"share": 0.5})
    assert regard(*asked, "abcd", "dcba", "--json").out == to_json([half])
    done = regard(*asked, "abcd", "dcba", "--json", "--out", "look.html")
    assert done.out == to_json([half])
    assert (tmp_path / "look.html").exists()


def test_what_cannot_be_checked(regard, refused, model_folder):
    said = refused("look", model_folder, "ab", "--check", "--force", "0=0")
    assert said == "--force and --check were both asked for: take one of them"
    said = refused("look", model_folder, "a", "--check")
    assert said == "there is nothing to check: no input has two places that could be looked at"
    done = regard("look", model_folder, "ab", "--check-set", "seed=1")
    assert done.err == "has no effect here: --check-set (without --check)\n"


def test_what_cannot_be_forced(refused, model_folder):
    assert refused("look", model_folder, "ab", "--force", "0=2") == (
        "place 2 cannot be looked at: 'ab' has 2 places, 0 to 1"
    )
    assert refused("look", "no", "ab", "--force", "0").startswith("--force '0': expected OUTPUT=PLACE such as 3=0")


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


def test_along_an_answer_that_is_given(regard, model, model_folder):
    done = regard("look", model_folder, "abc", "d", "--output", "A  C", "--output", "", "--json")
    assert (done.code, done.err) == (0, "")
    first, second = (Look.from_json(json.dumps(one)) for one in json.loads(done.out))
    assert [(piece.text, piece.span) for piece in first.outputs] == [("A", (0, 1)), ("C", (3, 4)), ("", (4, 4))]
    assert (first.text, second.text, len(second.outputs)) == ("A  C", "", 1)
    own = model.look("abc")
    along = Look.from_json(regard("look", model_folder, "abc", "--output", own.text, "--json").out)
    assert along.log_prob == pytest.approx(own.log_prob, abs=1e-4)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["a", "b", "--output", "A"], "2 inputs and 1 outputs were given: each input needs one"),
        (
            ["a", "--output", "A", "--beam", "3"],
            "with --output nothing is searched for: leave out --beam, --set, --force and --check",
        ),
    ],
)
def test_mistakes_with_an_answer(refused, model_folder, given, said):
    assert refused("look", model_folder, *given) == said
