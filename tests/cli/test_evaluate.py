"""regard evaluate: the report as a table and as JSON in the published form."""

import json

import pytest

from regard.api import load
from regard.metrics import Report


@pytest.fixture(scope="module")
def report(model_folder, words):
    return load(model_folder).evaluate(words, say=lambda line: None)


def test_in_the_terminal(regard, report, model_folder, words):
    done = regard("evaluate", model_folder, words)
    said = f"{words}: the first row is a header: word, sounds (--no-header if that is wrong)\n"
    assert (done.code, done.err) == (0, said)
    assert done.out.startswith(f"50 examples, 50 references; {report.counts.right} right;")
    assert f"{report.word_error_rate:.2f}" in done.out


def test_json(regard, report, model_folder, words):
    done = regard("evaluate", model_folder, words, "--json")
    assert Report.model_validate_json(done.out) == report
    assert json.loads(done.out).keys() == Report.model_json_schema()["properties"].keys() - {"looks"}


def test_with_a_check_of_the_looks(regard, model_folder, words):
    whole = load(model_folder).evaluate(words, check_looks={"inputs": 5, "share": 0.5}, say=lambda line: None)
    asked = [
        "evaluate",
        model_folder,
        words,
        "--header",
        "--check-looks",
        "--check-set",
        "inputs=5",
        "--check-set",
        "share=0.5",
    ]
    done = regard(*asked, "--json")
    assert (done.code, done.err) == (0, "")
    assert Report.model_validate_json(done.out) == whole
    assert len(json.loads(done.out)["looks"]) == 1
    shown = regard(*asked).out
    assert "check of the look 'source'" in shown
    assert " ".join(shown.split()).endswith(whole.looks[0].verdict)


def test_settings_of_a_check_that_is_not_asked_for(regard, refused, model_folder, words):
    done = regard("evaluate", model_folder, words, "--header", "--check-set", "inputs=5")
    assert done.err == "has no effect here: --check-set (without --check-looks)\n"
    assert "check of the look" not in done.out
    said = refused("evaluate", model_folder, words, "--check-looks", "--check-set", "inptus=5")
    assert said == "check of looks: unknown key 'inptus'; did you mean 'inputs'?"


def test_into_a_file_and_as_a_table(regard, report, model_folder, words, tmp_path):
    done = regard("evaluate", model_folder, words, "--header", "--out", "report.json")
    assert done.out.startswith("50 examples")
    assert Report.model_validate_json((tmp_path / "report.json").read_text()) == report
    assert regard("evaluate", model_folder, words, "--out", "report.json", "--json").out == ""
    assert regard("evaluate", model_folder, words, "--header", "--out", "report.txt") == (0, "", "")
    assert (tmp_path / "report.txt").read_text() == done.out
    assert all(line == line.rstrip() for line in done.out.splitlines())


def test_some_rows(regard, model_folder, tmp_path):
    (tmp_path / "t.tsv").write_text("word\tsounds\tsplit\nab\tA B\tdev\nc\tC\ttest\nd\t\ttest\n")
    done = regard("evaluate", model_folder, "t.tsv", "--where", "split=test", "--json")
    assert json.loads(done.out)["counts"]["examples"] == 1
    assert done.err.splitlines()[1:] == [
        "t.tsv: 2 of 3 rows have split=test",
        "1 rows left out that have nothing to read or to write",
    ]


def test_a_table_whose_columns_are_called_otherwise(regard, report, model_folder, words, tmp_path):
    rows = words.read_text().splitlines()[1:]
    word, sounds = rows[0].split("\t")
    (tmp_path / "bare.tsv").write_text("\n".join(rows) + "\n")
    done = regard("evaluate", model_folder, "bare.tsv", "--json")
    assert Report.model_validate_json(done.out) == report
    assert done.err.splitlines()[1:] == [
        f"bare.tsv: column 1 ({word}) is read, column 2 ({sounds}) has the answers (--from 1 --to 2 to say so)"
    ]
    turned = ["\t".join(reversed(row.split("\t"))) for row in rows]
    (tmp_path / "turned.tsv").write_text("\n".join(["son\tmot", *turned]) + "\n")
    for asked in (["--from", "mot", "--to", "son"], ["--from", "2", "--to", "1"]):
        done = regard("evaluate", model_folder, "turned.tsv", "--header", *asked, "--json")
        assert (Report.model_validate_json(done.out), done.err) == (report, "")


def test_what_is_not_known(regard, model_folder, tmp_path):
    (tmp_path / "t.tsv").write_text("word\tsounds\nab\tA B\nAB\tA B\nCB\tC B\n")
    done = regard("evaluate", model_folder, "t.tsv", "--json")
    unknown = json.loads(done.out)["unknown"]
    assert (unknown["examples"], unknown["symbols"]) == (2, ["B", "A", "C"])
    assert done.err.splitlines()[-1] == (
        "2 of 3 inputs have symbols that the model does not know: B A C (all: regard inspect TABLE --model MODEL)"
    )
    assert (
        "2 examples have symbols that the model does not know (B A C):" in regard("evaluate", model_folder, "t.tsv").out
    )


def test_parallel_files(regard, model_folder, tmp_path):
    (tmp_path / "t.word").write_text("ab\nab\nc\n")
    (tmp_path / "t.sounds").write_text("A B\nB A\nC\n")
    counts = json.loads(regard("evaluate", model_folder, "t.word", "t.sounds", "--json").out)["counts"]
    assert (counts["examples"], counts["references"]) == (2, 3)


def test_a_search_and_a_further_metric(regard, model_folder, words):
    greedy = load(model_folder).evaluate(words, method="greedy", say=lambda line: None)
    done = regard("evaluate", model_folder, words, "--set", "method=greedy", "--metric", "chrf", "--json")
    assert Report.model_validate_json(done.out) == greedy


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["no.tsv"], "there is no file no.tsv"),
        (["t.tsv", "--header"], "t.tsv has no column 'word': known: a, b; --from COLUMN says which"),
        (
            ["t.tsv", "--header", "--from", "a", "--to", "a"],
            "column 'a' of t.tsv is asked for twice by --from and --to;",
        ),
        (["t.tsv", "--where", "a"], "--where 'a': expected COLUMN=…"),
        (["t.tsv", "--where", "a=9"], "t.tsv: no row has a=9; a holds, for example, 1, 3"),
    ],
)
def test_mistakes(refused, model_folder, tmp_path, given, said):
    (tmp_path / "t.tsv").write_text("a\tb\n1\t2\n3\t4\n")
    assert refused("evaluate", model_folder, *given).startswith(said)


def test_no_such_metric(refused, model_folder, words):
    assert refused("evaluate", model_folder, words, "--metric", "bluu").startswith(
        "unknown metric 'bluu'; did you mean"
    )
