"""Links between words as links between symbols: by hand in several units, and padded with their batch."""

import numpy as np
import pytest

from regard.batch import LINKS
from regard.data.columns import TextColumn
from regard.data.examples import Examples, collate, encode
from regard.data.linked import LinkCells, believed, symbols
from regard.data.links import NONE, Links

READ, WRITTEN = ["ab cd", "e", "", "abc d e"], ["D C", "ee a", "x", "e"]


def fit(name, texts, unit="character", **more):
    return TextColumn.fit(name, [*texts, "abcdexDC"], unit=unit, **more)


def links(sure, possible=()):
    return Links(frozenset(sure), frozenset((*sure, *possible)))


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        (("character", "character"), [(0, 3), (0, 4), (2, 0), (2, 1)]),
        (("character", "symbol"), [(0, 3), (0, 4), (1, 0), (1, 1)]),
        (("symbol", "character"), [(0, 1), (2, 0)]),
    ],
)
def test_every_symbol_of_a_word_with_every_symbol_of_the_other(units, expected):
    read, written = fit("read", READ, units[0]), fit("written", WRITTEN, units[1], end=True)
    found = symbols(read, written, "ab cd", "D C", {(1, 0), (0, 1)})
    assert sorted(map(tuple, found.tolist())) == expected  # neither a space nor the end has any
    assert symbols(read, written, "ab cd", "D C", set()).shape == (0, 2)


def test_accents_taken_apart_belong_to_their_letter():
    column = TextColumn.fit("one", ["éa", "e\u0301 a"], unit="character", decompose=True)
    found = symbols(column, column, "a é", "é a", {(1, 0)})
    assert sorted(map(tuple, found.tolist())) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_possible_links_stand_in_where_a_word_has_no_sure_one():
    assert believed(links([(0, 0), (1, 0)], [(2, 0), (2, 1), (3, 1)])) == {(0, 0), (1, 0), (2, 1), (3, 1)}
    assert believed(NONE) == set()


@pytest.fixture
def cells():
    read, written = fit("read", READ), fit("written", WRITTEN, end=True)
    own = [links([(1, 0)]), links([(0, 1)]), NONE, links([(2, 0)])]
    return {"read": encode(read, READ), "written": encode(written, WRITTEN)}, LinkCells.of(
        read, written, zip(READ, WRITTEN, strict=True), own
    )


def dense(found):
    return [{tuple(one) for one in row.nonzero().tolist()} for row in found]


def test_a_batch_is_as_wide_as_its_columns(cells):
    columns, linked = cells
    batch = collate(columns, np.array([3, 2, 0]), links=linked)
    found = batch.columns[LINKS].links
    assert found.shape == (3, batch.columns["written"].ids.shape[1], batch.columns["read"].ids.shape[1])
    assert dense(found) == [{(0, 6)}, set(), {(0, 3), (0, 4)}]
    assert found.sum() == 3
    alone = collate(columns, np.array([1]), links=linked).columns[LINKS].links
    assert dense(alone) == [{(3, 0)}]
    assert collate(columns, np.array([2]), links=linked).columns[LINKS].links.shape == (1, 2, 0)
    assert LINKS not in collate(columns, np.array([2])).columns


def test_they_go_with_their_rows_however_batches_are_cut(cells):
    columns, linked = cells
    examples = Examples(columns, links=linked)
    expected = dense(collate(columns, np.arange(4), links=linked).columns[LINKS].links)
    for batches in (examples.ordered(30.0), examples.shuffled(30.0, 2, seed=1, epoch=0)):
        found = {int(r): o for b in batches for r, o in zip(b.rows, dense(b.columns[LINKS].links), strict=True)}
        assert [found[row] for row in range(4)] == expected


def test_no_links_at_all():
    read, written = fit("read", READ), fit("written", WRITTEN, end=True)
    linked = LinkCells.of(read, written, [("a", "b")], [NONE])
    columns = {"read": encode(read, ["a"]), "written": encode(written, ["b"])}
    assert not linked.tensors(np.array([0]), collate(columns, np.array([0])).columns).links.any()
