"""Layers of recurrence, one way or two, over whole sequences or step by step.

Legend: B batch, T steps, *N any leading axes, I input width, H hidden width. Unusual here: two-way recurrence is two
one-way passes, the backward one over each row's real places turned round by a gather. That equals packing, but it
exports, can be captured, and padding never leaks.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.masks import last_place, reversed_places, take_places
from regard.recurrence.cells import CellName, Reset, State, make_cell
from regard.recurrence.dropout import Dropout

States = tuple[State, ...]  # a state a layer
Masks = tuple[Tensor | None, ...]  # of dropout: one below each layer but the first


class Recurrence(nn.Module):
    """Layers of cells, each over the outputs of the one below, with dropout between them."""

    def __init__(
        self,
        inputs: int,
        hidden: int,
        *,
        cell: CellName = "lstm",
        layers: int = 1,
        reset: Reset = "after",
        dropout: float = 0.0,
        variational: bool = False,
    ):
        super().__init__()
        widths = [inputs] + [hidden] * (layers - 1)
        self.cells: Any = nn.ModuleList(make_cell(cell, width, hidden, reset) for width in widths)
        self.dropout = Dropout(dropout, variational)
        self.inputs, self.hidden = inputs, hidden

    def zero(self, *leading: int) -> States:
        return tuple(cell.zero(*leading) for cell in self.cells)

    def masks(self, *leading: int) -> Masks:
        """The dropout masks of a sequence, for whoever goes by `step`."""
        like = self.zero(*leading)[0][0][..., None, :]
        return tuple(self.dropout.mask(like) for _ in self.cells[1:])

    def forward(
        self, inputs: Float[Tensor, "B T I"], states: States | None = None, masks: Masks = ()
    ) -> tuple[Float[Tensor, "B T H"], States]:
        """All steps at once: the top layer's h_1…h_T, and all layers' states at the end."""
        states = self.zero(len(inputs)) if states is None else states
        outputs, last = inputs, []
        for number, (cell, state) in enumerate(zip(self.cells, states, strict=True)):
            outputs, state = cell(self._entering(number, outputs, masks), state)
            last.append(state)
        return outputs, tuple(last)

    def step(
        self, inputs: Float[Tensor, "*N I"], states: States, masks: Masks = ()
    ) -> tuple[Float[Tensor, "*N H"], States]:
        """One step of all layers."""
        output, moved = inputs, []
        for number, (cell, state) in enumerate(zip(self.cells, states, strict=True)):
            state = cell.step(self._entering(number, output, masks), state)
            output = state[0]
            moved.append(state)
        return output, tuple(moved)

    def _entering(self, layer: int, values: Tensor, masks: Masks) -> Tensor:
        """What a layer is given of the one below."""
        if layer == 0:
            return values
        return self.dropout(values, masks[layer - 1] if masks else None)


class SequenceEncoder(nn.Module):
    """h_j = →h_j, or [→h_j; ←h_j] where `two_way`, layer upon layer; and the last word of each direction.

    A caller may hand in the (one-way) recurrence of another part, to share its parameters.
    """

    def __init__(self, inputs: int, hidden: int, *, two_way: bool = True, layers: int = 1, **settings: Any):
        super().__init__()
        directions = 2 if two_way else 1
        self.width = hidden * directions
        self.dropout = Dropout(settings.pop("dropout", 0.0), settings.pop("variational", False))
        widths = [inputs] + [self.width] * (layers - 1)
        self.forwards = nn.ModuleList(Recurrence(width, hidden, **settings) for width in widths)
        self.backwards = nn.ModuleList(Recurrence(width, hidden, **settings) for width in widths if two_way)

    def forward(
        self, inputs: Float[Tensor, "B S I"], keep: Bool[Tensor, "B S"]
    ) -> tuple[Float[Tensor, "B S W"], Float[Tensor, "B W"]]:
        """(states, summary): every place's h_j, zero at padding, and the last state of each direction."""
        outputs = inputs
        turned = reversed_places(keep) if self.backwards else None
        for number, forwards in enumerate(self.forwards):
            layer = outputs if number == 0 else self.dropout(outputs)
            onward, _ = forwards(layer)
            summary = last_place(onward, keep)
            outputs = onward
            if turned is not None:
                back, _ = self.backwards[number](take_places(layer, turned))
                summary = torch.cat([summary, last_place(back, keep)], -1)
                outputs = torch.cat([onward, take_places(back, turned)], -1)
        return outputs * keep[..., None].to(outputs.dtype), summary
