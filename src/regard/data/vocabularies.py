"""Vocabularies: from a column's texts to a `tokenizers.Tokenizer` whose first four ids are the special symbols.

The trainers of `tokenizers` are given the special symbols so that their ids come first; then the model is taken out and
put into a tokenizer without them, so that nothing a person types can stand for a special symbol. Characters need no
merges: they are a BPE model with none, which is faster than cutting with a pattern.
"""

import json
from collections import Counter
from collections.abc import Iterable
from math import sqrt
from typing import Literal

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from regard.batch import SPECIALS, UNKNOWN
from regard.data.units import Unit

Method = Literal["bpe", "unigram"]
FEWEST, MOST = 300, 32_000  # subwords
PLENTY = 10_000_000  # a size no vocabulary of words or symbols reaches


def subword_size(texts: Iterable[str]) -> int:
    """How many subwords suit this much text: 3.2 √words, in hundreds, between 300 and 32,000.

    29,000 sentences of 12 words give 1,900, where 2,000 was found best and 4,000 and 8,000 ever worse; a million
    sentences of 25 words give 16,000.
    """
    words = sum(len(text.split()) for text in texts)
    return min(MOST, max(FEWEST, round(3.2 * sqrt(words) / 100) * 100))


def build(
    unit: Unit,
    texts: Iterable[str],
    decomposed: bool,
    separators: tuple[str, ...],
    characters: Counter[str],
    *,
    rare: int,
    size: int,
    method: Method,
) -> Tokenizer:
    """A tokenizer for this unit, its vocabulary learnt from `texts`."""
    unknown = SPECIALS[UNKNOWN]
    form = normalizers.NFD() if decomposed else normalizers.NFC()
    normalizer = normalizers.Sequence([form, *unit.normalise()])
    cut = unit.cut(separators)
    if unit.model == "characters":
        kept = sorted((char for char, n in characters.items() if n >= rare), key=lambda char: (-characters[char], char))
        vocabulary = {symbol: i for i, symbol in enumerate([*SPECIALS, *kept])}
        return _assemble(models.BPE(vocab=vocabulary, merges=[], unk_token=unknown), normalizer, cut)
    model, trainer = _learner(unit, rare, size, method)
    learner = _assemble(model, normalizer, cut)
    learner.train_from_iterator(iter(texts), trainer=trainer)
    learnt = json.loads(learner.to_str())["model"]
    if unit.model == "words":
        # Numbered anew: the trainer gives a word that is written like a special symbol its id, and leaves a gap.
        words = sorted(learnt["vocab"].keys() - {*SPECIALS}, key=learnt["vocab"].__getitem__)
        vocabulary = {symbol: i for i, symbol in enumerate([*SPECIALS, *words])}
        return _assemble(models.WordLevel(vocab=vocabulary, unk_token=unknown), normalizer, cut)
    if method == "bpe":
        merges = [tuple(pair) for pair in learnt["merges"]]
        return _assemble(models.BPE(vocab=learnt["vocab"], merges=merges, unk_token=unknown), normalizer, cut)
    pieces = [(piece, score) for piece, score in learnt["vocab"]]
    return _assemble(models.Unigram(vocab=pieces, unk_id=UNKNOWN), normalizer, cut)


def _learner(unit: Unit, rare: int, size: int, method: Method) -> tuple[models.Model, trainers.Trainer]:
    special = list(SPECIALS)
    unknown = SPECIALS[UNKNOWN]
    if unit.model == "words":
        return models.WordLevel(unk_token=unknown), trainers.WordLevelTrainer(
            vocab_size=PLENTY, min_frequency=rare, show_progress=False, special_tokens=special
        )
    if method == "bpe":
        return models.BPE(unk_token=unknown), trainers.BpeTrainer(
            vocab_size=size, min_frequency=max(2, rare), show_progress=False, special_tokens=special
        )
    return models.Unigram(), trainers.UnigramTrainer(
        vocab_size=size, show_progress=False, special_tokens=special, unk_token=unknown
    )


def _assemble(
    model: models.Model, normalizer: normalizers.Normalizer, cut: pre_tokenizers.PreTokenizer | None
) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizer
    if cut is not None:
        tokenizer.pre_tokenizer = cut
    return tokenizer
