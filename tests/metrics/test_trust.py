"""Falls, intervals, rank correlation and the verdict: numbers worked out by hand, and every rule on both sides."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pydantic import ValidationError

from regard.metrics import LookCheck, show_looks
from regard.metrics.trust import (
    BEGINNINGS,
    CLEAR,
    LEAST,
    LIMIT,
    OUTPUTS,
    SLIGHT,
    STILL,
    Agreement,
    Falls,
    Figure,
    Forced,
    Witnesses,
    checked,
    finding,
    points,
    rank_correlation,
    schema,
    to_json,
    verdict,
)


def figure(value, low=None, high=None):
    return Figure(value=value, low=value - 1 if low is None else low, high=value + 1 if high is None else high)


def falls(most, random, least=0.0, over=None):
    over = over or figure(most - random)
    return Falls(
        most=figure(most), random=figure(random), least=figure(least), over_random=over, over_least=figure(most - least)
    )


def forced(most=1.0, random=50.0):
    return Forced(most=figure(most), random=figure(random))


def witnesses(outputs=40, inputs=20, gradient=True, **more):
    """Outputs of probability 0.9; deleted they fall to 0.1, 0.5, 0.8; kept alone to 0.7, 0.3, 0.2."""
    rows = np.ones((outputs, 1))
    given = {
        "inputs": np.arange(outputs) % inputs,
        "whole": np.full(outputs, 0.9),
        "deleted": rows * [0.1, 0.5, 0.8],
        "kept": rows * [0.7, 0.3, 0.2],
        "forced": rows * [0.9, 0.2],
        "gradient": rows * [1.0, 0.25, 0.5] if gradient else None,
    }
    return Witnesses(**given | more)


def check(found, **more):
    return checked("source", found, **{"left_out": 0, "share": 0.2, "seed": 0} | more)


# -- numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0),
        ([1, 2, 3], [30, 20, 10], -1.0),
        ([1, 2, 3, 4], [1, 3, 2, 4], 0.8),  # 1 − 6·2 / (4·15)
        ([1, 1, 2], [1, 2, 3], 0.8660254),  # ranks ½ ½ 2 and 0 1 2: 1.5 / √(1.5 · 2)
        ([5, 5, 5], [1, 2, 3], 0.0),
        ([1, 2], [4, 4], 0.0),
    ],
)
def test_rank_correlation_by_hand(one, other, expected):
    assert rank_correlation(np.array(one, float), np.array(other, float)) == pytest.approx(expected)


ROWS = arrays(np.float64, 6, elements=st.integers(0, 3).map(float))


@given(ROWS, ROWS)
def test_rank_correlation_lies_within_its_bounds_and_goes_by_order_alone(one, other):
    found = rank_correlation(one, other)
    assert -1 - 1e-9 <= found <= 1 + 1e-9
    assert found == pytest.approx(rank_correlation(other, one))
    assert found == pytest.approx(rank_correlation(np.exp(one), other**3))


def test_falls_by_hand():
    found = check(witnesses())
    assert (found.probability.value, found.deleting.most.value) == (pytest.approx(90), pytest.approx(80))
    assert [getattr(found.deleting, name).value for name in Falls.model_fields] == pytest.approx([80, 40, 10, 40, 70])
    assert [getattr(found.keeping, name).value for name in Falls.model_fields] == pytest.approx([20, 60, 70, -40, -50])
    assert (found.forcing.most.value, found.forcing.random.value) == (pytest.approx(0), pytest.approx(70))
    assert (found.gradient.same_top.value, found.gradient.by_chance) == (pytest.approx(100), pytest.approx(25))
    assert found.gradient.rank.value == pytest.approx(0.5)
    for one in (found.probability, found.deleting.most, found.gradient.rank):  # all outputs are alike
        assert (one.low, one.high) == (pytest.approx(one.value), pytest.approx(one.value))
    assert (found.inputs, found.outputs, found.resampled) == (20, 40, "inputs")


def test_intervals_are_those_of_whole_inputs():
    """Forty inputs of five equal outputs each, half of them hurt and half not: as wide as 40 witnesses allow and not
    as 200 would. The standard error of a half over 40 is 7.9 points, 1.96 of them either way."""
    hurt = np.repeat(np.arange(40) % 2, 5).astype(float)
    given = witnesses(200, whole=np.ones(200), deleted=np.stack([1 - hurt, np.ones(200), np.ones(200)], 1))
    found = check(given._replace(inputs=np.repeat(np.arange(40), 5)), samples=4000)
    assert found.deleting.most.value == pytest.approx(50)
    assert found.deleting.most.low == pytest.approx(50 - 1.96 * 7.9, abs=1.6)
    assert found.deleting.most.high == pytest.approx(50 + 1.96 * 7.9, abs=1.6)
    assert found.deleting.over_random == found.deleting.most  # nothing else falls


def test_inputs_count_by_their_outputs():
    """Of eleven inputs one has all the hurt, in one output or in many."""
    rows = np.array([0, *range(1, 11), *range(1, 11)])
    deleted = np.ones((21, 3))
    deleted[0, 0] = 0.0
    given = {"inputs": rows, "whole": np.ones(21), "deleted": deleted, "kept": np.ones((21, 3)),
             "forced": np.ones((21, 2)), "gradient": None}  # fmt: skip
    found = check(Witnesses(**given))
    assert found.deleting.most.value == pytest.approx(100 / 21)
    assert found.deleting.most.low == 0.0


def test_of_few_inputs_outputs_are_resampled():
    assert check(witnesses(40, 9)).resampled == "outputs"
    assert check(witnesses(40, 10)).resampled == "inputs"
    mixed = np.tile([[0.1, 0.9, 0.9], [0.9, 0.9, 0.9]], (20, 1))
    one = check(witnesses(40, 1, deleted=mixed)).deleting.most
    assert one.low < one.value < one.high


def test_the_same_seed_gives_the_same_figures():
    deleted = np.random.default_rng(0).uniform(0, 0.9, (40, 3))
    one, other, third = (check(witnesses(deleted=deleted), seed=seed) for seed in (1, 1, 2))
    assert one == other
    assert one.deleting.most.value == third.deleting.most.value
    assert one.deleting.most.low != third.deleting.most.low


# -- rules ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "outputs", "expected"),
    [
        (figure(CLEAR, 0.1, 30), 40, "uses"),
        (figure(CLEAR - 0.1, 0.1, 30), 40, "a little"),
        (figure(SLIGHT, 0.1, 2), 40, "a little"),
        (figure(SLIGHT - 0.1, 0.1, 2), 40, "no sign"),
        (figure(30, 0.0, 60), 40, "no sign"),
        (figure(-SLIGHT, -2, -0.1), 40, "elsewhere"),
        (figure(-SLIGHT + 0.1, -2, -0.1), 40, "no sign"),
        (figure(-30, -60, 0.0), 40, "no sign"),
        (figure(30, 0.0, 60), OUTPUTS - 1, "too few"),
        (figure(30, 0.0, 60), OUTPUTS, "no sign"),
        (figure(30, 20, 40), LEAST, "uses"),
        (figure(30, 20, 40), LEAST - 1, "too few"),
    ],
)
def test_what_deletion_shows(over, outputs, expected):
    assert finding(falls(40, 10, over=over), forced(), outputs) == expected


@pytest.mark.parametrize(
    ("most", "random", "expected"),
    [
        (figure(0, 0, 0), figure(0, 0, 0), "idle"),
        (figure(0.1, -STILL + 0.01, STILL - 0.01), figure(0, 0, 0), "idle"),
        (figure(0.1, 0, STILL), figure(0, 0, 0), "uses"),
        (figure(0, 0, 0), figure(-0.2, -STILL, 0), "uses"),
        (figure(0, 0, 0), figure(20, 10, 30), "uses"),
    ],
)
def test_a_look_that_can_be_moved_at_no_cost_is_idle_whatever_deletion_shows(most, random, expected):
    moved = Forced(most=most, random=random)
    assert finding(falls(40, 10, over=figure(30, 20, 40)), moved, 40) == expected
    assert finding(falls(40, 10, over=figure(30, 20, 40)), moved, LEAST - 1) == "too few"


# -- words ---------------------------------------------------------------------------------------------------------


def test_a_verdict_word_for_word():
    gradient = Agreement(same_top=figure(71), by_chance=17.4, rank=figure(-0.126))
    said = verdict("uses", falls(62, 21, 4.04), falls(12, 80), forced(3, 45), gradient, 0.2, None)
    assert said == (
        "This model uses what it looks at: deleting the places looked at most (20 % of them) lowers the probability of"
        " an output by 62 points (61 to 63), as many at random by 21 (20 to 22), those looked at least by 4.0 (3.0 to"
        " 5.0). The difference from random is 41 points (40 to 42). With nothing but these places it loses 12 points"
        " (11 to 13), with as many at random 80 (79 to 81): they hold more than other places, and not enough. With"
        " nothing deleted, but made to look at the top place alone, it loses 3.0 points (2.0 to 4.0); at another, drawn"
        " at random, 45 (44 to 46). In 71 % of the outputs (17 % by chance) the place looked at most is also that of"
        f" the largest gradient × input; rank correlation −0.13. {LIMIT}"
    )


@pytest.mark.parametrize("kind", BEGINNINGS)
def test_every_verdict_begins_as_it_was_found(kind):
    said = verdict(kind, falls(40, 10), falls(30, 60), forced(), None, 0.1, None)
    assert said.startswith(BEGINNINGS[kind])
    assert "(10 % of them)" in said
    assert said.endswith(LIMIT)
    assert ("which may be nothing" in said) is (kind in ("no sign", "too few"))
    assert ("made to look at the top place alone" in said) is (kind != "idle")
    assert "gradient" not in said


@pytest.mark.parametrize(
    ("keeping", "said"),
    [
        (falls(10, 30), "they are enough."),
        (falls(10, 10), "either is enough."),
        (falls(10.1, 30), "they hold more than other places, and not enough."),
        (falls(30, 30.5), "they hold no more than other places."),
        (falls(40, 30), "they hold no more than other places."),
    ],
)
def test_what_the_places_are_worth_alone(keeping, said):
    assert said in verdict("uses", falls(40, 10), keeping, forced(), None, 0.2, None)


def test_what_else_is_said():
    faint = "No deletion changes much: most of an answer comes from elsewhere, such as the symbols before it."
    assert faint in verdict("no sign", falls(4.9, 4.9, 4.9), falls(1, 1), forced(), None, 0.2, None)
    assert faint not in verdict("no sign", falls(4.9, 5.0, 4.9), falls(1, 1), forced(), None, 0.2, None)
    few = "The intervals are those of these 7 outputs, and say nothing of other texts."
    assert few in verdict("uses", falls(40, 10), falls(30, 60), forced(), None, 0.2, 7)
    assert few in check(witnesses(7, 7)).verdict
    assert "say nothing of other texts" not in check(witnesses()).verdict


@pytest.mark.parametrize(
    ("value", "largest", "shown"),
    [(62.4, 62.4, "62"), (3.14, 3.14, "3.1"), (3.14, 12, "3"), (-3.14, 4, "−3.1"), (-0.04, 1, "0.0"), (-0.4, 10, "0"),
     (-12.6, 13, "−13"), (9.96, 9.96, "10.0"), (100, 100, "100")],
)  # fmt: skip
def test_points(value, largest, shown):
    assert points(float(value), float(largest)) == shown


# -- forms ---------------------------------------------------------------------------------------------------------


def test_json_reads_back_and_says_no_more_than_it_knows():
    both = [check(witnesses(), left_out=3), check(witnesses(gradient=False))]
    table = json.loads(to_json(both))
    assert [LookCheck.model_validate(one) for one in table] == both
    assert (table[0]["left_out"], table[1]["gradient"]) == (3, None)
    with pytest.raises(ValidationError):
        LookCheck.model_validate(table[0] | {"more": 1})


def test_the_published_schema_is_in_step():
    published = Path(__file__).parents[2] / "docs" / "schemas" / "check-looks.json"
    command = (
        "python -c 'import regard.metrics.trust as t; print(t.schema(), end=\"\")' > docs/schemas/check-looks.json"
    )
    assert published.read_text(encoding="utf-8") == schema(), f"write it anew: {command}"


def test_in_the_terminal_at_80_columns(drawn):
    wide = witnesses(deleted=np.random.default_rng(0).uniform(0.8, 1, (40, 3)))
    lines = drawn(show_looks(check(wide)))
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    assert " ".join(lines).split()[:8] == ["check", "of", "the", "look", "'source',", "40", "outputs", "of"]
    rows = [line for line in lines if line.startswith(("looked at most ", "as many at random ", "looked at least "))]
    assert [line.count("(") for line in rows[:3]] == [3, 3, 2]
