"""Configurations as TOML: Python reads it (`tomllib`) and does not write it.

Plain values first, then a table a section; None is left out, since unset is what TOML has for it.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(table: Mapping[str, Any]) -> str:
    """The text that `tomllib.loads` reads back as this table."""
    return "\n".join(_lines(table, ())).strip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines = [
        f"{_key(key)} = {value(item)}"
        for key, item in table.items()
        if item is not None and not isinstance(item, Mapping)
    ]
    if path and (lines or not any(isinstance(item, Mapping) for item in table.values())):
        lines = ["", f"[{'.'.join(map(_key, path))}]", *lines]
    for key, item in table.items():
        if isinstance(item, Mapping):
            lines += _lines(item, (*path, str(key)))
    return lines


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def value(item: Any) -> str:
    """One value as TOML writes it."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return _text(item)
    if isinstance(item, int):
        return int.__repr__(item)
    if isinstance(item, float):
        return float.__repr__(item)  # numpy's floats are floats, and show themselves otherwise
    if isinstance(item, list | tuple):
        return "[" + ", ".join(map(value, item)) + "]"
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {value(one)}" for key, one in item.items()) + "}"
    raise TypeError(f"a configuration holds no {type(item).__name__}: {item!r}")
