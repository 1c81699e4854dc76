"""The decoder's first state: zeros, learned, or made of the encoders' summaries.

Legend: B batch, N joined summary width, H hidden width.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.recurrence import Recurrence, States

StartName = Literal["summary", "zero", "learned"]


class Start(nn.Module):
    """s_0 for every layer.

    `summary`: s_0 = h_S where there is one layer and the sizes agree, else W h_S + b, a projection a layer; an LSTM's
    c_0 is always a projection, since an encoder's summary is its h alone. Of several encoders the summaries are joined,
    of a two-way one they are [→h_S; ←h_1]. `learned`: parameters of their own.
    """

    def __init__(self, kind: StartName, recurrence: Recurrence, summary: int):
        super().__init__()
        self.kind = kind
        self.tensors = [cell.tensors for cell in recurrence.cells]
        count, hidden = sum(self.tensors), recurrence.hidden
        if kind == "learned":
            self.states = nn.Parameter(torch.zeros(count, hidden))
        elif kind == "summary":
            kept = 1 if summary == hidden and len(self.tensors) == 1 else 0  # s_0 = h_S
            self.project = nn.ModuleList(
                nn.Identity() if number < kept else nn.Linear(summary, hidden) for number in range(count)
            )

    def forward(self, summary: Float[Tensor, "B N"], zero: States) -> States:
        """The states of all layers, each (B, H); `zero` are zeros of the right shapes."""
        if self.kind == "zero":
            return zero
        if self.kind == "learned":
            flat = [state.expand(len(summary), -1) for state in self.states]
        else:
            flat = [project(summary) for project in self.project]
        tensors = iter(flat)
        return tuple(tuple(next(tensors) for _ in range(count)) for count in self.tensors)
