"""What is said of an unknown name, and of a part whose packages are missing."""

import pytest

from regard.errors import MissingExtra, RegardError, nearest, on_command_line, typed


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


def test_what_to_type_is_said_to_who_types_it():
    assert typed("--to b", "target='b'") == "target='b'"
    with on_command_line():
        assert typed("--to b", "target='b'") == "--to b"
        with on_command_line():
            pass
        assert typed("--to b", "target='b'") == "--to b"
    with pytest.raises(RegardError), on_command_line():
        raise RegardError("x")
    assert typed("--to b", "target='b'") == "target='b'"
