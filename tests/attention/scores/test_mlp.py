"""e = MLP([h; s]) against numbers worked out by hand and against a plain torch network over the joined vector."""

import pytest
import torch
from torch import nn

from regard.attention import SCORES, Sizes


def test_numbers_by_hand(memory_of):
    score = SCORES["mlp"](Sizes(query=1, memory=1), width=1, layers=2)
    for part, value in (
        (score.project_memory.weight, 1.0),
        (score.project_memory.bias, 0.25),
        (score.project_query.weight, -1.0),
        (score.hidden[0].weight, 2.0),
        (score.hidden[0].bias, 0.0),
        (score.output.weight, 3.0),
        (score.output.bias, 0.5),
    ):
        part.data.fill_(value)
    # h = 0.75, s = 0.5: tanh(0.75 + 0.25 − 0.5) = tanh 0.5 = 0.46211716, tanh(2 · that) = tanh 0.92423431 = 0.72789440,
    # 3 · that + 0.5 = 2.6836832;  h = 0.25: all zeros but the last bias
    energies = score(torch.tensor([[[0.5]]]), memory_of([[0.75], [0.25]]))
    torch.testing.assert_close(energies, torch.tensor([[[2.6836832, 0.5]]]))


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_is_a_network_over_the_joined_vector(layers, random_memory):
    memory = random_memory(lengths=[5, 2], width=3)
    score = SCORES["mlp"](Sizes(query=4, memory=3), width=6, layers=layers).double()
    first = nn.Linear(7, 6).double()
    first.weight.data = torch.cat([score.project_memory.weight, score.project_query.weight], 1)
    first.bias.data = score.project_memory.bias.data
    deeper = [part for layer in score.hidden for part in (layer, nn.Tanh())]
    network = nn.Sequential(first, nn.Tanh(), *deeper, score.output)
    state = torch.randn(2, 6, 4, dtype=torch.float64)
    joined = torch.cat(
        [memory.values[:, None].expand(-1, 6, -1, -1), state[:, :, None].expand(-1, -1, memory.values.shape[1], -1)], -1
    )
    torch.testing.assert_close(score(state, memory), network(joined)[..., 0])


def test_with_one_layer_it_is_the_additive_score_with_an_output_bias(random_memory):
    memory = random_memory(lengths=[5, 2], width=3)
    mlp = SCORES["mlp"](Sizes(query=4, memory=3), width=6, layers=1).double()
    additive = SCORES["additive"](Sizes(query=4, memory=3), width=6).double()
    additive.project_memory, additive.project_query = mlp.project_memory, mlp.project_query
    additive.vector.data = mlp.output.weight.data[0]
    state = torch.randn(2, 6, 4, dtype=torch.float64)
    torch.testing.assert_close(mlp(state, memory), additive(state, memory) + mlp.output.bias)
