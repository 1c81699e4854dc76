"""Dropout over sequences: a mask a step, or one a sequence, whether the sequence runs at once or step by step."""

import pytest
import torch

from regard.recurrence import Dropout, Recurrence


@pytest.mark.parametrize("shape", [(6, 50, 8), (3, 2, 50, 8)])
def test_variational_draws_one_mask_a_sequence(shape):
    dropped = Dropout(0.5, variational=True)(torch.ones(shape)).flatten(0, -3)
    assert (dropped == dropped[:, :1]).all()
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert not (dropped[0] == dropped[1]).all()  # another example, another mask


def test_otherwise_every_step_draws_its_own():
    dropped = Dropout(0.5)(torch.ones(6, 50, 8))
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert not (dropped == dropped[:, :1]).all()
    assert Dropout(0.5).mask(torch.ones(6, 1, 8)) is None


@pytest.mark.parametrize("variational", [False, True])
def test_a_share_of_the_values_goes_and_the_rest_grows(variational):
    dropped = Dropout(0.2, variational)(torch.ones(500, 3, 40))
    assert (dropped == 0).float().mean().item() == pytest.approx(0.2, abs=0.02)
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("variational", [False, True])
def test_nothing_is_dropped_in_use(variational):
    values = torch.randn(2, 3, 4)
    for dropout in (Dropout(0.5, variational).eval(), Dropout(0.0, variational)):
        assert dropout(values) is values
        assert dropout.mask(values) is None


@pytest.mark.parametrize("shape", [(2, 0, 4), (0, 3, 4)])
@pytest.mark.parametrize("variational", [False, True])
def test_nothing_to_drop(shape, variational):
    assert Dropout(0.5, variational)(torch.zeros(shape)).shape == shape


def test_steps_with_the_masks_of_a_sequence_equal_the_whole():
    recurrence = Recurrence(3, 8, layers=3, dropout=0.5, variational=True).double()
    inputs = torch.randn(2, 5, 3, dtype=torch.float64)
    torch.manual_seed(1)
    whole, _ = recurrence(inputs)
    torch.manual_seed(1)
    masks, states = recurrence.masks(2), recurrence.zero(2)
    for time in range(5):
        output, states = recurrence.step(inputs[:, time], states, tuple(mask[:, 0] for mask in masks))
        torch.testing.assert_close(output, whole[:, time])


def test_says_what_it_does():
    assert repr(Dropout(0.5, variational=True)) == "Dropout(0.5, one mask a sequence)"
