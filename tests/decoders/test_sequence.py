"""The sequence decoder against its equations, written out step by step for each way that a look can reach it.

That steps, unrolled targets and beams agree with one another is proved in tests/harness, for every combination.
"""

import pytest
import torch
from torch import Tensor

from regard.batch import START, Batch, Extent, Tokens
from regard.config import compose
from regard.masks import keep_places
from regard.model import Model

EXTENTS = {"source": Extent(9, 5), "target": Extent(9, 5)}


def build(*settings):
    recipe = {"encoders": {"source": {"reads": ["source"]}}, "decoder": {"writes": "target"}}
    sizes = ["hidden=3", "decoder.hidden=4", "embedding=5", "dropout=0"]
    return Model(compose(recipe, [*sizes, *settings]), EXTENTS).double()


@pytest.fixture
def batch():
    keep = keep_places(torch.tensor([5, 3]))
    source = Tokens(torch.randint(4, 9, (2, 5)), keep)
    target = Tokens(torch.randint(4, 9, (2, 4)), torch.ones(2, 4, dtype=torch.bool))
    return Batch({"source": source, "target": target}, torch.arange(2), torch.ones(2))


def looked(model, state, memory) -> Tensor:
    """c = Σ α_j h_j, α = softmax over the kept places of h_jᵀ W s."""
    keys = memory.values @ model.decoder.looks["source"].score.project.weight.T
    energies = (keys * state[:, None]).sum(-1).masked_fill(~memory.keep, float("-inf"))
    return (energies.softmax(-1)[..., None] * memory.values).sum(1)


def affine(layer, *parts) -> Tensor:
    return torch.cat(parts, -1) @ layer.weight.T + layer.bias


@pytest.mark.parametrize(
    ("settings", "fed", "read"),
    [
        (["when=before"], ["look"], ["state", "look", "previous"]),
        (["when=before", "feed=[]"], [], ["state", "look", "previous"]),
        (["when=after"], [], ["state", "look", "previous"]),
        (["feed=look.source"], ["last look"], ["state", "look", "previous"]),
        (["feed=readout"], ["last readout"], ["state", "look", "previous"]),
        (['feed=["readout", "look.source"]', 'readout=["look.source"]'], ["last readout", "last look"], ["look"]),
        (['feed=["summary.source"]', 'readout=["previous", "state"]'], ["summary"], ["previous", "state"]),
        (["conditioning=every"], ["summary"], ["state", "summary", "previous"]),
        (["conditioning=first"], [], ["state", "previous"]),
    ],
)
def test_what_reaches_the_cell_and_the_readout(settings, fed, read, batch):
    conditioned = any("conditioning" in setting for setting in settings)
    model = build(*settings, "cell=gru", *["score=general"] * (not conditioned))
    decoder = model.decoder
    encoded = model.encode(batch.columns)
    memory = encoded.memories["source"]
    (found, _), _ = decoder.unroll(encoded, batch.columns["target"].ids)

    state = affine(decoder.start.project[0], memory.summary)
    known = {
        "summary": memory.summary,
        "last look": torch.zeros(2, 6).double(),
        "last readout": torch.zeros(2, 4).double(),
    }
    given = torch.cat([torch.full((2, 1), START), batch.columns["target"].ids[:, :-1]], 1)
    for step in range(4):
        known["previous"] = decoder.embedding.table.weight[given[:, step]]
        if "when=before" in settings:
            known["look"] = looked(model, state, memory)
        inputs = torch.cat([known["previous"], *(known[name] for name in fed)], -1)
        _, last = decoder.recurrence.cells[0].weights(inputs[:, None], state[None])
        state = known["state"] = last[0]
        if "when=before" not in settings and not conditioned:
            known["look"] = looked(model, state, memory)
        readout = torch.tanh(affine(decoder.readout.project, *(known[name] for name in read)))
        torch.testing.assert_close(found[:, step], readout)
        known["last look"], known["last readout"] = known.get("look"), readout


def test_the_loss_counts_each_example_by_its_weight(batch):
    model = build()
    keep = keep_places(torch.tensor([4, 2]))
    batch.columns["target"] = batch.columns["target"]._replace(keep=keep)
    loss, losses, _ = model(batch._replace(weights=torch.tensor([1.0, 3.0])))
    assert loss.count.item() == 4 * 1 + 2 * 3
    assert loss.total.item() == pytest.approx(losses[0].sum().item() + 3 * losses[1, :2].sum().item())


def test_layers_look_from_the_top(batch):
    """With several layers the query is the top layer's state."""
    model = build("layers=2", "score=general", "cell=gru")
    encoded, targets = model.encode(batch.columns), batch.columns["target"].ids
    (_, glances), _ = model.decoder.unroll(encoded, targets)
    fixed, moving = model.decoder.begin(encoded, 2)
    for step, tokens in enumerate([torch.full((2, 1), START), targets[:, :1]]):
        _, moving = model.decoder.step(fixed, moving, tokens)
        top = moving.cells[-1][0][:, 0]
        context = looked(model, top, encoded.memories["source"])
        expected = (glances["source"].weights[:, step, :, None] * encoded.memories["source"].values).sum(1)
        torch.testing.assert_close(context, expected)
