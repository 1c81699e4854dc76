"""The learning curve and its guess, on curves whose law is known."""

from math import sqrt

import pytest
from rich.console import Console

from regard.curve import Curve, Point, curve_of, extrapolate


def points(*pairs):
    return [Point(rows=rows, word_error_rate=2 * error, symbol_error_rate=error) for rows, error in pairs]


def test_a_power_law_is_met_exactly():
    assert extrapolate([100, 200, 400], [40.0, 20.0, 10.0], 800) == pytest.approx(5.0)  # 4000 / rows
    assert extrapolate([100, 400], [12.0, 6.0], 1600) == pytest.approx(3.0)  # 120 / √rows
    assert extrapolate([10, 20, 40], [7.0, 7.0, 7.0], 10**6) == pytest.approx(7.0)


def test_least_squares_by_hand():
    """In powers of two: rows 2^0, 2^1, 2^2, errors 2^0, 2^0, 2^-1; slope -1/2, mean -1/3 at 1, so -4/3 at 3."""
    assert extrapolate([1, 2, 4], [1.0, 1.0, 0.5], 8) == pytest.approx(2 ** (-4 / 3))


def test_a_curve_that_is_a_law_has_no_range():
    curve = curve_of(points((400, 10.0), (100, 20.0), (1600, 5.0)))
    assert [point.rows for point in curve.points] == [100, 400, 1600]
    assert curve.guess.rows == 3200
    assert curve.guess.symbol_error_rate == pytest.approx(5 / sqrt(2))
    assert (curve.guess.low, curve.guess.high) == pytest.approx([5 / sqrt(2)] * 2)


def test_the_range_comes_of_leaving_each_point_out():
    """Rows 1, 2, 4, errors 1, 1, 1/2 (powers of two as above): without the first the line falls by 1, to 2^-2 at 8;
    without the second by 1/2, to 2^(-3/2); without the third not at all, 1."""
    guess = curve_of(points((1, 1.0), (2, 1.0), (4, 0.5))).guess
    assert guess.symbol_error_rate == pytest.approx(2 ** (-4 / 3))
    assert (guess.low, guess.high) == pytest.approx((0.25, 1.0))


def test_two_points_have_a_guess_without_a_range():
    guess = curve_of(points((100, 20.0), (200, 10.0))).guess
    assert (guess.rows, guess.symbol_error_rate) == (400, pytest.approx(5.0))
    assert guess.low == guess.high == guess.symbol_error_rate


@pytest.mark.parametrize("given", [[], [(100, 20.0)], [(100, 20.0), (200, 0.0)], [(50, 0.0), (100, 3.0), (200, 1.0)]])
def test_nothing_to_guess_from(given):
    curve = curve_of(points(*given))
    assert curve.guess is None
    assert [(point.rows, point.symbol_error_rate) for point in curve.points] == given


def lines(curve):
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(curve.table())
    return [line.split() for line in capture.get().splitlines()]


def test_the_table():
    given = points((500, 20.0), (1000, 10.0))
    head, _, *rows = lines(curve_of(given))
    assert head == ["rows", "word", "error", "symbol", "error"]
    assert rows == [
        ["500", "40.00", "20.00"],
        ["1,000", "20.00", "10.00"],
        ["2,000", "a", "guess:", "5.00", "(5.00", "to", "5.00)"],
    ]
    assert lines(Curve(points=given, guess=None))[2:] == rows[:2]


def test_as_json():
    curve = curve_of(points((500, 20.0), (1000, 10.0)))
    assert Curve.model_validate_json(curve.model_dump_json()) == curve


def test_printed_it_is_the_table():
    curve = curve_of(points((100, 20.0), (400, 10.0)))
    lines = str(curve).splitlines()
    assert [line.split() for line in lines[2:4]] == [["100", "40.00", "20.00"], ["400", "20.00", "10.00"]]
    assert not any(line != line.rstrip() for line in lines)
    assert repr(curve) == "<Curve 2 points, 100 to 400 rows>"
