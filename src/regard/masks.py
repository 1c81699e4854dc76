"""Masks: one word, `keep`, True where a place is real, and the few functions that must be right about it.

Legend: B batch, S places, M width. Unusual here: a row with nothing to keep gives zero weights and finite gradients,
where a plain softmax over minus infinities gives NaN. `keep_places` is the one border where lengths or other
people's masks come in.
"""

from typing import Literal

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor
from torch.nn import functional as F

from regard.errors import RegardError


def keep_places(
    lengths: Int[Tensor, "B"] | None = None,
    mask: Shaped[Tensor, "B S"] | None = None,
    *,
    true_means: Literal["keep", "padding"] | None = None,
    size: int | None = None,
) -> Bool[Tensor, "B S"]:
    """The `keep` of lengths, or of a mask of either polarity.

    Give `lengths` (and `size`, the padded length, where it is more than the longest), or `mask` together with what
    its true entries mean: `"keep"` (real places) or `"padding"` (as `torch.nn.MultiheadAttention` has it).
    """
    if (lengths is None) == (mask is None):
        raise RegardError("give keep_places either lengths or a mask, not both and not neither")
    if lengths is not None:
        longest = int(lengths.max()) if len(lengths) else 0
        places = torch.arange(longest if size is None else size, device=lengths.device)
        return places < lengths[:, None]
    if true_means is None:
        raise RegardError('a mask came without its meaning; say true_means="keep" or true_means="padding"')
    assert mask is not None
    return mask.bool() if true_means == "keep" else ~mask.bool()


def masked_softmax(energies: Float[Tensor, "*N S"], keep: Bool[Tensor, "*#N S"]) -> Float[Tensor, "*N S"]:
    """α_j = exp e_j / Σ_k exp e_k, the sum over kept places only; zeros where nothing is kept.

    Ours differs from `softmax(masked_fill(-inf))` in that an empty row is zero, forwards and backwards.
    """
    low = torch.finfo(energies.dtype).min
    # the second mask zeroes empty rows, which the first leaves even; on other rows it changes nothing
    return energies.masked_fill(~keep, low).softmax(-1).masked_fill(~keep, 0.0)


def largest_place(values: Float[Tensor, "*N S"], keep: Bool[Tensor, "*#N S"]) -> Float[Tensor, "*N S"]:
    """1 at each row's largest kept value, of equals at the first, and 0 elsewhere; zeros where nothing is kept."""
    if values.shape[-1] == 0:
        return torch.zeros_like(values)
    best = values.masked_fill(~keep, torch.finfo(values.dtype).min).argmax(-1)
    return F.one_hot(best, values.shape[-1]).to(values.dtype).masked_fill(~keep, 0.0)


def last_place(values: Float[Tensor, "B S M"], keep: Bool[Tensor, "B S"]) -> Float[Tensor, "B M"]:
    """Each row's value at its last real place (real ones come first); zeros where there is none."""
    if values.shape[1] == 0:
        return values.new_zeros(values.shape[0], values.shape[2])
    lengths = keep.sum(1)
    rows = torch.arange(len(values), device=values.device)
    return values[rows, (lengths - 1).clamp(min=0)] * (lengths > 0).to(values.dtype)[:, None]


def reversed_places(keep: Bool[Tensor, "B S"]) -> Int[Tensor, "B S"]:
    """Indices that turn each row's real places round and leave its padding where it is; their own inverse."""
    lengths = keep.sum(1, keepdim=True)
    places = torch.arange(keep.shape[1], device=keep.device).expand_as(keep)
    return torch.where(keep, lengths - 1 - places, places)


def take_places(values: Float[Tensor, "B S M"], places: Int[Tensor, "B W"]) -> Float[Tensor, "B W M"]:
    """values[b, places[b, w]]."""
    return values.gather(1, places[..., None].expand(-1, -1, values.shape[2]))


def pack_left(keep: Bool[Tensor, "B S"]) -> Int[Tensor, "B S"]:
    """Indices that bring each row's real places to the front, in their order (for joined sources)."""
    return (~keep).to(torch.uint8).argsort(dim=1, stable=True)
