"""e = h'Ws against numbers worked out by hand and against the formula; sizes may differ."""

import torch

from regard.attention import SCORES, Sizes


def test_numbers_by_hand(memory_of):
    score = SCORES["general"](Sizes(query=2, memory=3))
    score.project.weight.data = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0]])  # Wᵀ: a row a query's value
    memory = memory_of([[1.0, 1.0, 1.0], [2.0, 0.0, -1.0]])
    # Wᵀh: (1+2, 3−1) = (3, 2) and (2−2, 1) = (0, 1); with s = (5, 7): 15+14 = 29 and 0+7 = 7
    assert score(torch.tensor([[[5.0, 7.0]]]), memory).tolist() == [[[29.0, 7.0]]]


def test_is_the_formula(random_memory):
    memory = random_memory(lengths=[5, 2], width=3)
    score = SCORES["general"](Sizes(query=4, memory=3)).double()
    state = torch.randn(2, 6, 4, dtype=torch.float64)
    expected = torch.einsum("bsm,qm,bnq->bns", memory.values, score.project.weight, state)
    torch.testing.assert_close(score(state, memory), expected)


def test_with_the_identity_it_is_the_dot_product(random_memory):
    memory = random_memory(lengths=[5, 2], width=3)
    score = SCORES["general"](Sizes(query=3, memory=3)).double()
    score.project.weight.data = torch.eye(3, dtype=torch.float64)
    state = torch.randn(2, 6, 3, dtype=torch.float64)
    torch.testing.assert_close(score(state, memory), SCORES["dot"](Sizes(3, 3))(state, memory))
