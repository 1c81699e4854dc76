"""Which columns are read and written: taken where one reading is left, asked for where there are several."""

import pytest

from regard.data.choosing import Undecided
from regard.data.roles import choose_roles
from regard.errors import RegardError

WORDS = ["cat", "mouse", "horse", "bird", "fish", "worm"]
PHONES = ["k æ t", "m aʊ s", "h ɔː s", "b ɜː d", "f ɪ ʃ", "w ɜː m"]
FORMS = ["cats", "mice", "horses", "birds", "fish", "worms"]
TAGS = ["N;PL", "N;PL", "N;PL", "V;SG", "N;PL", "V;PL"]
COUNTS = ["3", "1", "1", "2", "1", "12"]
SENTENCES = [f"here is a sentence about a {word} and more" for word in WORDS]
LANGUAGE_MODEL = {"purpose": "language-model"}
OTHERS = [f"dies ist ein Satz mit {word} und mehr" for word in WORDS]


def lines(*columns: list[str], header: str = "") -> str:
    return "".join(
        "\t".join(row) + "\n" for row in [*([header.split()] if header else []), *zip(*columns, strict=True)]
    )


@pytest.fixture
def roles(table):
    """The roles of a table of these columns, as one short word; and what was said."""

    def choose(*columns, header="", said=None, **asked):
        found = choose_roles(
            table(lines(*columns, header=header), header=bool(header)), say=said and said.append, **asked
        )
        parts = [("", found.sources), ("+", found.features), ("→", [found.target] if found.target is not None else [])]
        weight = f"×{found.weight}" if found.weight is not None else ""
        return " ".join(sign + name for sign, names in parts for name in names) + weight

    return choose


@pytest.mark.parametrize(
    ("columns", "header", "expected"),
    [
        ([WORDS, PHONES], "", "1 →2"),
        ([PHONES, WORDS], "", "1 →2"),
        ([WORDS, PHONES], "word phones", "word →phones"),
        ([PHONES, WORDS], "phones word", "phones →word"),  # a header that only names does not turn them round
        ([PHONES, WORDS], "target source", "source →target"),
        ([TAGS, WORDS], "", "1 →2"),
        ([WORDS, TAGS], "", "1 →2"),
        ([WORDS, COUNTS], "", "1 →2"),  # two columns, whatever they hold
        ([WORDS, TAGS, FORMS], "", "1 +2 →3"),
        ([WORDS, FORMS, TAGS], "", "1 +3 →2"),
        ([WORDS, TAGS, FORMS], "lemma features form", "lemma +features →form"),
        ([WORDS, ["PL"] * 3 + ["SG"] * 3, FORMS], "lemma tags form", "lemma +tags →form"),
        ([WORDS, PHONES, COUNTS], "", "1 →2×3"),
        ([WORDS, PHONES, COUNTS], "native romanised count", "native →romanised×count"),
        ([COUNTS, WORDS, PHONES], "count native romanised", "native →romanised×count"),
        ([WORDS, TAGS, FORMS, COUNTS], "", "1 +2 →3×4"),
        ([["1", "2", "3", "4", "5", "6"], WORDS, PHONES], "", "2 →3"),  # a number for each row
        ([WORDS, PHONES, ["1", "2", "3", "4", "5", "6"]], "", "1 →2"),
        ([["nld"] * 6, WORDS, PHONES], "", "2 →3"),  # the same in every row
        ([WORDS, PHONES, WORDS], "word ipa notes", "word →ipa"),
        ([WORDS, WORDS, PHONES], "notes input output", "input →output"),
    ],
)
def test_one_reading_is_taken(roles, columns, header, expected):
    assert roles(*columns, header=header) == expected


@pytest.mark.parametrize(
    ("columns", "header", "asked", "expected"),
    [
        ([WORDS, PHONES], "", {"sources": ["2"], "target": "1"}, "2 →1"),
        ([WORDS, PHONES], "word phones", {"sources": ["phones"]}, "phones →word"),
        ([WORDS, PHONES], "word phones", {"target": "1"}, "phones →word"),
        ([WORDS, PHONES, FORMS], "", {"sources": ["1", "3"]}, "1 3 →2"),
        ([WORDS, PHONES, FORMS], "", {"sources": ["1"], "features": ["3"]}, "1 +3 →2"),
        ([WORDS, PHONES, COUNTS], "", {"sources": ["1"]}, "1 →2×3"),
        ([WORDS, PHONES, COUNTS], "", {"sources": ["1"], "target": "2"}, "1 →2"),  # as asked, and no more
        ([WORDS, PHONES, COUNTS], "", {"weight": "3"}, "1 →2×3"),
        ([WORDS, PHONES, FORMS], "a src tgt", {"sources": ["1"]}, "a →tgt"),
        ([WORDS, TAGS, FORMS], "", {"target": "1"}, "3 +2 →1"),
        ([WORDS], "", {}, "→1"),
        ([WORDS], "", LANGUAGE_MODEL, "→1"),
        ([WORDS, ["nld"] * 6], "", LANGUAGE_MODEL, "→1"),
        ([WORDS, COUNTS], "word count", LANGUAGE_MODEL, "→word×count"),
        ([WORDS], "", {"purpose": "answer"}, "1"),
        ([WORDS, TAGS], "", {"purpose": "answer"}, "1 +2"),
        ([WORDS, PHONES], "", {"purpose": "answer", "sources": ["1"]}, "1"),
    ],
)
def test_the_rest_is_found(roles, columns, header, asked, expected):
    assert roles(*columns, header=header, **asked) == expected


PLACE = r"^/.*/words\.tsv leaves open "


@pytest.mark.parametrize(
    ("columns", "header", "asked", "message"),
    [
        (
            [WORDS, PHONES, FORMS],
            "",
            {},
            r"what is read and what is written: say --from 1 --to 2, --from 1 --to 3, --from 2 --to 1 or "
            r"--from 2 --to 3; its columns: 1 \(cat\), 2 \(k æ t\), 3 \(cats\)$",
        ),
        (
            [SENTENCES, OTHERS, ["0", "1", "1", "2", "0", "1"]],  # a label: it matters, and is no weight
            "",
            {},
            r".*say --from 1 --to 2, --from 2 --to 1, --from 1 --to 3 or --from 2 --to 3; "
            r"--where 3=0 would use only some rows; its columns: 1 \(here is a sentence …\), 2 .*, 3 \(0\)$",
        ),
        (
            [SENTENCES, OTHERS, ["yes", "no"] * 3],
            "premise hypothesis gold",
            {},
            r".*say --from premise --to hypothesis, .*; --where gold=yes would use only some rows",
        ),
        ([WORDS, PHONES, FORMS], "a b c", {"sources": ["b"]}, r"what is written: say --to a or --to c; its columns: a"),
        ([WORDS, PHONES, FORMS], "a b c", {"target": "b"}, r"what is read: say --from a or --from c; its columns: a"),
        ([WORDS, COUNTS], "word count", {}, r"what is read and what is written: say --from word --to count; its"),
        ([WORDS, PHONES], "", LANGUAGE_MODEL, r"what is written: say --to 1 or --to 2; its columns"),
        ([WORDS, PHONES], "", {"purpose": "answer"}, r"what is read: say --from 1 or --from 2; its columns"),
    ],
)  # fmt: skip
def test_several_readings_are_listed(roles, columns, header, asked, message):
    with pytest.raises(Undecided, match=PLACE + message):
        roles(*columns, header=header, **asked)


def test_names_are_quoted_for_the_shell(table):
    found = table("my word,it's,c\n" + "a,b,c\n" * 3, "t.csv", header=True, where={})
    with pytest.raises(Undecided, match=r"""say --from 'my word' --to 'it'"'"'s', """):
        choose_roles(found)


@pytest.mark.parametrize(
    ("columns", "asked", "message"),
    [
        ([WORDS, PHONES], {"sources": ["3"]}, r"has no column '3': known: 1, 2$"),
        ([WORDS, PHONES], {"sources": ["1"], "target": "1"}, r"^column '1' is asked for twice, by --from and by --to;"),
        ([WORDS, PHONES], {"sources": ["1"], "weight": "1"}, r"twice, by --from and by --weight"),
        ([WORDS, PHONES], {"features": ["1", "1"]}, r"twice, by --features and by --features"),
        ([WORDS, PHONES], {"sources": ["1", "2"]}, r"has no column left for what is written beside --from 1 --from 2$"),
        ([WORDS], {"sources": ["1"]}, r"has no column left for what is written beside --from 1$"),
        ([WORDS, PHONES], LANGUAGE_MODEL | {"sources": ["1"]}, r"^a language model reads no column: leave out --from$"),
        ([WORDS, PHONES], {"units": {"1": "words"}}, r"^unknown unit 'words' for column '1': did you mean 'word'\?$"),
    ],
)  # fmt: skip
def test_mistakes(roles, columns, asked, message):
    with pytest.raises(RegardError, match=message):
        roles(*columns, **asked)


class TestUnits:
    def test_they_are_found_for_what_is_used(self, table):
        found = choose_roles(table(lines(WORDS, TAGS, FORMS)))
        assert found.units == {"1": "character", "2": "tags", "3": "character"}
        assert found.separators == {"2": ";,()"}

    def test_the_person_overrules(self, table):
        found = choose_roles(table(lines(WORDS, PHONES)), units={"2": "character", "1": "grapheme"})
        assert found.units == {"1": "grapheme", "2": "character"}

    def test_tags_may_be_parted_by_anything(self, table):
        cells = ["N-PL", "N-SG", "V-PL"] * 2
        assert choose_roles(table(lines(cells, WORDS)), separators={"1": "-"}).separators == {"1": "-"}
        assert choose_roles(table(lines(WORDS, PHONES)), separators={"1": "-"}).units["1"] == "tags"
        assert choose_roles(table(lines(cells, WORDS)), units={"1": "tags"}).separators == {"1": "-;,()"}
        assert choose_roles(table(lines(PHONES, WORDS)), units={"1": "tags"}).separators == {"1": ";,()"}

    def test_a_feature_that_is_one_word_is_one_symbol(self, table):
        found = choose_roles(table(lines(WORDS, ["plural", "dual"] * 3, FORMS)), features=["2"], sources=["1"])
        assert found.units["2"] == "symbol"


class TestSaid:
    def test_what_was_chosen_and_how_to_say_it(self, roles):
        said = [""]
        roles(WORDS, TAGS, FORMS, header="lemma features form", said=said)
        assert [line.partition("words.tsv: ")[2] for line in said[1:]] == [
            "lemma is read, with features as features, form is written "
            "(--from lemma --features features --to form to say so)",
            "lemma is cut into characters: single words",
            "features is cut into tags: parted by ; into 4 different tags",
            "form is cut into characters: single words",
        ]

    def test_columns_without_names_show_what_they_begin_with(self, roles):
        said = [""]
        roles(["1", "2", "3", "4", "5", "6"], SENTENCES, ["", *PHONES[1:]], said=said)
        assert said[1].endswith(
            "column 2 (here is a sentence …) is read, column 3 (m aʊ s) is written, "
            "not used: column 1 (1) (--from 2 --to 3 to say so)"
        )
        assert said[3].endswith(
            "column 3 is cut into symbols: 3.0 short pieces a cell, 12 different, split by spaces already"
        )

    def test_counts_that_are_not_used(self, roles):
        said = [""]
        roles(WORDS, PHONES, COUNTS, sources=["1"], target="2", units={"1": "character", "2": "symbol"}, said=said)
        assert said[1].endswith("column 3 (3) holds counts and is not used (--weight 3 if rows weigh so)")
        assert len(said) == 2  # nothing else was found by looking

    def test_units_without_effect(self, roles):
        said = [""]
        roles(WORDS, PHONES, COUNTS, units={"3": "word"}, said=said)
        assert said[2].endswith("column 3 is neither read nor written, so how it is cut has no effect")

    def test_a_language_model(self, roles):
        said = [""]
        roles(WORDS, said=said)
        assert said[1].endswith("nothing is read, column 1 (cat) is written (--to 1 to say so)")
