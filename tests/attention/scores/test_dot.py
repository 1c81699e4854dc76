"""The dot product against numbers worked out by hand and against torch's own attention."""

import pytest
import torch
from torch.nn import functional as F

from regard.attention import SCORES, Attention, Sizes
from regard.attention.focus import Soft
from regard.errors import RegardError


def test_numbers_by_hand(memory_of):
    memory = memory_of([[1.0, 2.0], [0.0, -1.0], [3.0, 0.5]])
    energies = SCORES["dot"](Sizes(2, 2))(torch.tensor([[[2.0, 4.0], [-1.0, 0.0]]]), memory)
    # 1·2+2·4 = 10, 0·2−1·4 = −4, 3·2+0.5·4 = 8;  then −1, 0, −3
    assert energies.tolist() == [[[10.0, -4.0, 8.0], [-1.0, 0.0, -3.0]]]


def test_has_no_parameters():
    assert not list(SCORES["dot"](Sizes(2, 2)).parameters())


def test_context_is_that_of_torch(random_memory):
    memory = random_memory(lengths=[5, 3], width=4)
    query = torch.randn(2, 6, 4, dtype=torch.float64)
    attention = Attention(SCORES["dot"](Sizes(4, 4)), Soft())
    context, _, _ = attention(query, attention.bind(memory))
    expected = F.scaled_dot_product_attention(query, memory.values, memory.values, memory.keep[:, None], scale=1.0)
    torch.testing.assert_close(context, expected)


@pytest.mark.parametrize("name", ["dot", "scaled", "cosine"])
def test_sizes_that_differ(name):
    with pytest.raises(RegardError) as error:
        SCORES[name](Sizes(query=3, memory=4))
    assert str(error.value) == (
        f'the score "{name}" needs a query as wide as the memory, but the query has 3 and the memory 4; make the sizes'
        ' equal or use score = "general"'
    )
