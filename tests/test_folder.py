"""The model folder: it comes back as it was, what is wrong with one is told by the file, and nothing in it is run."""

import copy
import json
import pickle
import shutil
import tomllib

import pytest
import torch
from safetensors.torch import load_file, save_file

from regard.config import FORMAT
from regard.data.columns import column_path
from regard.errors import RegardError
from regard.folder import combine, is_model, must_be_free, read, read_folder_config, write_config, write_weights
from regard.toml import dumps

WORDS = ["ab", "dcba", "a", "", "abcdabcd", "x"]


def asked(folder):
    answers = read(folder).answers({"word": WORDS})
    return [(one.text, one.log_prob, one.look) for ranked in answers for one in ranked]


def refused(call, *arguments):
    with pytest.raises(RegardError) as error:
        call(*arguments)
    said = str(error.value)
    assert "\n" not in said
    return said


@pytest.fixture
def folder(model_folder, tmp_path):
    """A copy that may be damaged."""
    shutil.copytree(model_folder, tmp_path / "m")
    return tmp_path / "m"


def change(path, *keys, to):
    """Another value in a TOML or JSON file; `to` ... takes the key out."""
    text = path.read_text(encoding="utf-8")
    table = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    room = table
    for key in keys[:-1]:
        room = room[key]
    if to is ...:
        del room[keys[-1]]
    else:
        room[keys[-1]] = to
    path.write_text(dumps(table) if path.suffix == ".toml" else json.dumps(table), encoding="utf-8")


# -- round trip ----------------------------------------------------------------------------------------------------


def test_what_it_holds(model_folder):
    files = sorted(path.relative_to(model_folder).as_posix() for path in model_folder.rglob("*") if path.is_file())
    assert files == [
        "README.md", "columns/sounds.json", "columns/word.json", "config.toml", "training.jsonl", "weights.safetensors",
    ]  # fmt: skip


def test_a_model_written_again_is_the_same(model_folder, tmp_path):
    answerer = read(model_folder)
    write_config(tmp_path / "again", answerer.config, answerer.columns)
    write_weights(tmp_path / "again", answerer.models[0], {"epoch": 3})
    assert asked(tmp_path / "again") == asked(model_folder)
    for name in ("config.toml", "columns/word.json", "columns/sounds.json"):
        assert (tmp_path / "again" / name).read_bytes() == (model_folder / name).read_bytes()
    assert read_folder_config(tmp_path / "again") == (answerer.config, 0)


def test_a_moved_folder_answers_the_same(model_folder, folder):
    for name in ("README.md", "training.jsonl"):
        (folder / name).unlink()
    assert asked(folder) == asked(model_folder)


def test_the_model_is_for_answering(model_folder):
    (model,) = read(model_folder).models
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())


def test_weights_are_told_with_what_was_measured(model_folder):
    from safetensors import safe_open

    with safe_open(model_folder / "weights.safetensors", "pt") as file:
        assert file.metadata()["best"] == "True"
        assert float(file.metadata()["dev_loss"]) > 0
    assert {tensor.dtype for tensor in load_file(model_folder / "weights.safetensors").values()} == {torch.float32}


@pytest.mark.parametrize("name", ["a/b", "../x", "CON", "Größe", "", " ", "a" * 300, "x\ny"])
def test_a_column_of_any_name_has_a_file_within_the_folder(tmp_path, name):
    path = column_path(tmp_path, name)
    assert path.parent == tmp_path / "columns"
    assert len(path.name) < 100
    assert column_path(tmp_path, name + "!") != path


# -- nothing is pickled, nothing is run ----------------------------------------------------------------------------


def test_nothing_is_pickled(model_folder):
    for path in (path for path in model_folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        assert not content.startswith((b"\x80", b"PK"))  # a pickle; torch's archive of pickles
        if path.suffix != ".safetensors":
            content.decode()


class Bomb:
    """Its unpickling is noticed."""

    went_off = False

    def __reduce__(self):
        return (setattr, (Bomb, "went_off", True))


@pytest.mark.parametrize("write", [torch.save, lambda bomb, path: path.write_bytes(pickle.dumps(bomb))])
def test_weights_that_are_a_pickle_are_refused_and_not_run(folder, write):
    write({"w": Bomb()}, folder / "weights.safetensors")
    assert refused(read, folder).startswith(f"{folder}/weights.safetensors is damaged (")
    assert not Bomb.went_off


# -- what is missing or damaged ------------------------------------------------------------------------------------


def test_no_folder(tmp_path):
    assert refused(read, tmp_path / "no") == f"there is no model folder {tmp_path}/no"
    (tmp_path / "file").write_text("")
    assert refused(read, tmp_path / "file") == f"there is no model folder {tmp_path}/file"
    assert refused(read, tmp_path) == f"{tmp_path} is not a model: it has no config.toml"
    assert not is_model(tmp_path)


def test_a_missing_column(folder):
    (folder / "columns" / "word.json").unlink()
    assert refused(read, folder) == f"{folder}/columns/word.json is missing: the model has no column 'word'"


def test_missing_weights(folder):
    (folder / "weights.safetensors").unlink()
    assert refused(read, folder) == (
        f"{folder}/weights.safetensors is missing: training was stopped before its first evaluation; go on with"
        f" regard.go_on('{folder}')"
    )


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b'{"version": 1}', b"null"])
def test_a_damaged_column(folder, content):
    (folder / "columns" / "sounds.json").write_bytes(content)
    assert refused(read, folder) == (
        f"{folder}/columns/sounds.json is not a model's column: the model's folder is damaged; copy it again"
    )


@pytest.mark.parametrize(
    ("key", "to"),
    [("longest", "x"), ("longest", 1.5), ("end", "x"), ("unit", "x"), ("unit", []), ("written", "NFX"), ("restore", 3),
     ("separators", [1]), ("decomposed", 0), ("tokenizer", {}), ("tokenizer", ...), ("name", 3)],
)  # fmt: skip
def test_a_column_that_holds_something_else(folder, key, to):
    change(folder / "columns" / "word.json", key, to=to)
    assert refused(read, folder).startswith(f"{folder}/columns/word.json is not a model's column")


def test_a_newer_column(folder):
    change(folder / "columns" / "word.json", "version", to=99)
    assert refused(read, folder) == (
        f"{folder}/columns/word.json was written by a newer Regard (version 99): install that one"
    )


@pytest.mark.parametrize("length", [0, 7, 1000])
def test_weights_cut_short(folder, length):
    path = folder / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:length])
    assert refused(read, folder).startswith(f"{path} is damaged (")


@pytest.mark.parametrize(
    ("content", "said"), [(b"a = ", "Invalid value"), (b"\xff", "utf-8"), (b"a = 1\na = 2\n", "line 2")]
)
def test_a_damaged_configuration(folder, content, said):
    (folder / "config.toml").write_bytes(content)
    found = refused(read, folder)
    assert found.startswith(f"{folder}/config.toml is damaged: ")
    assert said in found


@pytest.mark.parametrize(
    ("keys", "to", "said"),
    [
        (["format"], FORMAT + 1, f": this model has format {FORMAT + 1}, and this Regard reads"),
        (["members"], "x", " is damaged: members = 'x', where a number was expected"),
        (["members"], True, " is damaged: members = True, where a number was expected"),
        (["members"], -1, " is damaged: members = -1, where a number was expected"),
        (["training", "epoch"], 3, ": configuration, training: unknown key 'epoch'; did you mean 'epochs'?"),
        (["decoder", "hidden"], "x", ": configuration, decoder.hidden: input should be a valid integer"),
        (["looks", "source", "score", "type"], "theirs", ": configuration, looks.source.score: unknown score 'theirs'"),
        (["decoder", "writes"], "other", " is damaged: [data] has no column 'other', which [decoder] names"),
        (["decoder", "writes"], ..., " is damaged: [decoder] names no column"),
        (["encoders", "source", "reads"], [], " is damaged: [encoders.source] names no column"),
        (["data", "sources"], [], " is damaged: [data] has no column 'word', which [encoders.source] names"),
        (["data"], ..., " is damaged: [data] has no column 'word', which [encoders.source] names"),
    ],
)  # fmt: skip
def test_a_configuration_that_does_not_go(folder, keys, to, said):
    change(folder / "config.toml", *keys, to=to)
    assert refused(read, folder).startswith(f"{folder}/config.toml{said}")


def test_tensors_that_do_not_fit(folder):
    path = folder / "weights.safetensors"
    whole = load_file(path)
    name = "decoder.emission.output.bias"
    save_file({key: value for key, value in whole.items() if key != name}, path)
    assert refused(read, folder) == (
        f"{path} does not fit its config.toml: {name} is in one of them only; copy the folder again"
    )
    save_file(whole | {"another": torch.zeros(1)}, path)
    assert ": another is in one of them only" in refused(read, folder)
    save_file(whole | {name: torch.zeros(3)}, path)
    assert refused(read, folder) == (
        f"{path} does not fit its config.toml: {name} is (3,) where (8,) was expected; copy the folder again"
    )


def test_any_value_in_the_configuration_is_read_or_refused_in_one_line(folder):
    path = folder / "config.toml"
    whole = tomllib.loads(path.read_text(encoding="utf-8"))

    def places(table, above=()):
        for key, inner in table.items():
            yield (*above, key)
            if isinstance(inner, dict):
                yield from places(inner, (*above, key))

    for keys in places(whole):
        for odd in (..., "x"):
            path.write_text(dumps(copy.deepcopy(whole)), encoding="utf-8")
            change(path, *keys, to=odd)
            try:
                read(folder)
            except RegardError as error:
                said = str(error)
            else:
                continue
            assert str(folder) in said, (keys, odd)
            assert "\n" not in said, (keys, odd)


# -- ensembles -----------------------------------------------------------------------------------------------------


def test_an_ensemble_of_ensembles_is_flat(model_folder, other_folder, tmp_path):
    combine([model_folder, other_folder], tmp_path / "two")
    combine([tmp_path / "two", model_folder], tmp_path / "three")
    members = tmp_path / "three" / "members"
    assert sorted(path.name for path in members.iterdir()) == ["1", "2", "3"]
    for number, origin in (("1", model_folder), ("2", other_folder), ("3", model_folder)):
        for name in ("config.toml", "weights.safetensors", "columns/word.json"):
            assert (members / number / name).read_bytes() == (origin / name).read_bytes()
        assert not (members / number / "members").exists()
    config, count = read_folder_config(tmp_path / "three")
    assert (config, count) == (read_folder_config(model_folder)[0], 3)
    assert len(read(tmp_path / "three").models) == 3


def test_an_ensemble_of_one_answers_as_that_one(model_folder, tmp_path):
    combine([model_folder], tmp_path / "one")
    assert asked(tmp_path / "one") == asked(model_folder)


def test_how_an_ensemble_searches_is_its_own(model_folder, tmp_path):
    combine([model_folder], tmp_path / "one")
    change(tmp_path / "one" / "config.toml", "search", "beam", to=2)
    assert read(tmp_path / "one").config.search.beam == 2


def test_a_member_that_is_missing(model_folder, tmp_path):
    combine([model_folder, model_folder], tmp_path / "two")
    shutil.rmtree(tmp_path / "two" / "members" / "2")
    assert refused(read, tmp_path / "two") == f"there is no model folder {tmp_path}/two/members/2"


def test_what_cannot_be_combined(model_folder, tagged_folder, folder, tmp_path):
    out = tmp_path / "out"
    assert refused(combine, [], out) == "nothing to combine: give the folders of some models"
    assert refused(combine, [model_folder, tmp_path / "no"], out) == f"there is no model folder {tmp_path}/no"
    assert refused(combine, [model_folder, tagged_folder], out) == (
        f"{tagged_folder} reads or writes other columns than {model_folder}: they cannot be combined"
    )
    change(folder / "columns" / "word.json", "longest", to=99)
    assert refused(combine, [model_folder, folder], out) == (
        f"{folder} and {model_folder} do not read the same symbols (word): train them on the same rows,"
        " for example with regard.api.train_seeds"
    )
    (folder / "weights.safetensors").write_bytes(b"")
    assert "weights.safetensors is damaged" in refused(combine, [model_folder, folder], out)
    assert refused(combine, [model_folder], model_folder).startswith(f"{model_folder} exists and is not empty")
    assert not out.exists()


# -- nothing is written over ---------------------------------------------------------------------------------------


def test_a_place_must_be_free(model_folder, tmp_path):
    must_be_free(tmp_path / "new")
    must_be_free(tmp_path)
    (tmp_path / "file").write_text("x")
    assert refused(must_be_free, tmp_path) == f"{tmp_path} exists and is not empty; choose another folder"
    assert refused(must_be_free, tmp_path / "file").startswith(f"{tmp_path}/file exists")
    assert refused(must_be_free, model_folder).endswith(f", or go on with regard.go_on('{model_folder}')")
