"""A grid Memory: pictures of unlike sizes, cells of 4 × 4 pixels, one of which is drawn and tells the answer.

Everything that Regard itself knows nothing of stands in this file: a kind of column, its extent, an encoder.
"""

import math
from typing import ClassVar, Literal, NamedTuple

import pytest
import torch
from torch import Tensor, nn

from regard.batch import END, Batch, Extent, Tokens
from regard.config import compose
from regard.encoders import Encoder, Origin
from regard.memory import Memory, MemorySizes
from regard.model import Model
from regard.parts import Options

CELL, MOST = 4, (4, 5)  # pixels a side; the most rows and columns of cells


class Pixels(NamedTuple):
    values: Tensor  # (B, height, width)
    keep: Tensor  # (B, height, width)


class PixelExtent(NamedTuple):
    height: int
    width: int


class GridOptions(Options):
    type: Literal["grid"] = "grid"
    reads: tuple[str, ...] = ()


class Grid(Encoder):
    """One convolution without overlap; nothing but looking can find the answer, since its summary is empty."""

    name, level, Options = "grid", "regions", GridOptions
    width: ClassVar[int] = 24

    def __init__(self, extents, *, reads):
        super().__init__()
        self.reads, extent = reads, extents[reads[0]]
        self.sizes = MemorySizes(self.width, 0, (extent.height // CELL, extent.width // CELL))
        self.convolve = nn.Conv2d(1, self.width, CELL, stride=CELL)

    def forward(self, columns):
        pixels = columns[self.reads[0]]
        keep = pixels.keep[:, ::CELL, ::CELL]
        regions = torch.tanh(self.convolve(pixels.values[:, None])).flatten(2).transpose(1, 2)
        return Memory(regions, keep.flatten(1), regions.new_zeros(len(regions), 0), (*keep.shape[1:],)), {}

    def places(self, columns):
        rows, cells = (side // CELL for side in columns[self.reads[0]].keep.shape[1:])
        corners = [(CELL * row, CELL * cell) for row in range(rows) for cell in range(cells)]
        return {"regions": tuple(Origin("picture", at, (at[0] + CELL, at[1] + CELL)) for at in corners)}


# -- sixty lines end here ------------------------------------------------------------------------------------------


DRAWN = torch.stack([torch.eye(4), torch.eye(4).flip(0), torch.eye(2).repeat(2, 2), torch.ones(4, 4) - torch.eye(4)])


@pytest.fixture
def make():
    """Pictures of noise; the target is what is drawn in one of their cells, `where` its row and column."""

    def batch(count):
        sizes = torch.stack([torch.randint(2, most + 1, (count,)) for most in MOST], 1)
        batch.where = (torch.rand(count, 2) * sizes).long()
        height, width = (sizes.max(0).values * CELL).tolist()
        values, keep = torch.zeros(count, height, width), torch.zeros(count, height, width, dtype=torch.bool)
        drawn = torch.randint(len(DRAWN), (count,))
        for row, ((rows, cells), (at, across)) in enumerate(zip(sizes.tolist(), batch.where.tolist(), strict=True)):
            keep[row, : CELL * rows, : CELL * cells] = True
            values[row, : CELL * rows, : CELL * cells] = 0.3 * torch.randn(CELL * rows, CELL * cells)
            values[row, CELL * at : CELL * (at + 1), CELL * across : CELL * (across + 1)] += DRAWN[drawn[row]]
        answers = torch.stack([drawn + 4, torch.full((count,), END)], 1)
        tokens = Tokens(answers, torch.ones(count, 2, dtype=torch.bool))
        return Batch({"picture": Pixels(values, keep), "word": tokens}, torch.arange(count), torch.ones(count))

    return batch


EXTENTS = {"picture": PixelExtent(MOST[0] * CELL, MOST[1] * CELL), "word": Extent(4 + len(DRAWN), 2)}


def config(*settings):
    table = {"encoders": {"picture": {"type": "grid", "reads": ["picture"]}}, "decoder": {"writes": "word"}}
    sizes = ["decoder.start=learned", "decoder.hidden=24", "decoder.embedding=8", "decoder.dropout=0"]
    return compose(table, [*sizes, *settings])


def alone(batch, row):
    """One example with nothing of the others' padding."""
    pixels = batch.columns["picture"]
    height, width = int(pixels.keep[row, :, 0].sum()), int(pixels.keep[row, 0].sum())
    own = Pixels(*(part[row : row + 1, :height, :width] for part in pixels))
    return Batch({"picture": own}, batch.rows[row : row + 1], batch.weights[row : row + 1])


def test_the_look_lands_where_the_answer_is_drawn(known, trained, make, answers, steps_equal_unroll):
    known(Grid)
    model = trained(config('score={type="additive", width=16}'), EXTENTS, make, updates=250)
    batch = make(40)
    steps_equal_unroll(model, batch)
    right = landed = 0
    for row, answer in enumerate(answers(model, batch, alone)):
        right += answer.tokens == tuple(batch.columns["word"].ids[row].tolist())
        places = model.encoders["picture"].places(alone(batch, row).columns)["regions"]
        seen = places[int(answer.glances["picture"].weights[0, : len(places)].argmax())]
        landed += seen.start == tuple((CELL * make.where[row]).tolist())
    assert right >= 38
    assert landed >= 38


@pytest.mark.parametrize("score", ["location", "general", "mlp", "location-aware", "coverage"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_what_else_is_in_the_batch_changes_nothing(score, when, known, make, answers, steps_equal_unroll):
    known(Grid)
    torch.manual_seed(3)
    model = Model(config(f"score={score}", f"when={when}"), EXTENTS).eval()
    with torch.no_grad():
        for parameter in model.parameters():  # what is remembered does not count from the beginning
            parameter.add_(0.1 * torch.randn_like(parameter))
    batch = make(6)
    steps_equal_unroll(model, batch)
    answers(model, batch, alone)
    assert model.looked_at("picture") == ("picture", "regions")


def test_place_by_place(known, make):
    known(Grid)
    model, batch = Model(config(), EXTENTS), make(6)
    for row in range(6):
        own = alone(batch, row).columns
        memory, places = model.encode(own).memories["picture"], model.encoders["picture"].places(own)["regions"]
        assert len(places) == int(memory.keep.sum()) == math.prod(memory.shape)
