"""What a symbol of a column is: as a linguist would say, from a few rows as from many, in any script."""

import random

import pyarrow as pa
import pytest

from regard.data.guesses import guess, guess_unit
from regard.data.texts import Strings

PHONES = ["a", "e", "i", "o", "u", "p", "t", "k", "t͡ʃ", "aː", "ʃ", "ŋ", "ɡʲ"]


def column(cells: list[str]) -> Strings:
    return Strings(pa.chunked_array([cells], pa.string()))


def draw(pieces: list[str], rows: int, least: int, most: int, joint: str = " ") -> list[str]:
    random.seed(1)
    return [joint.join(random.choices(pieces, k=random.randint(least, most))) for _ in range(rows)]


def zipf(
    words: int, rows: int, least: int, most: int, make=lambda i: f"w{'aeiou'[i % 5]}rd{i}".translate(DIGITS)
) -> list[str]:
    """Sentences as texts are: few words often, many once."""
    random.seed(1)
    ranked = [make(i) for i in range(words)]
    weights = [1 / (i + 1) for i in range(words)]
    return [" ".join(random.choices(ranked, weights, k=random.randint(least, most))) for _ in range(rows)]


DIGITS = str.maketrans("0123456789", "bcdfghjklm")
FEATURES = ["V;PST", "V;PRS;3;SG", "V;IMP;NOM(2,PL)", "N;ACC(PL)", "N;NOM(SG)", "V.PTCP;PRS"]
FEATURES_OF_UD = ["Case=Nom|Number=Sing", "Case=Acc|Number=Plur|Gender=Fem", "Number=Sing"]
GREETINGS = ["Go.", "Run!", "I won!", "Come on in.", "He is ill.", "I saw Tom.", "Do it now.", "We lost."]
CLOSED = [
    f"the {size} {shape} is {colour}"
    for size in ("big", "tiny")
    for shape in ("box", "ball")
    for colour in ("red", "blue")
]


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        # words to spell
        (["cat", "mouse", "Katze", "cheval", "pferd", "hund"], "character"),
        (["अंकगणित", "कहानी", "नमस्ते", "किताब"], "character"),
        (["가능성", "가래", "한국어"], "character"),
        (["an khang thịnh vượng", "a còng", "phong"], "character"),
        (["Abu Dabi", "New York City", "Paris"], "character"),
        (["word-formation", "well-known", "e-mail"] * 10, "character"),
        (["images/1.jpg", "images/2.jpg", "images/3.jpg"] * 20, "character"),
        (["1999-03-12", "2004-11-30", "1987-01-01"] * 9, "character"),
        (["1", "12", "3"], "character"),
        (["私は猫が好きです。", "これは本ですか?", "今日は天気がいいですね。"] * 9, "character"),  # no spaces to cut at
        (["Müller, Anna", "Schmidt, Jan", "Weber, Ute"], "character"),
        # split by spaces already
        (draw(PHONES, 20, 2, 9), "symbol"),
        (draw(PHONES, 2000, 1, 9), "symbol"),
        (draw(["AH0", "HH", "K", "L", "OW1", "IY2", "NG"], 30, 3, 9), "symbol"),
        (draw([r"\frac", "{", "}", "x", "2", "+", "="], 50, 5, 20), "symbol"),
        (draw(["1", "27", "305"], 50, 5, 20), "symbol"),
        (draw([f"{i}-{j}" for i in range(40) for j in range(40)], 500, 5, 20), "symbol"),  # links of an alignment
        (draw(["ni3", "hao3", "ma5", "wo3"], 50, 1, 6), "symbol"),
        (draw(["N", "V", "PL", "SG", "NOM", "PST"], 50, 2, 4), "symbol"),
        # tags
        (FEATURES, "tags"),
        (FEATURES * 50, "tags"),
        (FEATURES_OF_UD * 5, "tags"),
        (["1SG.PRS", "2PL.PST", "3SG.PST", "1PL.PRS"] * 5, "tags"),
        (["noun+plural", "verb+past", "noun+singular"] * 5, "tags"),
        # sentences
        (zipf(3000, 500, 5, 15), "subword"),
        (zipf(3000, 20, 5, 15), "subword"),
        (GREETINGS * 3, "subword"),  # short, and sentences all the same
        (CLOSED * 30, "word"),
        (zipf(100, 1500, 5, 15), "word"),
        (zipf(4000, 400, 5, 12, lambda i: chr(0x4E00 + i)), "symbol"),  # Chinese split into characters
        (zipf(4000, 400, 5, 12, lambda i: chr(0x4E00 + i) + chr(0x5E00 + i) * (i % 2)), "subword"),  # and into words
        # nothing
        (["", " "], "character"),
    ],
)  # fmt: skip
def test_units(cells, unit):
    assert guess_unit(column(cells))[0] == unit


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["", ""], "every cell is empty"),
        (["cat", "dog"], "single words"),
        (["12", "3"], "numbers"),
        (["New York", "Paris"], "1.5 words a cell"),
        (["a" * 30, "b" * 40], "35 characters without a space"),
        (["k a t", "d o g"], "3.0 short pieces a cell, 6 different, split by spaces already"),
        (["1 2", "3 4"], "2.0 numbers a cell, 4 different, split by spaces already"),
        (["N;PL", "N;SG", "V;PL"], "parted by ; into 4 different tags"),
        (CLOSED, "5.0 words a cell, 8 different, hardly any seen only once"),
        (["one two two two", "three three one one"], "4.0 words a cell, 3 different, hardly any seen only once"),
        (["one two two four", "three three one one"], "4.0 words a cell, 4 different; 12.5 % are words seen only once"),
    ],
)
def test_reasons(cells, reason):
    assert guess(column(cells)).reason == reason


@pytest.mark.parametrize(
    ("cells", "separators"),
    [
        (FEATURES, ";,()"),
        (FEATURES_OF_UD, "|;,()"),
        (["1SG.PRS", "2PL.PST"] * 4, ".;,()"),
        (["a,b", "b,c"] * 4, ",;()"),
    ],
)
def test_what_parts_tags_is_found(cells, separators):
    assert guess(column(cells)).separators == separators


def test_a_feature_may_be_one_symbol():
    cells = ["plural", "singular", "dual"] * 10
    assert guess_unit(column(cells)) == ("character", "single words")
    assert guess_unit(column(cells), feature=True) == ("symbol", "3 different cells, each a symbol of its own")
    assert guess_unit(column([f"w{i}" for i in range(50)]), feature=True)[0] == "character"


def test_a_cell_that_comes_again_says_nothing_new():
    # Three rows of each premise: its words are seen three times, and are as unknown to others as if seen once.
    sentences = zipf(3000, 100, 5, 15)
    assert guess_unit(column([one for one in sentences for _ in range(3)])) == guess_unit(column(sentences))


def test_a_part_of_a_large_column_is_enough(monkeypatch):
    cells = [f"these are words {i}" for i in range(30_000)]
    looked = []
    monkeypatch.setattr(
        "regard.data.guesses._sentences", lambda cells: looked.append(len(cells)) or guess(column([""]))
    )
    guess_unit(column(cells))
    assert 10_000 < looked[0] <= 20_000
