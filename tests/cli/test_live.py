"""The live line: what an event says, and what is left behind when a training ends or is stopped."""

from pathlib import Path

import pytest

from regard.cli.live import Live
from regard.training.lines import line
from regard.training.loop import Interrupted

EPOCH = {
    "event": "epoch", "epoch": 2.5, "update": 9, "seconds": 75.4, "train_loss": 1.23456, "dev_loss": 0.5,
    "target_tokens_per_second": 12345.6, "dev_word_error_rate": 12.345, "dev_theirs": 3.0, "best": True,
}  # fmt: skip
UPDATE = {"event": "update", "share": 0.25, "seconds": 10.0, "train_loss": 1.0, "target_tokens_per_second": 1000.0}


def test_updates_move_the_line_and_leave_nothing_in_a_file(capsys, tmp_path):
    with Live(False, tmp_path / "m") as live:
        live.tell(UPDATE)
        task = live.progress.tasks[0]
        assert (task.completed, task.fields["rest"]) == (0.25, "loss 1.000 · 1,000/s · 0:30 left")
        live.tell(UPDATE | {"train_terms": {"coverage": 0.12345}})
        assert live.progress.tasks[0].fields["rest"] == "loss 1.000 · coverage 0.123 · 1,000/s · 0:30 left"
        live.tell(UPDATE | {"share": 0.0})
        assert live.progress.tasks[0].fields["rest"].endswith("0:00 left")
        live.tell({"event": "part", "what": "[b]seed[/b] 1 of 2"})
        assert (live.progress.tasks[0].completed, live.progress.tasks[0].description) == (0.0, "[b]seed[/b] 1 of 2")
        live.tell(EPOCH)
    assert capsys.readouterr() == ("", f"[b]seed[/b] 1 of 2\n{line(EPOCH)}\ndone: {tmp_path}/m\n")


END = {
    "event": "done", "epoch": 13.0, "dev_loss": 0.5, "dev_word_error_rate": 10.0, "looks": True, "example": ["absent"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("end", "best", "then"),
    [
        ({}, "epoch 13, dev word error 10.00", "; try: regard look m absent"),
        ({"epoch": 0.25, "looks": False}, "epoch 0.25, dev word error 10.00", "; try: regard predict m absent"),
        ({"example": ["be", "V;PST"]}, "epoch 13, dev word error 10.00", "; try: regard look m be 'V;PST'"),
        ({"example": ["-ment"]}, "epoch 13, dev word error 10.00", "; try: regard look m -- -ment"),
        ({"example": ["a " * 31]}, "epoch 13, dev word error 10.00", ""),
    ],
)
def test_the_last_line_says_how_good_and_what_to_try(capsys, end, best, then):
    with Live(False, Path("m")) as live:
        live.tell(END | end)
    assert capsys.readouterr() == ("", f"done: m (best: {best}){then}\n")


def test_a_language_model_has_a_loss_and_no_example(capsys):
    with Live(False, Path("m")) as live:
        live.tell({"event": "done", "epoch": 2, "dev_loss": 1.2345, "looks": False, "example": []})
    assert capsys.readouterr().err == "done: m (best: epoch 2, dev loss 1.234); try: regard predict m\n"


def test_of_several_trainings_none_speaks_for_all(capsys):
    with Live(False, Path("m")) as live:
        for event in ({"event": "part", "what": "seed 1 of 1"}, END):
            live.tell(event)
    assert capsys.readouterr().err == "seed 1 of 1\ndone: m; try: regard look m absent\n"


def test_quiet(capsys, tmp_path):
    with Live(True, tmp_path) as live:
        for event in (UPDATE, EPOCH, {"event": "part", "what": "x"}):
            live.tell(event)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("error", [Interrupted, KeyboardInterrupt])
@pytest.mark.parametrize("kept", [True, False])
def test_stopped(capsys, tmp_path, error, kept):
    if kept:
        (tmp_path / "config.toml").write_text("")
    with pytest.raises(SystemExit) as leaving, Live(False, tmp_path):
        raise error
    assert leaving.value.code == 130
    then = f"go on with: regard train --resume {tmp_path}" if kept else "nothing is kept"
    assert capsys.readouterr() == ("", f"stopped; {then}\n")


def test_a_mistake_is_not_done(capsys, tmp_path):
    with pytest.raises(ZeroDivisionError), Live(False, tmp_path):
        raise ZeroDivisionError
    assert capsys.readouterr() == ("", "")
