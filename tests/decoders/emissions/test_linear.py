"""softmax(W f + b): the loss against a plain formula, what is never written, tied weights."""

import pytest
import torch

from regard.batch import END, PAD, START, UNKNOWN
from regard.decoders.emissions import EMISSIONS, Said, Surroundings


@pytest.fixture
def emission():
    return EMISSIONS["linear"](Surroundings(3, 6, "target"))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_by_formula(emission, smoothing):
    features, targets = torch.randn(2, 4, 3), torch.randint(4, 6, (2, 4))
    keep = torch.tensor([[True, True, False, False], [True, True, True, True]])
    losses = emission.loss(Said(features, {}), None, targets, keep, smoothing)
    log_probs = (features @ emission.output.weight.T + emission.output.bias).log_softmax(-1)
    for row in range(2):
        for step in range(4):
            true = -log_probs[row, step, targets[row, step]]
            expected = (1 - smoothing) * true - smoothing * log_probs[row, step].sum() / 6
            assert losses[row, step].item() == pytest.approx(expected.item() if keep[row, step] else 0.0, abs=1e-6)


def test_nothing_kept(emission):
    losses = emission.loss(
        Said(torch.randn(2, 3, 3), {}), None, torch.zeros(2, 3, dtype=torch.long), torch.zeros(2, 3).bool()
    )
    assert losses.tolist() == [[0.0] * 3] * 2
    assert emission.loss(
        Said(torch.zeros(2, 0, 3), {}), None, torch.zeros(2, 0).long(), torch.zeros(2, 0).bool()
    ).shape == (2, 0)


def test_padding_start_and_unknown_are_never_written(emission):
    log_probs, past = emission.log_probs(Said(torch.randn(2, 5, 3), {}), None, None)
    assert past is None
    assert log_probs[..., [PAD, START, UNKNOWN]].eq(float("-inf")).all()
    torch.testing.assert_close(log_probs[..., [END, 4, 5]].exp().sum(-1), torch.ones(2, 5))
    assert emission.double().log_probs(Said(torch.randn(1, 1, 3).double(), {}), None, None)[0].dtype == torch.float32


def test_tied():
    weights = torch.nn.Parameter(torch.randn(6, 3))
    assert EMISSIONS["linear"](Surroundings(3, 6, "target", tied=weights)).output.weight is weights
