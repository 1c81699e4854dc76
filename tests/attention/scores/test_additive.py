"""e = v'tanh(Wh + Us) against numbers worked out by hand and against the concat form v'tanh(W[h; s])."""

import torch

from regard.attention import SCORES, Sizes


def test_numbers_by_hand(memory_of):
    score = SCORES["additive"](Sizes(query=1, memory=2), width=2)
    score.project_memory.weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    score.project_memory.bias.data = torch.tensor([0.0, 0.5])
    score.project_query.weight.data = torch.tensor([[2.0], [-1.0]])
    score.vector.data = torch.tensor([10.0, 100.0])
    memory = memory_of([[-1.0, 0.5], [1.0, 0.5]])
    # s = 0.5 projects to (1, −0.5). First place: tanh(−1+1) = 0, tanh(0.5+0.5−0.5) = tanh 0.5 = 0.46211716
    # Second: tanh(1+1) = 0.96402758, tanh 0.5. With v: 46.211716 and 9.6402758 + 46.211716 = 55.8519918
    energies = score(torch.tensor([[[0.5]]]), memory)
    torch.testing.assert_close(energies, torch.tensor([[[46.211716, 55.851992]]]))


def test_is_the_concat_form(random_memory):
    memory = random_memory(lengths=[5, 2], width=3)
    score = SCORES["additive"](Sizes(query=4, memory=3), width=7).double()
    state = torch.randn(2, 6, 4, dtype=torch.float64)
    joined = torch.cat(
        [memory.values[:, None].expand(-1, 6, -1, -1), state[:, :, None].expand(-1, -1, memory.values.shape[1], -1)], -1
    )
    weight = torch.cat([score.project_memory.weight, score.project_query.weight], 1)  # W = [W_k, W_q]
    hidden = torch.tanh(torch.einsum("bnsi,ai->bnsa", joined, weight) + score.project_memory.bias)
    torch.testing.assert_close(score(state, memory), torch.einsum("bnsa,a->bns", hidden, score.vector))
