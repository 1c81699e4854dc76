"""What a look costs as sources grow: local attention beside soft, one step at a time, as search looks.

    nice .venv/bin/python bench/local.py                      # a Markdown table

The memory is bound before the clock starts: projecting each place once costs S whatever follows. Time is the best of
several runs of many steps. Memory is every byte of new storage that torch's operations of one step hand out, counted by
a dispatch mode: an upper bound of the peak, and free of what an allocator keeps back.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from regard.attention import FOCUSES, SCORES, Attention, Sizes
from regard.memory import Memory

BATCH, BEAMS, WIDTH, STEPS, RUNS = 8, 5, 256, 10, 7


class Counted(TorchDispatchMode):
    """Adds up the storages that operations return and were not given."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        given = {part.untyped_storage().data_ptr() for part in tree_leaves((args, kwargs)) if torch.is_tensor(part)}
        fresh = {part.untyped_storage().data_ptr(): part for part in tree_leaves(found) if torch.is_tensor(part)}
        self.bytes += sum(part.untyped_storage().nbytes() for at, part in fresh.items() if at not in given)
        return found


def measured(look: Callable[[], Any]) -> tuple[float, int]:
    """(milliseconds, bytes) of one step."""
    with Counted() as counted:
        look()
    best = float("inf")
    for _ in range(RUNS):
        start = time.perf_counter()
        for _ in range(STEPS):
            look()
        best = min(best, time.perf_counter() - start)
    return 1000 * best / STEPS, counted.bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=int, nargs="+", default=[50, 150, 500, 1500, 5000])
    parser.add_argument("--scores", nargs="+", default=["additive", "general"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| score | places | soft ms | local ms | soft ÷ local | soft MB | local MB |\n|---|---|---|---|---|---|---|")
    for score in options.scores:
        for size in options.lengths:
            keep = torch.ones(BATCH, size, dtype=torch.bool)
            memory = Memory(torch.randn(BATCH, size, WIDTH), keep, torch.zeros(BATCH, WIDTH), (size,))
            query, sizes, found = torch.randn(BATCH, BEAMS, WIDTH), Sizes(WIDTH, WIDTH, (size,)), []
            for focus in ("soft", "local"):
                attention = Attention(SCORES[score](sizes), FOCUSES[focus](sizes)).eval()
                with torch.inference_mode():
                    found.append(measured(partial(attention, query, attention.bind(memory))))
            (soft, more), (local, less) = found
            cells = (score, f"{size:,}", f"{soft:.2f}", f"{local:.2f}", f"{soft / local:.1f}")
            print("|", " | ".join(cells), f"| {more / 1e6:.2f} | {less / 1e6:.2f} |", flush=True)


if __name__ == "__main__":
    main()
