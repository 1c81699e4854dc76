"""Vocabularies: the special symbols first, then what the data hold."""

from collections import Counter

import pytest

from regard.batch import SPECIALS
from regard.data.units import UNITS
from regard.data.vocabularies import build, subword_size


@pytest.mark.parametrize(
    ("words", "size"),
    [(0, 300), (8_000, 300), (29_000 * 12, 1_900), (25_000_000, 16_000), (1_000_000_000, 32_000)],
)
def test_the_number_of_subwords_follows_from_the_data(words, size):
    class Long(str):
        def split(self, *arguments) -> range:
            return range(words)

    assert subword_size([Long()]) == size


def test_words_are_counted_by_their_spaces():
    assert subword_size(["a b c d"] * 100_000) == 2_000  # 3.2 √400,000 = 2,024


def vocabulary(unit: str, texts: list[str], rare: int = 1, size: int = 300, method: str = "bpe") -> dict[str, int]:
    characters = Counter("".join(texts))
    tokenizer = build(UNITS[unit], texts, False, (";",), characters, rare=rare, size=size, method=method)
    return tokenizer.get_vocab(with_added_tokens=False)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("method", ["bpe", "unigram"])
def test_special_symbols_come_first_and_ids_have_no_gap(unit, method):
    texts = ["<pad> <unknown> a b", "a;b", *SPECIALS]
    found = vocabulary(unit, texts, method=method)
    assert [found[special] for special in SPECIALS] == [0, 1, 2, 3]
    assert sorted(found.values()) == list(range(len(found)))


def test_the_commonest_come_first():
    assert sorted(found := vocabulary("character", ["abbccc"]), key=found.get)[4:] == ["c", "b", "a"]
    assert sorted(found := vocabulary("symbol", ["a b b"]), key=found.get)[4:] == ["b", "a"]


@pytest.mark.parametrize(("unit", "text"), [("character", "aab"), ("symbol", "a a b"), ("word", "a a b")])
def test_what_is_rare_is_left_out(unit, text):
    assert set(vocabulary(unit, [text], rare=2)) == {*SPECIALS, "a"}


def test_subwords_are_as_many_as_asked_for():
    texts = ["the cat sat on the mat with another cat and the rat"] * 5
    assert len(vocabulary("subword", texts, size=30)) == 30
