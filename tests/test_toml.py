"""What is written is what `tomllib` reads back."""

import tomllib
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.toml import dumps, value

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SIMPLE = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXT
VALUES = st.recursive(
    SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(TEXT, VALUES, max_size=5))
def test_any_table_comes_back(table):
    assert tomllib.loads(dumps(table)) == table


@given(SIMPLE)
def test_any_value_comes_back_with_its_type(one):
    found = tomllib.loads(f"x = {value(one)}")["x"]
    assert (found, type(found)) == (one, type(one))


@given(st.characters(exclude_categories=["Cs"]))
def test_any_character_in_a_text_and_in_a_key(character):
    assert tomllib.loads(dumps({character: {character: character}})) == {character: {character: character}}


def test_it_reads_as_a_person_writes_it():
    table = {"b": {"c": {"list": [1, "two"]}, "x": 0.5}, "a": True, "none": None, "odd key": {"é": "\t"}, "empty": {}}
    assert dumps(table) == (
        'a = true\n\n[b]\nx = 0.5\n\n[b.c]\nlist = [1, "two"]\n\n["odd key"]\n"é" = "\\t"\n\n[empty]\n'
    )


def test_none_is_left_out():
    assert tomllib.loads(dumps({"a": None, "b": {"c": None}})) == {"b": {}}


def test_tuples_are_lists_and_tables_in_lists_stand_in_line():
    assert tomllib.loads(dumps({"a": (1, 2), "b": [{"c": (3,)}, {}]})) == {"a": [1, 2], "b": [{"c": [3]}, {}]}


def test_numbers_that_are_not_finite():
    assert value(inf) == "inf"
    assert value(-inf) == "-inf"
    assert isnan(tomllib.loads(f"x = {value(nan)}")["x"])


def test_numpys_floats_are_floats():
    assert value(np.float64(0.1)) == "0.1"


@pytest.mark.parametrize("odd", [None, object(), b"bytes", {1, 2}])
def test_what_a_configuration_cannot_hold(odd):
    with pytest.raises(TypeError, match=f"a configuration holds no {type(odd).__name__}"):
        value([odd])
