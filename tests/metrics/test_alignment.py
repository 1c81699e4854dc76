"""Alignment error against numbers worked out by hand, its interval, its report and its published form."""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from regard.data.links import NONE, Links
from regard.errors import RegardError
from regard.metrics.alignment import AlignmentReport, measure, schema, scores, show, statistics

A, B, C, D = (0, 0), (1, 1), (2, 1), (2, 2)
GOLD = Links(frozenset({A, B}), frozenset({A, B, C}))


def links(sure, possible=()):
    return Links(frozenset(sure), frozenset((*sure, *possible)))


@pytest.mark.parametrize(
    ("found", "aer", "precision", "recall"),
    [
        ([A, B], 0.0, 100.0, 100.0),
        ([A, B, C], 0.0, 100.0, 100.0),  # 1 − (2 + 3) / (3 + 2)
        ([A, C], 25.0, 100.0, 50.0),  # 1 − (1 + 2) / (2 + 2)
        ([A, D], 50.0, 50.0, 50.0),  # 1 − (1 + 1) / (2 + 2)
        ([A, B, C, D], 100 / 6, 75.0, 100.0),  # 1 − (2 + 3) / (4 + 2)
        ([D], 100.0, 0.0, 0.0),
        ([], 100.0, 0.0, 0.0),  # 1 − 0 / (0 + 2)
    ],
)
def test_by_hand(found, aer, precision, recall):
    report = measure([found], [GOLD])
    assert (report.aer, report.precision, report.recall) == pytest.approx((aer, precision, recall))


def test_pairs_are_added_up_and_not_averaged():
    report = measure([[A], [A, B], [D], [A, D]], [links([A]), links([A, B]), links([A]), NONE])
    assert statistics([[A], [D]], [links([A], [B]), NONE]).tolist() == [[1, 1, 2, 1, 1], [1, 0, 0, 0, 0]]
    assert report.aer == pytest.approx(100 * (1 - (3 + 3) / (4 + 4)))
    assert report.counts.model_dump() == {
        "pairs": 3, "unlinked": 1, "found": 4, "sure": 4, "possible": 4, "found_sure": 3, "found_possible": 3,
    }  # fmt: skip


some = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6)


@given(some, some.filter(bool))
def test_where_all_links_are_sure_it_is_one_minus_f(found, sure):
    report = measure([found], [links(sure)], samples=5)
    both = report.precision + report.recall
    f = 2 * report.precision * report.recall / both if both else 0.0
    assert report.aer == pytest.approx(100 - f)


@given(st.lists(st.tuples(some, some, some.filter(bool)), min_size=1, max_size=4))
def test_figures_are_percent_and_more_possible_links_never_hurt(rows):
    found = [row[0] for row in rows]
    plain = measure(found, [links(sure) for _, _, sure in rows], samples=5)
    report = measure(found, [links(sure, more) for _, more, sure in rows], samples=5)
    for one in (report.aer, report.precision, report.recall):
        assert 0 <= one <= 100
    assert report.aer <= plain.aer + 1e-9
    assert report.precision >= plain.precision
    assert report.recall == plain.recall


def test_intervals():
    found, gold = [[A], [B], [A, B], [D]] * 10, [links([A]), links([A]), links([A, B]), links([A])] * 10
    report = measure(found, gold)
    for name in ("aer", "precision", "recall"):
        low, high = report.intervals[name]
        assert 0 <= low < getattr(report, name) < high <= 100
    assert report == measure(found, gold)
    assert report.intervals != measure(found, gold, seed=1).intervals
    assert measure([[A]] * 9, [links([A])] * 9).intervals == dict.fromkeys(
        ("aer", "precision", "recall"), (0.0, 0.0)
    ) | {"precision": (100.0, 100.0), "recall": (100.0, 100.0)}


def test_nothing_to_count_by():
    assert scores(np.zeros(5)) == {"aer": 0.0, "precision": 0.0, "recall": 0.0}


def test_nothing_to_measure():
    with pytest.raises(RegardError, match=r"^nothing to measure: none of 2 pairs has a true link$"):
        measure([[A], []], [NONE, NONE])


def test_the_published_schema_is_in_step():
    published = Path(__file__).parents[2] / "docs" / "schemas" / "align.json"
    command = "python -c 'import regard.metrics.alignment as m; print(m.schema(), end=\"\")' > docs/schemas/align.json"
    assert published.read_text(encoding="utf-8") == schema(), f"write it anew: {command}"


def test_json_has_the_promised_keys_and_reads_back():
    report = measure([[A, C]], [GOLD])
    table = json.loads(report.model_dump_json())
    assert (table["aer"], table["precision"], table["recall"]) == (25.0, 100.0, 50.0)
    assert AlignmentReport.model_validate_json(report.model_dump_json()) == report
    assert set(json.loads(schema())["required"]) == set(table)


def test_in_the_terminal():
    console = Console(width=80, record=True, file=StringIO())
    console.print(show(measure([[A, C], [D]], [GOLD, NONE])))
    lines = [line.split() for line in console.export_text().splitlines()]
    assert " ".join(lines[0] + lines[1]) == (
        "1 pairs, 2 links found; 2 sure and 1 more possible ones are true; 1 pairs without true links are not measured"
    )
    assert ["alignment", "error", "25.00", "25.00", "to", "25.00"] in lines
    assert ["recall", "50.00", "50.00", "to", "50.00"] in lines
