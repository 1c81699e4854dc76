"""The plain loop: outcomes of any shape are joined over the steps, and the state goes in and comes out."""

from typing import Any, NamedTuple

import torch

from regard.scan import concatenate_steps, scan


class Pair(NamedTuple):
    total: torch.Tensor
    more: Any


def test_a_running_sum_by_hand():
    def advance(step, state):
        state = state + step
        return Pair(state, {"twice": (2 * state, None)}), state

    outcome, last = scan(advance, torch.tensor([[[1.0], [2.0], [4.0]]]), torch.zeros(1, 1, 1))
    assert outcome.total.flatten().tolist() == [1, 3, 7]
    assert outcome.more["twice"][0].flatten().tolist() == [2, 6, 14]
    assert outcome.more["twice"][1] is None
    assert last.item() == 7


def test_steps_are_joined_along_the_second_axis():
    steps = [(torch.full((2, 1, 3), float(number)), torch.full((2, 1), number)) for number in range(4)]
    values, numbers = concatenate_steps(steps)
    assert (values.shape, numbers.tolist()) == ((2, 4, 3), [[0, 1, 2, 3]] * 2)
