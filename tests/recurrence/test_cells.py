"""Cells: torch's own RNN, GRU and LSTM loaded into ours give the same states; steps equal whole; the GRU by hand."""

import math

import pytest
import torch
from torch import nn

from regard.recurrence import make_cell

CELLS = [("rnn", "after"), ("gru", "after"), ("gru", "before"), ("lstm", "after")]
TORCH = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


@pytest.mark.parametrize("name", TORCH)
def test_torchs_weights_give_torchs_states(name):
    theirs = TORCH[name](3, 4, batch_first=True).double()
    ours = make_cell(name, 3, 4).double()
    ours.weights.load_state_dict(theirs.state_dict())
    inputs = torch.randn(2, 5, 3, dtype=torch.float64)
    state = tuple(torch.randn(2, 4, dtype=torch.float64) for _ in range(ours.tensors))
    begun = tuple(part[None] for part in state)
    outputs, last = theirs(inputs, begun if name == "lstm" else begun[0])
    whole, end = ours(inputs, state)
    torch.testing.assert_close(whole, outputs)
    torch.testing.assert_close(torch.stack(end), torch.cat(last) if name == "lstm" else last)
    for time in range(5):
        state = ours.step(inputs[:, time], state)
        torch.testing.assert_close(state[0], outputs[:, time])
    torch.testing.assert_close(torch.stack(state), torch.stack(end))


@pytest.mark.parametrize(("name", "reset"), CELLS)
def test_steps_equal_the_whole_values_and_gradients(name, reset):
    cell = make_cell(name, 3, 4, reset).double()
    inputs = torch.randn(2, 5, 3, dtype=torch.float64)
    begun = tuple(torch.randn(2, 4, dtype=torch.float64) for _ in range(cell.tensors))
    whole, end = cell(inputs, begun)
    weigh = torch.randn_like(whole)
    (whole * weigh).sum().backward()
    expected = [part.grad.clone() for part in cell.parameters()]
    cell.zero_grad()
    state, steps = begun, []
    for time in range(5):
        state = cell.step(inputs[:, time], state)
        steps.append(state[0])
    torch.testing.assert_close(torch.stack(steps, 1), whole)
    torch.testing.assert_close(state, end)
    (torch.stack(steps, 1) * weigh).sum().backward()
    torch.testing.assert_close([part.grad for part in cell.parameters()], expected)


@pytest.mark.parametrize(("name", "reset"), CELLS)
def test_beams_step_as_if_each_were_alone(name, reset):
    cell = make_cell(name, 3, 4, reset).double()
    inputs = torch.randn(2, 5, 3, dtype=torch.float64)
    state = tuple(torch.randn(2, 5, 4, dtype=torch.float64) for _ in range(cell.tensors))
    moved = cell.step(inputs, state)
    for beam in range(5):
        alone = cell.step(inputs[:, beam], tuple(part[:, beam] for part in state))
        torch.testing.assert_close(tuple(part[:, beam] for part in moved), alone)


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


# One input x = 2, one state s = 0.5. Rows: reset, update, candidate; U x + b, W, b'.
U, W, B, B2 = (0.5, -0.25, 1.0), (1.0, 2.0, 3.0), (-1.0, 0.0, 0.5), (0.5, -0.5, 0.25)


@pytest.mark.parametrize(
    ("reset", "candidate"),
    [
        # r = sigmoid(0.5·2 − 1 + 1·0.5 + 0.5) = sigmoid(1) = 0.73105858
        # before: tanh(1·2 + 0.5 + 3·(r·0.5) + 0.25) = tanh(2.75 + 1.5 r)
        ("before", math.tanh(2.75 + 1.5 * 0.7310585786300049)),
        # after: tanh(1·2 + 0.5 + r·(3·0.5 + 0.25)) = tanh(2.5 + 1.75 r)
        ("after", math.tanh(2.5 + 1.75 * 0.7310585786300049)),
    ],
)
def test_gru_by_hand(reset, candidate):
    cell = make_cell("gru", 1, 1, reset).double()
    for part, numbers in zip(cell.parameters(), (U, W, B, B2), strict=True):
        part.data = torch.tensor(numbers, dtype=torch.float64).view_as(part)
    update = sigmoid(-0.25 * 2 + 2 * 0.5 - 0.5)  # sigmoid(0) = 0.5
    assert update == 0.5
    expected = (1 - update) * candidate + update * 0.5
    given = torch.tensor([[2.0]], dtype=torch.float64), (torch.tensor([[0.5]], dtype=torch.float64),)
    assert cell.step(*given)[0].item() == pytest.approx(expected, abs=1e-12)
    whole, _ = cell(given[0][:, None], given[1])
    assert whole.item() == pytest.approx(expected, abs=1e-12)


def test_rnn_by_hand():
    cell = make_cell("rnn", 1, 1).double()
    for part, number in zip(cell.parameters(), (0.5, 2.0, 0.25, -1.0), strict=True):
        part.data.fill_(number)
    # tanh(0.5·2 + 2·0.5 + 0.25 − 1) = tanh 1.25
    moved = cell.step(torch.tensor([[2.0]]).double(), (torch.tensor([[0.5]]).double(),))
    assert moved[0].item() == pytest.approx(math.tanh(1.25), abs=1e-12)


def test_lstm_by_hand():
    cell = make_cell("lstm", 1, 1).double()
    numbers = ((1.0, 0.0, 0.5, 0.0), (0.0, 2.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, -0.5))
    for part, column in zip(cell.parameters(), numbers, strict=True):
        part.data = torch.tensor(column, dtype=torch.float64).view_as(part)
    # x = 2, h = 0.5, c = 3: i = sigmoid 2, f = sigmoid 1, g = tanh 1, o = sigmoid(0.5 − 0.5) = 0.5
    memory = sigmoid(1) * 3 + sigmoid(2) * math.tanh(1)
    one = [torch.tensor([[number]], dtype=torch.float64) for number in (2.0, 0.5, 3.0)]
    hidden, kept = cell.step(one[0], (one[1], one[2]))
    assert (hidden.item(), kept.item()) == pytest.approx((0.5 * math.tanh(memory), memory), abs=1e-12)


@pytest.mark.parametrize(("name", "reset"), CELLS)
@pytest.mark.parametrize("shape", [(0, 5), (2, 0), (0, 0)])
def test_nothing_in_nothing_out(name, reset, shape):
    cell = make_cell(name, 3, 4, reset)
    state = cell.zero(shape[0])
    outputs, end = cell(torch.zeros(*shape, 3), state)
    assert outputs.shape == (*shape, 4)
    assert [part.shape for part in end] == [(shape[0], 4)] * cell.tensors
