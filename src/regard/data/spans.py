"""Where each symbol stands in what the person typed.

`tokenizers` keeps offsets to the original string, but a space or a join mark that a pipeline puts in is counted with
its neighbour, and a composed character has the place of its first part only. Here that is put right: no span takes in
the space before a word or its neighbour's character, and an accent belongs to the letter that bears it.
"""

from collections.abc import Sequence
from unicodedata import category, is_normalized

import numpy as np


def tidy(text: str, offsets: Sequence[tuple[int, int]], shared: bool) -> np.ndarray:
    """Spans (n, 2) in the characters of `text`. `shared`: several symbols may stand for one character (decomposed)."""
    whole = shared or text.isascii() or is_normalized("NFC", text)
    spans: list[list[int]] = []
    for start, stop in offsets:
        before = spans[-1][1] if spans and not shared else 0
        if start < before < stop:
            start = before
            while not whole and start < stop - 1 and _leans(text[start]):
                start += 1
                spans[-1][1] = start
        inked = stop - len(text[start:stop].lstrip())
        spans.append([inked if inked < stop else start, stop])
    if not whole:
        after = [start for start, _ in spans[1:]] + [len(text)]
        for span, limit in zip(spans, after, strict=True):
            while span[1] < limit and _leans(text[span[1]]):
                span[1] += 1
    return np.array(spans, dtype=np.int32).reshape(-1, 2)


def _leans(char: str) -> bool:
    """Whether a character composes with the one before it: an accent, or a vowel or final of a Hangul syllable."""
    return category(char).startswith("M") or "\u1160" <= char <= "\u11ff"
