"""The readout's layers by hand."""

import pytest
import torch

from regard.decoders.readout import Readout, maxout


def test_maxout_takes_the_larger_of_each_pair():
    assert maxout(torch.tensor([[1.0, 3.0, -2.0, -5.0]])).tolist() == [[3.0, -2.0]]


@pytest.mark.parametrize(
    ("layer", "expected"), [("linear", [1.5, -2.0]), ("tanh", [0.90514825, -0.96402758]), ("maxout", [1.5, 2.0])]
)
def test_layers(layer, expected):
    readout = Readout(2, 2, layer)
    # [x; y] = [1, -2]: x + 0.5 = 1.5, y = -2, and for maxout -x - y = 1 beside 1.5: rows paired (1.5, -2), (1, 2)
    weight = {"maxout": [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.0, -1.0]]}.get(layer, [[1.0, 0.0], [0.0, 1.0]])
    readout.project.weight.data = torch.tensor(weight)
    readout.project.bias.data = torch.tensor([0.5, 0.0, 0.0, 0.0][: len(weight)])
    found = readout([torch.tensor([[[1.0]]]), torch.tensor([[[-2.0]]])])
    torch.testing.assert_close(found, torch.tensor([[expected]]))
