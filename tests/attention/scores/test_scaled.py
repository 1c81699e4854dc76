"""The scaled dot product against numbers worked out by hand and against torch's own attention."""

import torch
from torch.nn import functional as F

from regard.attention import SCORES, Attention, Sizes
from regard.attention.focus import Soft


def test_numbers_by_hand(memory_of):
    memory = memory_of([[1.0, 2.0, 3.0, 0.0], [0.0, -1.0, 0.0, 5.0]])
    energies = SCORES["scaled"](Sizes(4, 4))(torch.tensor([[[2.0, 4.0, 1.0, 1.0]]]), memory)
    # (2 + 8 + 3 + 0) / √4 = 6.5, (−4 + 5) / √4 = 0.5
    assert energies.tolist() == [[[6.5, 0.5]]]


def test_context_is_that_of_torch(random_memory):
    memory = random_memory(lengths=[1, 5, 3], width=6)
    query = torch.randn(3, 4, 6, dtype=torch.float64)
    attention = Attention(SCORES["scaled"](Sizes(6, 6)), Soft())
    context, _, _ = attention(query, attention.bind(memory))
    expected = F.scaled_dot_product_attention(query, memory.values, memory.values, memory.keep[:, None])
    torch.testing.assert_close(context, expected)
