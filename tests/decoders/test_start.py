"""The first state: the summary as it is where it fits, projected where not, zeros, or learned."""

import pytest
import torch

from regard.decoders.start import Start
from regard.recurrence import Recurrence


def start(kind, cell, layers, summary, hidden=3):
    recurrence = Recurrence(2, hidden, cell=cell, layers=layers)
    return Start(kind, recurrence, summary), recurrence.zero(2)


@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_a_summary_that_fits_is_the_state(cell):
    made, zero = start("summary", cell, 1, 3)
    summary = torch.randn(2, 3)
    ((state, *memory),) = made(summary, zero)
    assert torch.equal(state, summary)
    for part in memory:  # an LSTM's c_0
        torch.testing.assert_close(part, made.project[1](summary))


@pytest.mark.parametrize(("cell", "tensors"), [("gru", 1), ("lstm", 2)])
@pytest.mark.parametrize(("layers", "summary"), [(1, 5), (2, 3), (3, 5)])
def test_otherwise_each_layer_has_a_projection_of_its_own(cell, tensors, layers, summary):
    made, zero = start("summary", cell, layers, summary)
    given = torch.randn(2, summary)
    states = made(given, zero)
    flat = [part for state in states for part in state]
    assert [len(state) for state in states] == [tensors] * layers
    for part, project in zip(flat, made.project, strict=True):
        torch.testing.assert_close(part, given @ project.weight.T + project.bias)


def test_zero_and_learned():
    made, zero = start("zero", "lstm", 2, 0)
    assert made(torch.zeros(2, 0), zero) is zero
    assert not list(made.parameters())
    made, zero = start("learned", "lstm", 2, 0)
    made.states.data = torch.arange(12.0).view(4, 3)
    states = made(torch.zeros(2, 0), zero)
    assert states[1][0].tolist() == [[6.0, 7.0, 8.0]] * 2
    assert [part.shape for state in states for part in state] == [(2, 3)] * 4
