"""How parts are named, found and configured: one registry a family, filled by our own exports and by entry points.

A *part* is a class (a score, a focus, an encoder …) with a nested or attached `Options` model whose fields carry
their help. In a configuration a part is written as its name (`score = "additive"`) or as a table
(`score = {type = "mlp", layers = 2}`). A third party adds one by an entry point in the family's group
(`regard.scores`, …); a name of ours cannot be taken over.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.fields import FieldInfo

from regard.errors import RegardError, nearest


class Options(BaseModel):
    """The options of a part: unknown keys are refused, values are never changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        for key in given:
            if key not in cls.model_fields:
                raise ValueError(f"unknown key {key!r}; {nearest(str(key), cls.model_fields)}")
        lists = [key for key, value in given.items() if isinstance(value, str) and _is_list(cls.model_fields[key])]
        return {**given, **{key: (given[key],) for key in lists}}  # one name stands for a list of one

    def idle(self) -> list[str]:
        """What was set and has no effect beside the other settings, each as `key (why)`."""
        return []


def _is_list(field: FieldInfo) -> bool:
    return any(get_origin(one) is tuple for one in (field.annotation, *get_args(field.annotation)))


class Family:
    """All parts of one kind, by name: ours as exported, others by entry point."""

    def __init__(self, noun: str, group: str, ours: Iterable[type], default: str | None = None):
        self.noun, self.group, self.default = noun, group, default
        self._ours = {part.name: part for part in ours}  # type: ignore[attr-defined]

    @cached_property
    def _others(self) -> Mapping[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=self.group) if point.name not in self._ours}

    def names(self) -> list[str]:
        return sorted({*self._ours, *self._others})

    def __getitem__(self, name: str) -> Any:
        if name in self._ours:
            return self._ours[name]
        if name in self._others:
            return self._load(self._others[name])
        raise RegardError(f"unknown {self.noun} {name!r}; {nearest(name, self.names())}")

    def _load(self, point: EntryPoint) -> Any:
        try:
            return point.load()
        except (ImportError, AttributeError) as error:
            package = point.dist.name if point.dist else point.value
            raise RegardError(f"the {self.noun} {point.name!r} of {package} cannot be loaded: {error}") from None

    def options(self, given: Any) -> Options:
        """Read a name or a table into the part's own options."""
        if isinstance(given, Options):
            return given
        if not isinstance(given, str | Mapping):
            raise ValueError(f"expected the name of {self.article} {self.noun} or a table with its type, got {given!r}")
        table = {"type": given} if isinstance(given, str) else dict(given)
        name = table.setdefault("type", self.default)
        if not isinstance(name, str):
            raise ValueError(f"{self.article} {self.noun} needs a type; known: {', '.join(self.names())}")
        try:
            part = self[name]
        except RegardError as error:
            raise ValueError(str(error)) from None  # so that the configuration says where
        return part.Options(**table)

    @property
    def article(self) -> str:
        return "an" if self.noun[0] in "aeiou" else "a"

    def build(self, options: Options, *arguments: Any, **more: Any) -> Any:
        """Make the part that these options describe."""
        settings = {key: getattr(options, key) for key in type(options).model_fields}
        return self[settings.pop("type")](*arguments, **more, **settings)
