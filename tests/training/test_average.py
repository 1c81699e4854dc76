"""a ← a + (1 - d)(w - a), d = min(decay, (1 + t) / (10 + t)), by hand."""

import pytest
import torch
from torch import nn

from regard.training.average import Average


def walk(toy, decay, values):
    """One weight of a model made to take these values, and what its average is after each."""
    model = toy.run_of(toy.plan("average=0")).model
    bias = model.decoder.emission.output.bias
    with torch.no_grad():
        bias.fill_(0.0)
    average, found = Average(model, decay), []
    for value in values:
        with torch.no_grad():
            bias.fill_(value)
        average.update()
        found.append(average.model.decoder.emission.output.bias[0].item())
    return found, average, model


def test_it_begins_with_the_first_updates_and_not_with_the_random_weights(toy):
    found, average, _ = walk(toy, 0.998, [11.0, 11.0, 0.0])
    # d = 2/11, 3/12, 4/13: 11 · 9/11 = 9; 9 + 3/4 · 2 = 10.5; 10.5 - 9/13 · 10.5
    assert found == pytest.approx([9.0, 10.5, 10.5 * 4 / 13])
    assert average.updates == 3


def test_the_decay_is_the_most_it_remembers(toy):
    found, _, _ = walk(toy, 0.2, [11.0, 1.0, 0.0])
    # d = 2/11, then 0.2, 0.2
    assert found == pytest.approx([9.0, 0.2 * 9 + 0.8, 0.2 * 2.6])


def test_every_weight_follows(toy):
    _, average, model = walk(toy, 0.5, [1.0])
    assert average.model is not model
    for ours, theirs in zip(average.model.parameters(), model.parameters(), strict=True):
        assert ours is not theirs
        assert not ours.requires_grad
        assert theirs.requires_grad
    start = [part.clone() for part in average.model.parameters()]
    with torch.no_grad():
        for part in model.parameters():
            part.add_(1.0)
    average.update()  # d = 3/12
    for before, ours, theirs in zip(start, average.model.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(ours, 0.25 * before + 0.75 * theirs)


def test_it_never_drops_out(toy):
    _, average, model = walk(toy, 0.5, [1.0])
    model.train()
    assert not any(part.training for part in average.model.modules())
    assert any(isinstance(part, nn.LSTM) for part in average.model.modules())


def test_without_decay_it_is_the_model_itself(toy):
    found, average, model = walk(toy, 0.0, [11.0, 5.0])
    assert found == [11.0, 5.0]
    assert average.model is model
    assert all(part.requires_grad for part in model.parameters())


def test_shared_weights_stay_shared(toy):
    model = toy.run_of(toy.plan("tied=true")).model
    average = Average(model, 0.9)
    assert average.model.decoder.emission.output.weight is average.model.decoder.embedding.table.weight
