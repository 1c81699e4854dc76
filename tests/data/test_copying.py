"""What writes a source symbol: by text and never by number, in every unit, known or not."""

from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.batch import END, PAD, UNKNOWN
from regard.data.columns import TextColumn
from regard.data.copying import Copier
from regard.data.units import UNITS

TEXTS = ["the cat, the mat.", "été à côté", "a-b (c); d", "the cat à la mat."] * 2
PIECES = [
    "the",
    "cat",
    "Zyx",
    "Qq",
    ",",
    ".",
    "€",
    "(",
    ")",
    ";",
    "'",
    "été",
    "e\u0301",
    "\u00e9",
    "\u0915\u093c",
    "ж",
    " ",
    "-",
]


def column(unit, texts=TEXTS, **options):
    return TextColumn.fit("c", texts, unit=unit, **{"size": 60} if unit == "subword" else {}, **options)


def words(*texts, **options):
    return TextColumn.fit("c", texts, unit="word", **options)


@pytest.fixture
def copier():
    """The target knows `in` and `￭.`, the source knows `from` alone."""
    return Copier(words("from from Paris"), words("in in Rome. Oslo.", end=True))


def test_by_hand(copier):
    size = copier.target.size
    assert (copier.target.symbols[4:], copier.source.symbols[4:]) == (["in", "￭."], ["from"])
    (found,) = copier.copies(["Ann from Bob in Ann."])
    assert found.tolist() == [size, size + 1, size + 2, 4, size, 5]  # the second Ann is written as the first
    assert found.dtype == np.int32
    assert copier.copies([""])[0].tolist() == []


def test_what_the_target_does_not_know_is_written_from_the_source(copier):
    size = copier.target.size
    found = copier.targets(["Bob in Ann.", "Ann Cid", "in"], ["Ann and Bob, Bob", "Ann", ""])
    assert [ids.tolist() for ids in found] == [[size + 2, 4, size, 5, END], [size, UNKNOWN, END], [4, END]]
    assert copier.target.decode(found[0], copier.symbols(["Ann and Bob, Bob"])[0]) == "Bob in Ann."


def test_the_name_of_a_special_symbol_is_a_word_like_others():
    copier = Copier(column("symbol", ["a b"]), column("symbol", ["a <pad>"], end=True))
    size = copier.target.size
    assert copier.copies(["<pad> a <unknown> <end>"])[0].tolist() == [size, 4, size + 2, size + 3]
    (found,) = copier.targets(["<end> <start> a"], ["a <end>"])
    assert found.tolist() == [size + 1, UNKNOWN, 4, END]
    assert copier.target.decode(found, ["a", "<end>"]) == "<end> \ufffd a"


@pytest.mark.parametrize(
    ("source", "target", "text", "symbols"),
    [
        ("word", "word", "Zyx, (cat)", ["Zyx", "￭,", "(￭", "cat", "￭)"]),  # marks and all
        ("word", "symbol", "Zyx, cat", ["Zyx", ",", "cat"]),
        ("symbol", "word", "Zyx cat", ["Zyx", "cat"]),
        ("word", "subword", "the Zyx", ["▁the", "▁Zyx"]),  # a word of its own
        ("subword", "word", "the ж", ["the", "", "ж"]),  # the space before ж is a symbol, and no word
        ("character", "grapheme", "cж", ["c", "ж"]),
        ("symbol", "tags", "cat ; x", ["cat", "", "x"]),  # what parts tags is not written
    ],
)
def test_columns_of_other_units_match_by_the_bare_text(source, target, text, symbols):
    copier = Copier(column(source), column(target))
    assert copier.symbols([text]) == [symbols]
    known = {symbol: id for id, symbol in enumerate(copier.target.symbols)}
    for place, (symbol, id) in enumerate(zip(symbols, copier.copies([text])[0], strict=True)):
        assert id == (known.get(symbol, copier.target.size + place) if symbol else PAD)


@pytest.mark.parametrize(("inside", "form"), [(True, "NFD"), (False, "NFC")])
def test_accents_inside_are_the_targets(inside, form):
    copier = Copier(column("subword", decompose=not inside), column("subword", decompose=inside))
    for typed in ("NFC", "NFD"):
        (symbols,) = copier.symbols([normalize(typed, "ж\u00e9 \u00e9t\u00e9")])
        assert "".join(symbols) == normalize(form, "▁ж\u00e9▁\u00e9t\u00e9")
    (ids,) = copier.copies(["\u00e9t\u00e9"])
    assert copier.target.decode(ids, copier.symbols(["\u00e9t\u00e9"])[0]) == "\u00e9t\u00e9"


MADE: dict[tuple[str, str], TextColumn] = {}


@pytest.mark.parametrize(("unit", "method"), [*((unit, "bpe") for unit in UNITS), ("subword", "unigram")])
@settings(max_examples=50)
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_copying_every_place_writes_the_source_again(unit, method, parts):
    one = MADE.setdefault((unit, method), column(unit, method=method))
    text = "".join(parts)
    copier = Copier(one, one)
    (symbols,), (ids,), (own,) = copier.symbols([text]), copier.copies([text]), one.encode_ids([text])
    assert len(symbols) == len(ids) == len(own)
    for symbol, id, encoded in zip(symbols, ids.tolist(), own.tolist(), strict=True):
        assert (id >= one.size) == (encoded == UNKNOWN)
        assert symbol == (one.symbol(encoded) if encoded != UNKNOWN else symbols[id - one.size])
    pieces = one.pieces(ids, symbols)

    def like(text):  # up to white space, and what parts tags
        return text if unit in ("character", "grapheme") else "".join(text.replace(";" * (unit == "tags"), "").split())

    assert like(pieces.text) == like(normalize("NFC", text))
    for piece, (start, end) in pieces.pieces:
        assert normalize("NFC", piece) in pieces.text[start:end]
