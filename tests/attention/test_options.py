"""How a look is written: parts by their names or as tables; every mistake tells what there is instead."""

import pytest
from pydantic import ValidationError

from regard.attention import SCORES
from regard.attention.focus.soft import SoftOptions
from regard.attention.options import LookOptions
from regard.attention.scores.additive import AdditiveOptions


def test_what_is_not_said():
    look = LookOptions(at="source")
    assert (look.score, look.focus, look.when) == (AdditiveOptions(), SoftOptions(), "after")


@pytest.mark.parametrize("name", SCORES.names())
def test_a_name_is_a_table_with_nothing_but_its_type(name):
    look = LookOptions(at="source", score=name)
    assert look.score == LookOptions(at="source", score={"type": name}).score == SCORES[name].Options()


def test_a_table_without_a_type_is_of_the_usual_one():
    assert LookOptions(at="source", score={"width": 7}).score == AdditiveOptions(width=7)


def test_what_is_written_out_reads_back_whole():
    look = LookOptions(at="source", score={"type": "mlp", "layers": 3}, when="before")
    table = look.model_dump(mode="json")
    assert table["score"] == {"type": "mlp", "width": 128, "layers": 3}
    assert LookOptions(**table) == look


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"score": "generl"}, "unknown score 'generl'; did you mean 'general'?"),
        ({"focus": "locl"}, "unknown focus 'locl'; did you mean 'local'?"),
        ({"score": {"type": "dot", "width": 3}}, "unknown key 'width'; known: type"),
        ({"score": 3}, "expected the name of a score or a table with its type, got 3"),
        ({"score": {"width": 0}}, "Input should be greater than 0"),
        ({"when": "during"}, "Input should be 'before' or 'after'"),
        ({"attention": "dot"}, "unknown key 'attention'; known: at, focus, score, when"),
    ],
)
def test_mistakes(given, said):
    with pytest.raises(ValidationError) as error:
        LookOptions(at="source", **given)
    assert said in str(error.value)
