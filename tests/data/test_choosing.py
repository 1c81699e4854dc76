"""What the table says by itself, rule by rule; and every command that a message lists does what it says.

How the rules come together with what is asked for stands in test_roles.py.
"""

import re
import shlex

import pytest

from regard.data.choosing import FEW, SHOWN, Chooser, Undecided
from regard.data.roles import choose_roles
from regard.errors import RegardError

WORDS = ["cat", "mouse", "horse", "bird", "fish", "worm"]
PHONES = ["k æ t", "m aʊ s", "h ɔː s", "b ɜː d", "f ɪ ʃ", "w ɜː m"]
FORMS = ["cats", "mice", "horses", "birds", "fish", "worms"]
TAGS = ["N;PL", "N;PL", "N;PL", "V;SG", "N;PL", "V;PL"]
COUNTS = ["3", "1", "1", "2", "1", "12"]
LABELS = ["yes", "no"] * 3
OPTIONS = {"--from": "sources", "--features": "features", "--to": "target", "--weight": "weight", "--where": "where"}


def content(*columns: list[str], header: str = "") -> str:
    rows = [*([header.split()] if header else []), *zip(*columns, strict=True)]
    return "".join("\t".join(row) + "\n" for row in rows)


@pytest.fixture
def chosen(table):
    """A Chooser that has chosen; what it said is its `said`."""

    def choose(*columns, header="", sources=(), features=(), target=None, weight=None, purpose=None):
        found = table(content(*columns, header=header), header=bool(header))
        chooser = Chooser(found, list(sources), list(features), target, weight, purpose)
        chooser.said = chooser.choose()
        return chooser

    return choose


def asked(command: str) -> dict:
    """The keywords of `choose_roles` that a command line says."""
    words, given = shlex.split(command), {}
    for option, value in zip(words[::2], words[1::2], strict=True):
        key = OPTIONS[option]
        given[key] = value if key in ("target", "weight", "where") else [*given.get(key, []), value]
    return given


# -- counts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "header", "weight"),
    [
        (COUNTS, "word ipa Count", "Count"),
        (COUNTS, "word ipa number", None),  # a name that says nothing of counts
        (["3", "1", "1", "2", "1", "0"], "word ipa count", None),
        (["3", "1", "1", "2", "1", "x"], "word ipa count", None),
        (["3", "1", "1", "2", "1", ""], "word ipa count", None),
        (["3", "1", "1", "2", "1", "1.5"], "word ipa count", None),
        (["3", "1", "1", "2", "1", "٣"], "word ipa count", None),
        (["6", "5", "4", "3", "2", "1"], "word ipa count", "count"),  # the name says it, repeated or not
        (["6", "5", "4", "3", "2", "1"], "", None),  # no name: numbers that never come twice are numbers of rows
        (COUNTS, "", "3"),
    ],
)
def test_what_counts(chosen, counts, header, weight):
    try:
        chooser = chosen(WORDS, PHONES, counts, header=header)
    except Undecided:
        assert weight is None
    else:
        assert chooser.weight == weight


def test_two_columns_of_counts_are_none(chosen):
    with pytest.raises(Undecided):
        chosen(WORDS, COUNTS, COUNTS, header="word freq count")


def test_without_names_only_the_last_column_counts(chosen):
    with pytest.raises(Undecided):
        chosen(COUNTS, WORDS, PHONES)


# -- features ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["feats", "MSD", "Morphology", "tags"])
def test_features_by_name(chosen, name):
    cells = ["plural", "plural", "dual", "dual", "singular", "plural"]
    chooser = chosen(WORDS, cells, FORMS, header=f"lemma {name} form")
    assert (chooser.sources, chooser.features, chooser.target) == (["lemma"], [name], "form")


def test_a_language_model_has_no_features(chosen):
    with pytest.raises(Undecided, match="what is written: say --to 1 or --to 2"):
        chosen(WORDS, TAGS, purpose="language-model")


# -- what says nothing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "3", "4", "5", "6"],
        ["907", "12", "3", "41", "5", "6"],  # in any order
        ["nld"] * 6,
        [""] * 6,
    ],
)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_it_is_left_aside(chosen, cells, at):
    columns = [WORDS, FORMS]
    columns.insert(at, cells)
    chooser = chosen(*columns)
    rest = [str(number + 1) for number in range(3) if number != at]
    assert [*chooser.sources, chooser.target] == rest
    assert "not used: column" in chooser.said


@pytest.mark.parametrize("cells", [["1", "2", "3", "4", "5", "5"], ["a", "a", "a", "a", "a", "b"]])
def test_what_may_say_something_is_not(chosen, cells):
    with pytest.raises(Undecided):
        chosen(cells, WORDS, FORMS)


def test_it_stays_where_nothing_else_is_left(chosen):
    chooser = chosen(WORDS, ["nld"] * 6, FORMS, sources=["1"], target=None, weight="3")
    assert chooser.target == "2"


def test_of_one_row_nothing_can_be_said(chosen):
    chooser = chosen(["cat"], ["k æ t"])
    assert (chooser.sources, chooser.target) == (["1"], "2")
    with pytest.raises(Undecided, match=r"its columns: 1 \(1\), 2 \(cat\), 3 \(k æ t\)$"):
        chosen(["1"], ["cat"], ["k æ t"])


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Source notes TARGET", ("Source", "TARGET")),
        ("tgt notes src", ("src", "tgt")),
        ("lemma notes pronunciation", ("lemma", "pronunciation")),
        ("translation notes original", ("original", "translation")),
        ("input word output", ("input", "output")),  # the plainer names go first
        ("word input ipa", None),  # two that might be read
        ("word ipa phones", None),
        ("a b c", None),
    ],
)
def test_of_several_columns_the_names_tell(chosen, header, expected):
    columns = (WORDS, FORMS, WORDS[::-1])
    if expected is None:
        with pytest.raises(Undecided):
            chosen(*columns, header=header)
    else:
        chooser = chosen(*columns, header=header)
        assert (*chooser.sources, chooser.target) == expected


def test_names_tell_nothing_where_there_is_no_header(chosen):
    with pytest.raises(Undecided):
        chosen(["source", *WORDS], ["target", *FORMS], ["notes", *WORDS[::-1]])


@pytest.mark.parametrize(("header", "decided"), [("word gold ipa", False), ("source gold target", True)])
def test_a_label_beside_them_matters_unless_the_names_leave_no_doubt(chosen, header, decided):
    if decided:
        assert chosen(WORDS, LABELS, FORMS, header=header).target == "target"
    else:
        with pytest.raises(Undecided):
            chosen(WORDS, LABELS, FORMS, header=header)


def test_more_than_a_few_different_cells_are_no_label(chosen):
    words = [f"w{number}" for number in range(3 * (FEW + 1))]
    for different in (FEW, FEW + 1):
        cells = [f"l{number % different}" for number in range(len(words))]
        if different > FEW:
            assert chosen(words, cells, words[::-1], header="word gold ipa").sources == ["word"]
        else:
            with pytest.raises(Undecided):
                chosen(words, cells, words[::-1], header="word gold ipa")


# -- what is said --------------------------------------------------------------------------------------------------


def test_all_of_it_in_words(chosen):
    chooser = chosen(WORDS, PHONES, TAGS, LABELS, FORMS, COUNTS, header="a b tags gold d freq", sources=["a", "b"],
                     features=["tags", "gold"], target=None)  # fmt: skip
    assert chooser.said == (
        "a and b is read, with tags and gold as features, d is written, rows weigh as freq says "
        "(--from a --from b --features tags --features gold --to d --weight freq to say so)"
    )


def test_columns_without_a_name_show_their_first_cell_that_is_not_blank(chosen):
    chooser = chosen(["", " ", "a" * (SHOWN + 1)], ["b" * SHOWN, "c", "d"])
    assert chooser.named("1") == f"column 1 ({'a' * (SHOWN - 1)}…)"
    assert chooser.named("2") == f"column 2 ({'b' * SHOWN})"
    assert chosen([" ", "", ""], WORDS[:3]).named("1") == "column 1"


def test_a_label_comes_last_among_what_is_listed(chosen):
    with pytest.raises(Undecided, match=r"what is written: say --to b, --to d or --to gold; --where gold=yes would"):
        chosen(WORDS, LABELS, FORMS, PHONES, header="a gold b d", sources=["a"])


def test_of_many_columns_some_are_listed(chosen):
    columns = [[f"{cell}{number}" for cell in WORDS] for number in range(9)]
    with pytest.raises(Undecided) as error:
        chosen(*columns)
    assert str(error.value).count("--from") == 4
    with pytest.raises(Undecided) as error:
        chosen(*columns, sources=["1"])
    assert re.findall(r"--to (\d)", str(error.value)) == list("234567")


# -- commands ------------------------------------------------------------------------------------------------------

OPEN = [
    ([WORDS, PHONES, FORMS], ""),
    ([WORDS, PHONES, FORMS], "my,word it's 日本"),
    ([WORDS, FORMS, LABELS], "premise hypothesis gold"),
    ([WORDS, COUNTS], "word count"),
]


@pytest.mark.parametrize(("columns", "header"), OPEN)
def test_every_listed_command_decides(table, columns, header):
    found = table(content(*columns, header=header), header=bool(header))
    with pytest.raises(Undecided) as error:
        choose_roles(found)
    listed = str(error.value).partition(": say ")[2].partition("; ")[0]
    commands = re.split(r", (?=--)| or (?=--)", listed)
    assert len(commands) in (1, 4)
    for command in commands:
        given = asked(command)
        roles = choose_roles(found, **given)
        assert ([*roles.sources], roles.target) == (given["sources"], given["target"])


def test_the_listed_part_of_the_rows_leaves_the_label_without_a_say(table):
    text = content(WORDS, FORMS, LABELS, header="premise hypothesis gold")
    with pytest.raises(Undecided) as error:
        choose_roles(table(text, header=True))
    (where,) = re.findall(r"--where \S+(?= would)", str(error.value))
    name, _, value = asked(where)["where"].partition("=")
    roles = choose_roles(table(text, header=True, where={name: value}))
    assert (roles.sources, roles.target) == (("premise",), "hypothesis")


@pytest.mark.parametrize(
    ("columns", "header"),
    [
        ([WORDS, PHONES], ""),
        ([WORDS, TAGS, FORMS, COUNTS], ""),
        ([COUNTS, WORDS, FORMS], "count it's,read target"),
        ([["nld"] * 6, WORDS, PHONES], ""),
    ],
)
def test_the_command_that_is_said_chooses_the_same(table, columns, header):
    found, said = table(content(*columns, header=header), header=bool(header)), []
    roles = choose_roles(found, say=said.append)
    (command,) = re.findall(r"\((--.*) to say so\)$", said[0])
    assert choose_roles(found, **asked(command)) == roles


# -- nothing left --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "given", "message"),
    [
        ([WORDS], {"weight": "1"}, "what is read and what is written beside --weight 1"),
        ([WORDS], {"features": ["1"]}, "what is read and what is written beside --features 1"),
        ([WORDS, TAGS], {"features": ["2"], "weight": "1"},
         "what is read and what is written beside --features 2 --weight 1"),
        ([WORDS, TAGS], {"target": "1", "weight": "2"}, "what is read beside --to 1 --weight 2"),
        ([WORDS], {"weight": "1", "purpose": "language-model"}, "what is written beside --weight 1"),
        ([WORDS], {"features": ["1"], "purpose": "answer"}, "what is read beside --features 1"),
    ],
)  # fmt: skip
def test_no_column_is_left(chosen, columns, given, message):
    with pytest.raises(Undecided) as error:
        chosen(*columns, **given)
    assert str(error.value).endswith(f"words.tsv has no column left for {message}")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"features": ["1"]}, "a language model reads no column: leave out --features"),
        ({"sources": ["2"], "features": ["1"]}, "a language model reads no column: leave out --from"),
    ],
)
def test_a_language_model_is_asked_to_read(chosen, given, message):
    with pytest.raises(RegardError) as error:
        chosen(WORDS, TAGS, purpose="language-model", **given)
    assert str(error.value) == message
