"""Unicode forms: how a column writes its accents, and whether taking them apart would help to learn it.

The same word can be written in several ways: "é" as one character (NFC) or as "e" and an accent (NFD). Inside, a column
has one form; what comes out is in the form that the column's own data use. Unusual here: characters which any
normalisation would change for ever (the Devanagari letter U+0958, the sign for ångström) are put back too, where the
data prefer them (`restore`). Whether to decompose is decided by counting symbols, never by a language's name.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple
from unicodedata import is_normalized, normalize

import regex

from regard.data.texts import chunks

Form = Literal["NFC", "NFD", "mixed"]
RARE = 20  # seen less often than this, a symbol is hard to learn
CLUSTER = regex.compile(r"\X")


class Forms(NamedTuple):
    """What a pass over the data counted."""

    composed: Counter[str]  # characters after NFC
    decomposed: Counter[str]  # characters after NFD
    rows: Counter[str]  # rows by form: "plain" reads the same in both
    restore: dict[str, str]  # in NFC -> as the data write it, for what normalisation does not keep

    @property
    def form(self) -> Form:
        """The form that rows have where it makes a difference; "mixed" where both are common (over 1 %)."""
        nfc, nfd, other = self.rows["NFC"], self.rows["NFD"], self.rows["other"]
        if other + min(nfc, nfd) > 0.01 * (nfc + nfd + other):
            return "mixed"
        return "NFD" if nfd > nfc else "NFC"

    @property
    def written(self) -> Literal["NFC", "NFD"]:
        """The form to write in: the column's own, or the commoner one where it has both."""
        return "NFD" if self.rows["NFD"] > self.rows["NFC"] else "NFC"


def count_forms(texts: Iterable[str]) -> Forms:
    """Count characters in both forms; `texts` is read once, or twice where odd characters turn up."""
    composed: Counter[str] = Counter()
    decomposed: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    odd: Counter[str] = Counter()
    for chunk in chunks(texts):
        joined = "".join(chunk)
        if joined.isascii():
            rows["plain"] += len(chunk)
            counts = Counter(joined)
            composed.update(counts)
            decomposed.update(counts)
            continue
        odd.update({char: n for char, n in Counter(joined).items() if normalize("NFC", char) != char})
        for text in chunk:
            rows[_form(text)] += 1
        composed.update(Counter("".join(normalize("NFC", text) for text in chunk)))
        decomposed.update(Counter("".join(normalize("NFD", text) for text in chunk)))
    return Forms(composed, decomposed, rows, _preferred(texts, odd))


def _form(text: str) -> str:
    nfc = is_normalized("NFC", text)
    nfd = is_normalized("NFD", text)
    if nfc and nfd:
        return "plain"
    if nfc or nfd:
        return "NFC" if nfc else "NFD"
    # What no normalisation keeps (U+0958) says nothing about how the rest is written.
    kept = "".join(char for char in text if normalize("NFC", char) == char)
    return "other" if kept == text or not is_normalized("NFC", kept) else "NFC"


def _preferred(texts: Iterable[str], odd: Counter[str]) -> dict[str, str]:
    """Of the characters that NFC replaces, those which the data write more often than their replacement."""
    if not odd:
        return {}
    plain: Counter[str] = Counter()
    for text in texts:
        for char in odd:
            plain[char] += text.count(normalize("NFC", char))
    return {normalize("NFC", char): char for char, n in sorted(odd.items()) if n > plain[char]}


def worth_decomposing(forms: Forms) -> tuple[bool, str]:
    """Whether to take characters apart, and why, in words.

    Yes where this needs at least a tenth fewer symbols, or makes a third of the rare ones (and three at least)
    frequent.
    """
    whole, parts = len(forms.composed), len(forms.decomposed)
    rare_whole = sum(n < RARE for n in forms.composed.values())
    rare_parts = sum(n < RARE for n in forms.decomposed.values())
    fewer = parts <= 0.9 * whole
    commoner = rare_whole - rare_parts >= max(3, rare_whole / 3)
    figures = f"{whole} symbols become {parts}, of them rare {rare_whole} become {rare_parts}"
    return fewer or commoner, figures


def write(text: str, form: Literal["NFC", "NFD"], restore: dict[str, str]) -> tuple[str, list[tuple[int, int]] | None]:
    """`text` in a form, and for each character of `text` its span in the result (None: they are the same places).

    Works cluster by cluster; the characters of a cluster that changes all have its whole span.
    """

    def change(piece: str) -> str:
        piece = normalize(form, piece)
        for old, as_written in restore.items():
            piece = piece.replace(normalize(form, old), as_written)
        return piece

    if change(text) == text:
        return text, None
    out: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for cluster in CLUSTER.findall(text):
        new = change(cluster)
        if new == cluster:
            spans.extend((length + i, length + i + 1) for i in range(len(cluster)))
        else:
            spans.extend([(length, length + len(new))] * len(cluster))
        out.append(new)
        length += len(new)
    return "".join(out), spans
