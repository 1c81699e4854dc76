"""The text encoder: columns joined end to end as if they were one, whatever their padding; where its places lie."""

import pytest
import torch

from regard.batch import Extent, Tokens
from regard.embedding import EmbeddingOptions
from regard.encoders import ENCODERS, Origin
from regard.encoders.text import Recurrent, RecurrentOptions
from regard.errors import RegardError
from regard.masks import keep_places

EXTENTS = {"lemma": Extent(9, 5), "tags": Extent(6, 3)}


def tokens(rows):
    keep = keep_places(torch.tensor([len(row) for row in rows]))
    ids = torch.zeros(keep.shape, dtype=torch.long)
    ids[keep] = torch.tensor([symbol for row in rows for symbol in row])
    return Tokens(ids, keep)


def encoder(*reads, **options):
    return Recurrent(EXTENTS, reads=reads, hidden=3, **{"dropout": 0.0} | options).double()


@pytest.mark.parametrize("two_way", [False, True])
@pytest.mark.parametrize("embedding", [EmbeddingOptions(width=4), EmbeddingOptions(type="one-hot")])
def test_joined_columns_are_one_source_without_padding_between(two_way, embedding):
    made = encoder("lemma", "tags", two_way=two_way, embedding=embedding)
    columns = {"lemma": tokens([[4, 5], [6, 7, 8, 4, 5], []]), "tags": tokens([[4, 5, 4], [5], [4, 4]])}
    memory, glances = made(columns)
    assert (memory.values.shape, memory.keep.sum(1).tolist(), glances) == ((3, 8, made.sizes.width), [5, 6, 2], {})
    assert memory.shape == (8,)
    for row in range(3):
        vectors = []
        for number, name in enumerate(("lemma", "tags")):
            ids = columns[name].ids[row][columns[name].keep[row]]
            vectors.append(torch.nn.functional.pad(made.embeddings[number](ids), (0, made.more[number])))
        inputs = torch.cat(vectors)[None]
        expected, summary = made.recurrence(inputs, torch.ones(1, inputs.shape[1], dtype=torch.bool))
        torch.testing.assert_close(memory.values[row, : inputs.shape[1]], expected[0])
        torch.testing.assert_close(memory.summary[row], summary[0])


def test_sizes():
    assert encoder("lemma", "tags").sizes == (6, 6, (8,), None, ("lemma", "tags"))
    assert encoder("lemma", two_way=False).sizes == (3, 3, (5,), None, ("lemma",))


def test_places_are_symbols_column_after_column():
    columns = {"lemma": tokens([[4, 5]]), "tags": tokens([[4]]), "other": tokens([[4, 4, 4]])}
    assert encoder("tags", "lemma").places(columns) == {
        "places": (Origin("tags", (0,), (1,)), Origin("lemma", (0,), (1,)), Origin("lemma", (1,), (2,)))
    }


def test_dropout_falls_on_inputs_and_places_but_not_on_the_summary():
    made = encoder("lemma", dropout=0.5).train()
    memory, _ = made({"lemma": tokens([[4, 5, 6, 7, 8]])})
    assert 0.1 < memory.values.eq(0).double().mean() < 0.9
    assert not memory.summary.eq(0).any()


def test_built_from_its_options():
    options = RecurrentOptions(reads=("lemma",), cell="gru", hidden=4, layers=2, embedding=7, two_way=False)
    made = ENCODERS.build(options, EXTENTS)
    assert [type(layer.cells[0]).__name__ for layer in made.recurrence.forwards] == ["GRU", "GRU"]
    assert (made.embeddings[0].width, made.sizes.width, len(made.recurrence.backwards)) == (7, 4, 0)


def test_nothing_to_read():
    with pytest.raises(RegardError) as error:
        encoder()
    assert str(error.value) == (
        "the encoder has no column to read: say which with source, or train on one column alone with"
        ' recipe="language-model"'
    )
