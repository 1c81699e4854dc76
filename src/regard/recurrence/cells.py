"""The cells: Elman RNN, GRU (reset before or after the product) and LSTM, each over whole sequences and step by step.

Legend: B batch, T steps, *N any leading axes (B, or B K for beams), I input width, H hidden width. Unusual here:
parameters lie in torch's own single-layer modules, so that a torch RNN, GRU or LSTM can be loaded as it is and whole
sequences run fused; `step` is the same arithmetic written out, for search, for loops and for graphs.
"""

from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

State = tuple[Tensor, ...]  # (h,) or (h, c), each (*N, H)
CellName = Literal["rnn", "gru", "lstm"]
Reset = Literal["before", "after"]


class Cell(nn.Module):
    """One layer of recurrence. `tensors` says how many tensors its state has."""

    tensors: ClassVar[int] = 1
    weights: Any  # torch's nn.RNNBase, which names its parameters as it is made

    def zero(self, *leading: int) -> State:
        """A state of zeros."""
        like = self.weights.weight_hh_l0
        return tuple(like.new_zeros(*leading, self.weights.hidden_size) for _ in range(self.tensors))

    def forward(self, inputs: Float[Tensor, "B T I"], state: State) -> tuple[Float[Tensor, "B T H"], State]:
        """All steps at once: the states h_1…h_T, and the state at the end."""
        if inputs.shape[0] == 0 or inputs.shape[1] == 0:  # torch's fused recurrences refuse empty input
            return inputs.new_zeros(*inputs.shape[:2], self.weights.hidden_size), state
        first = tuple(part[None].contiguous() for part in state)
        outputs, last = self.weights(inputs, first if self.tensors > 1 else first[0])
        return outputs, tuple(part[0] for part in (last if self.tensors > 1 else (last,)))

    def step(self, inputs: Float[Tensor, "*N I"], state: State) -> State:
        """One step; h is the first tensor of the state that comes out."""
        raise NotImplementedError

    def _products(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        w = self.weights
        return F.linear(inputs, w.weight_ih_l0, w.bias_ih_l0), F.linear(hidden, w.weight_hh_l0, w.bias_hh_l0)


class RNN(Cell):
    """s_t = tanh(U x_t + W s_{t-1} + b) (Elman 1990)."""

    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.weights = nn.RNN(inputs, hidden, batch_first=True)

    def step(self, inputs: Float[Tensor, "*N I"], state: State) -> State:
        new, old = self._products(inputs, state[0])
        return (torch.tanh(new + old),)


class LSTM(Cell):
    """i, f, o = sigmoid, g = tanh of (U x_t + W h_{t-1} + b); c_t = f ⊙ c_{t-1} + i ⊙ g; h_t = o ⊙ tanh c_t."""

    tensors = 2

    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.weights = nn.LSTM(inputs, hidden, batch_first=True)

    def step(self, inputs: Float[Tensor, "*N I"], state: State) -> State:
        new, old = self._products(inputs, state[0])
        enter, forget, candidate, leave = (new + old).chunk(4, -1)
        memory = torch.sigmoid(forget) * state[1] + torch.sigmoid(enter) * torch.tanh(candidate)
        return torch.sigmoid(leave) * torch.tanh(memory), memory


class GRU(Cell):
    """r, z = sigmoid(U x_t + W s_{t-1} + b); s̃ = tanh(U x_t + b + r ⊙ (W s_{t-1} + b')); s_t = (1-z) s̃ + z s_{t-1}.

    This is torch's form (and cuDNN's): the reset comes after the product. Cho et al. 2014 and the lectures reset
    before it: `GRUResetBefore`.
    """

    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.weights = nn.GRU(inputs, hidden, batch_first=True)

    def step(self, inputs: Float[Tensor, "*N I"], state: State) -> State:
        new, old = self._products(inputs, state[0])
        new_reset, new_update, new_candidate = new.chunk(3, -1)
        old_reset, old_update, old_candidate = old.chunk(3, -1)
        candidate = torch.tanh(new_candidate + torch.sigmoid(new_reset + old_reset) * old_candidate)
        update = torch.sigmoid(new_update + old_update)
        return (candidate + update * (state[0] - candidate),)


class GRUResetBefore(GRU):
    """As GRU, with s̃ = tanh(U x_t + b + W (r ⊙ s_{t-1}) + b'). No fused form exists: whole sequences loop."""

    def forward(self, inputs: Float[Tensor, "B T I"], state: State) -> tuple[Float[Tensor, "B T H"], State]:
        w, outputs, (hidden,) = self.weights, [], state
        for new in F.linear(inputs, w.weight_ih_l0, w.bias_ih_l0).unbind(1):
            hidden = self._after_inputs(new, hidden)
            outputs.append(hidden)
        if not outputs:
            return inputs.new_zeros(*inputs.shape[:2], w.hidden_size), state
        return torch.stack(outputs, 1), (hidden,)

    def step(self, inputs: Float[Tensor, "*N I"], state: State) -> State:
        w = self.weights
        return (self._after_inputs(F.linear(inputs, w.weight_ih_l0, w.bias_ih_l0), state[0]),)

    def _after_inputs(self, new: Tensor, hidden: Tensor) -> Tensor:
        size, weight, bias = self.weights.hidden_size, self.weights.weight_hh_l0, self.weights.bias_hh_l0
        gates = torch.sigmoid(new[..., : 2 * size] + F.linear(hidden, weight[: 2 * size], bias[: 2 * size]))
        reset, update = gates.chunk(2, -1)
        candidate = torch.tanh(new[..., 2 * size :] + F.linear(reset * hidden, weight[2 * size :], bias[2 * size :]))
        return candidate + update * (hidden - candidate)


def make_cell(name: CellName, inputs: int, hidden: int, reset: Reset = "after") -> Cell:
    """The cell of this name; `reset` is the GRU's."""
    if name == "gru" and reset == "before":
        return GRUResetBefore(inputs, hidden)
    return {"rnn": RNN, "gru": GRU, "lstm": LSTM}[name](inputs, hidden)
