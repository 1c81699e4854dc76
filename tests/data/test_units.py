"""How text is cut and laid out again: what a reader would expect, unit by unit."""

from unicodedata import normalize

import pytest

from regard.data.columns import TextColumn
from regard.data.units import UNITS


def cut(unit: str, text: str, **more) -> list[str]:
    column = TextColumn.fit("x", [text], unit=unit, rare=1, decompose=False, **more)
    (found,) = column.encode([text])
    assert column.decode(found.ids) == " ".join(text.split()) if unit not in ("character", "grapheme") else text
    return [column.symbol(int(id)) for id in found.ids]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cafe\u0301", ["c", "a", "f", "e\u0301"]),
        ("किताब", ["कि", "ता", "ब"]),
        ("क्षत्रिय", ["क्ष", "त्रि", "य"]),  # conjuncts stay whole
        ("ক্ষমা", ["ক্ষ", "মা"]),
        ("தமிழ்", ["த", "மி", "ழ்"]),  # Tamil forms none
        ("한국", ["한", "국"]),
        ("👩\u200d👩\u200d👧🇩🇪!", ["👩\u200d👩\u200d👧", "🇩🇪", "!"]),
        ("שָׁלוֹם", ["שָׁ", "ל", "וֹ", "ם"]),
    ],
)
def test_graphemes(text, expected):
    assert cut("grapheme", normalize("NFC", text)) == [normalize("NFC", one) for one in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat sat", ["the", "cat", "sat"]),
        ("Hello, world!", ["Hello", "￭,", "world", "￭!"]),
        ("Hello , world !", ["Hello", ",", "world", "!"]),
        ("(stop)", ["(￭", "stop", "￭)"]),
        ("a well-known 3.5", ["a", "well", "￭-￭", "known", "3", "￭.￭", "5"]),
        ("don't l’eau", ["don't", "l’eau"]),
        ("'quoted'", ["'￭", "quoted", "￭'"]),
        ("wait...", ["wait", "￭.", "￭.", "￭."]),
        ("می‌خواهم.", ["می‌خواهم", "￭."]),  # with a zero-width non-joiner within the word
        ("क्या हाल है।", ["क्या", "हाल", "है", "￭।"]),
        ("1 + 1", ["1", "+", "1"]),
    ],
)
def test_words(text, expected):
    assert cut("word", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("f ɔ ɲ", ["f", "ɔ", "ɲ"]), ("  t͡ʃ   aː ", ["t͡ʃ", "aː"]), ("\\frac { a }", ["\\frac", "{", "a", "}"])],
)
def test_symbols(text, expected):
    assert cut("symbol", text) == expected


@pytest.mark.parametrize(
    ("text", "separators", "expected"),
    [
        ("V;IMP;NOM(2,PL)", ";,()", ["V", "IMP", "NOM", "(", "2", ",", "PL", ")"]),
        ("N;ACC(PL);DEF", ";,()", ["N", "ACC", "(", "PL", ")", "DEF"]),
        ("V.PTCP;PRS", ";,()", ["V.PTCP", "PRS"]),
        ("Case=Nom|Number=Sing", "|", ["Case=Nom", "Number=Sing"]),
        ("Case=Nom|Number=Sing", "|=", ["Case", "=", "Nom", "Number", "=", "Sing"]),
        ("N", ";", ["N"]),
    ],
)
def test_tags(text, separators, expected):
    assert cut("tags", text, separators=tuple(separators)) == expected


def test_subwords_keep_signs_apart_and_mark_where_words_begin():
    texts = ["low lower lowest, new newer newest!"] * 20
    column = TextColumn.fit("x", texts, unit="subword", size=300)
    (found,) = column.encode(["lower newest!"])
    assert [column.symbol(int(id)) for id in found.ids] == ["▁lower", "▁newest", "!"]
    assert found.spans.tolist() == [[0, 5], [6, 12], [12, 13]]
    assert column.decode(found.ids) == "lower newest!"


@pytest.mark.parametrize(
    ("unit", "name", "text", "expected"),
    [
        ("character", "character", "ab c", ["a", "b", " ", "c"]),
        ("grapheme", "grapheme", "ab\u0301", ["a", "b\u0301"]),
        ("symbol", "symbol", "a b", ["a", "b"]),
        ("tags", "character", "N;X", ["N", ";", "X"]),
        ("word", "word", "a b.", ["a", "b."]),
        ("subword", "word", "a b.", ["a", "b."]),
    ],
)
def test_what_an_error_rate_counts(unit, name, text, expected):
    assert UNITS[unit].counted[0] == name
    assert UNITS[unit].counted[1](text) == expected
