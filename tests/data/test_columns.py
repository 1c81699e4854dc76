"""Text columns: what is decoded is what was encoded, in the data's own form, and every symbol knows where it stands."""

import json
from itertools import pairwise
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from regard.batch import END, PAD, SPECIALS, START, UNKNOWN
from regard.data.columns import UNREADABLE, VERSION, TextColumn, column_path
from regard.data.units import JOIN, SPACE, UNITS
from regard.errors import RegardError

QA = "\u0958"
HANGUL = normalize("NFD", "\ud55c\uad6d")

# Without the two marks, which stand for themselves only where nobody types them.
PIECES = [
    *"abcXYZ019.,;:!?'’\"()[]-–_/\\|@#%&*+=<>~^$ \t\n\u00a0\u3000",
    *"éñåüßøłʰː˧",
    *["e\u0301", "t\u0361ʃ", "\u0301", "\u00ad", "\u200b", "\ufeff", "\u212b"],
    *["क", "ख", "ा", "क्", "क्ष", QA, "क\u093c", "한", "국", HANGUL, "\u1100", "\u1161", "日", "語"],
    *["ש", "שָׁ", "سلام", "می\u200cخ", "👩\u200d👩\u200d👧", "🇩🇪", *SPECIALS],
]
TEXT = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)
SPELT = ("character", "grapheme")  # where white space is as good as any other character


def fit(texts: list[str], unit: str = "character", **more) -> TextColumn:
    return TextColumn.fit("x", texts, unit=unit, **{"rare": 1, **more})


def like(text: str, unit: str) -> str:
    """What a text has in common with what comes back."""
    text = normalize("NFC", text)
    return text if unit in SPELT else " ".join(text.split())


@pytest.mark.parametrize("decompose", [True, False])
@pytest.mark.parametrize(
    ("unit", "method"), [*((unit, "bpe") for unit in sorted({*UNITS} - {"tags"})), ("subword", "unigram")]
)
@settings(max_examples=30)
@given(texts=st.lists(TEXT, min_size=1, max_size=4))
def test_what_is_encoded_comes_back(unit, decompose, method, texts):
    assume(any(text.strip() for text in texts))
    column = fit(texts, unit, decompose=decompose, method=method)
    for text, found, ids in zip(texts, column.encode(texts), column.encode_ids(texts), strict=True):
        assert found.ids.tolist() == ids.tolist()
        assert found.ids.dtype == found.spans.dtype == np.int32
        assert len(ids) <= column.longest
        if UNKNOWN in ids:  # only what is written like a special symbol
            assert any(special in text for special in SPECIALS)
            continue
        assert like(column.decode(ids), unit) == like(text, unit)
        text_again, pieces = column.pieces(ids)
        assert len(pieces) == len(ids)
        for _, (start, stop) in pieces:
            assert 0 <= start <= stop <= len(text_again)
        assert [span for _, span in pieces] == sorted(span for _, span in pieces)


TAG = st.text("ABC.123=", min_size=1, max_size=3)
GROUP = st.tuples(TAG, st.lists(TAG, max_size=3)).map(
    lambda both: f"{both[0]}({','.join(both[1])})" * bool(both[1]) or both[0]
)


@given(st.lists(st.lists(GROUP, min_size=1, max_size=4).map(";".join), min_size=1, max_size=4))
def test_tags_come_back(texts):
    column = fit(texts, "tags")
    for text, found in zip(texts, column.encode(texts), strict=True):
        assert column.decode(found.ids) == text
        assert [text[a:b] for a, b in found.spans] == [column.symbol(int(id)) for id in found.ids]
        assert "".join(text[a:b] for a, b in found.spans) == text.replace(";", "")


@pytest.mark.parametrize("decompose", [True, False])
@pytest.mark.parametrize("unit", sorted({*UNITS} - {"tags"}))
@settings(max_examples=30)
@given(texts=st.lists(TEXT, min_size=1, max_size=4))
def test_spans_cover_what_their_symbols_say(unit, decompose, texts):
    # Marks in an order of their own are put into Unicode's, and then share a place.
    texts = [normalize("NFC", text) if i % 2 else normalize("NFD", text) for i, text in enumerate(texts)]
    assume(any(text.strip() for text in texts))
    column = fit(texts, unit, decompose=decompose)
    for text, found in zip(texts, column.encode(texts), strict=True):
        spans = found.spans.tolist()
        assert all(0 <= start <= stop <= len(text) for start, stop in spans)
        assert spans == sorted(spans)
        inked = {place for start, stop in spans for place in range(start, stop)}
        assert {text[place] for place in range(len(text)) if place not in inked} <= {
            " ",
            "\t",
            "\n",
            "\u00a0",
            "\u3000",
        }
        for (start, stop), id in zip(spans, found.ids.tolist(), strict=True):
            said, there = column.symbol(id).strip(JOIN).removeprefix(SPACE).strip(), text[start:stop].strip()
            if id == UNKNOWN:
                continue
            if decompose:
                assert normalize("NFD", said) in normalize("NFD", there)
            else:
                assert normalize("NFC", said) == normalize("NFC", there)
        if not decompose:
            assert all(stop <= start for (_, stop), (start, _) in pairwise(spans))


class TestForms:
    """What comes out is written as the column's own data are, whatever went in."""

    @pytest.mark.parametrize("decompose", [True, False])
    @pytest.mark.parametrize(
        "text", ["\u00e9t\u00e9", "e\u0301te\u0301", "\ud55c\uad6d", HANGUL, QA + "\u0932\u092e", "10 \u212b"]
    )
    def test_in_the_form_of_the_data(self, text, decompose):
        column = fit([text], decompose=decompose)
        for form in ("NFC", "NFD"):
            assert column.decode(column.encode_ids([normalize(form, text)])[0]) == text

    def test_in_the_commoner_one_where_they_are_mixed(self):
        column = fit(["\u00e9", "\u00e9\u00e9", "e\u0301"])
        assert column.form == "mixed"
        assert column.notes == (
            "accents are written in several ways (2 rows NFC, 1 NFD, 0 neither); answers come in NFC",
        )
        assert column.decode(column.encode_ids(["e\u0301"])[0]) == "\u00e9"

    def test_hangul_is_taken_apart_where_that_helps(self):
        texts = ["가각갂", "나낙낚", "다닥닦", "라락"]
        column = fit(texts)
        assert column.decomposed
        assert column.notes == ("characters are taken apart: 11 symbols become 7, of them rare 11 become 7",)
        assert column.size == len(SPECIALS) + 7
        (found,) = column.encode(["낙"])
        assert [column.symbol(int(id)) for id in found.ids] == ["\u1102", "\u1161", "\u11a8"]
        assert found.spans.tolist() == [[0, 1]] * 3
        assert column.pieces(found.ids) == ("낙", [("\u1102", (0, 1)), ("\u1161", (0, 1)), ("\u11a8", (0, 1))])
        assert not fit(texts, decompose=False).decomposed

    def test_only_where_symbols_are_made_of_characters(self):
        texts = ["가각갂 나낙낚", "다닥닦 라락"]
        assert [fit(texts, unit).decomposed for unit in ("character", "subword", "word", "symbol", "grapheme")] == [
            True,
            True,
            False,
            False,
            False,
        ]

    def test_devanagari_qa_stays_one_character(self):
        column = fit([QA + "\u0932\u092e"], decompose=False)
        (found,) = column.encode([QA])
        assert found.spans.tolist() == [[0, 1], [0, 1]]  # normalisation knows it only in two parts
        assert column.pieces(found.ids) == (QA, [("\u0915", (0, 1)), ("\u093c", (0, 1))])


class TestSpecialSymbols:
    def test_a_target_ends(self):
        column = fit(["ab"], end=True)
        (found,) = column.encode(["ba"])
        assert found.ids.tolist()[-1] == END
        assert found.spans.tolist() == [[0, 1], [1, 2], [2, 2]]
        assert column.longest == 3
        assert column.pieces([START, *found.ids.tolist(), PAD]) == (
            "ba",
            [("", (0, 0)), ("b", (0, 1)), ("a", (1, 2)), ("", (2, 2)), ("", (2, 2))],
        )

    @pytest.mark.parametrize("unit", UNITS)
    def test_nothing_that_is_typed_stands_for_one(self, unit):
        for texts in (["a"], ["a", *SPECIALS]):
            column = fit(texts, unit)
            for special in SPECIALS:
                (ids,) = column.encode_ids([special])
                assert min(ids) >= UNKNOWN

    def test_what_is_unknown_keeps_its_place(self):
        column = fit(["the cat"], "word")
        (found,) = column.encode(["the dog, cat"])
        assert found.ids.tolist() == [column.symbols.index("the"), UNKNOWN, UNKNOWN, column.symbols.index("cat")]
        assert column.unknown("the dog, cat") == ["dog", ","]
        assert column.decode(found.ids) == f"the {UNREADABLE} {UNREADABLE} cat"
        assert column.unknown("the cat") == []

    def test_words_seen_once_are_unknown_and_letters_are_not(self):
        assert TextColumn.fit("x", ["a a b"], unit="word").unknown("a b") == ["b"]
        assert TextColumn.fit("x", ["aab"], unit="character").unknown("ab") == []
        assert TextColumn.fit("x", ["aab"], unit="character", rare=2).unknown("ab") == ["b"]

    def test_nothing_gives_nothing(self):
        column = fit(["ab"])
        (found,) = column.encode([""])
        assert (found.ids.shape, found.spans.shape) == ((0,), (0, 2))
        assert column.decode([]) == ""


class TestMistakes:
    def test_an_unknown_unit(self):
        with pytest.raises(RegardError, match=r"^unknown unit 'charcter' for column 'x': did you mean 'character'\?$"):
            fit(["a"], "charcter")

    @pytest.mark.parametrize("separators", [(), ("",), (";", "")])
    def test_tags_without_a_separator(self, separators):
        with pytest.raises(
            RegardError, match=r"^column 'x' is cut into tags and needs at least one separator, such as"
        ):
            fit(["a"], "tags", separators=separators)

    @pytest.mark.parametrize("texts", [[], [""], [" ", "\t\n"]])
    @pytest.mark.parametrize("unit", UNITS)
    def test_nothing_to_learn_from(self, unit, texts):
        with pytest.raises(RegardError, match=r"^column 'x' has no text to learn its symbols from$"):
            fit(texts, unit)


class TestSaving:
    @pytest.mark.parametrize("unit", UNITS)
    def test_what_is_loaded_is_what_was_saved(self, tmp_path, unit):
        texts = ["le été; N;SG(1,2)", QA + " \u212b", "the the cat"]
        column = fit(texts, unit, end=True, decompose=True)
        path = column.save(tmp_path)
        assert path == tmp_path / "columns" / "x.json"
        again = TextColumn.load(tmp_path, "x")
        assert {**vars(again), "tokenizer": 0} == {**vars(column), "tokenizer": 0}
        for text in [*texts, "zzz"]:
            (ids,), (ids_again,) = column.encode_ids([text]), again.encode_ids([text])
            assert ids.tolist() == ids_again.tolist()
            assert column.pieces(ids) == again.pieces(ids)

    @pytest.mark.parametrize(
        ("name", "file"),
        [
            ("word", "word.json"),
            ("2", "2.json"),
            ("Word", "word.{}.json"),
            ("a/../b", "a-b.{}.json"),
            ("语", "column.{}.json"),
        ],
    )
    def test_any_name_is_a_safe_file(self, tmp_path, name, file):
        path = column_path(tmp_path, name)
        assert path.parent == tmp_path / "columns"
        head, _, tail = file.partition("{}")
        assert path.name.startswith(head)
        assert path.name.endswith(tail or file)
        TextColumn.fit(name, ["a"], unit="character").save(tmp_path)
        assert TextColumn.load(tmp_path, name).name == name

    def test_names_that_look_alike_have_files_of_their_own(self, tmp_path):
        assert len({column_path(tmp_path, name) for name in ("Word", "WORD", "word", "w ord", "w.ord", "w" * 61)}) == 6

    def test_no_such_column(self, tmp_path):
        with pytest.raises(RegardError, match=r"columns.word.json is missing: the model has no column 'word'$"):
            TextColumn.load(tmp_path, "word")

    def test_a_newer_version(self, tmp_path):
        path = fit(["a"]).save(tmp_path)
        path.write_text(json.dumps({**json.loads(path.read_text()), "version": VERSION + 1}))
        with pytest.raises(
            RegardError, match=rf"was written by a newer Regard \(version {VERSION + 1}\): install that"
        ):
            TextColumn.load(tmp_path, "x")

    @pytest.mark.parametrize("change", [lambda whole: whole[:100], lambda whole: "[]", lambda whole: '{"version": 1}'])
    def test_a_damaged_file(self, tmp_path, change):
        path = fit(["a"]).save(tmp_path)
        path.write_text(change(path.read_text()))
        with pytest.raises(
            RegardError, match=r"x.json is not a model's column: the model's folder is damaged; copy it"
        ):
            TextColumn.load(tmp_path, "x")

    def test_a_damaged_tokenizer(self, tmp_path):
        path = fit(["a"]).save(tmp_path)
        path.write_text(json.dumps({**json.loads(path.read_text()), "tokenizer": {}}))
        with pytest.raises(RegardError, match="is damaged"):
            TextColumn.load(tmp_path, "x")


def test_cells_without_some_of_their_symbols():
    column = TextColumn.fit("word", ["abcdef"], unit="character")
    (ids,) = column.encode_ids(["abcdef"])
    assert column.decode(column.without(ids, [(1, 2), (3, 5)])) == "acf"
    assert column.without(ids, []).tolist() == ids.tolist()
    assert column.without(ids, [(0, 6)]).tolist() == []
    assert column.without(ids, [(1, 3), (2, 4)]).dtype == ids.dtype
