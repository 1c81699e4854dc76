"""Families of parts: ours by name, others by entry point, from a distribution that is really there on sys.path."""

import importlib
import sys
from typing import Literal

import pytest
import torch
from pydantic import Field

from regard.attention import FOCUSES, SCORES, Attention, Sizes
from regard.attention.focus import Soft
from regard.config import Config, compose
from regard.decoders import DECODERS
from regard.decoders.emissions import EMISSIONS
from regard.encoders import ENCODERS
from regard.errors import RegardError
from regard.memory import Memory
from regard.parts import Family, Options

SHARP = """
from typing import Literal

from regard.attention.scores import Dot
from regard.parts import Options


class SharpOptions(Options):
    type: Literal["sharp"] = "sharp"
    by: float = 2.0


class Sharp(Dot):
    name, Options = "sharp", SharpOptions

    def __init__(self, sizes, by=2.0):
        super().__init__(sizes)
        self.by = by

    def query(self, state):
        return self.by * state
"""

POINTS = """[regard.scores]
sharp = regard_sharp:Sharp
dot = regard_sharp:Sharp
gone = regard_sharp:Gone
broken = regard_no_such_module:Broken

[regard.focuses]
elsewhere = regard_sharp:Sharp
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package of someone else's, as pip leaves it."""
    (tmp_path / "regard_sharp.py").write_text(SHARP)
    info = tmp_path / "regard_sharp-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: regard-sharp\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    vars(SCORES).pop("_others", None)
    yield
    vars(SCORES).pop("_others", None)
    sys.modules.pop("regard_sharp", None)


@pytest.mark.usefixtures("installed")
def test_a_third_partys_part_is_known_by_its_entry_point(memory_of_places):
    assert {"sharp", "gone", "broken"} < set(SCORES.names())
    assert "elsewhere" not in SCORES.names()
    options = compose({}, ["score=sharp", "score.by=3"]).looks["source"].score
    assert options.model_dump() == {"type": "sharp", "by": 3.0}
    attention = Attention(SCORES.build(options, Sizes(1, 1)), Soft())
    _, glance, _ = attention(memory_of_places.values[:, 0], attention.bind(memory_of_places))
    torch.testing.assert_close(glance.weights, torch.tensor([[3.0, 9.0]]).softmax(-1))  # 3 · (1 · 1, 1 · 3)
    assert SCORES["dot"].__module__ == "regard.attention.scores.dot"  # a name of ours is not taken over


@pytest.fixture
def memory_of_places():
    values = torch.tensor([[[1.0], [3.0]]])
    return Memory(values, torch.ones(1, 2, dtype=torch.bool), values[:, 0], (2,))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "why"),
    [("gone", "module 'regard_sharp' has no attribute 'Gone'"), ("broken", "No module named 'regard_no_such_module'")],
)
def test_a_part_that_cannot_be_loaded_names_its_package(name, why):
    with pytest.raises(RegardError) as error:
        SCORES[name]
    assert str(error.value) == f"the score {name!r} of regard-sharp cannot be loaded: {why}"


@pytest.mark.usefixtures("installed")
def test_its_options_are_checked_as_ours_are():
    with pytest.raises(RegardError) as error:
        compose({}, ["score=sharp", "score.bye=2"])
    assert str(error.value) == ("configuration, looks.source.score: unknown key 'bye'; did you mean 'by'?")


# -- a family of our own -------------------------------------------------------------------------------------------


class RoundOptions(Options):
    type: Literal["round"] = "round"
    radius: int = Field(1, gt=0)
    names: tuple[str, ...] = ()
    more: tuple[str, ...] | None = None


class Round:
    name, Options = "round", RoundOptions

    def __init__(self, size, *, extra=None, radius=1, names=(), more=None):
        self.made = (size, extra, radius, names, more)


@pytest.fixture
def shapes():
    return Family("area", "regard.areas", [Round])


def test_read_and_build(shapes):
    options = shapes.options({"type": "round", "radius": 3, "names": "a", "more": "b"})
    assert options == RoundOptions(radius=3, names=("a",), more=("b",))
    assert shapes.options(options) is options
    assert shapes.build(options, 5, extra=6).made == (5, 6, 3, ("a",), ("b",))
    assert shapes.options("round") == RoundOptions()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "an area needs a type; known: round"),
        ({"type": 3}, "an area needs a type; known: round"),
        (3, "expected the name of an area or a table with its type, got 3"),
        (None, "expected the name of an area or a table with its type, got None"),
        ("rond", "unknown area 'rond'; did you mean 'round'?"),
        ({"type": "square"}, "unknown area 'square'; known: round"),
    ],
)
def test_what_is_no_part(shapes, given, said):
    with pytest.raises(ValueError) as error:  # noqa: PT011  the whole message is compared
        shapes.options(given)
    assert str(error.value) == said


def test_a_default_needs_no_type():
    assert Family("area", "regard.areas", [Round], "round").options({"radius": 3}) == RoundOptions(radius=3)


def test_options_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        RoundOptions().radius = 3


def test_every_option_of_every_part_has_its_help():
    seen, missing = set(), []

    def look(options):
        if options in seen:
            return
        seen.add(options)
        for name, field in options.model_fields.items():
            if name != "type" and not field.description and not isinstance(field.default, Options | dict):
                missing.append(f"{options.__name__}.{name}")

    for family in (SCORES, FOCUSES, ENCODERS, DECODERS, EMISSIONS):
        for name in family.names():
            look(family[name].Options)
            assert family[name].Options.__doc__, f"{name} says nothing of itself"
            assert family[name].name == name
    for field in Config.model_fields.values():
        if isinstance(field.default, Options):
            look(type(field.default))
    assert missing == []
