"""What is in a table, counted by hand."""

import numpy as np
import pytest

from regard.data.columns import TextColumn
from regard.data.survey import histogram, survey, unknown
from regard.data.surveyed import Bar, Survey
from regard.errors import RegardError


@pytest.fixture
def of(table):
    def make(content, **asked):
        return survey(table(content, header=asked.pop("header", False)), **asked)

    return make


def test_a_table_by_hand(of):
    found = of("aab\tx y\nab\ty\n\tz\naab\tx\nb\t \nragged\n" + "c\tx\n" * 5, units={"2": "symbol", "1": "character"})
    assert (found.rows, found.header, found.undecided) == (10, False, None)
    source, target = found.columns
    assert (source.name, source.role, source.unit, source.reason) == ("1", "source", "character", "single words")
    assert (source.empty, source.different, source.example) == (1, 5, "aab")
    # 9 cells with text: aab ab aab b and five times c
    assert (source.lengths.shortest, source.lengths.median, source.lengths.longest) == (1, 1.0, 3)
    assert source.lengths.histogram == [
        Bar(shortest=1, longest=1, rows=6),
        Bar(shortest=2, longest=2, rows=1),
        Bar(shortest=3, longest=3, rows=2),
    ]
    assert (source.symbols.different, source.symbols.seen) == (3, 3 + 2 + 3 + 1 + 5)
    assert [(one.symbol, one.count) for one in source.symbols.commonest] == [("a", 5), ("c", 5), ("b", 4)]
    assert (source.symbols.once, source.symbols.rare) == (0, 3)
    assert (target.role, target.unit, target.reason) == ("target", "symbol", "as asked for")
    assert (target.symbols.once, target.empty) == (1, 1)
    assert [(one.why, one.rows, one.first.rpartition("words.tsv, ")[2]) for one in found.left_out] == [
        ("not 2 cells", 1, "line 6 (1)"),
        ("nothing to read", 1, "line 3"),
        ("nothing to write", 1, "line 5"),
    ]
    assert found.duplicates.rows == 4  # c x, five times
    assert found.duplicates.sources == 5  # and the second aab
    assert found.duplicates.several_answers == 1  # aab: "x y" and "x"


def test_features_are_part_of_the_source(of):
    rows = "go\tV;PST\twent\ngo\tV;PRS\tgoes\ngo\tV;PRS\tgo\nbe\tV;PRS\tis\n"
    found = of(rows)
    assert [column.role for column in found.columns] == ["source", "feature", "target"]
    assert [column.unit for column in found.columns] == ["character", "tags", "character"]
    assert (found.duplicates.rows, found.duplicates.sources, found.duplicates.several_answers) == (0, 1, 1)
    assert [(one.symbol, one.count) for one in found.columns[1].symbols.commonest] == [("V", 4), ("PRS", 3), ("PST", 1)]


def test_what_is_left_open_is_said(of):
    found = of("a\tb\tc\nd\te\tf\n")
    assert "leaves open what is read and what is written: say --from 1 --to 2" in found.undecided
    assert [column.role for column in found.columns] == [None, None, None]
    assert (found.duplicates.sources, found.duplicates.several_answers, found.left_out) == (None, None, [])
    with pytest.raises(RegardError, match="has no column '7'"):
        of("a\tb\tc\nd\te\tf\n", sources=["7"])


def test_columns_without_text(of):
    found = of("a\t\nb\t\n", sources=["1"], target="2")
    empty = found.columns[1]
    assert (empty.empty, empty.example, empty.lengths, empty.symbols, empty.forms) == (2, "", None, None, None)
    assert empty.directions.direction == "none"
    assert found.left_out[0].rows == 2


def test_weights_and_other_columns_have_their_role(of):
    found = of("a\tb\t1\nc\td\t1\n")
    assert [column.role for column in found.columns] == ["source", "target", "weight"]


@pytest.mark.parametrize(
    ("cells", "direction", "counts"),
    [
        (["abc", "123"], "left to right", (1, 0, 0)),
        (["سلام", "שלום", "!"], "right to left", (0, 2, 0)),
        (["سلام abc"], "mixed", (0, 0, 1)),
        (["سلام", "abc"], "mixed", (1, 1, 0)),
        (["12", "?!"], "none", (0, 0, 0)),
        (["\ufb2a"], "right to left", (0, 1, 0)),  # a letter which no normalisation keeps
        (["[a]^-\\"], "left to right", (1, 0, 0)),
    ],
)
def test_directions(of, cells, direction, counts):
    found = of("".join(cell + "\n" for cell in cells)).columns[0].directions
    assert found.direction == direction
    assert (found.left_to_right, found.right_to_left, found.mixed) == counts


def test_forms(of):
    found = of("\u00e9\ne\u0301\ne\n").columns[0].forms
    assert (found.form, found.plain, found.nfc, found.nfd, found.other) == ("mixed", 1, 1, 1, 0)
    assert found.notes == ["accents are written in several ways (1 rows NFC, 1 NFD, 0 neither); answers come in NFC"]
    apart = of("가각갂나낙낚다닥닦라락\n").columns[0]
    assert apart.forms.taken_apart
    assert apart.symbols.different == 7


@pytest.mark.parametrize(
    ("lengths", "bars"),
    [
        ([3], [(3, 3, 1)]),
        ([1, 1, 4], [(1, 1, 2), (2, 2, 0), (3, 3, 0), (4, 4, 1)]),
        ([1] * 99 + [50], [(1, 50, 100)]),  # one that is much longer than the others makes no axis of its own
        (range(10, 70), [(10 + 2 * i, 11 + 2 * i, 2) for i in range(30)]),
        (range(61), [(3 * i, 3 * i + 2, 3) for i in range(20)] + [(60, 60, 1)]),
    ],
)
def test_histogram(lengths, bars):
    found = histogram(np.array(lengths))
    assert [(bar.shortest, bar.longest, bar.rows) for bar in found] == bars


def test_json_comes_back(of):
    found = of("aab\tx y\nab\ty\n")
    assert Survey.model_validate_json(found.model_dump_json()) == found


class TestUnknown:
    def test_what_a_model_does_not_know(self, table):
        columns = {
            "word": TextColumn.fit("word", ["abc"], unit="character"),
            "phones": TextColumn.fit("phones", ["a b c"], unit="symbol", end=True),
            "other": TextColumn.fit("other", ["a"], unit="character"),
        }
        given = table("word\tphones\nabx\ta b c\nxyz\ta b\nabcab\tc b a b\n")
        word, phones = unknown(columns, given, {"word": "word", "phones": "phones"})
        assert (word.column, word.rows, word.longest_known, word.longer) == ("word", 2, 3, 1)
        assert [(one.symbol, one.count, one.example) for one in word.symbols] == [
            ("x", 2, "abx"),
            ("y", 1, "xyz"),
            ("z", 1, "xyz"),
        ]
        assert word.symbols[0].first.endswith("words.tsv, line 2")
        assert word.symbols[1].first.endswith("words.tsv, line 3")
        assert (phones.rows, phones.symbols, phones.longest_known, phones.longer) == (0, [], 4, 1)

    def test_columns_that_are_called_otherwise(self, table):
        columns = {"word": TextColumn.fit("word", ["abc"], unit="character")}
        (found,) = unknown(columns, table("a\tb\n", header=False), {"word": "2"})
        assert (found.column, found.rows, found.symbols) == ("2", 0, [])
