"""A text column: its unit, its vocabulary, and the way from what a person typed to ids and back.

Everything that is looked up goes through `tokenizers`, whose JSON is kept whole in the column's file beside a few
fields of ours. Unusual here: spans are in the characters of the original string (so that a Look lands on what was
typed), and what is decoded comes back in the Unicode form that the column's own data use.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from re import fullmatch, sub
from typing import Any, Literal, NamedTuple, get_type_hints

import numpy as np
from pydantic import ConfigDict, TypeAdapter
from tokenizers import Encoding, Tokenizer

from regard.batch import END, SPECIALS, UNKNOWN
from regard.data.forms import Form, count_forms, worth_decomposing, write
from regard.data.spans import tidy
from regard.data.texts import chunks
from regard.data.units import UNITS, Unit
from regard.data.vocabularies import Method, build, subword_size
from regard.errors import RegardError, nearest

UNREADABLE = "\ufffd"  # stands for the unknown symbol in decoded text
VERSION = 1

Ids = Sequence[int] | np.ndarray


class Encoded(NamedTuple):
    """One cell as ids, and for each id the characters of the cell it stands for."""

    ids: np.ndarray  # (n,) int32
    spans: np.ndarray  # (n, 2) in the original string; the end symbol has an empty span at its end


class Pieces(NamedTuple):
    """Decoded text, and each id's part of it; special symbols have an empty text and span."""

    text: str
    pieces: list[tuple[str, tuple[int, int]]]


@dataclass(frozen=True)
class TextColumn:
    """How one column of text is read and written. Made by `fit`, or by `load`."""

    name: str
    unit: str
    tokenizer: Tokenizer
    decomposed: bool = False
    form: Form = "NFC"
    written: Literal["NFC", "NFD"] = "NFC"
    restore: tuple[tuple[str, str], ...] = ()
    separators: tuple[str, ...] = ()
    end: bool = False
    longest: int = 0  # ids of the longest cell in training, the end symbol counted
    notes: tuple[str, ...] = ()

    kind = "text"

    @classmethod
    def fit(
        cls,
        name: str,
        texts: Iterable[str],
        *,
        unit: str,
        decompose: bool | Literal["auto"] = "auto",
        size: int | None = None,
        separators: Sequence[str] = (";", "(", ")", ","),
        end: bool = False,
        rare: int | None = None,
        method: Method = "bpe",
    ) -> "TextColumn":
        """Look at `texts` (read several times, never held) and decide everything that was left open.

        `size` is for subwords; symbols seen fewer than `rare` times become the unknown symbol (None: words seen once
        do, and nothing else).
        """
        if unit not in UNITS:
            raise RegardError(f"unknown unit {unit!r} for column {name!r}: {nearest(unit, UNITS)}")
        if unit == "tags" and (not separators or not all(separators)):
            raise RegardError(f'column {name!r} is cut into tags and needs at least one separator, such as ";"')
        forms = count_forms(texts)
        if not any(not char.isspace() for char in forms.composed):
            raise RegardError(f"column {name!r} has no text to learn its symbols from")
        notes = []
        worth, figures = worth_decomposing(forms)
        decomposed = decompose is True or (decompose == "auto" and worth and UNITS[unit].parts)
        if decomposed:
            notes.append(f"characters are taken apart: {figures}")
        if forms.form == "mixed":
            counts = f"{forms.rows['NFC']} rows NFC, {forms.rows['NFD']} NFD, {forms.rows['other']} neither"
            notes.append(f"accents are written in several ways ({counts}); answers come in {forms.written}")
        if unit == "subword" and size is None:
            size = subword_size(texts)
            notes.append(f"{size} subwords at most, which follows from the size of the data")
        rare = (2 if unit == "word" else 1) if rare is None else rare
        characters = forms.decomposed if decomposed else forms.composed
        tokenizer = build(
            UNITS[unit], texts, decomposed, tuple(separators), characters, rare=rare, size=size or 0, method=method
        )
        column = cls(
            name=name,
            unit=unit,
            tokenizer=tokenizer,
            decomposed=decomposed,
            form=forms.form,
            written=forms.written,
            restore=tuple(forms.restore.items()),
            separators=tuple(separators) if unit == "tags" else (),
            end=end,
        )
        longest = max(len(ids) for chunk in chunks(texts) for ids in column.encode_ids(chunk))
        vars(column).update(longest=longest, notes=tuple(notes))
        return column

    @property
    def size(self) -> int:
        """How many symbols there are, the four special ones included."""
        return self.tokenizer.get_vocab_size(with_added_tokens=False)

    @cached_property
    def symbols(self) -> list[str]:
        """Every symbol by its id."""
        by_id = sorted(self.tokenizer.get_vocab(with_added_tokens=False).items(), key=lambda item: item[1])
        return [symbol for symbol, _ in by_id]

    @property
    def _unit(self) -> Unit:
        return UNITS[self.unit]

    def encode_ids(self, texts: Sequence[str]) -> list[np.ndarray]:
        """The ids alone, without spans: what training needs, and faster."""
        return [self._ids(found.ids) for found in self.tokenizer.encode_batch_fast(list(texts))]

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Ids and spans; an unknown symbol becomes `UNKNOWN` and keeps its span."""
        found = self.tokenizer.encode_batch(list(texts))
        return [Encoded(self._ids(one.ids), self._spans(text, one)) for text, one in zip(texts, found, strict=True)]

    def _ids(self, found: list[int]) -> np.ndarray:
        ids = np.array(found, dtype=np.int32)
        ids[ids < UNKNOWN] = UNKNOWN  # someone typed the very name of a special symbol
        return np.append(ids, np.int32(END)) if self.end else ids

    def _spans(self, text: str, found: Encoding) -> np.ndarray:
        spans = tidy(text, found.offsets, shared=self.decomposed)
        return np.append(spans, np.full((1, 2), len(text), np.int32), axis=0) if self.end else spans

    def without(self, ids: np.ndarray, gone: Iterable[tuple[int, int]]) -> np.ndarray:
        """A cell's ids, (n,), without those from the first to before the second of each pair."""
        left = np.ones(len(ids), bool)
        for start, end in gone:
            left[start:end] = False
        return ids[left]

    def unknown(self, text: str) -> list[str]:
        """The parts of `text` that this column does not know, as typed."""
        (one,) = self.encode([text])
        return [text[start:stop] for start, stop in one.spans[one.ids == UNKNOWN]]

    def symbol(self, id: int) -> str:
        """One symbol as the vocabulary has it."""
        return self.symbols[id]

    def spellings(self, texts: Sequence[str]) -> list[list[str]]:
        """Each cell's symbols as the vocabulary has them, and those that it does not know in the same manner."""
        plain = [self.tokenizer.normalizer.normalize_str(text) for text in texts]
        found = self._plain_tokenizer.encode_batch(plain)
        return [[text[start:end] for start, end in one.offsets] for text, one in zip(plain, found, strict=True)]

    @cached_property
    def _plain_tokenizer(self) -> Tokenizer:
        """The tokenizer without its normaliser, so that its offsets are in text that is normalised."""
        plain = Tokenizer(self.tokenizer.model)
        if self.tokenizer.pre_tokenizer is not None:
            plain.pre_tokenizer = self.tokenizer.pre_tokenizer
        return plain

    def surface(self, symbol: str) -> str:
        """A symbol without the marks of its unit."""
        ((_, surface),) = self._unit.layout([symbol], self.separators)
        return surface

    def decode(self, ids: Ids, copied: Sequence[str] = ()) -> str:
        """The text that these ids spell, in the form that the column's data use."""
        return self.pieces(ids, copied).text

    def pieces(self, ids: Ids, copied: Sequence[str] = ()) -> Pieces:
        """The text that these ids spell, and each id's part in it; ids beyond the column's own are `copied` symbols."""
        spelt = [int(i) for i in ids if i == UNKNOWN or i >= len(SPECIALS)]
        symbols = [*self.symbols, *copied] if copied else self.symbols
        laid = self._unit.layout([UNREADABLE if i == UNKNOWN else symbols[i] for i in spelt], self.separators)
        inside = "".join(gap + surface for gap, surface in laid)
        text, moved = write(inside, self.written, dict(self.restore))
        pieces: list[tuple[str, tuple[int, int]]] = []
        place = 0
        parts = iter(laid)
        for i in ids:
            if i != UNKNOWN and i < len(SPECIALS):
                end = _end(moved, place) if moved else place
                pieces.append(("", (end, end)))
                continue
            gap, surface = next(parts)
            start, stop = place + len(gap), place + len(gap) + len(surface)
            place = stop
            if moved:
                start, stop = (moved[start][0] if surface else _end(moved, start)), _end(moved, stop)
            pieces.append((surface, (start, stop)))
        return Pieces(text, pieces)

    def save(self, folder: Path | str) -> Path:
        """Write `columns/<name>.json` into a model's folder."""
        fields = {key: getattr(self, key) for key in SAVED}
        path = column_path(folder, self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        record = {"version": VERSION, "kind": self.kind, **fields, "tokenizer": json.loads(self.tokenizer.to_str())}
        path.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return path

    @classmethod
    def load(cls, folder: Path | str, name: str) -> "TextColumn":
        """Read back what `save` wrote."""
        path = column_path(folder, name)
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            version = record["version"]
            if version <= VERSION:
                fields = {key: kind.validate_python(_frozen(record[key])) for key, kind in SAVED.items()}
                UNITS[fields["unit"]]
                return cls(tokenizer=Tokenizer.from_str(json.dumps(record["tokenizer"])), **fields)
        except FileNotFoundError:
            raise RegardError(f"{path} is missing: the model has no column {name!r}") from None
        except Exception:  # whatever is wrong with it: `tokenizers` raises no class of its own
            raise RegardError(f"{path} is not a model's column: the model's folder is damaged; copy it again") from None
        raise RegardError(f"{path} was written by a newer Regard (version {version}): install that one")


def _end(moved: Sequence[tuple[int, int]], place: int) -> int:
    """Where in the text written what came before `place` ends."""
    return moved[place - 1][1] if place else 0


SAVED: dict[str, TypeAdapter[Any]] = {
    name: TypeAdapter(kind, config=ConfigDict(strict=True))
    for name, kind in get_type_hints(TextColumn).items()
    if name in {f.name for f in dataclass_fields(TextColumn)} - {"tokenizer"}
}


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value


def column_path(folder: Path | str, name: str) -> Path:
    """Where a column's file lies; any name gives a file name that is safe on every system."""
    if not fullmatch(r"[a-z0-9_][a-z0-9_-]{0,59}", name):
        plain = sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:40]
        name = f"{plain or 'column'}.{sha256(name.encode()).hexdigest()[:10]}"
    return Path(folder) / "columns" / f"{name}.json"
