"""Rows as ids, and batches: each row once, none too large, the same again with the same seed, little padding."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.batch import END, UNKNOWN, CopiedTokens
from regard.data.columns import TextColumn
from regard.data.copying import Copier
from regard.data.examples import WINDOW, Cells, Examples, collate, copied, cut, encode
from regard.data.texts import CHUNK


def cells(*rows):
    return Cells.of([[np.array(row, np.int32) for row in rows]])


def of_lengths(*columns, weights=None):
    """Examples whose cells have these lengths; a cell holds its row's number."""
    made = {}
    for name, lengths in zip("abc", columns, strict=False):
        lengths = np.asarray(lengths)
        ids = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        made[name] = Cells(ids, np.concatenate([[0], lengths.cumsum()]))
    return Examples(made, weights)


def mixed(rows, seed=0):
    """Lengths as words and their phones have them: related, and some far longer than most."""
    random = np.random.default_rng(seed)
    words = np.clip(random.gamma(6, 1.3, rows), 2, 30).astype(np.int64)
    return of_lengths(words, np.maximum(1, words + random.integers(-2, 3, rows)))


def numbers(batches):
    return [batch.rows.tolist() for batch in batches]


# -- cells ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=8))
def test_rows_that_have_an_id(rows):
    found = cells(*rows) if rows else Cells.of([])
    assert found.having(3).tolist() == [at for at, row in enumerate(rows) if 3 in row]


def test_cells_lie_end_to_end():
    found = Cells.of([[np.array([7, 8], np.int32), np.array([], np.int32)], [], [np.array([9], np.int32)]])
    assert (found.ids.tolist(), found.starts.tolist(), found.lengths.tolist()) == ([7, 8, 9], [0, 2, 2, 3], [2, 0, 1])
    assert isinstance(found.ids, np.memmap)  # and so in no process's own memory


@pytest.mark.parametrize("rows", [[], [[]], [[], []]])
def test_cells_without_any_symbol(rows):
    found = cells(*rows)
    assert (len(found.ids), found.starts.tolist()) == (0, [0] * (len(rows) + 1))
    assert found.tokens(np.arange(len(rows))).ids.shape == (len(rows), 0)


def test_rows_are_padded_to_the_longest_of_them_in_the_order_asked_for():
    found = cells([4, 5, 6], [], [7], [8, 9], [4] * 9).tokens(np.array([3, 1, 0, 3]))
    assert found.ids.tolist() == [[8, 9, 0], [0, 0, 0], [4, 5, 6], [8, 9, 0]]
    assert found.keep.tolist() == [[True, True, False], [False] * 3, [True] * 3, [True, True, False]]


def test_a_column_is_encoded_the_same_in_chunks():
    texts = [f"{number % 97}" * (number % 4) for number in range(CHUNK + 50)]
    column = TextColumn.fit("x", texts, unit="character", end=True)
    found, expected = encode(column, iter(texts)), column.encode_ids(texts)
    assert found.lengths.tolist() == [len(ids) for ids in expected]
    assert np.array_equal(found.ids, np.concatenate(expected))


def test_what_may_be_copied_comes_with_the_batch():
    texts = {"said": ["I saw Ann", "Bob saw", ""], "reply": ["met Ann", "met Eve", "met"]}
    columns = {
        "said": TextColumn.fit("said", ["I saw", "I saw"], unit="word"),
        "reply": TextColumn.fit("reply", ["met I", "met I"], unit="word", end=True),
    }
    plain = {name: encode(column, texts[name]) for name, column in columns.items()}
    copier = Copier(columns["said"], columns["reply"])
    size, (ann, met, own) = columns["reply"].size, (2, *columns["reply"].encode_ids(["met I"])[0][:2].tolist())
    made = copied(plain, copier, texts["said"], texts["reply"])
    assert list(made) == ["said", "reply"]
    assert copied(plain, copier, texts["said"])["reply"] is plain["reply"]  # where there are no answers yet
    batch = collate(made, np.array([1, 0, 2]))
    said, reply = batch.columns["said"], batch.columns["reply"]
    assert isinstance(said, CopiedTokens)
    assert said.ids.tolist() == plain["said"].tokens(np.array([1, 0, 2])).ids.tolist()
    assert said.copies.tolist() == [[size, size + 1, 0], [own, size + 1, size + ann], [0, 0, 0]]
    assert reply.ids.tolist() == [[met, UNKNOWN, END], [met, size + ann, END], [met, END, 0]]


def test_a_batch_knows_its_rows_and_their_weights():
    rows = np.array([2, 0])
    batch = collate({"a": cells([4], [5], [6, 7]), "b": cells([], [8], [])}, rows, np.array([0.5, 1.0, 3.0]))
    assert (batch.rows.tolist(), batch.weights.tolist()) == ([2, 0], [3.0, 0.5])
    assert batch.columns["a"].ids.tolist() == [[6, 7], [4, 0]]
    assert batch.columns["b"].ids.shape == (2, 0)
    assert collate({}, rows).weights.tolist() == [1.0, 1.0]  # a model that reads nothing


# -- cutting -------------------------------------------------------------------------------------------------------


def cost(lengths, rows):
    return len(rows) * lengths[rows].max(0).sum()


def test_cut_by_hand():
    lengths = np.array([[1, 1], [1, 2], [3, 1], [9, 9], [1, 1]])
    # rows 0 and 1: 2 x (1 + 2) = 6; with row 2 it would be 3 x (3 + 2) = 15; row 3 alone is 18 and too large already
    assert [rows.tolist() for rows in cut(lengths, np.arange(5), 10.0)] == [[0, 1], [2], [3], [4]]
    assert [rows.tolist() for rows in cut(lengths, np.array([4, 0, 2]), 12.0)] == [[4, 0, 2]]
    assert list(cut(lengths, np.zeros(0, np.int64), 10.0)) == []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=40), st.integers(1, 60))
def test_no_batch_is_too_large_and_none_could_take_its_next_row(pairs, budget):
    lengths = np.array(pairs)
    order = np.random.default_rng(0).permutation(len(pairs))
    batches = list(cut(lengths, order, float(budget)))
    assert np.concatenate(batches).tolist() == order.tolist()
    for rows, after in zip(batches, [*batches[1:], None], strict=True):
        assert len(rows) == 1 or cost(lengths, rows) <= budget
        if after is not None:
            assert cost(lengths, np.append(rows, after[0])) > budget


# -- epochs --------------------------------------------------------------------------------------------------------


def test_the_budget_is_so_many_examples_of_mean_length():
    assert of_lengths([1, 2, 6], [1, 1, 1]).budget(10) == 40.0


def test_measuring_takes_every_row_once_and_the_shortest_first():
    examples = mixed(500)
    batches = list(examples.ordered(examples.budget(16)))
    assert sorted(chain(*numbers(batches))) == list(range(500))
    widths = [batch.columns["b"].keep.shape[1] for batch in batches]
    assert widths == sorted(widths)


@given(st.integers(1, 80), st.integers(1, 5), st.integers(0, 5))
def test_an_epoch_takes_every_row_once_and_goes_on_exactly(rows, batch, epoch):
    examples = mixed(rows, seed=rows)
    budget = examples.budget(batch)
    whole = numbers(examples.shuffled(budget, batch, 1, epoch))
    assert sorted(chain(*whole)) == list(range(rows))
    assert all(len(part) == 1 or cost(examples.lengths, part) <= budget for part in whole)
    for skip in (1, len(whole) - 1, len(whole), len(whole) + 1):
        assert numbers(examples.shuffled(budget, batch, 1, epoch, skip)) == whole[skip:]


def test_it_goes_on_exactly_beyond_a_window():
    examples = mixed(2 * WINDOW + 50)
    whole = numbers(examples.shuffled(examples.budget(1), 1, 3, 0))
    assert len(whole) > 2 * WINDOW
    for skip in (WINDOW - 1, 2 * WINDOW, len(whole) - 1):
        assert numbers(examples.shuffled(examples.budget(1), 1, 3, 0, skip)) == whole[skip:]


def test_the_same_seed_and_epoch_give_the_same_batches_and_others_do_not():
    examples = mixed(300)

    def epoch(seed, number):
        return numbers(examples.shuffled(examples.budget(8), 8, seed, number))

    assert epoch(1, 0) == epoch(1, 0)
    assert epoch(1, 0) != epoch(1, 1) != epoch(2, 1)
    assert epoch(1, 0) != epoch(2, 0)


def test_batches_come_in_no_order_of_length():
    examples = mixed(3000)
    widths = [batch.columns["b"].keep.shape[1] for batch in examples.shuffled(examples.budget(32), 32, 1, 0)]
    assert abs(np.corrcoef(widths, np.arange(len(widths)))[0, 1]) < 0.3


def test_weights_follow_their_rows():
    weights = np.random.default_rng(0).random(200)
    examples = Examples(mixed(200).cells, weights)
    for batch in examples.shuffled(examples.budget(8), 8, 1, 0):
        np.testing.assert_array_equal(batch.weights.numpy(), weights[batch.rows].astype(np.float32))
        assert (batch.columns["a"].ids[:, 0] == batch.rows).all()


@pytest.mark.parametrize("batch", [32, 64])
def test_little_of_a_batch_is_padding(batch):
    examples = mixed(20_000)
    real = whole = 0
    for made in examples.shuffled(examples.budget(batch), batch, 1, 0):
        for column in made.columns.values():
            real, whole = real + int(column.keep.sum()), whole + column.keep.numel()
    assert real == examples.lengths.sum()
    assert 1 - real / whole < 0.05
