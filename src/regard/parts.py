"""How parts are named, found and configured: one registry a family, filled by our own exports and by entry points.

A *part* is a class (a score, a focus, an encoder …) with a nested or attached `Options` model whose fields carry
their help. In a configuration a part is written as its name (`score = "additive"`) or as a table
(`score = {type = "mlp", layers = 2}`). A third party adds one by an entry point in the family's group
(`regard.scores`, …); a name of ours cannot be taken over.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from regard.errors import RegardError, nearest


class Options(BaseModel):
    """The options of a part: unknown keys are refused, values are never changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            for key in given:
                if key not in cls.model_fields:
                    raise ValueError(f"unknown key {key!r}; {nearest(str(key), cls.model_fields)}")
        return given

    def idle(self) -> list[str]:
        """What was set and has no effect beside the other settings, each as `key (why)`."""
        return []


class Family:
    """All parts of one kind, by name: ours as exported, others by entry point."""

    def __init__(self, noun: str, group: str, ours: Iterable[type], default: str | None = None):
        self.noun, self.group, self.default = noun, group, default
        self._ours = {part.name: part for part in ours}  # type: ignore[attr-defined]

    @cached_property
    def _others(self) -> Mapping[str, Any]:
        return {point.name: point for point in entry_points(group=self.group) if point.name not in self._ours}

    def names(self) -> list[str]:
        return sorted({*self._ours, *self._others})

    def __getitem__(self, name: str) -> Any:
        if name in self._ours:
            return self._ours[name]
        if name in self._others:
            return self._others[name].load()
        raise RegardError(f"unknown {self.noun} {name!r}; {nearest(name, self.names())}")

    def options(self, given: Any) -> Options:
        """Read a name or a table into the part's own options."""
        if isinstance(given, Options):
            return given
        table = {"type": given} if isinstance(given, str) else dict(given)
        name = table.setdefault("type", self.default)
        if name is None:
            raise ValueError(f"a {self.noun} needs a type; known: {', '.join(self.names())}")
        return self[name].Options(**table)

    def build(self, options: Options, *arguments: Any, **more: Any) -> Any:
        """Make the part that these options describe."""
        settings = {key: getattr(options, key) for key in type(options).model_fields}
        return self[settings.pop("type")](*arguments, **more, **settings)
