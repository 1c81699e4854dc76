"""Each mistake in the options is said in one line that tells what to do."""

import pytest

from regard.search import SearchOptions


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"method": "bean"}, "unknown search method 'bean': choose one of beam, greedy, sample"),
        ({"beam": 0}, "beam is 0, but must be at least 1"),
        ({"n_best": 8}, "n_best is 8, but a beam of 5 finds at most 5: set beam to 8 or more"),
        ({"method": "greedy", "n_best": 2}, 'n_best is 2, but greedy search finds one answer: use method "beam"'),
        ({"method": "sample", "n_best": 2}, "n_best is 2, but sampling returns every draw: set samples instead"),
        ({"length_normalisation": -1.0}, "length_normalisation is -1.0, but must be 0 or more"),
        ({"coverage_penalty": float("nan")}, "coverage_penalty is nan, but must be 0 or more"),
        ({"length_normalisation": float("inf")}, "length_normalisation is inf, but must be finite"),
        ({"coverage_penalty": float("inf")}, "coverage_penalty is inf, but must be finite"),
        ({"temperature": float("inf")}, "temperature is inf, but must be finite"),
        ({"temperature": 0.0}, 'temperature is 0.0, but must be above 0; for no chance use method "greedy"'),
        ({"top_k": 0}, "top_k is 0, but must be at least 1"),
        ({"top_p": 1.5}, "top_p is 1.5, but must be above 0 and at most 1"),
        ({"samples": 0}, "samples is 0, but must be at least 1"),
        ({"seed": -1}, "seed is -1, but must be at least 0"),
    ],
)
def test_mistakes(wrong, said):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        SearchOptions(**wrong)
    assert str(error.value) == said


def test_options_that_the_method_never_reads():
    assert SearchOptions(beam=8, n_best=3).without_effect() == []
    assert SearchOptions(temperature=0.5, top_k=3).without_effect() == ["temperature", "top_k"]
    assert SearchOptions(method="greedy", beam=8, samples=2).without_effect() == ["beam", "samples"]
    assert SearchOptions(method="sample", temperature=0.5, beam=2).without_effect() == ["beam"]
