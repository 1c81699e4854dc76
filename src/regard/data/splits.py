"""Which rows are held out: chosen by what they say and a seed, so that equal sources always lie on one side.

Unusual here: rows are put in order by a hash of their sources and the order is cut. So nothing but one number a row is
held in memory, the same table is split in the same way on every machine, rows that are added later move few others,
and the share is met as nearly as whole groups of equal sources allow.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from unicodedata import normalize

import numpy as np

from regard.errors import RegardError, typed

Sides = tuple[np.ndarray, np.ndarray]  # rows to train on and rows held out, both int64 and in order


def split(keys: Sequence[Iterable[str]], share: float, seed: int) -> Sides:
    """Hold out this share of the rows; `keys` are the columns whose cells, taken together, must not be parted."""
    parts = _parts(keys, [share], seed)
    if parts is None:
        other = typed("--dev FILE", "dev=…")
        raise RegardError(f"all rows have the same source, so none can be held out; give other rows with {other}")
    held, kept = parts
    return kept, held


def folds(keys: Sequence[Iterable[str]], k: int, seed: int) -> list[Sides]:
    """Hold out one `k`-th of the rows after another, each row once."""
    if k < 2:
        raise RegardError(f"cross-validation needs at least 2 folds, not {k}")
    parts = _parts(keys, [i / k for i in range(1, k)], seed)
    if parts is None:
        raise RegardError(f"there are fewer different sources than {k} folds; ask for fewer, such as 2")
    return [(np.sort(np.concatenate(parts[:i] + parts[i + 1 :])), part) for i, part in enumerate(parts)]


def _parts(keys: Sequence[Iterable[str]], shares: Sequence[float], seed: int) -> list[np.ndarray] | None:
    """The rows, cut at these shares of them; None where there are fewer groups than parts."""
    hashed = hashes(keys, seed)
    groups, counts = np.unique(hashed, return_counts=True)
    ends = cuts(counts, shares)
    if ends is None:
        return None
    part = np.searchsorted(ends, np.searchsorted(groups, hashed), side="right")
    return [np.flatnonzero(part == i) for i in range(len(shares) + 1)]


def hashes(keys: Sequence[Iterable[str]], seed: int = 0) -> np.ndarray:
    """A number (uint64) for each row; rows whose cells are the same have the same one, and by chance no others."""
    salt = seed.to_bytes(16, "little", signed=True)

    def number(cells: tuple[str, ...]) -> int:
        # In one form, since an accent written otherwise makes no other word; with lengths, since "ab", "c" is not
        # "a", "bc".
        text = "".join(f"{len(cell)}:{cell}" for cell in (normalize("NFC", cell) for cell in cells))
        return int.from_bytes(blake2b(text.encode(), digest_size=8, salt=salt).digest(), "little")

    return np.fromiter(map(number, zip(*keys, strict=True)), np.uint64)


def cuts(counts: np.ndarray, shares: Sequence[float]) -> list[int] | None:
    """How many groups of so many rows lie before each cut: as near to the shares as whole groups allow, none empty."""
    if len(counts) <= len(shares):
        return None
    before = np.concatenate([[0], np.cumsum(counts)])
    found: list[int] = []
    for i, share in enumerate(shares):
        nearest = int(np.abs(before - share * before[-1]).argmin())
        least, most = (found[-1] if found else 0) + 1, len(counts) - (len(shares) - i)
        found.append(min(max(nearest, least), most))
    return found
