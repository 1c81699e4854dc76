"""What is said of an unknown name, and of a part whose packages are missing."""

import pytest

from regard.errors import MissingExtra, RegardError, nearest


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("aditive", ["dot", "additive"], "did you mean 'additive'?"),
        ("dto", ["dot", "additive"], "did you mean 'dot'?"),
        ("zzz", ["dot", "additive"], "known: additive, dot"),
        ("zzz", [], "known: none"),
        ("", {"b": 1, "a": 2}, "known: a, b"),
        ("b", iter(["ab", "b"]), "did you mean 'b'?"),
    ],
)
def test_the_nearest_name_or_all(name, known, said):
    assert nearest(name, known) == said


def test_a_missing_extra_says_how_to_get_it():
    error = MissingExtra("drawing a PNG", "plot")
    assert str(error) == 'drawing a PNG needs the extra "plot": pip install "regard[plot]"'
    assert isinstance(error, RegardError)
