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
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"50 examples, 50 references; {report.counts.right} right;")
    assert f"{report.word_error_rate:.2f}" in done.out


def test_json(regard, report, model_folder, words):
    done = regard("evaluate", model_folder, words, "--json")
    assert Report.model_validate_json(done.out) == report
    assert json.loads(done.out).keys() == Report.model_json_schema()["properties"].keys()


def test_into_a_file_and_as_a_table(regard, report, model_folder, words, tmp_path):
    done = regard("evaluate", model_folder, words, "--out", "report.json")
    assert done.out.startswith("50 examples")
    assert Report.model_validate_json((tmp_path / "report.json").read_text()) == report
    assert regard("evaluate", model_folder, words, "--out", "report.json", "--json").out == ""
    assert regard("evaluate", model_folder, words, "--out", "report.txt") == (0, "", "")
    assert (tmp_path / "report.txt").read_text() == done.out
    assert all(line == line.rstrip() for line in done.out.splitlines())


def test_some_rows(regard, model_folder, tmp_path):
    (tmp_path / "t.tsv").write_text("word\tsounds\tsplit\nab\tA B\tdev\nc\tC\ttest\nd\t\ttest\n")
    done = regard("evaluate", model_folder, "t.tsv", "--where", "split=test", "--json")
    assert json.loads(done.out)["counts"]["examples"] == 1
    assert done.err == "1 rows left out that have nothing to read or to write\n"


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
        (["t.tsv"], "t.tsv has no column 'word': known: a, b"),
        (["t.tsv", "--where", "a"], "--where 'a': expected COLUMN=…"),
        (["t.tsv", "--where", "a=9"], "t.tsv: no row has a=9; a holds, for example, 1, 3"),
    ],
)
def test_mistakes(refused, model_folder, tmp_path, given, said):
    (tmp_path / "t.tsv").write_text("a\tb\n1\t2\n3\t4\n")
    assert refused("evaluate", model_folder, *given) == said


def test_no_such_metric(refused, model_folder, words):
    assert refused("evaluate", model_folder, words, "--metric", "bluu").startswith(
        "unknown metric 'bluu'; did you mean"
    )
