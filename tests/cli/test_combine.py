"""regard combine: an ensemble is made where nothing was, or not at all."""

import pytest


def test_two_models(regard, model_folder, other_folder, tmp_path):
    done = regard("combine", model_folder, other_folder, "--out", "both")
    assert done == (0, "", "both: 2 models, their probabilities averaged\n")
    assert sorted(path.name for path in (tmp_path / "both").iterdir()) == ["config.toml", "members"]
    for verb in (["predict", "both", "abc"], ["look", "both", "abc"], ["inspect", "both"]):
        done = regard(*verb)
        assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("other", ["no", "tagged"])
def test_what_does_not_go_together(refused, model_folder, tagged_folder, tmp_path, other):
    folder = tagged_folder if other == "tagged" else tmp_path / "no"
    said = refused("combine", model_folder, folder, "--out", "both")
    assert said.startswith(f"{folder} reads or writes" if other == "tagged" else f"there is no model folder {folder}")
    assert not (tmp_path / "both").exists()


def test_nothing_is_written_over(refused, model_folder):
    assert refused("combine", model_folder, "--out", model_folder).startswith(f"{model_folder} exists and is not empty")


def test_a_place_is_needed(regard, model_folder):
    done = regard("combine", model_folder)
    assert (done.code, done.out) == (2, "")
    assert "Missing option '--out'" in done.err
