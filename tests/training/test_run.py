"""The state of a run on disk: whole or not at all, of this table only, gone when it is done with."""

import pytest
import torch
from safetensors.torch import save_file

from regard.errors import RegardError
from regard.files import write_atomically
from regard.training import run as module
from regard.training.loop import update
from regard.training.optimiser import make_optimiser
from regard.training.run import Progress, Run


@pytest.fixture(scope="module")
def plan(toy):
    return toy.plan()


def begun(toy, plan, updates=2, seed=1):
    run = toy.run_of(plan, seed)
    for number, batch in zip(range(updates), plan.train.shuffled(60.0, 8, 1, 0), strict=False):
        update(run, batch, plan.config.training, share=0.2 + number / 10)
    return run


def file_of(folder):
    return folder / "training" / "state.safetensors"


def test_all_of_it_comes_back(toy, plan, tmp_path):
    first = begun(toy, plan)
    first.progress = Progress(
        epoch=1, batch=2, update=7, checked=5, since=(1.5, 2.0, 3.0), since_seconds=0.1, seen=16, seconds=0.3,
        best=(-50.0, -1.25), best_epoch=1.0, stale=1, metrics={"word_error_rate": 50.0},
    )  # fmt: skip
    first.save(tmp_path)
    expected, drawn = toy.state(first), torch.rand(3)
    second = begun(toy, plan, updates=1, seed=2)
    assert toy.differing(toy.state(second), expected)
    second.restore(tmp_path)
    assert toy.differing(toy.state(second), expected) == []
    assert torch.equal(torch.rand(3), drawn)
    assert second.progress == first.progress
    assert second.average.updates == 2


def test_before_the_first_update(toy, plan, tmp_path):
    toy.run_of(plan).save(tmp_path)
    run = begun(toy, plan, updates=0, seed=2)
    run.restore(tmp_path)
    assert run.progress == Progress()
    assert not run.optimiser.state
    assert toy.differing(toy.state(run), toy.state(toy.run_of(plan))) == []


def test_what_is_shared_is_written_once(toy, tmp_path):
    plan = toy.plan("tied=true", "share=source", "two_way=false")
    first = begun(toy, plan)
    first.save(tmp_path)
    second = begun(toy, plan, updates=0, seed=2)
    second.restore(tmp_path)
    assert toy.differing(first.model.tensors(), second.model.tensors()) == []
    decoder = second.model.decoder
    assert decoder.emission.output.weight is decoder.embedding.table.weight


def test_frozen_parts_have_no_state(toy, plan, tmp_path):
    made = begun(toy, plan, updates=0)
    made.model.encoders.requires_grad_(False)
    first = Run(made.model, made.average, make_optimiser(made.model, plan.config.training), plan.fingerprint)
    update(first, next(plan.train.ordered(60.0)), plan.config.training, share=0.2)
    first.save(tmp_path)
    second = begun(toy, plan, updates=0, seed=2)
    second.restore(tmp_path)
    encoders = {id(part) for part in second.model.encoders.parameters()}
    assert not encoders & {id(part) for part in second.optimiser.state}
    assert toy.differing(first.model.tensors(), second.model.tensors()) == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "header too small"),
        (b"not one at all, whatever its name says", "header"),
        (None, "No such file"),
    ],
)
def test_a_damaged_state(toy, plan, tmp_path, content, why):
    file_of(tmp_path).parent.mkdir()
    if content is not None:
        file_of(tmp_path).write_bytes(content)
    with pytest.raises(RegardError) as error:
        toy.run_of(plan).restore(tmp_path)
    said = str(error.value)
    assert said.startswith(f"{file_of(tmp_path)} is damaged (")
    assert said.endswith("): train anew")
    assert why.casefold() in said.casefold()


def test_a_state_cut_short(toy, plan, tmp_path):
    toy.run_of(plan).save(tmp_path)
    whole = file_of(tmp_path).read_bytes()
    file_of(tmp_path).write_bytes(whole[:-10])
    with pytest.raises(RegardError, match=r"state\.safetensors is damaged \(.*\): train anew$"):
        toy.run_of(plan).restore(tmp_path)


@pytest.mark.parametrize("facts", [None, {}, {"facts": "{"}])
def test_tensors_of_something_else(toy, plan, tmp_path, facts):
    file_of(tmp_path).parent.mkdir()
    save_file({"a": torch.zeros(1)}, file_of(tmp_path), facts)
    with pytest.raises(RegardError, match=r"state\.safetensors is damaged \(.*\): train anew$") as error:
        toy.run_of(plan).restore(tmp_path)
    if not facts:
        assert "it is not the state of a run" in str(error.value)


def test_a_table_that_has_changed(toy, plan, tmp_path):
    toy.run_of(plan).save(tmp_path)
    run = toy.run_of(plan)
    run.table = "another"
    before = toy.state(run)
    with pytest.raises(RegardError) as error:
        run.restore(tmp_path)
    assert str(error.value) == f"the table is no longer the one that {tmp_path} began to learn: train anew"
    assert toy.differing(toy.state(run), before) == []  # nothing was taken over


def test_half_a_state_never_takes_the_place_of_a_whole_one(toy, plan, tmp_path, monkeypatch):
    first = begun(toy, plan)
    first.save(tmp_path)
    whole = file_of(tmp_path).read_bytes()

    def halfway(path, write):
        def breaks(fresh):
            write(fresh)
            fresh.write_bytes(fresh.read_bytes()[:100])
            assert fresh != path
            raise OSError("No space left on device")

        write_atomically(path, breaks)

    monkeypatch.setattr(module, "write_atomically", halfway)
    with pytest.raises(OSError, match="No space"):
        begun(toy, plan, updates=1, seed=2).save(tmp_path)
    assert file_of(tmp_path).read_bytes() == whole
    assert [path.name for path in file_of(tmp_path).parent.iterdir()] == ["state.safetensors"]  # nor is it left about


def test_forgetting(toy, plan, tmp_path):
    Run.forget(tmp_path)  # nothing there, nothing wrong
    assert not Run.exists(tmp_path)
    toy.run_of(plan).save(tmp_path)
    assert Run.exists(tmp_path)
    Run.forget(tmp_path)
    assert not Run.exists(tmp_path)
    assert not list(tmp_path.iterdir())


def test_forgetting_leaves_what_is_not_ours(toy, plan, tmp_path):
    toy.run_of(plan).save(tmp_path)
    mine = tmp_path / "training" / "notes.txt"
    mine.write_text("mine")
    Run.forget(tmp_path)
    assert mine.read_text() == "mine"
