"""True links in both forms, each mistake with its line, and the way from symbols to words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.columns import TextColumn
from regard.data.links import NONE, Links, from_cells, from_file, shares, swapped, words
from regard.errors import RegardError

FORM = "links are written as 0-0 1-2 (sure) and 0?0 (possible), counted from 0"


def place(row):
    return f"t.tsv, line {row + 2}"


def test_cells():
    found = from_cells(["0-0 1-2\t2?1", "", " 0p1  0-1 "], [(3, 3), (0, 0), (1, 2)], place)
    assert found == [
        Links(frozenset({(0, 0), (1, 2)}), frozenset({(0, 0), (1, 2), (2, 1)})),
        NONE,
        Links(frozenset({(0, 1)}), frozenset({(0, 1)})),  # sure weighs more than possible
    ]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("0_1", f"t.tsv, line 2: '0_1' is no link; {FORM}"),
        ("0-0 -1-0", f"t.tsv, line 2: '-1-0' is no link; {FORM}"),
        ("0-0 2-0", "t.tsv, line 2: the link 2-0 is out of range: source word 2, but they count from 0 to 1"),
        ("0?3", "t.tsv, line 2: the link 0?3 is out of range: target word 3, but they count from 0 to 2"),
    ],
)  # fmt: skip
def test_mistakes_in_cells(cell, said):
    with pytest.raises(RegardError) as error:
        from_cells([cell], [(2, 3)], place)
    assert str(error.value) == said


def test_a_link_where_there_is_no_word():
    with pytest.raises(RegardError, match="source word 0, but there are none"):
        from_cells(["0-0"], [(0, 1)], place)


def test_the_form_of_the_workshop(tmp_path):
    path = tmp_path / "gold.wpt"
    path.write_text("0001 1 1 S\n0001 2 2 P\n\n1 2 3\n0003 1 2 P 0.5\n3 1 1 0.25\n3 0 2 S\n3 1 0\n3 1 2 S 1\n")
    assert from_file(path, [(2, 3), (9, 9), (1, 2)]) == [
        Links(frozenset({(0, 0), (1, 2)}), frozenset({(0, 0), (1, 2), (1, 1)})),
        NONE,
        Links(frozenset({(0, 0), (0, 1)}), frozenset({(0, 0), (0, 1)})),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 1 4 S", "the link 1 4 is out of range: target word 4, but they count from 1 to 3"),
        ("2 1 1 S", "there is no sentence 2: 1 pairs were given"),
        ("0 1 1 S", "there is no sentence 0: 1 pairs were given"),
        ("1 1", "'1 1' is no link; expected: sentence source target [S|P] [confidence], each counted from 1"),
        ("1 1 1 X", "'1 1 1 X' is no link; expected: sentence"),
        ("1 1 1 S 2", "'1 1 1 S 2' is no link; expected: sentence"),
        ("1 1 1 S 1 1", "'1 1 1 S 1 1' is no link; expected: sentence"),
        ("1 1-1", "'1 1-1' is no link; expected: sentence"),
        ("a 1 1", "'a 1 1' is no link; expected: sentence"),
    ],
)
def test_mistakes_in_a_file(tmp_path, line, said):
    path = tmp_path / "gold.wpt"
    path.write_text(f"1 1 1 S\n{line}\n")
    with pytest.raises(RegardError) as error:
        from_file(path, [(2, 3)])
    assert str(error.value).startswith(f"{path}, line 2: {said}")


def test_no_such_file(tmp_path):
    with pytest.raises(RegardError, match="there is no file"):
        from_file(tmp_path / "gold.wpt", [])


def test_swapped():
    links = Links(frozenset({(0, 2)}), frozenset({(0, 2), (1, 3)}))
    assert swapped(links) == Links(frozenset({(2, 0)}), frozenset({(2, 0), (3, 1)}))
    assert swapped(swapped(links)) == links


@given(st.text())
def test_words_are_those_that_white_space_parts(text):
    assert [text[start:end] for start, end in words(text)] == text.split()


def test_shares_by_hand():
    text = " ab  cde"  # words at 1-3 and 5-8
    spans = np.array([[0, 1], [1, 2], [2, 6], [4, 8], [0, 8], [8, 8]])
    np.testing.assert_allclose(
        shares(text, spans), [[0, 0], [1, 0], [0.5, 0.5], [0, 1], [0.4, 0.6], [0, 0]]
    )  # fmt: skip
    assert shares("  ", spans[:2]).shape == (2, 0)
    assert shares(text, spans[:0]).shape == (0, 2)


@given(
    st.text("ab\u0301 -\u0915\u094d\ud55c", max_size=12),
    st.sampled_from(["character", "grapheme", "word", "subword", "symbol"]),
)
def test_every_symbol_of_a_text_lies_in_its_word(text, unit):
    column = TextColumn.fit("text", ["ab a-b", "a\u0301 \ud55c", "\u0915\u094d"], unit=unit, rare=1)
    (found,) = column.encode([text])
    each = shares(text, found.spans)
    assert each.shape == (len(found.ids), len(text.split()))
    for (start, end), row in zip(found.spans, each, strict=True):
        assert row.sum() == pytest.approx(1.0 if text[start:end].strip() else 0.0)
        if not text[start:end].isspace() and not any(one.isspace() for one in text[start:end]):
            assert (row > 0).sum() <= 1
