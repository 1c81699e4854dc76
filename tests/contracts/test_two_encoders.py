"""Two columns, two encoders, two looks: the answer takes its symbols from the one and the other in turn.

Nothing here is new to Regard: it is configuration alone.
"""

import numpy as np
import pytest
import torch

from regard.batch import END, Batch, Extent, Tokens
from regard.config import compose

SYMBOLS, MOST = 20, 6
EXTENTS = {name: Extent(4 + SYMBOLS, MOST) for name in ("left", "right", "both")}


@pytest.fixture
def make():
    """left a b c …, right x y z …: both a x b y c z, then the end."""

    def batch(count):
        lengths = torch.randint(3, MOST + 1, (2, count))
        columns = {}
        for name, own in zip(("left", "right"), lengths, strict=True):
            keep = torch.arange(int(own.max())) < own[:, None]
            columns[name] = Tokens((torch.randint(SYMBOLS, keep.shape) + 4) * keep, keep)
        pairs = [columns[name].ids[:, at] for at in (0, 1, 2) for name in columns]
        answers = torch.stack([*pairs, torch.full((count,), END)], 1)
        columns["both"] = Tokens(answers, torch.ones_like(answers, dtype=torch.bool))
        return Batch(columns, torch.arange(count), torch.ones(count))

    return batch


def alone(batch, row):
    own = {}
    for name in ("left", "right"):
        length = int(batch.columns[name].keep[row].sum())
        own[name] = Tokens(*(part[row : row + 1, :length] for part in batch.columns[name]))
    return Batch(own, *(part[:1] for part in batch[1:]))


def config(*settings):
    table = {"encoders": {name: {"reads": [name]} for name in ("left", "right")}, "decoder": {"writes": "both"}}
    sizes = [
        "hidden=16",
        "decoder.hidden=32",
        "embedding=16",
        "dropout=0",
        "start=zero",
        'score={type="additive", width=16}',
    ]
    return compose(table, [*sizes, *settings])


def test_each_look_lands_in_its_own_column(trained, make, answers, steps_equal_unroll):
    made = config("score=dot")
    assert (list(made.looks), made.decoder.readout) == (
        ["left", "right"],
        ("state", "look.left", "look.right", "previous"),
    )
    model = trained(made, EXTENTS, make, updates=200)
    batch = make(40)
    steps_equal_unroll(model, batch)
    right = landed = 0
    for row, answer in enumerate(answers(model, batch, alone)):
        right += answer.tokens == tuple(batch.columns["both"].ids[row].tolist())
        top = {name: answer.glances[name].weights[:6].argmax(1).tolist() for name in ("left", "right")}
        landed += [top[name][step] for step, name in enumerate(("left", "right") * 3)] == [0, 0, 1, 1, 2, 2]
    assert right >= 38
    assert landed >= 36


def test_one_fed_before_and_one_read_after(trained, make, answers, steps_equal_unroll):
    made = config("looks.left.when=before", "cell=gru", "two_way=false")
    assert made.decoder.feed == ("look.left",)
    model = trained(made, EXTENTS, make, updates=1)
    batch = make(6)
    steps_equal_unroll(model, batch)
    for answer in answers(model, batch, alone):
        assert list(answer.glances) == ["left", "right"]


def test_places_are_the_columns_symbols(trained, make):
    model, batch = trained(config(), EXTENTS, make, updates=0), make(3)
    for name in ("left", "right"):
        own = alone(batch, 1).columns
        places = model.encoders[name].places(own)["places"]
        assert [place.start for place in places] == [(at,) for at in np.arange(own[name].ids.shape[1])]
        assert {place.column for place in places} == {name}
