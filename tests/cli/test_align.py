"""regard align: links as lines and as JSON, measured against both forms of true links, and each mistake in one line."""

import json

import pytest

from regard.aligning import AlignedPair
from regard.api import load, train
from regard.data.links import from_cells
from regard.errors import RegardError
from regard.metrics.alignment import AlignmentReport, measure

ROWS = [("ab cd", "C D A B", "0-1 1?0"), ("d", "D", "0-0"), ("", "A", ""), ("a b", "A", "0-0")]
WPT = "1 1 2 S\n1 2 1 P\n2 1 1\n4 1 1 S\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("word\tsounds\tlinks\n" + "".join("\t".join(row) + "\n" for row in ROWS), encoding="utf-8")
    (tmp_path / "gold.wpt").write_text(WPT)
    return path


@pytest.fixture(scope="module")
def backwards(words, tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "backwards"
    train(words, out=folder, source="sounds", target="word", settings=tiny, say=lambda line: None)
    return folder


@pytest.fixture
def found(model_folder, table):
    return load(model_folder).align(table).pairs


def test_a_line_a_pair(regard, found, model_folder, table, tmp_path):
    done = regard("align", model_folder, table)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [str(pair) for pair in found]
    assert done.out.splitlines()[2] == ""
    assert all(pair.split("-")[0] in "01" for pair in done.out.splitlines()[0].split())
    assert len(found[0].links) == 4  # each target word has one
    assert regard("align", model_folder, table, "--out", "links.txt") == (0, "", "")
    assert (tmp_path / "links.txt").read_text() == done.out


def test_json(regard, found, model_folder, table):
    lines = regard("align", model_folder, table, "--json").out.splitlines()
    assert [AlignedPair.model_validate_json(line) for line in lines] == found
    assert json.loads(lines[0]).keys() == AlignedPair.model_json_schema()["properties"].keys()


@pytest.mark.parametrize("gold", [["--gold", "gold.wpt"], ["--gold-column", "links"], ["--gold-column", "3"]])
def test_measured(regard, found, model_folder, table, tmp_path, gold):
    true = from_cells([row[2] for row in ROWS], [(2, 4), (1, 1), (0, 1), (2, 1)], str)
    report = measure([pair.links for pair in found], true)
    done = regard("align", model_folder, table, *gold, "--json", "--out", "links.jsonl")
    assert AlignmentReport.model_validate_json(done.out) == report
    assert {"aer", "precision", "recall"} < json.loads(done.out).keys()
    assert report.counts.pairs == 3
    assert len((tmp_path / "links.jsonl").read_text().splitlines()) == 4
    done = regard("align", model_folder, table, *gold, "--out", "links.txt")
    assert f"{report.aer:.2f}" in done.out
    assert (tmp_path / "links.txt").read_text() == "".join(f"{pair}\n" for pair in found)
    assert regard("align", model_folder, table, *gold).out == done.out


def test_parallel_files_and_a_threshold(regard, found, model_folder, tmp_path):
    (tmp_path / "t.word").write_text("".join(f"{row[0]}\n" for row in ROWS))
    (tmp_path / "t.sounds").write_text("".join(f"{row[1]}\n" for row in ROWS))
    done = regard("align", model_folder, "t.word", "t.sounds")
    assert done.out.splitlines() == [str(pair) for pair in found]
    everything = regard("align", model_folder, "t.word", "t.sounds", "--threshold", 1e-9).out.splitlines()
    assert everything[0] == "0-0 0-1 0-2 0-3 1-0 1-1 1-2 1-3"


def test_by_the_look_of_the_next_step(regard, model_folder, table):
    lines = regard("align", model_folder, table, "--step", "next").out.splitlines()
    assert lines == [str(pair) for pair in load(model_folder).align(table, step="next").pairs]
    assert regard("align", model_folder, table, "--step", "own").out == regard("align", model_folder, table).out


def test_two_directions(regard, model_folder, backwards, table):
    forwards = [set(line.split()) for line in regard("align", model_folder, table).out.splitlines()]
    back = [
        {"-".join(reversed(link.split("-"))) for link in line.split()}
        for line in regard("align", backwards, table).out.splitlines()
    ]
    for options, expected in (
        ([], [ours & theirs for ours, theirs in zip(forwards, back, strict=True)]),
        (["--symmetry", "union"], [ours | theirs for ours, theirs in zip(forwards, back, strict=True)]),
    ):
        lines = regard("align", model_folder, table, "--reverse", backwards, *options).out.splitlines()
        assert [set(line.split()) for line in lines] == expected


def test_links_that_name_the_written_words_first(regard, model_folder, backwards, table):
    """The same gold for a model of the other direction."""
    plain = regard("align", model_folder, table, "--gold-column", "links", "--reverse", backwards, "--json").out
    other = ["align", backwards, table, "--reverse", model_folder, "--swap", "--json"]
    assert regard(*other, "--gold-column", "links").out == regard(*other, "--gold", "gold.wpt").out == plain


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["no.tsv"], "there is no file no.tsv"),
        (["pairs.tsv", "--gold", "no.wpt"], "there is no file no.wpt"),
        (["pairs.tsv", "--gold-column", "lonks"], "pairs.tsv has no column 'lonks': did you mean 'links'?"),
        (["pairs.tsv", "--gold-column", "word"], "pairs.tsv, line 2: 'ab' is no link; links are written as 0-0 1-2"),
        (["bad.tsv", "--gold-column", "links", "--swap"], "bad.tsv, line 2: the link 0-1 is out of range: target word"),
        (["bad.tsv", "--gold-column", "links"], "bad.tsv, line 3: the link 0-9 is out of range: target word 9, but"),
        (["pairs.tsv", "--gold", "bad.wpt"], "bad.wpt, line 2: the link 1 5 is out of range: target word 5, but they"),
        (["pairs.tsv", "--gold", "gold.wpt", "--gold-column", "links"], "true links came both as a file and as a col"),
        (["pairs.tsv", "--look", "sauce"], "this model has no look 'sauce'; did you mean 'source'?"),
        (["pairs.tsv", "--threshold", "2"], "threshold is 2.0, but a share of the weight is above 0 and at most 1"),
        (["pairs.tsv", "--where", "links=1-1"], "pairs.tsv: no row has links=1-1; links holds, for example, "),
        (["ragged.tsv", "--gold", "gold.wpt"], "ragged.tsv: 1 rows are left out (line 3 first), so that sentence"),
    ],
)
def test_mistakes(refused, model_folder, table, tmp_path, given, said):
    (tmp_path / "bad.tsv").write_text("word\tsounds\tlinks\nab\tA B\t0-1\na\tA\t0-9\n")
    (tmp_path / "bad.wpt").write_text("1 1 1 S\n1 1 5 S\n")
    (tmp_path / "ragged.tsv").write_text("word\tsounds\n" + "ab\tA\n" + "ab\n" + "ab\tA\n" * 20)
    assert refused("align", model_folder, *given).startswith(said)


def test_a_reverse_of_something_else(refused, model_folder, tagged_folder, table):
    said = refused("align", model_folder, table, "--reverse", tagged_folder)
    assert said == (
        "the reverse of a model word → sounds reads 'sounds' alone and writes 'word':"
        f" <TrainedModel lemma + tags → form, {tagged_folder}> does not"
    )


def test_from_python(model_folder, table):
    model = load(model_folder)
    both = model.align(table, gold_column="links", where={"links": "0-0"})
    assert len(both.pairs) == both.report.counts.pairs == 2
    assert str(both) == "".join(f"{pair}\n" for pair in both.pairs)
    with pytest.raises(RegardError, match="nothing to measure: none of 1 pairs"):
        model.align(table, gold_column="links", where={"links": ""})
