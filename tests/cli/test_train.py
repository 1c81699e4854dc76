"""regard train: a folder or a clear line; stopped, it goes on; nothing is written over."""

import json
import os
import signal

import pytest
from safetensors.torch import load_file

from regard.cli import main
from regard.cli.live import Live

QUICK = ["epochs=1", "hidden=8", "embedding=4", "batch=32", "threads=1", "precision=float32"]
SET = [word for setting in QUICK for word in ("--set", setting)]


def same_weights(one, other):
    first, second = (load_file(folder / "weights.safetensors") for folder in (one, other))
    return first.keys() == second.keys() and all(tensor.equal(second[name]) for name, tensor in first.items())


@pytest.fixture
def table(tmp_path):
    rows = [a + b for a in "abcd" for b in "abcd"]
    path = tmp_path / "t.v1.tsv"
    path.write_text("word\tsounds\n" + "".join(f"{row}\t{' '.join(row.upper())}\n" for row in rows))
    return path


def test_it_says_what_it_found_and_leaves_a_folder(regard, table, tmp_path):
    done = regard("train", table, *SET)
    assert (done.code, done.out) == (0, "")
    first, *_, epoch, last = done.err.splitlines()
    assert first.endswith("the first row is a header: word, sounds (--no-header if that is wrong)")
    assert epoch.startswith("epoch     1  train loss ")
    assert epoch.endswith("  best")
    assert "dev word error 100.00" in epoch
    assert last.startswith("done: t (best: epoch 1, dev word error 100.00); try: regard look t ")  # after the table
    assert regard("predict", "t", "ab").code == 0


def test_quiet(regard, table):
    assert regard("train", table, "--out", "m", "--quiet", *SET) == (0, "", "")


def test_what_is_said_is_taken(regard, table, tmp_path):
    table.write_text("n\tword\tsounds\tsplit\n" + "".join(f"{n}\ta{n}\tA {n}\tdev\nx\ty\tz\ttest\n" for n in range(20)))
    done = regard("train", table, "--out", "m", "--from", "sounds", "--to", "2", "--where", "split=dev",
                  "--unit", "word=grapheme", "--weight", "n", "--recipe", "transliterate", *SET)  # fmt: skip
    assert done.code == 0, done.err
    import regard as package

    model = package.load(tmp_path / "m")
    assert (model.reads, model.answerer.target.name, model.answerer.target.unit) == (("sounds",), "word", "grapheme")
    assert (model.config.data.weight, model.config.recipe) == ("n", "transliterate")
    assert "y" not in model.answerer.target.symbols


def test_a_setting_without_effect_is_said(regard, table):
    done = regard("train", table, "--out", "m", *SET, "--set", "momentum=0.5")
    assert done.err.startswith('has no effect here: training.momentum (only optimiser = "sgd" has it)\n')


def test_a_dev_table(regard, table, tmp_path):
    (tmp_path / "dev.tsv").write_text("word\tsounds\nab\tA B\n")
    done = regard("train", table, "--dev", "dev.tsv", "--out", "m", *SET)
    assert "16 rows to train on, 1 for dev from " in done.err


def test_parallel_files(regard, tmp_path):
    for name in "ab":
        (tmp_path / f"t.{name}").write_text("".join(f"{name}{n % 7}\n" for n in range(20)))
    assert regard("train", "t.a", "t.b", "--out", "m", *SET).code == 0
    assert regard("predict", "m", "a1").out.startswith("a1\t")


def test_seeds(regard, table, tmp_path):
    done = regard("train", table, "--out", "m", "--seeds", 2, *SET)
    said = done.err.splitlines()
    assert done.code == 0
    assert said[-1].startswith("done: m; try: regard look m ")
    assert [line for line in said if line.startswith("seed")] == ["seed 1 of 2", "seed 2 of 2"]
    assert sorted(path.name for path in (tmp_path / "m" / "members").iterdir()) == ["1", "2"]


def test_folds(regard, table, tmp_path):
    before = sorted(tmp_path.iterdir())
    done = regard("train", table, "--folds", 2, *SET)
    assert done.code == 0
    word, symbol = done.out.splitlines()
    assert word.startswith("word error: ")
    assert symbol.startswith("symbol error: ")
    assert " % over 2 folds (" in word
    mean, each = word.removeprefix("word error: ").split(" % over 2 folds (")
    first, second = map(float, each.rstrip(")").split(", "))
    assert float(mean) == pytest.approx((first + second) / 2, abs=0.01)
    assert sorted(tmp_path.iterdir()) == before


# -- stopped, and going on -----------------------------------------------------------------------------------------


@pytest.fixture
def stopping(monkeypatch):
    """Ctrl-C at the third update."""
    tell = Live.tell

    def tell_and_stop(self, event):
        tell(self, event)
        if event["event"] == "update":
            tell_and_stop.updates += 1
            if tell_and_stop.updates == 3:
                os.kill(os.getpid(), signal.SIGINT)

    tell_and_stop.updates = 0
    monkeypatch.setattr(Live, "tell", tell_and_stop)


THREE = [*SET, "--set", "epochs=3", "--set", "batch=8"]


def test_stopped_it_goes_on_as_if_it_had_not_been(regard, table, tmp_path, stopping):
    done = regard("train", table, "--out", "m n", *THREE)
    assert (done.code, done.out) == (130, "")
    assert done.err.splitlines()[-1] == "stopped; go on with: regard train --resume 'm n'"
    assert "stopping, when the state is saved; Ctrl-C again stops at once" in done.err.splitlines()
    assert (tmp_path / "m n" / "training" / "state.safetensors").exists()
    done = regard("train", "--resume", "m n")
    assert done.code == 0
    assert done.err.splitlines()[-1].startswith("done: m n (best: epoch ")
    assert not (tmp_path / "m n" / "training").exists()
    assert regard("train", table, "--out", "whole", *THREE, "--quiet").code == 0
    assert same_weights(tmp_path / "m n", tmp_path / "whole")
    events = [(tmp_path / name / "training.jsonl").read_text().splitlines() for name in ("m n", "whole")]
    losses = [[json.loads(line)["dev_loss"] for line in lines] for lines in events]
    assert losses[0] == pytest.approx(losses[1])
    assert len(losses[0]) == 3


def test_stopped_before_it_was_measured_it_does_not_answer_and_says_why(regard, refused, table, stopping, tmp_path):
    assert regard("train", table, "--out", "m", *SET, "--set", "batch=1").code == 130
    said = refused("predict", "m", "ab")
    assert said == (
        "m/weights.safetensors is missing: training was stopped before its first evaluation; go on with"
        " regard train --resume m"
    )
    assert "or go on with --resume m" in refused("train", table, "--out", "m", *SET)
    assert "is missing" in refused("combine", "m", "--out", "c")


def test_a_table_that_has_changed_is_not_gone_on_with(regard, table, stopping):
    assert regard("train", table, "--out", "m", *THREE).code == 130
    table.write_text(table.read_text().replace("aa\tA A", "aa\tB B"))
    done = regard("train", "--resume", "m")
    assert done.code == 2
    assert done.err.splitlines()[-1] == "regard: the table is no longer the one that m began to learn: train anew"


@pytest.mark.parametrize("more", [["--seeds", "2", "--out", "m"], ["--folds", "2"]])
def test_of_seeds_and_folds_nothing_is_kept(regard, table, stopping, tmp_path, more):
    done = regard("train", table, *THREE, *more)
    assert (done.code, done.err.splitlines()[-1]) == (130, "stopped; nothing is kept")
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.parametrize(
    "more",
    [["t.tsv"], ["--out", "x"], ["--dev", "d"], ["--from", "a"], ["--to", "b"], ["--features", "c"], ["--weight", "d"],
     ["--where", "a=b"], ["--unit", "a=word"], ["--no-header"], ["--recipe", "inflect"], ["--set", "epochs=3"],
     ["--seeds", "2"], ["--folds", "2"]],
    ids=lambda more: more[0],
)  # fmt: skip
def test_going_on_takes_everything_from_the_folder(refused, more):
    name = {"t.tsv": "TABLE", "--no-header": "--header"}.get(more[0], more[0])
    assert refused("train", "--resume", "m", *more) == (
        f"--resume takes everything from the model folder: leave out {name}"
        + "; to train for longer, train anew with --set epochs=…" * (name == "--set")
    )


def test_what_cannot_be_gone_on_with(refused, model_folder, tmp_path):
    assert refused("train", "--resume", "no") == "there is no model folder no"
    assert refused("train", "--resume", tmp_path).startswith(f"{tmp_path} is not a model")
    assert refused("train", "--resume", model_folder).endswith(
        "has finished training: there is nothing to go on with; to train for longer, train anew with more epochs"
    )


# -- mistakes ------------------------------------------------------------------------------------------------------

MISTAKES = {
    "no table": ([], "a table is needed, such as words.tsv"),
    "no such file": (["no.tsv"], "there is no file "),
    "a folder": (["."], "{here} is a folder; a table is a file"),
    "no such setting": (["t.v1.tsv", "--set", "epoch=3"], "setting 'epoch': no such setting; did you mean 'epochs'?"),
    "no such unit": (
        ["t.v1.tsv", "--unit", "word=wort"],
        "configuration, data.columns.word.unit: input should be 'char",
    ),
    "no such recipe": (["t.v1.tsv", "--recipe", "inflct"], "no recipe and no readable file is called 'inflct'"),
    "no pair": (["t.v1.tsv", "--unit", "word"], "--unit 'word': expected COLUMN=…"),
    "folds and a folder": (["t.v1.tsv", "--folds", "2", "--out", "m"], "--folds holds out parts of the table itself"),
    "no such device": (["t.v1.tsv", "--device", "cud"], "unknown device 'cud'; use cpu, cuda or auto"),
    "written over": (["t.v1.tsv", "--out", "full"], "full exists and is not empty; choose another folder"),
}


@pytest.mark.parametrize(("given", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(refused, table, tmp_path, given, said):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    assert refused("train", *given).startswith(said.format(here=tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "t.v1.tsv"]
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--to", "soundz"], "has no column 'soundz': did you mean 'sounds'?"),
        (["--unit", "wort=word"], "has no column 'wort': did you mean 'word'?"),
        (["--weight", "word", "--from", "sounds"], "column left for what is written"),
        (["--set", "metric=bluu"], "unknown metric 'bluu'; did you mean 'bleu'?"),
    ],
)
def test_mistakes_that_are_seen_in_the_table(regard, table, tmp_path, given, said):
    done = regard("train", table, "--out", "m", *SET, *given)
    assert (done.code, done.out) == (2, "")
    last = done.err.splitlines()[-1]
    assert last.startswith("regard: ")
    assert said in last
    assert not (tmp_path / "m").exists()


def test_an_interruption_elsewhere(capsys, monkeypatch):
    monkeypatch.setattr("warnings.showwarning", None)  # `main` sets it, and it is put back

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("regard.recipes.names", interrupt)
    with pytest.raises(SystemExit) as leaving:
        main(["recipes"])
    assert leaving.value.code == 130
    assert capsys.readouterr() == ("", "")
