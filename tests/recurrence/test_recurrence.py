"""Layers and directions against torch's own; padding never leaks; empty batches and sources."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.masks import keep_places
from regard.recurrence import Recurrence, SequenceEncoder

CELLS = [("rnn", "after"), ("gru", "after"), ("gru", "before"), ("lstm", "after")]
TORCH = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


@pytest.mark.parametrize(("cell", "reset"), CELLS)
@pytest.mark.parametrize("layers", [1, 3])
def test_steps_equal_the_whole(cell, reset, layers):
    recurrence = Recurrence(3, 4, cell=cell, reset=reset, layers=layers).double()
    inputs = torch.randn(2, 5, 3, dtype=torch.float64)
    whole, end = recurrence(inputs)
    states = recurrence.zero(2)
    for time in range(5):
        output, states = recurrence.step(inputs[:, time], states)
        torch.testing.assert_close(output, whole[:, time])
    torch.testing.assert_close(states, end)


@pytest.mark.parametrize("cell", TORCH)
def test_layers_are_torchs(cell):
    theirs = TORCH[cell](3, 4, num_layers=3, batch_first=True).double()
    ours = Recurrence(3, 4, cell=cell, layers=3).double()
    load(ours.cells, theirs, "")
    inputs = torch.randn(2, 5, 3, dtype=torch.float64)
    torch.testing.assert_close(ours(inputs)[0], theirs(inputs)[0])


@pytest.mark.parametrize("cell", TORCH)
@pytest.mark.parametrize("layers", [1, 2])
def test_two_way_equals_torchs_packed(cell, layers):
    theirs = TORCH[cell](3, 4, num_layers=layers, bidirectional=True, batch_first=True).double()
    ours = SequenceEncoder(3, 4, cell=cell, layers=layers).double()
    load([layer.cells[0] for layer in ours.forwards], theirs, "")
    load([layer.cells[0] for layer in ours.backwards], theirs, "_reverse")
    lengths = torch.tensor([2, 5, 1, 4])
    inputs = torch.randn(4, 5, 3, dtype=torch.float64)
    packed, last = theirs(pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False))
    expected, _ = pad_packed_sequence(packed, batch_first=True)
    states, summary = ours(inputs, keep_places(lengths))
    torch.testing.assert_close(states, expected)
    hidden = last[0] if cell == "lstm" else last
    torch.testing.assert_close(summary, torch.cat([hidden[-2], hidden[-1]], -1))  # the top layer's two directions


def load(cells, theirs, ending):
    for layer, cell in enumerate(cells):
        own = {
            name: getattr(theirs, f"{name.removesuffix('_l0')}_l{layer}{ending}") for name in cell.weights.state_dict()
        }
        cell.weights.load_state_dict(own)


@pytest.mark.parametrize(("cell", "reset"), CELLS)
@pytest.mark.parametrize("two_way", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_padding_never_leaks(cell, reset, two_way, layers):
    encoder = SequenceEncoder(3, 4, cell=cell, reset=reset, two_way=two_way, layers=layers).double()
    lengths = [3, 5, 0, 1]
    inputs = torch.randn(4, 5, 3, dtype=torch.float64)
    states, summary = encoder(inputs, keep_places(torch.tensor(lengths)))
    assert (states.shape, summary.shape) == ((4, 5, encoder.width), (4, encoder.width))
    wild = torch.cat([inputs, inputs], 1)
    wild[~keep_places(torch.tensor(lengths), size=10)] = 1e4
    others, summaries = encoder(wild, keep_places(torch.tensor(lengths), size=10))
    torch.testing.assert_close(others[:, :5], states)
    torch.testing.assert_close(summaries, summary)
    for row, length in enumerate(lengths):
        assert others[row, length:].eq(0).all()
        alone, last = encoder(inputs[row : row + 1, :length], torch.ones(1, length, dtype=torch.bool))
        torch.testing.assert_close(alone[0], states[row, :length])
        torch.testing.assert_close(last[0], summary[row])
    assert summary[2].eq(0).all()


@pytest.mark.parametrize(("cell", "reset"), CELLS)
@pytest.mark.parametrize("shape", [(0, 5), (2, 0), (0, 0)])
def test_empty_batches_and_sources(cell, reset, shape):
    encoder = SequenceEncoder(3, 4, cell=cell, reset=reset, layers=2)
    states, summary = encoder(torch.zeros(*shape, 3), torch.zeros(shape, dtype=torch.bool))
    assert (states.shape, summary.shape) == ((*shape, 8), (shape[0], 8))
    assert summary.eq(0).all()


def test_an_empty_row_has_finite_gradients():
    encoder = SequenceEncoder(3, 4, layers=2)
    inputs = torch.randn(2, 3, 3, requires_grad=True)
    states, summary = encoder(inputs, keep_places(torch.tensor([0, 3])))
    (states.square().sum() + summary.square().sum()).backward()
    assert inputs.grad[0].eq(0).all()
    assert all(part.grad.isfinite().all() for part in encoder.parameters())
