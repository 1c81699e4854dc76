"""What an event says as a line, and which events are lines."""

import pytest

from regard.training.lines import line, printed, time

EPOCH = {
    "event": "epoch", "epoch": 2.5, "update": 9, "seconds": 75.4, "train_loss": 1.23456, "dev_loss": 0.5,
    "target_tokens_per_second": 12345.6, "dev_word_error_rate": 12.345, "dev_theirs": 3.0, "best": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0:00"), (59.6, "1:00"), (75.4, "1:15"), (3599.4, "59:59"), (3600.0, "1:00:00")]
)
def test_times(seconds, text):
    assert time(seconds) == text


def test_an_evaluation_leaves_a_line():
    assert line(EPOCH) == (
        "epoch   2.5  train loss 1.235  dev loss 0.500  dev word error 12.35  dev theirs 3.00"
        "  12,346 symbols/s  1:15  best"
    )
    assert not line(EPOCH | {"best": False}).endswith("best")


def test_terms_are_told_beside_the_loss():
    terms = {"train_terms": {"coverage": 0.12345, "entropy": 1.5}}
    assert "  train loss 1.235  coverage 0.123  entropy 1.500  dev loss 0.500  " in line(EPOCH | terms)


def test_what_is_trained_alone():
    event = {"event": "alone", "what": "decoder alone (language-model)", "epoch": 2, "train_loss": 0.1}
    assert line(event) == "decoder alone (language-model): epoch 2, train loss 0.100"


def test_what_is_told_is_said_but_for_the_updates():
    said = []
    for event in ({"event": "part", "what": "seed 1 of 2"}, {"event": "update"}, EPOCH):
        printed(said.append)(event)
    assert said == ["seed 1 of 2", line(EPOCH)]
