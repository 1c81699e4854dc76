"""The model folder: everything that a trained model is, as files that a person can read, copy and keep.

    config.toml          everything, resolved; a format version
    weights.safetensors  the best weights
    columns/*.json       how each column is read and written, its tokenizer within
    training.jsonl       what happened, a row an event
    README.md            the card: data, figures, how to use it
    members/1, 2, …      of an ensemble: whole model folders, in place of weights and columns

Unusual here: nothing is pickled and nothing in a folder is run. An ensemble is a folder like any other.
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from regard.answering import Answerer, Columns, extents
from regard.config import Config, copied_column, read_config
from regard.data.columns import TextColumn, column_path
from regard.errors import RegardError, typed
from regard.files import write_atomically, write_text
from regard.model import Model
from regard.toml import dumps

CONFIG, WEIGHTS, CARD, EVENTS, MEMBERS = "config.toml", "weights.safetensors", "README.md", "training.jsonl", "members"


def write_config(folder: Path, config: Config, columns: Columns) -> None:
    """Everything but the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    for column in columns.values():
        column.save(folder)
    table = {key: value for key, value in config.model_dump(mode="json").items() if value != {} or key == "looks"}
    write_text(folder / CONFIG, dumps(table))


def write_weights(folder: Path, model: Model, facts: Mapping[str, Any]) -> None:
    """The weights, with what was measured when they were kept."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in model.tensors().items()}
    notes = {key: str(value) for key, value in facts.items()}
    content = save(tensors, notes)  # safetensors' own files are for their owner's eyes only
    write_atomically(folder / WEIGHTS, lambda path: path.write_bytes(content))


def is_model(folder: Path) -> bool:
    return (folder / CONFIG).is_file()


def must_be_free(folder: Path) -> None:
    """Nothing may be written over: ask before a long run rather than after it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        resuming = typed(f"--resume {folder}", f"regard.go_on({str(folder)!r})")
        more = f", or go on with {resuming}" if is_model(folder) else ""
        raise RegardError(f"{folder} exists and is not empty; choose another folder{more}")


def read_folder_config(folder: Path) -> tuple[Config, int]:
    """(configuration, how many members an ensemble has: 0 for a single model)."""
    if not folder.is_dir():
        raise RegardError(f"there is no model folder {folder}")
    path = folder / CONFIG
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RegardError(f"{folder} is not a model: it has no {CONFIG}") from None
    except (OSError, ValueError) as error:  # neither TOML nor UTF-8 is a ValueError
        raise RegardError(f"{path} is damaged: {error}") from None
    members = table.pop("members", 0)
    if type(members) is not int or members < 0:
        raise RegardError(f"{path} is damaged: members = {members!r}, where a number was expected")
    try:
        own = read_config(table)
    except RegardError as error:
        raise RegardError(f"{path}: {error}") from None
    if not members:
        return own, 0
    first, _ = read_folder_config(folder / MEMBERS / "1")
    return first.model_copy(update={"search": own.search}), members


def read_columns(folder: Path, config: Config) -> dict[str, TextColumn]:
    names = (*config.data.sources, *config.data.features, config.data.target)
    return {name: TextColumn.load(folder, name) for name in names if name is not None}


def read_model(folder: Path, config: Config, columns: Columns) -> Model:
    """The model that a configuration describes, with the folder's weights."""
    parts = {f"encoders.{name}": encoder for name, encoder in config.encoders.items()} | {"decoder": config.decoder}
    for path, part in parts.items():
        names = [name for name in (*getattr(part, "reads", ()), getattr(part, "writes", "")) if name]
        if not names:
            raise RegardError(f"{folder / CONFIG} is damaged: [{path}] names no column")
        for name in names:
            if name not in columns:
                raise RegardError(f"{folder / CONFIG} is damaged: [data] has no column {name!r}, which [{path}] names")
    try:
        model = Model(config, extents(columns)).eval()
    except RegardError as error:
        raise RegardError(f"{folder / CONFIG}: {error}") from None
    load_tensors(model.tensors(), _tensors(folder / WEIGHTS), folder / WEIGHTS)
    return model.requires_grad_(False)


def load_tensors(into: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
    """Copy tensor by tensor; names and shapes must be those of the model."""
    if into.keys() != found.keys():
        odd = sorted(into.keys() ^ found.keys())[0]
        raise RegardError(f"{path} does not fit its {CONFIG}: {odd} is in one of them only; copy the folder again")
    with torch.no_grad():
        for name, tensor in into.items():
            if tensor.shape != found[name].shape:
                shapes = f"{tuple(found[name].shape)} where {tuple(tensor.shape)} was expected"
                raise RegardError(f"{path} does not fit its {CONFIG}: {name} is {shapes}; copy the folder again")
            tensor.copy_(found[name])


def _tensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except FileNotFoundError:
        resuming = typed(f"regard train --resume {path.parent}", f"regard.go_on({str(path.parent)!r})")
        raise RegardError(
            f"{path} is missing: training was stopped before its first evaluation; go on with {resuming}"
        ) from None
    except SafetensorError as error:
        raise RegardError(f"{path} is damaged ({error}); copy it again") from None


def read(folder: Path, device: torch.device | str = "cpu") -> Answerer:
    """A model, or an ensemble, ready to answer."""
    config, members = read_folder_config(folder)
    homes = [folder / MEMBERS / str(number) for number in range(1, members + 1)] or [folder]
    configs = [read_folder_config(home)[0] for home in homes]
    columns = read_columns(homes[0], configs[0])
    models = [read_model(home, own, columns).to(device) for home, own in zip(homes, configs, strict=True)]
    return Answerer(config, columns, models)


def combine(folders: Sequence[Path], out: Path) -> None:
    """Write an ensemble of these models; they must read and write the same symbols."""
    if not folders:
        raise RegardError("nothing to combine: give the folders of some models")
    homes: list[Path] = []
    for folder in folders:
        _, members = read_folder_config(folder)
        homes += [folder / MEMBERS / str(number) for number in range(1, members + 1)] or [folder]
    must_be_free(out)
    first, _ = read_folder_config(homes[0])
    for home in homes:
        _must_go_together(home, homes[0], read_folder_config(home)[0], first)
    for number, home in enumerate(homes, 1):
        place = out / MEMBERS / str(number)
        (place / "columns").mkdir(parents=True)
        for path in (home / CONFIG, home / WEIGHTS, *(home / "columns").glob("*.json")):
            (place / path.relative_to(home)).write_bytes(path.read_bytes())
    table = {"format": first.format, "members": len(homes), "search": first.search.model_dump(mode="json")}
    write_text(out / CONFIG, dumps(table))


def _must_go_together(home: Path, other: Path, config: Config, first: Config) -> None:
    _tensors(home / WEIGHTS)  # there, and whole
    if any(getattr(config.data, key) != getattr(first.data, key) for key in ("sources", "features", "target")):
        raise RegardError(f"{home} reads or writes other columns than {other}: they cannot be combined")
    copied, copied_there = copied_column(config), copied_column(first)
    if copied != copied_there:
        raise RegardError(
            f"{home} copies {copied or 'nothing'} and {other} {copied_there or 'nothing'}: they cannot be combined"
        )
    for name in read_columns(home, config):
        paths = [column_path(place, name) for place in (home, other)]
        if paths[0].read_bytes() != paths[1].read_bytes():
            raise RegardError(
                f"{home} and {other} do not read the same symbols ({name}): train them on the same rows,"
                f" for example with {typed('--seeds 5', 'regard.api.train_seeds')}"
            )
