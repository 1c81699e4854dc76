"""Held-out rows: equal sources on one side, the same on every machine, and few move when rows are added."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.splits import cuts, folds, split
from regard.errors import RegardError

WORDS = [f"word{i}" for i in range(1000)]


@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=60).filter(lambda words: len(set(words)) > 1),
    st.floats(0.01, 0.99),
    st.integers(0, 5),
)
def test_every_row_is_on_one_side_and_equal_sources_on_the_same(words, share, seed):
    kept, held = split([words], share, seed)
    assert sorted([*kept, *held]) == list(range(len(words)))
    assert len(kept)
    assert len(held)
    assert not {words[row] for row in kept} & {words[row] for row in held}
    assert kept.dtype == held.dtype == np.int64


def test_the_share_is_met_and_the_seed_decides():
    kept, held = split([WORDS], 0.1, 1)
    assert (len(kept), len(held)) == (900, 100)
    assert split([WORDS], 0.1, 1)[1].tolist() == held.tolist() == sorted(held)
    other = split([WORDS], 0.1, 2)[1]
    assert 0 < len(np.intersect1d(held, other)) < 30  # 10 are expected by chance


def test_what_is_held_out_never_changes_from_one_version_to_the_next():
    assert split([list("abcdefghij")], 0.3, 0)[1].tolist() == [2, 6, 7]


def test_rows_added_move_few():
    before = set(split([WORDS], 0.1, 1)[1].tolist())
    after = split([[*WORDS, *(f"new{i}" for i in range(100))]], 0.1, 1)[1]
    assert len(before - set(after.tolist())) <= 10


def test_features_belong_to_the_source():
    lemmas, tags = ["go"] * 6 + ["be"] * 6, ["V;PST", "V;PRS"] * 6
    kept, held = split([lemmas, tags], 0.25, 0)
    pairs = list(zip(lemmas, tags, strict=True))
    assert (len(kept), len(held)) == (9, 3)
    assert len({pairs[row] for row in held}) == 1
    # Joined without care, "ab" "c" and "a" "bc" would be one source.
    assert len(split([["ab", "a"], ["c", "bc"]], 0.5, 0)[1]) == 1


def test_an_accent_written_otherwise_makes_no_other_source():
    with pytest.raises(RegardError, match="the same source"):
        split([["\u00e9t\u00e9", "e\u0301te\u0301"]], 0.5, 0)


def test_one_source_cannot_be_parted():
    with pytest.raises(RegardError, match=r"all rows have the same source, so none .* --dev FILE$"):
        split([["a", "a", "a"]], 0.1, 0)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=4, max_size=60), st.integers(2, 8), st.integers(0, 3))
def test_folds_hold_every_row_out_once(words, k, seed):
    if len(set(words)) < k:
        with pytest.raises(RegardError, match=f"fewer different sources than {k} folds"):
            folds([words], k, seed)
        return
    found = folds([words], k, seed)
    assert len(found) == k
    assert sorted(row for _, held in found for row in held) == list(range(len(words)))
    for kept, held in found:
        assert len(held)
        assert sorted([*kept, *held]) == list(range(len(words)))
        assert not {words[row] for row in kept} & {words[row] for row in held}


def test_folds_are_of_a_size():
    assert {len(held) for _, held in folds([WORDS], 5, 3)} == {200}


def test_one_fold_is_none():
    with pytest.raises(RegardError, match="at least 2 folds, not 1"):
        folds([WORDS], 1, 0)


@pytest.mark.parametrize(
    ("counts", "shares", "expected"),
    [
        ([1] * 10, [0.3], [3]),
        ([1] * 10, [0.01], [1]),  # never empty
        ([1] * 10, [0.99], [9]),
        ([5, 1, 1, 1], [0.5], [1]),  # 5 of 8 is nearer to half than none
        ([5, 1, 1, 1], [0.25, 0.5, 0.75], [1, 2, 3]),
        ([1, 1], [0.3, 0.6], None),
    ],
)
def test_cuts(counts, shares, expected):
    assert cuts(np.array(counts), shares) == expected
