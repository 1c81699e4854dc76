"""The whole configuration: one schema, each field with its help beside it, and the short forms that fill it.

Unusual here: `compose` works on plain tables (a recipe, then what `--set` says) and expands every short form before
anything is checked, so that what is checked, trained with and written to `config.toml` is one and the same. Options
of parts (scores, cells, embeddings …) live beside the parts.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationError, field_validator
from torch.nn import ModuleDict

from regard.attention.focus import FOCUSES
from regard.attention.options import LookOptions
from regard.decoders import DECODERS, SequenceOptions
from regard.decoders.emissions import EMISSIONS
from regard.encoders import ENCODERS
from regard.errors import RegardError, nearest
from regard.parts import Options
from regard.search import SearchOptions as PlainSearchOptions
from regard.terms import TERMS, TermOptions

FORMAT = 1  # of the model folder; folders of every released format load for ever
Conditioning = Literal["attend", "first", "every", "none"]


class ColumnOptions(Options):
    """How one column is read."""

    kind: Literal["text"] = Field("text", description="what the column holds")
    unit: Literal["character", "grapheme", "word", "symbol", "tags", "subword"] | None = Field(
        None, description="what a symbol of it is; unset: found by looking"
    )
    decompose: bool | None = Field(None, description="take letters apart from their marks inside; unset: by looking")
    size: int | None = Field(None, gt=4, description="how many subwords; unset: follows from the size of the data")
    subword: Literal["bpe", "unigram"] = Field("bpe", description="how subwords are found")
    separators: str | None = Field(None, description="what parts tags from one another; unset: found by looking")

    def idle(self) -> list[str]:
        owners = (("size", "subword"), ("subword", "subword"), ("separators", "tags"))
        keys = [key for key, unit in owners if key in self.model_fields_set and self.unit not in (None, unit)]
        return [f"{key} (unit is {self.unit})" for key in keys]


class DataOptions(Options):
    """Which columns are what, and where they come from."""

    table: tuple[str, ...] = Field((), description="the file, or parallel files, that training reads")
    dev: tuple[str, ...] = Field((), description="the file, or parallel files, that choose the best weights")
    sources: tuple[str, ...] = Field((), description="columns to read")
    features: tuple[str, ...] = Field((), description="more columns to read, joined to the first source")
    target: str | None = Field(None, description="the column to write")
    weight: str | None = Field(None, description="a column of counts: how much each row weighs")
    links: str | None = Field(
        None, description="true links between words: a column such as 0-0 1-2, or a file of the workshop of 2003"
    )
    header: bool | None = Field(None, description="does the table begin with names? unset: found by looking")
    where: dict[str, str] = Field({}, description="rows to use: column = value")
    columns: dict[str, ColumnOptions] = Field({}, description="how single columns are read")
    names: tuple[str, ...] = Field(
        (), description="all columns of the table, in order; filled in by training, for tables without a header"
    )
    dev_share: float = Field(0.1, gt=0, lt=1, description="share of the rows held out where no dev file is given")
    dev_seed: int = Field(0, ge=0, description="which rows those are; the same for every training seed")

    def idle(self) -> list[str]:
        keys = [key for key in ("dev_share", "dev_seed") if self.dev and key in self.model_fields_set]
        return [f"{key} (there is a dev file)" for key in keys]


class TrainingOptions(Options):
    """How the model is trained."""

    seed: int = Field(1, ge=0, description="same seed, same model")
    epochs: int | None = Field(None, gt=0, description="passes over the data; unset: follows from its size")
    minutes: float | None = Field(None, gt=0, description="at most this long; the rate's decay is fitted to it")
    batch: int | None = Field(None, gt=0, description="examples of mean length in a batch; unset: by size of the data")
    optimiser: Literal["adamw", "sgd"] = Field("adamw", description="adamw, or plain gradient descent")
    rate: float = Field(2e-3, gt=0, description="the highest learning rate")
    warmup: float = Field(0.05, ge=0, lt=1, description="share of the updates over which the rate rises")
    decay: Literal["linear", "cosine", "none"] = Field("linear", description="how the rate falls after that")
    weight_decay: float = Field(0.01, ge=0, description="pull of the weights towards zero")
    momentum: float = Field(0.9, ge=0, lt=1, description="of plain gradient descent")
    clip: float = Field(1.0, ge=0, description="longest gradient; 0: any")
    average: float = Field(0.998, ge=0, lt=1, description="moving average of the weights, an update; 0: none")
    smoothing: float = Field(0.1, ge=0, lt=1, description="label smoothing")
    own: float = Field(0.0, ge=0, le=1, description="share of its own outputs fed back, at the end of training")
    patience: int | None = Field(None, gt=0, description="stop after so many epochs without a better dev score")
    metric: str | None = Field(
        None, description="dev metric that chooses the best weights; unset: by the target's unit"
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field("auto", description="of products while training")
    device: str = Field("auto", description="cpu, cuda or auto")
    threads: int | None = Field(
        None, gt=0, description="of the processor; unset: as many as a short probe finds worth it"
    )
    encoder_first: Literal["none", "autoencode", "language-model"] = Field(
        "none", description="train the encoder alone first, on its own column"
    )
    decoder_first: Literal["none", "language-model"] = Field(
        "none", description="train the decoder alone first, as a language model of the target"
    )
    first_epochs: int = Field(5, gt=0, description="epochs of what is trained alone first")
    freeze: tuple[Literal["encoder", "decoder"], ...] = Field(
        (), description="parts not trained any further after that"
    )

    def idle(self) -> list[str]:
        found, keys = [], self.model_fields_set
        if "momentum" in keys and self.optimiser != "sgd":
            found.append('momentum (only optimiser = "sgd" has it)')
        alone = self.encoder_first != "none" or self.decoder_first != "none"
        found += [f"{key} (nothing is trained alone first)" for key in ("first_epochs",) if key in keys and not alone]
        return found


class SearchOptions(Options):
    """How answers are found."""

    method: Literal["beam", "greedy", "sample"] = Field("beam", description="beam, greedy or sample")
    beam: int = Field(5, gt=0, description="hypotheses kept at every step")
    n_best: int = Field(1, gt=0, description="answers given")
    length_normalisation: float = Field(1.0, ge=0, description="score = log P / length^this")
    coverage_penalty: float = Field(0.0, ge=0, description="weight of the penalty for places not looked at")
    coverage_look: str | None = Field(None, description="whose weights that penalty reads; unset: the first look's")
    temperature: float = Field(1.0, gt=0, description="of sampling: below 1 sharper, above 1 flatter")
    top_k: int | None = Field(None, gt=0, description="sample among so many best symbols")
    top_p: float = Field(1.0, gt=0, le=1, description="sample among the best symbols of this much probability")
    seed: int = Field(0, ge=0, description="of sampling")
    samples: int = Field(1, gt=0, description="how many draws for each input")
    longest: int | None = Field(None, gt=0, description="most symbols of an answer; unset: follows from the data")

    def idle(self) -> list[str]:
        try:
            plain = self.for_search()
        except RegardError:  # told when a search begins
            return []
        return [f"{name} (method is {self.method})" for name in plain.without_effect() if name in self.model_fields_set]

    @property
    def several(self) -> bool:
        """Whether one input may have several answers."""
        return (self.samples if self.method == "sample" else self.n_best) > 1

    def for_search(self) -> PlainSearchOptions:
        """The same, as the search wants it."""
        shared = {item.name: getattr(self, item.name) for item in fields(PlainSearchOptions)}
        try:
            return PlainSearchOptions(**shared)
        except ValueError as error:
            raise RegardError(str(error)) from None


class Config(Options):
    """Everything that makes a model."""

    format: int = Field(FORMAT, description="version of the model folder")
    recipe: str | None = Field(None, description="the recipe that this began with")
    data: DataOptions = DataOptions()
    encoders: dict[str, Annotated[SerializeAsAny[Options], BeforeValidator(ENCODERS.options)]] = Field({})
    looks: dict[str, LookOptions] = Field({})
    decoder: Annotated[SerializeAsAny[Options], BeforeValidator(DECODERS.options)] = SequenceOptions()
    terms: dict[str, Annotated[SerializeAsAny[TermOptions], BeforeValidator(TERMS.options)]] = Field({})
    training: TrainingOptions = TrainingOptions()
    search: SearchOptions = SearchOptions()

    @field_validator("terms", mode="before")
    @classmethod
    def _types(cls, given: Any) -> Any:
        """A term is named after its type, unless it says another."""
        if not isinstance(given, Mapping):
            return given
        return {name: {"type": name, **one} if isinstance(one, Mapping) else one for name, one in given.items()}

    @field_validator("encoders", "looks", "terms")
    @classmethod
    def _names(cls, given: dict[str, Any]) -> dict[str, Any]:
        for name in given:
            if not name.isidentifier() or hasattr(ModuleDict(), name):  # it becomes part of the weights' names
                raise ValueError(f"the name {name!r} cannot be used; take another word, without dots and spaces")
        return given

    def idle(self) -> list[str]:
        used = [*(getattr(self.decoder, "feed", None) or ()), *(getattr(self.decoder, "readout", None) or ())]
        emission = getattr(self.decoder, "emission", None)
        own = look_of_emission(getattr(emission, "type", None), getattr(emission, "look", None), self.looks)
        idle = [name for name in self.looks if f"look.{name}" not in used and name != own]
        found = [f"looks.{name} (neither decoder.feed nor decoder.readout names it)" for name in idle]
        taught = {options.type for options in self.terms.values() if options.weight}
        for name, look in self.looks.items():
            focus = look.focus.type  # type: ignore[attr-defined]
            if (teacher := FOCUSES[focus].taught_by) is not None and teacher not in taught:
                found.append(
                    f"looks.{name}.focus (no gradient passes through the choice of {focus!r}:"
                    f" add terms.{teacher}.weight=1)"
                )
        return found


def look_of_emission(emission: Any, look: str | None, looks: Iterable[str]) -> str | None:
    """The look that an emission goes by itself: it mixes over its places, or copies from them. None for most."""
    if emission not in EMISSIONS.names():  # an unknown one is told where it is read
        return None
    if not (EMISSIONS[emission].mixes or EMISSIONS[emission].copies):
        return None
    return next(iter(looks), None) if look is None else look


def mixed_look(emission: Any, look: str | None, looks: Iterable[str]) -> str | None:
    """The look over whose places an emission mixes, so that no context of it is read; None for most emissions."""
    own = look_of_emission(emission, look, looks)
    return own if own is not None and EMISSIONS[emission].mixes else None


def copied_column(config: Config) -> str | None:
    """The column that an emission copies from; None for most, and where nothing can be (the model says why)."""
    emission = getattr(config.decoder, "emission", None)
    if emission is None or not EMISSIONS[emission.type].copies:
        return None
    if emission.column is not None:
        return str(emission.column)
    look = config.looks.get(look_of_emission(emission.type, emission.look, config.looks) or "")
    encoder = None if look is None else config.encoders.get(look.at.partition(".")[0])
    return next(iter(getattr(encoder, "reads", ())), None)


def read_config(table: Mapping[str, Any]) -> Config:
    """Check a whole configuration; the first thing wrong with it is said by its path."""
    form = table.get("format", FORMAT)
    if isinstance(form, int) and form > FORMAT:  # first, since it may have keys that are not known yet
        raise RegardError(f"this model has format {form}, and this Regard reads up to {FORMAT}; upgrade regard")
    try:
        return Config(**table)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"]) or "top level"
        said = first["msg"].removeprefix("Value error, ")
        if first["type"] == "missing":
            said = "is missing"
        elif first["type"] != "value_error":
            said = f"{said[:1].lower()}{said[1:]}, got {first['input']!r}"
        raise RegardError(f"configuration, {path}: {said}") from None


def compose(recipe: Mapping[str, Any], settings: Iterable[str] = ()) -> Config:
    """The configuration of a recipe (or of nothing) with `key=value` settings laid over it, short forms expanded."""
    table = _copy(recipe)
    given = dict(parse_setting(setting) for setting in settings)
    decoder = _part(table, "decoder")
    if "conditioning" in given:  # what the recipe's own preset stands for goes
        table["conditioning"] = given.pop("conditioning")
        for room, keys in ((table, ("looks",)), (decoder, ("feed", "readout", "start"))):
            for key in keys:
                room.pop(key, None)
    conditioning = table.pop("conditioning", "attend")
    if conditioning not in (names := get_args(Conditioning)):
        raise RegardError(f"unknown conditioning {conditioning!r}; {nearest(str(conditioning), names)}")
    if conditioning == "none":
        table["encoders"] = {}
        decoder.setdefault("start", "learned")
    encoders = _part(table, "encoders", {"source": {}})
    looks = _part(table, "looks", {name: {"at": name} for name in encoders} if conditioning == "attend" else {})
    for room, path in ((encoders, "encoders."), (looks, "looks.")):
        for name in room:
            _part(room, name, path=path)
    for key, value in given.items():
        _lay(table, key, value)
    fed = [f"look.{name}" for name in looks if _part(looks, name, path="looks.").get("when") == "before"]
    summaries = [f"summary.{name}" for name in encoders] if conditioning == "every" else []
    decoder.setdefault("feed", [*summaries, *fed])
    read = [f"look.{name}" for name in looks]
    emission = _part(decoder, "emission", path="decoder.") if "emission" in decoder else {}
    if (mixed := mixed_look(emission.get("type"), emission.get("look"), looks)) is not None:
        read = [name for name in read if name != f"look.{mixed}"]
        decoder.setdefault("readout_layer", "linear")  # the emission bends it, once it knows of the places
    decoder.setdefault("readout", ["state", *read, *summaries, "previous"])
    return read_config(table)


def parse_setting(setting: str) -> tuple[str, Any]:
    """`key=value`, the value in TOML where it is TOML, else the text itself."""
    key, equals, text = setting.partition("=")
    if not equals or not key.strip():
        raise RegardError(f"setting {setting!r}: expected key=value, such as score=general or training.epochs=20")
    try:
        table = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        table = {}
    return key.strip(), table["value"] if len(table) == 1 else text.strip()  # more than one: a line of its own


def idle_settings(config: Options, path: str = "") -> list[str]:
    """What was set and has no effect, each as `path.key (why)`, over the whole tree."""
    found = [f"{path}{said}" for said in config.idle()]
    for name in type(config).model_fields:
        value = getattr(config, name)
        for key, part in value.items() if isinstance(value, dict) else [("", value)]:
            if isinstance(part, Options):
                found += idle_settings(part, f"{path}{name}.{key + '.' if key else ''}")
    return found


def _lay(table: dict[str, Any], key: str, value: Any) -> None:
    """Set one key: a full path (`decoder.cell`), or a short form, which means every place that has such a field."""
    first, *inner = key.split(".")
    if inner and first in Config.model_fields:
        rooms = [table]
    else:
        places = _short_places(table)
        if first not in places:
            raise RegardError(f"setting {key!r}: {_why_not(table, first, places)}")
        rooms = places[first]
    for room in rooms:
        path = ""
        for part in (first, *inner)[:-1]:
            room, path = _part(room, part, path=path), f"{path}{part}."
        room[key.rpartition(".")[2]] = value


def _why_not(table: dict[str, Any], key: str, places: Iterable[str]) -> str:
    """What to say of a key that sets nothing."""
    for noun, options in (("look", LookOptions), ("encoder", ENCODERS[str(ENCODERS.default)].Options)):
        if key in options.model_fields and not table[f"{noun}s"]:
            return f"this model has no {noun}, and only {noun}s have {key!r}"
    sections = [name for name in Config.model_fields if name not in ("format", "recipe")]
    if key in sections:
        return f"{key} is a table; set one of its keys, as in {key}.KEY=VALUE"
    return f"no such setting; {nearest(key, [*places, *sections])}"


def _short_places(table: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """For every short key the tables that it sets: all model parts that have it, else training, else search."""
    rooms: list[tuple[dict[str, Any], type[Options]]] = []
    for encoder in table["encoders"].values():
        rooms.append((encoder, ENCODERS[encoder.get("type", ENCODERS.default)].Options))
    rooms += [(look, LookOptions) for look in table["looks"].values()]
    rooms.append((table["decoder"], DECODERS[table["decoder"].get("type", DECODERS.default)].Options))
    places: dict[str, list[dict[str, Any]]] = {}
    for room, options in rooms:
        for name in options.model_fields:
            places.setdefault(name, []).append(room)
    for section, options in (("training", TrainingOptions), ("search", SearchOptions), ("data", DataOptions)):
        room = table.setdefault(section, {})
        for name in options.model_fields:
            places.setdefault(name, [room])
    for name in ("type", "at"):
        places.pop(name, None)
    return places


def _part(room: dict[str, Any], name: str, default: Mapping[str, Any] | None = None, path: str = "") -> dict[str, Any]:
    """A table inside a table, made if it is not there; one given by its name alone is a table with a type."""
    inner = room.setdefault(name, dict(default or {}))
    if isinstance(inner, str):
        inner = room[name] = {"type": inner}
    if not isinstance(inner, dict):
        raise RegardError(f"configuration, {path}{name}: expected a table, got {inner!r}")
    return inner


def _copy(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copy(value) if isinstance(value, Mapping) else value for key, value in table.items()}
