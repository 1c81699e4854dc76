"""Masks against what they mean, written out row by row; empty rows, empty batches and gradients included."""

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RegardError
from regard.masks import keep_places, largest_place, last_place, masked_softmax, pack_left, reversed_places, take_places

lengths_of_rows = st.lists(st.integers(0, 6), min_size=1, max_size=4)
masks = st.integers(0, 6).flatmap(
    lambda size: st.lists(st.lists(st.booleans(), min_size=size, max_size=size), min_size=1, max_size=4)
)


@given(lengths_of_rows, st.integers(0, 3))
def test_keep_of_lengths(lengths, more):
    size = max(lengths) + more
    keep = keep_places(torch.tensor(lengths), size=size)
    assert keep.tolist() == [[place < length for place in range(size)] for length in lengths]
    assert torch.equal(keep_places(torch.tensor(lengths)), keep[:, : max(lengths)])


def test_keep_of_no_lengths_at_all():
    assert keep_places(torch.zeros(0, dtype=torch.long)).shape == (0, 0)


@given(masks)
def test_keep_of_masks_of_both_polarities(rows):
    mask = torch.tensor(rows, dtype=torch.bool)
    assert torch.equal(keep_places(mask=mask, true_means="keep"), mask)
    assert torch.equal(keep_places(mask=mask.int(), true_means="padding"), ~mask)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({}, "give keep_places either lengths or a mask, not both and not neither"),
        (
            {"lengths": torch.tensor([1]), "mask": torch.tensor([[True]])},
            "give keep_places either lengths or a mask, not both and not neither",
        ),
        (
            {"mask": torch.tensor([[True]])},
            'a mask came without its meaning; say true_means="keep" or true_means="padding"',
        ),
    ],
)
def test_keep_refuses_what_it_cannot_understand(given_, said):
    with pytest.raises(RegardError, match=f"^{re.escape(said)}$"):
        keep_places(**given_)


@given(masks, st.integers(0, 1000))
def test_masked_softmax_is_the_softmax_of_the_kept_alone(rows, seed):
    keep = torch.tensor(rows, dtype=torch.bool)
    torch.manual_seed(seed)
    energies = torch.randn(keep.shape, dtype=torch.float64) * 5
    weights = masked_softmax(energies, keep)
    for energy, kept, weight in zip(energies, keep, weights, strict=True):
        expected = torch.zeros_like(energy)
        expected[kept] = energy[kept].softmax(-1)
        torch.testing.assert_close(weight, expected)


def test_masked_softmax_written_out():
    energies = torch.tensor([[0.0, 0.6931471805599453, 50.0]], dtype=torch.float64)  # e^0 = 1, e^ln 2 = 2
    weights = masked_softmax(energies, torch.tensor([[True, True, False]]))
    torch.testing.assert_close(weights, torch.tensor([[1 / 3, 2 / 3, 0.0]], dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_masked_softmax_of_an_empty_row_is_zero_with_finite_gradients(dtype):
    energies = torch.randn(2, 3, dtype=dtype, requires_grad=True)
    weights = masked_softmax(energies, torch.tensor([[False] * 3, [True, False, True]]))
    assert weights[0].tolist() == [0.0, 0.0, 0.0]
    weights.square().sum().backward()
    assert energies.grad[0].tolist() == [0.0, 0.0, 0.0]
    assert energies.grad[1].isfinite().all()
    assert energies.grad[1, 0] != 0


def test_masked_softmax_gradient():
    keep = torch.tensor([[True, False, True, True], [False] * 4])
    energies = torch.randn(2, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda given_: masked_softmax(given_, keep), energies)


def test_what_stands_at_padding_is_never_seen():
    energies = torch.tensor([[1.0, float("nan"), float("inf")]], requires_grad=True)
    weights = masked_softmax(energies, torch.tensor([[True, False, False]]))
    assert weights.tolist() == [[1.0, 0.0, 0.0]]
    weights[0, 0].backward()
    assert energies.grad.isfinite().all()


@given(lengths_of_rows, st.integers(0, 2))
def test_last_place(lengths, more):
    keep = keep_places(torch.tensor(lengths), size=max(lengths) + more)
    values = torch.randn(*keep.shape, 2)
    last = last_place(values, keep)
    for row, length in enumerate(lengths):
        expected = values[row, length - 1] if length else torch.zeros(2)
        assert torch.equal(last[row], expected)


@given(lengths_of_rows, st.integers(0, 2))
def test_reversed_places_turn_real_ones_round_and_are_their_own_inverse(lengths, more):
    size = max(lengths) + more
    turned = reversed_places(keep_places(torch.tensor(lengths), size=size))
    assert turned.tolist() == [[*reversed(range(length)), *range(length, size)] for length in lengths]
    assert torch.equal(turned.gather(1, turned), torch.arange(size).expand(len(lengths), -1))


def test_take_places():
    values = torch.tensor([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]])
    assert take_places(values, torch.tensor([[2, 0, 2, 1]])).tolist() == [[[5, 6], [1, 2], [5, 6], [3, 4]]]


@given(masks)
def test_pack_left_brings_the_real_ones_forward_in_their_order(rows):
    keep = torch.tensor(rows, dtype=torch.bool)
    for kept, order in zip(rows, pack_left(keep).tolist(), strict=True):
        real = [place for place, is_real in enumerate(kept) if is_real]
        padding = [place for place, is_real in enumerate(kept) if not is_real]
        assert order == real + padding


@given(masks)
def test_the_largest_place(rows):
    keep = torch.tensor(rows, dtype=torch.bool)
    values = torch.tensor([3.0, 1.0, 3.0, 0.0, 2.0, 3.0])[: keep.shape[1]].expand(keep.shape)
    for row, kept, found in zip(values.tolist(), rows, largest_place(values, keep).tolist(), strict=True):
        real = [place for place, real in enumerate(kept) if real]
        best = max(real, key=lambda place: (row[place], -place), default=None)
        assert found == [float(place == best) for place in range(len(row))]
