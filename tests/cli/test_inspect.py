"""regard inspect: a table in the published form, what a model does not know of it, and a model."""

import json

from regard.api import load
from regard.data.surveyed import Survey
from regard.description import Description, describe


def test_a_table(regard, words):
    done = regard("inspect", words)
    assert done.code == 0
    assert "word" in done.out
    assert "the first row is a header: word, sounds" in done.err


def test_a_table_as_json(regard, words, tmp_path):
    done = regard("inspect", words, "--json")
    found = Survey.model_validate_json(done.out)
    assert [(column.name, column.role) for column in found.columns] == [("word", "source"), ("sounds", "target")]
    assert regard("inspect", words, "--json", "--out", "a.json").out == ""
    assert (tmp_path / "a.json").read_text() == done.out
    assert regard("inspect", words, "--out", "a.txt").out == ""
    assert (tmp_path / "a.txt").read_text() == regard("inspect", words).out


def test_what_is_asked_for_is_used(regard, words):
    done = regard("inspect", words, "--json", "--from", "sounds", "--to", "1", "--unit", "sounds=word")
    columns = {column["name"]: column for column in json.loads(done.out)["columns"]}
    assert (columns["sounds"]["role"], columns["sounds"]["unit"], columns["word"]["role"]) == (
        "source",
        "word",
        "target",
    )


def test_what_a_model_does_not_know_of_a_table(regard, model_folder, tmp_path):
    (tmp_path / "t.tsv").write_text("word\tsounds\nab\tA B\naé\tA É\ncé\tC\n")
    found = json.loads(regard("inspect", "t.tsv", "--model", model_folder, "--json").out)
    text = json.dumps(found["unknown"], ensure_ascii=False)
    assert '"é"' in text
    assert '"É"' in text
    assert '"a"' not in text
    assert "é" in regard("inspect", "t.tsv", "--model", model_folder).out


def test_a_table_whose_columns_are_called_otherwise(regard, model_folder, tmp_path):
    (tmp_path / "t.tsv").write_text("ab\tA B\naé\tA\ncé\tC\n")
    done = regard("inspect", "t.tsv", "--no-header", "--model", model_folder, "--json")
    found = {one["column"]: one["rows"] for one in json.loads(done.out)["unknown"]}
    assert found == {"1": 2, "2": 0}
    assert "t.tsv: column 1 (ab) is read, column 2 (A B) has the answers (--from 1 --to 2 to say so)" in done.err
    (tmp_path / "u.tsv").write_text("son\tmot\nA\té\n")
    asked = ["--header", "--from", "mot", "--to", "son", "--model", model_folder, "--json"]
    done = regard("inspect", "u.tsv", *asked)
    assert {one["column"]: one["rows"] for one in json.loads(done.out)["unknown"]} == {"mot": 1, "son": 0}
    done = regard("inspect", "u.tsv", "--header", "--model", model_folder)
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        "regard: u.tsv has no column 'word': known: mot, son; --from COLUMN says which"
    )


def test_a_model(regard, model_folder, tmp_path):
    done = regard("inspect", model_folder)
    found = describe(load(model_folder).answerer)
    assert (done.code, done.err) == (0, "")
    assert f"{found.parameters:,} parameters" in done.out
    assert "Reads word and writes sounds." in done.out  # its card
    assert "Configuration" not in done.out
    assert done.out.index("Reads word") < done.out.index("numbers")  # the card first, then the tensors
    assert regard("inspect", model_folder, "--out", "m.txt") == (0, "", "")
    assert (tmp_path / "m.txt").read_text() == done.out


def test_a_model_as_json(regard, model_folder, tmp_path):
    done = regard("inspect", model_folder, "--json")
    assert Description.model_validate_json(done.out) == describe(load(model_folder).answerer)
    assert regard("inspect", model_folder, "--out", "m.json").out.count(" parameters") == 2
    assert (tmp_path / "m.json").read_text() == done.out


def test_mistakes(refused, model_folder, words, tmp_path):
    assert refused("inspect", "no.tsv") == "there is no file no.tsv"
    assert refused("inspect", tmp_path) == f"{tmp_path} is a folder and no model: it has no config.toml"
    assert "is a folder" in refused("inspect", model_folder, words)


def test_no_such_model_beside_a_table(regard, words):
    done = regard("inspect", words, "--model", "no")
    assert (done.code, done.out, done.err.splitlines()[-1]) == (2, "", "regard: there is no model folder no")
