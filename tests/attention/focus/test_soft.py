"""Soft attention by hand: the softmax over what is kept, and nothing of what is not."""

import math

import torch

from regard.attention.focus import Soft


def weigh(energies, keep):
    return Soft().weigh(torch.tensor([energies]), torch.tensor([[keep]])).weights[0]


def test_numbers_by_hand():
    energies = [[0.0, math.log(2), math.log(5)], [math.log(3), 0.0, 99.0]]
    torch.testing.assert_close(weigh(energies, [True] * 3)[0], torch.tensor([1 / 8, 2 / 8, 5 / 8]))
    torch.testing.assert_close(
        weigh(energies, [True, True, False]), torch.tensor([[1 / 3, 2 / 3, 0.0], [3 / 4, 1 / 4, 0.0]])
    )


def test_a_place_between_may_be_padding():
    assert weigh([[1.0, 50.0, 1.0]], [True, False, True]).tolist() == [[0.5, 0.0, 0.5]]


def test_only_differences_count_however_large():
    for high in (0.0, 1e4, -1e4):
        torch.testing.assert_close(weigh([[high, high - math.log(3)]], [True, True]), torch.tensor([[0.75, 0.25]]))


def test_nothing_to_look_at_has_no_weight():
    assert weigh([[3.0, 4.0]], [False, False]).tolist() == [[0.0, 0.0]]


def test_it_is_over_all_places_and_draws_nothing():
    glance = Soft().weigh(torch.zeros(1, 2, 3), torch.ones(1, 1, 3, dtype=torch.bool))
    assert (glance.places, glance.log_prob) == (None, None)
