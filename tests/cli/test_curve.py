"""regard curve: a table of halves, and the same as JSON."""

from regard.curve import Curve

from .test_train import SET


def test_a_curve(regard, words):
    done = regard("curve", words, "--halvings", 1, *SET)
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines() if line.strip()][2:] == ["22", "45", "90"]
    assert "a guess:" in done.out
    assert [line for line in done.err.splitlines() if line.endswith(" rows")] == ["22 rows", "45 rows"]


def test_json(regard, words, tmp_path):
    done = regard("curve", words, "--halvings", 1, "--json", "--quiet", *SET)
    assert (done.code, done.err) == (0, "")
    found = Curve.model_validate_json(done.out)
    assert [point.rows for point in found.points] == [22, 45]
    into = regard("curve", words, "--halvings", 1, "--out", "c.json", "--quiet", *SET)
    assert Curve.model_validate_json((tmp_path / "c.json").read_text()) == found
    assert "word error" in into.out
    assert regard("curve", words, "--halvings", 1, "--out", "c.txt", "--quiet", *SET) == (0, "", "")
    assert (tmp_path / "c.txt").read_text() == into.out


def test_mistakes(regard, refused, words):
    assert refused("curve") == "a table is needed, such as words.tsv"
    assert refused("curve", "no.tsv").startswith("there is no file ")
    assert regard("curve", words, "--halvings", 0).code == 2
    assert regard("curve", words, "--halvings", 9, *SET).err.splitlines()[-1] == (
        "regard: 45 rows cannot be halved 9 times; ask for fewer halvings"
    )
