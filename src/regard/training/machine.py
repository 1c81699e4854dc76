"""What a run learns of the machine it is on: which device, how many threads, whether bfloat16 products are worth it.

Unusual here: what is found is written into the model's `config.toml`, so that a run can be repeated as it was.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import Literal

import torch
from torch import nn

from regard.errors import RegardError


def choose_device(name: str) -> torch.device:
    """`auto` is a GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device: torch.device | None
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise RegardError(f"unknown device {name!r}; use cpu, cuda or auto")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise RegardError("device cuda was asked for, but torch sees no GPU here; use cpu or auto")
    return device


@cache
def choose_threads(most: int) -> int:
    """Of 1, 2, 4 … `most` threads those that are fastest at a small recurrence; more only where they gain a tenth.

    Small products gain little from threads, and beside a busy process two can be slower than one.
    """
    recurrence, inputs = nn.LSTM(128, 256, batch_first=True), torch.randn(32, 12, 128)
    before, choices = torch.get_num_threads(), sorted({min(2**power, most) for power in range(most.bit_length() + 1)})
    seconds = dict.fromkeys(choices, 0.0)
    for turn in range(9):
        for threads in choices:
            torch.set_num_threads(threads)
            start = time.perf_counter()
            recurrence(inputs)[0].sum().backward()
            seconds[threads] += (time.perf_counter() - start) * (turn > 0)  # the first turn warms up
    torch.set_num_threads(before)
    best = 1
    for threads in choices:
        if seconds[threads] < 0.9 * seconds[best]:
            best = threads
    return best


def choose_precision(device: torch.device) -> Literal["float32", "bfloat16"]:
    """bfloat16 where a product of the size that training makes is at least 1.5 times as fast in it."""
    left, right = torch.randn(384, 768, device=device), torch.randn(768, 1024, device=device)
    short_left, short_right = left.bfloat16(), right.bfloat16()
    gain = _seconds(lambda: left @ right, device) / _seconds(lambda: short_left @ short_right, device)
    return "bfloat16" if gain >= 1.5 else "float32"


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    """The best of several short runs."""
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(4):
            work()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        best = min(best, time.perf_counter() - start)
    return best
