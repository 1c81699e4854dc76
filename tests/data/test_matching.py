"""Which columns of a table a model reads and writes: as asked for, by name, by place; else one clear line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.matching import Known, match, match_some
from regard.data.tables import read
from regard.errors import RegardError

NAMED = Known(("word",), "ipa", ("word", "ipa"))
NUMBERED = Known(("1",), "2", ("1", "2"))
TURNED = Known(("2",), "1", ("1", "2", "3"))  # of three columns the second is read and the first is written
TAGGED = Known(("lemma", "tags"), "form", ("lemma", "form", "tags", "source"))
OLD = Known(("lemma", "tags"), "form")  # a model that does not know what else the table held
OLD_NUMBERED = Known(("2",), "1")
ALL, READ = True, False


@pytest.fixture
def of(table):
    """A table of one row with these names, or of so many columns without names."""

    def make(names):
        header = not isinstance(names, int)
        cells = [f"cell{at}" for at in range(1, 1 + (len(names) if header else names))]
        lines = ["\t".join(row) for row in ([names, cells] if header else [cells])]
        return table("\n".join(lines) + "\n", header=header)

    return make


def wanted(known, whole):
    return (*known.reads, known.target) if whole else known.reads


def found(of, known, names, whole, sources=(), target=None):
    said = []
    columns = match(of(names), known, wanted(known, whole), known.asked(sources, target), said.append)
    assert len(said) <= 1
    return list(columns.values()), said[0].partition("words.tsv: ")[2] if said else None


class TestNames:
    @pytest.mark.parametrize(
        ("known", "names", "whole", "expected"),
        [
            (NAMED, ["word", "ipa"], ALL, ["word", "ipa"]),
            (NAMED, ["id", "ipa", "word"], ALL, ["word", "ipa"]),
            (NAMED, ["id", "word"], READ, ["word"]),
            (TAGGED, ["tags", "lemma"], READ, ["lemma", "tags"]),
            (NUMBERED, ["2", "1"], ALL, ["1", "2"]),  # numbers that a header gives are names
        ],
    )
    def test_names_come_first_and_nothing_is_said(self, of, known, names, whole, expected):
        assert found(of, known, names, whole) == (expected, None)

    def test_parallel_files_have_names(self, write):
        table = read([write("t.word", "a\n"), write("t.ipa", "b\n")])
        assert match(table, NAMED, ("word", "ipa")) == {"word": "word", "ipa": "ipa"}


class TestPlaces:
    @pytest.mark.parametrize(
        ("known", "names", "whole", "expected", "line"),
        [
            # a table without a header
            (NAMED, 2, ALL, ["1", "2"], "column 1 (cell1) is read, column 2 (cell2) has the answers (--from 1 --to 2"),
            (NAMED, 2, READ, ["1"], "column 1 (cell1) is read (--from 1"),
            (NAMED, 1, READ, ["1"], "column 1 (cell1) is read (--from 1"),
            (TURNED, 3, ALL, ["2", "1"], "column 2 (cell2) is read, column 1 (cell1) has the answers (--from 2 --to 1"),
            (TURNED, 2, ALL, ["2", "1"], "column 2 (cell2) is read, column 1 (cell1) has the answers (--from 2 --to 1"),
            (TURNED, 1, READ, ["1"], "column 1 (cell1) is read (--from 1"),
            (TURNED, 5, ALL, ["2", "1"], "column 2 (cell2) is read, column 1 (cell1) has the answers (--from 2 --to 1"),
            (TAGGED, 4, READ, ["1", "3"], "column 1 (cell1) as lemma and column 3 (cell3) as tags are read"),
            (
                TAGGED,
                3,
                ALL,
                ["1", "3", "2"],
                "column 1 (cell1) as lemma and column 3 (cell3) as tags are read, column 2",
            ),
            (TAGGED, 3, READ, ["1", "3"], "column 1 (cell1) as lemma and column 3 (cell3) as tags are read"),
            (TAGGED, 2, READ, ["1", "2"], "column 1 (cell1) as lemma and column 2 (cell2) as tags are read"),
            (OLD, 3, ALL, ["1", "2", "3"], "column 1 (cell1) as lemma and column 2 (cell2) as tags are read, column 3"),
            (OLD_NUMBERED, 2, ALL, ["2", "1"], "column 2 (cell2) is read, column 1"),
            # a model that learnt from a table without one
            (NUMBERED, ["mot", "son"], ALL, ["mot", "son"], "mot is read, son has the answers (--from mot --to son"),
            (NUMBERED, ["id", "mot"], READ, ["id"], "id is read (--from id"),
            (TURNED, ["a", "b", "c"], ALL, ["b", "a"], "b is read, a has the answers (--from b --to a"),
            (NUMBERED, ["a name"], READ, ["a name"], "a name is read (--from 'a name'"),
            # a single column is the one that is read, whatever it is called
            (NAMED, ["mot"], READ, ["mot"], "mot is read (--from mot"),
        ],
    )
    def test_where_one_side_has_no_names(self, of, known, names, whole, expected, line):
        columns, said = found(of, known, names, whole)
        assert columns == expected
        assert said.startswith(line)
        assert said.endswith(" to say so)")

    def test_parallel_files_of_other_names(self, write):
        table = read([write("t.en", "a\n"), write("t.de", "b\n")])
        assert match(table, NAMED, ("word", "ipa")) == {"word": "en", "ipa": "de"}

    def test_what_predict_reads_evaluate_reads(self, of):
        """Of any table that both understand."""
        for known in (NAMED, NUMBERED, TURNED, TAGGED, OLD, OLD_NUMBERED):
            for count in range(len(known.reads) + 1, 6):
                try:
                    whole, _ = found(of, known, count, ALL)
                except RegardError:
                    continue
                assert found(of, known, count, READ)[0] == whole[:-1], (known, count)


class TestAsked:
    @pytest.mark.parametrize(
        ("known", "names", "whole", "sources", "target", "expected", "told"),
        [
            (NAMED, ["mot", "son", "id"], ALL, ["mot"], "2", ["mot", "son"], False),
            (NAMED, ["word", "ipa", "alt"], ALL, [], "alt", ["word", "alt"], False),
            (NAMED, ["word", "ipa", "alt"], READ, ["3"], None, ["alt"], False),
            (NAMED, ["mot", "son"], ALL, ["son"], None, ["son", "mot"], True),  # the one that is left
            (NAMED, 2, ALL, ["2"], None, ["2", "1"], True),
            (NAMED, 2, ALL, [], "1", ["2", "1"], True),
            (NAMED, 3, READ, ["3"], None, ["3"], False),
            (TAGGED, ["a", "b", "c"], READ, ["c", "a"], None, ["c", "a"], False),
            (NUMBERED, ["2", "1"], ALL, ["2"], "1", ["2", "1"], False),
        ],
    )
    def test_what_is_asked_for_comes_before_all(self, of, known, names, whole, sources, target, expected, told):
        columns, said = found(of, known, names, whole, sources, target)
        assert (columns, said is not None) == (expected, told)

    @pytest.mark.parametrize(
        ("known", "sources", "said"),
        [
            (NAMED, ["a", "b"], "the model reads word (1 in all, in this order), but --from came 2 times"),
            (TAGGED, ["a"], "the model reads lemma and tags (2 in all, in this order), but --from came 1 times"),
            (Known((), "text"), ["a"], "the model reads nothing (0 in all, in this order), but --from came 1 times"),
        ],
    )
    def test_each_column_that_is_read_is_asked_for(self, known, sources, said):
        with pytest.raises(RegardError) as error:
            known.asked(sources, None)
        assert str(error.value) == said


class TestMistakes:
    @pytest.mark.parametrize(
        ("known", "names", "whole", "sources", "target", "said"),
        [
            (NAMED, ["mot", "son"], READ, [], None, "has no column 'word': known: mot, son; --from COLUMN says which"),
            (NAMED, ["mot", "son"], ALL, [], None, "has no column 'word': known: mot, son; --from COLUMN says which"),
            (
                NAMED,
                ["words", "ipa"],
                READ,
                [],
                None,
                "has no column 'word': did you mean 'words'?; --from COLUMN says",
            ),
            (
                NAMED,
                ["word", "son"],
                ALL,
                [],
                None,
                "no column 'ipa': known: son, word; --to COLUMN says which one has",
            ),
            (NAMED, ["ipa"], READ, [], None, "has no column 'word': known: ipa; --from COLUMN says which"),
            (NAMED, 4, READ, [], None, "has no column 'word': known: 1, 2, 3, 4; --from COLUMN says which"),
            (NAMED, 1, ALL, [], None, "has no column 'word': known: 1; --from COLUMN says which"),
            (TAGGED, 5, READ, [], None, "has no column 'lemma': known: 1, 2, 3, 4, 5; --from"),
            (NUMBERED, ["a", "b", "c"], READ, [], None, "has no column '1': known: a, b, c; --from COLUMN says which"),
            (NAMED, ["mot", "son"], ALL, ["moot"], None, "has no column 'moot': did you mean 'mot'?"),
            (NAMED, ["a", "b", "c"], ALL, ["a"], None, "has no column 'ipa': known: b, c; --to COLUMN says which"),
            (NAMED, ["word", "ipa", "x"], ALL, ["ipa"], None, "has no column 'ipa' left: known: word, x; --to"),
            (NAMED, ["a", "b"], ALL, ["a"], "1", "column 'a' of "),
            (TAGGED, ["a", "b"], READ, ["a", "1"], None, " is asked for twice by --from and --to; leave one out"),
        ],
    )
    def test_what_cannot_be_told(self, of, known, names, whole, sources, target, said):
        with pytest.raises(RegardError) as error:
            found(of, known, names, whole, sources, target)
        assert said in str(error.value)
        assert "\n" not in str(error.value)


class TestSome:
    @pytest.mark.parametrize(
        ("known", "names", "expected"),
        [
            (NUMBERED, ["word", "ipa"], {"1": "word", "2": "ipa"}),
            (NAMED, 2, {"word": "1", "ipa": "2"}),
            (NAMED, ["x", "word"], {"word": "word"}),
            (NAMED, ["mot"], {"word": "mot"}),
            (NAMED, ["ipa"], {"ipa": "ipa"}),
            (TAGGED, ["x", "tags", "form"], {"tags": "tags", "form": "form"}),
            (Known((), "text"), ["line"], {"text": "line"}),
        ],
    )
    def test_what_is_there(self, of, known, names, expected):
        assert match_some(of(names), known, {}) == expected

    def test_nothing_is_there(self, of):
        with pytest.raises(RegardError, match=r"has no column 'word': known: mot, son; --from COLUMN says which"):
            match_some(of(["mot", "son"]), NAMED, {})


NAMES = st.lists(st.sampled_from(["word", "ipa", "tags", "1", "2", "3", "x"]), min_size=1, max_size=4, unique=True)


@given(NAMES, st.integers(1, 3), NAMES | st.integers(1, 5), st.booleans())
def test_any_model_and_any_table_have_different_columns_or_one_clear_line(names, reads, there, whole):
    reads = min(reads, len(names) - 1)
    known = Known(tuple(names[:reads]), names[reads], tuple(sorted(names)))
    header = not isinstance(there, int)
    cells = there if header else [str(at) for at in range(there)]
    table = read(Stream("\n".join(["\t".join(cells)] * 2)), header=header)
    columns, mistake = None, ""
    try:
        columns = match(table, known, wanted(known, whole))
    except RegardError as error:
        mistake = str(error)
    if columns is None:
        assert "\n" not in mistake
        return
    assert tuple(columns) == wanted(known, whole)
    assert len({*columns.values()}) == len(columns)
    assert {*columns.values()} <= {*table.names}
    if header and {*columns} <= {*there}:
        assert all(name == column for name, column in columns.items())


class Stream:
    """An open file."""

    def __init__(self, content):
        self.content = content

    def read(self):
        return self.content
