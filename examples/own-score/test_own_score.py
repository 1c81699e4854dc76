"""The score by hand, and that Regard finds it."""

import torch
from own_score import Distance
from torch import nn

from regard.attention import SCORES, Sizes
from regard.memory import Memory


def test_by_hand():
    score = Distance(Sizes(query=2, memory=2), sharpness=2.0)
    nn.init.eye_(score.project.weight)  # W changes nothing
    places = torch.tensor([[[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]])
    memory = Memory(places, torch.ones(1, 3, dtype=torch.bool), torch.zeros(1, 2), (3,))
    # |s - h|² is 1, 9 + 9 and 0; times -2 / 2
    assert score(torch.tensor([[[0.0, 1.0]]]), memory).tolist() == [[[-1.0, -18.0, 0.0]]]


def test_regard_finds_it_by_its_name():
    assert SCORES["distance"] is Distance
    assert SCORES.options({"type": "distance", "sharpness": 0.5}).sharpness == 0.5
