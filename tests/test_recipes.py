"""Recipes: each builds a configuration in which everything has an effect, and says what it is in its first line."""

import tomllib

import pytest

from regard import recipes
from regard.config import compose, idle_settings
from regard.errors import RegardError

NAMES = recipes.names()


class Point:
    """An entry point, as a package of somebody's would have."""

    def __init__(self, name, path):
        self.name, self.path = name, path

    def load(self):
        return self.path


@pytest.fixture
def installed(monkeypatch, tmp_path):
    path = tmp_path / "theirs.toml"
    path.write_text('# Somebody\'s own.\n\nconditioning = "first"\n', encoding="utf-8")
    points = [Point("somebodys", path), Point("pronounce", path)]

    def entry_points(group, name=None):
        assert group == "regard.recipes"
        return [point for point in points if name in (None, point.name)]

    monkeypatch.setattr(recipes, "entry_points", entry_points)


def test_ours():
    assert {"pronounce", "transliterate", "inflect", "translate", "language-model"} <= {*NAMES}
    assert sorted(NAMES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_builds_and_all_of_it_has_an_effect(name):
    config = compose(recipes.load(name))
    assert idle_settings(config) == []
    assert config.recipe == name


@pytest.mark.parametrize("name", NAMES)
def test_the_head_says_what_it_is_and_how_to_use_it(name):
    head = recipes.text(name).partition("\n\n")[0]
    assert all(line.startswith("#") for line in head.splitlines())
    assert recipes.summary(name).endswith(".")
    assert len(recipes.summary(name)) > 20
    assert f"--recipe {name} " in head


def test_what_makes_them_differ():
    kinds = {name: compose(recipes.load(name)) for name in NAMES}
    assert kinds["language-model"].encoders == {}
    for name, config in kinds.items():
        assert bool(config.looks) is not (name == "language-model" or name.endswith(("-first", "-every"))), name
    assert kinds["transliterate-every"].decoder.feed == ("summary.source",)
    assert kinds["translate"].decoder.readout_layer == "maxout"


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("# Mine.\n\n[decoder]\ncell = 'gru'\n", encoding="utf-8")
    assert recipes.load(str(path)) == {"decoder": {"cell": "gru"}, "recipe": "mine"}
    assert recipes.summary(str(path)) == "Mine."


def test_a_file_without_a_head_has_no_summary(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("conditioning = 'first'\n", encoding="utf-8")
    assert recipes.summary(str(path)) == ""


def test_an_installed_one(installed):
    assert "somebodys" in recipes.names()
    assert recipes.load("somebodys") == {"conditioning": "first", "recipe": "somebodys"}
    assert recipes.summary("somebodys") == "Somebody's own."


def test_nobody_takes_over_a_name_of_ours(installed):
    assert recipes.names().count("pronounce") == 1
    assert tomllib.loads(recipes.text("pronounce")) == {"conditioning": "attend"}


def test_no_such_recipe(tmp_path):
    with pytest.raises(RegardError) as error:
        recipes.load("pronunce")
    assert str(error.value) == "no recipe and no readable file is called 'pronunce'; did you mean 'pronounce'?"
    with pytest.raises(RegardError, match="no recipe and no readable file is called"):
        recipes.load(str(tmp_path))


def test_files_that_are_no_recipe(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(RegardError, match="no recipe and no readable file is called"):
        recipes.load(str(path))
    path.write_text("conditioning = \n")
    with pytest.raises(RegardError) as error:
        recipes.load(str(path))
    assert str(error.value).startswith(f"the recipe {path} is not TOML: ")
    assert "line 1" in str(error.value)
