"""regard recipes: listed, shown, and copied to be edited."""

from regard import recipes


def test_a_line_each(regard):
    done = regard("recipes")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines] == recipes.names()
    assert all(line.endswith(recipes.summary(line.split()[0])) for line in lines)
    assert regard("recipes", "list") == done


def test_one_in_full(regard):
    assert regard("recipes", "show", "pronounce") == (0, recipes.text("pronounce"), "")


def test_one_to_edit(regard, refused, tmp_path):
    said = "written: inflect.toml; edit it, and train with --recipe inflect.toml\n"
    assert regard("recipes", "copy", "inflect") == (0, "", said)
    assert (tmp_path / "inflect.toml").read_text() == recipes.text("inflect")
    assert refused("recipes", "copy", "inflect") == (
        "inflect.toml exists; give another file to write: regard recipes copy inflect FILE"
    )
    for where in (["--out", "mine.toml"], ["my.toml"], ["new/mine.toml"]):
        assert regard("recipes", "copy", "inflect", *where).code == 0
        assert (tmp_path / where[-1]).read_text() == recipes.text("inflect")
    assert refused("recipes", "copy", "inflect", "my.toml/mine.toml").startswith("cannot write my.toml/mine.toml")
    assert refused("recipes", "copy", "inflect", "a.toml", "--out", "b.toml") == (
        "two files to write came, a.toml and --out b.toml; give one of them"
    )


def test_no_such_recipe(regard, refused, tmp_path):
    for verb in ("show", "copy"):
        assert refused("recipes", verb, "inflct").endswith("did you mean 'inflect'?")
    assert list(tmp_path.iterdir()) == []
    done = regard("recipes", "lst")
    assert (done.code, done.out) == (2, "")
    assert "No such command 'lst'" in done.err
