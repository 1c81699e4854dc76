"""What is found out about a machine, on machines made up for the purpose."""

import pytest
import torch

from regard.errors import RegardError
from regard.training import machine
from regard.training.machine import choose_device, choose_precision, choose_threads


@pytest.mark.parametrize(
    ("asked", "gpu", "found"),
    [("auto", False, "cpu"), ("auto", True, "cuda"), ("cpu", True, "cpu"), ("cuda", True, "cuda")],
)
def test_a_device(monkeypatch, asked, gpu, found):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert choose_device(asked) == torch.device(found)


def test_one_gpu_of_several(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("cuda:1") == torch.device("cuda", 1)


@pytest.mark.parametrize("name", ["gpu", "", "cuda:x", "the big one"])
def test_no_such_device(name):
    with pytest.raises(RegardError) as error:
        choose_device(name)
    assert str(error.value) == f"unknown device {name!r}; use cpu, cuda or auto"


@pytest.mark.parametrize("name", ["cuda", "cuda:1"])
def test_a_gpu_that_is_not_there(monkeypatch, name):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(RegardError) as error:
        choose_device(name)
    assert str(error.value) == "device cuda was asked for, but torch sees no GPU here; use cpu or auto"


@pytest.fixture
def clock(monkeypatch):
    """A machine on which a probe takes as long as `takes[threads]` says; the real thread count is left alone."""
    takes, now, threads, asked = {}, [0.0], [3], []

    def perf_counter() -> float:  # read before and after a probe: half of what it takes each time
        now[0] += takes.get(threads[0], 1.0)
        return now[0]

    def set_num_threads(count: int) -> None:
        threads[0] = count
        asked.append(count)

    monkeypatch.setattr(machine.time, "perf_counter", perf_counter)
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads[0])
    monkeypatch.setattr(torch, "set_num_threads", set_num_threads)
    choose_threads.cache_clear()
    yield takes, threads, asked
    choose_threads.cache_clear()


@pytest.mark.parametrize(
    ("most", "takes", "best"),
    [
        (1, {}, 1),
        (2, {1: 1.0, 2: 0.5}, 2),
        (2, {1: 1.0, 2: 0.95}, 1),  # a twentieth is not worth it
        (2, {1: 1.0, 2: 5.0}, 1),
        (6, {1: 1.0, 2: 0.8, 4: 0.75, 6: 0.5}, 6),
        (6, {1: 1.0, 2: 0.8, 4: 0.75, 6: 0.74}, 2),  # no tenth less than with 2
        (8, {1: 1.0, 2: 2.0, 4: 0.5, 8: 2.0}, 4),
    ],
)
def test_threads_that_are_worth_it(clock, most, takes, best):
    known, threads, asked = clock
    known.update(takes)
    assert choose_threads(most) == best
    assert threads == [3]  # as before
    assert set(asked) - {3} == {1, 2, 4, most} & set(range(most + 1))


def test_threads_are_probed_once(clock):
    _, _, asked = clock
    choose_threads(2)
    count = len(asked)
    choose_threads(2)
    assert len(asked) == count


def test_threads_of_this_machine():
    before = torch.get_num_threads()
    choose_threads.cache_clear()
    assert choose_threads(1) == 1
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(("gain", "found"), [(1.49, "float32"), (1.5, "bfloat16"), (0.2, "float32")])
def test_precision_follows_from_the_gain(monkeypatch, gain, found):
    seconds = iter([gain, 1.0])  # float32 is measured first
    monkeypatch.setattr(machine, "_seconds", lambda work, device: next(seconds))
    assert choose_precision(torch.device("cpu")) == found


def test_precision_of_this_machine():
    assert choose_precision(torch.device("cpu")) in ("float32", "bfloat16")
