"""The rate at hand-worked places, and where the number of epochs and the batch change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.training.schedule import batch_for, epochs_for, rate_at


@pytest.mark.parametrize(
    ("progress", "warmup", "decay", "expected"),
    [
        (0.0, 0.2, "linear", 0.0),
        (0.05, 0.2, "linear", 0.25),
        (0.2, 0.2, "linear", 1.0),
        (0.4, 0.2, "linear", 0.75),  # a quarter of the 0.8 that are left
        (0.6, 0.2, "linear", 0.5),
        (1.0, 0.2, "linear", 0.0),
        (0.1, 0.2, "cosine", 0.5),
        (0.2, 0.2, "cosine", 1.0),
        (0.4, 0.2, "cosine", 0.853553390593),  # (1 + cos 45°) / 2
        (0.6, 0.2, "cosine", 0.5),
        (1.0, 0.2, "cosine", 0.0),
        (0.1, 0.2, "none", 0.5),
        (0.2, 0.2, "none", 1.0),
        (1.0, 0.2, "none", 1.0),
        (0.0, 0.0, "linear", 1.0),  # without a warm-up it begins at the top
        (0.25, 0.0, "linear", 0.75),
        (0.0, 0.0, "none", 1.0),
        (1.5, 0.2, "linear", 0.0),  # past the end it stays there
        (1.5, 0.2, "cosine", 0.0),
    ],
)
def test_the_rate(progress, warmup, decay, expected):
    assert rate_at(progress, warmup, decay) == pytest.approx(expected, abs=1e-12)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.99), st.sampled_from(["linear", "cosine", "none"]))
def test_the_rate_rises_and_then_never_does(one, other, warmup, decay):
    early, late = sorted((one, other))
    first, second = rate_at(early, warmup, decay), rate_at(late, warmup, decay)
    assert 0 <= first <= 1
    if late < warmup:
        assert first <= second
    elif early >= warmup:
        assert first >= second


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (0, 100), (1, 100), (230, 100),
        (236, 99),  # 40 ∛(3600 / 236) = 99.2
        (450, 80), (3_600, 40), (28_800, 20), (230_400, 10),  # eight times the rows, half the epochs
        (3_600_000, 4), (10**9, 4),
    ],
)  # fmt: skip
def test_epochs(rows, expected):
    assert epochs_for(rows) == expected


@pytest.mark.parametrize(("rows", "expected"), [(1, 32), (20_000, 32), (20_001, 64), (10**7, 64)])
def test_batches(rows, expected):
    assert batch_for(rows) == expected
