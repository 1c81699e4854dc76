"""The cosine against numbers worked out by hand and against torch's; lengths of vectors count for nothing."""

import torch
from torch.nn import functional as F

from regard.attention import SCORES, Sizes


def test_numbers_by_hand(memory_of):
    memory = memory_of([[3.0, 4.0], [-4.0, 3.0], [0.0, 2.0], [0.0, 0.0]])
    energies = SCORES["cosine"](Sizes(2, 2))(torch.tensor([[[6.0, 8.0]]]), memory)
    # the same direction, a right angle, 8·2 / (10·2) = 0.8, and nothing
    torch.testing.assert_close(energies, torch.tensor([[[1.0, 0.0, 0.8, 0.0]]]))


def test_is_torchs_cosine(random_memory):
    memory = random_memory(lengths=[5, 2], width=3)
    state = torch.randn(2, 6, 3, dtype=torch.float64)
    expected = F.cosine_similarity(state[:, :, None], memory.values[:, None], dim=-1)
    torch.testing.assert_close(SCORES["cosine"](Sizes(3, 3))(state, memory), expected)


def test_lengths_of_vectors_count_for_nothing(random_memory):
    memory = random_memory(lengths=[5, 2], width=3)
    state = torch.randn(2, 6, 3, dtype=torch.float64)
    score = SCORES["cosine"](Sizes(3, 3))
    longer = memory._replace(values=memory.values * 7)
    torch.testing.assert_close(score(state, memory), score(state * 0.1, longer))


def test_a_state_of_zeros_has_finite_gradients(random_memory):
    memory = random_memory(lengths=[3], width=3)
    state = torch.zeros(1, 1, 3, dtype=torch.float64, requires_grad=True)
    SCORES["cosine"](Sizes(3, 3))(state, memory).sum().backward()
    assert state.grad.isfinite().all()
