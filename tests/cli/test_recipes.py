"""regard recipes: listed, shown, and copied to be edited."""

from regard import recipes


def test_a_line_each(regard):
    done = regard("recipes")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines] == recipes.names()
    assert all(line.endswith(recipes.summary(line.split()[0])) for line in lines)


def test_one_in_full(regard):
    assert regard("recipes", "show", "pronounce") == (0, recipes.text("pronounce"), "")


def test_one_to_edit(regard, refused, tmp_path):
    assert regard("recipes", "copy", "inflect") == (0, "", "")
    assert (tmp_path / "inflect.toml").read_text() == recipes.text("inflect")
    assert refused("recipes", "copy", "inflect") == "inflect.toml exists; choose another --out"
    assert regard("recipes", "copy", "inflect", "--out", "mine.toml").code == 0
    assert (tmp_path / "mine.toml").read_text() == recipes.text("inflect")
    assert refused("recipes", "copy", "inflect", "--out", "no/mine.toml").startswith("cannot write no/mine.toml")


def test_no_such_recipe(regard, refused, tmp_path):
    for verb in ("show", "copy"):
        assert refused("recipes", verb, "inflct").endswith("did you mean 'inflect'?")
    assert list(tmp_path.iterdir()) == []
    done = regard("recipes", "list")
    assert (done.code, done.out) == (2, "")
    assert "No such command 'list'" in done.err
