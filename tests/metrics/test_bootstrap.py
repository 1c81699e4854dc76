"""Resampling: seeded, of the right size, as wide as the theory says."""

import numpy as np
import pytest

from regard.metrics import bootstrap
from regard.metrics.bootstrap import interval, resample


def test_every_resample_takes_as_many_examples_as_there_are():
    ones = np.ones((37, 1))
    np.testing.assert_array_equal(resample(ones, 50, seed=0), np.full((50, 1), 37.0))


def test_statistics_of_an_example_stay_together():
    statistics = np.random.default_rng(0).integers(0, 9, (20, 1)).astype(float)
    sums = resample(np.concatenate([statistics, 3 * statistics], axis=1), 100, seed=1)
    np.testing.assert_array_equal(3 * sums[:, 0], sums[:, 1])
    assert len(np.unique(sums[:, 0])) > 10


def test_the_same_seed_gives_the_same_resamples():
    statistics = np.arange(10.0)[:, None]
    np.testing.assert_array_equal(resample(statistics, 30, seed=3), resample(statistics, 30, seed=3))
    assert (resample(statistics, 30, seed=3) != resample(statistics, 30, seed=4)).any()


def test_chunks_cover_every_resample(monkeypatch):
    monkeypatch.setattr(bootstrap, "CHUNK", 25)
    sums = resample(np.ones((10, 1)), 7, seed=0)
    np.testing.assert_array_equal(sums, np.full((7, 1), 10.0))


def test_as_wide_as_a_binomial():
    right = np.repeat([0.0, 1.0], 200)[:, None]
    low, high = interval(resample(right, 4000, seed=0)[:, 0] / 4)
    # the standard error of 50 % over 400 is 2.5 points, and 1.96 of them either way make the interval
    assert low == pytest.approx(50 - 1.96 * 2.5, abs=0.4)
    assert high == pytest.approx(50 + 1.96 * 2.5, abs=0.4)


def test_percentiles_by_hand():
    assert interval(np.arange(0.0, 1001.0)) == (25.0, 975.0)
