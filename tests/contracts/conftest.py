"""What the three tiny models share: a third party's encoder made known, a short training, answers with glances."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest
import torch

from regard.encoders import ENCODERS
from regard.model import Model, ModelStepper
from regard.search import SearchOptions, search


@pytest.fixture
def known(monkeypatch):
    """Make an encoder known as where another package brings it (the entry point group `regard.encoders`)."""

    def add(encoder):
        point = EntryPoint(encoder.name, "elsewhere:Encoder", "regard.encoders")
        monkeypatch.setattr("regard.parts.entry_points", lambda group: [point] if group == point.group else [])
        monkeypatch.setattr(EntryPoint, "load", lambda self: encoder)
        vars(ENCODERS).pop("_others", None)

    yield add
    vars(ENCODERS).pop("_others", None)


@pytest.fixture
def trained():
    """A model after so many updates on new batches."""

    def train(config, extents, make, updates):
        model = Model(config, extents)
        optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
        for _ in range(updates):
            loss = model(make(32))[0]
            optimiser.zero_grad()
            (loss.total / loss.count).backward()
            optimiser.step()
        return model.eval()

    return train


@pytest.fixture
def answers():
    """The best answer to each example by beam search; that an example alone has the same one is checked on the way."""

    def find(model, batch, alone):
        def searched(batch):
            limits = np.full(len(batch.rows), 8)
            return [found[0] for found in search(ModelStepper(model), batch, limits, SearchOptions(beam=3))]

        together = searched(batch)
        for row, answer in enumerate(together):
            own = searched(alone(batch, row))[0]
            assert own.tokens == answer.tokens
            for name, glance in own.glances.items():
                size = glance.weights.shape[1]
                np.testing.assert_allclose(answer.glances[name].weights[:, :size], glance.weights, atol=1e-5)
                assert (answer.glances[name].weights[:, size:] == 0).all()
        return together

    return find


@pytest.fixture
def steps_equal_unroll():
    """Values of a step-by-step run against those of the unrolled target."""

    def check(model, batch):
        targets = batch.columns[model.target].ids
        encoded = model.encode(batch.columns)
        (features, glances), _ = model.decoder.unroll(encoded, targets)
        fixed, moving = model.decoder.begin(encoded, len(targets))
        tokens = torch.cat([torch.ones_like(targets[:, :1]), targets[:, :-1]], 1)
        for step in range(targets.shape[1]):
            (found, seen), moving = model.decoder.step(fixed, moving, tokens[:, step, None])
            torch.testing.assert_close(found[:, 0], features[:, step])
            for name, glance in seen.items():
                torch.testing.assert_close(glance.weights[:, 0], glances[name].weights[:, step])

    return check
