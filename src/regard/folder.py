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
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.answering import Answerer, Columns, extents
from regard.config import Config, read_config
from regard.data.columns import TextColumn
from regard.errors import RegardError
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
    write_atomically(folder / WEIGHTS, lambda path: save_file(tensors, path, notes))


def is_model(folder: Path) -> bool:
    return (folder / CONFIG).is_file()


def read_folder_config(folder: Path) -> tuple[Config, int]:
    """(configuration, how many members an ensemble has: 0 for a single model)."""
    if not folder.is_dir():
        raise RegardError(f"there is no model folder {folder}")
    try:
        text = (folder / CONFIG).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RegardError(f"{folder} is not a model: it has no {CONFIG}") from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RegardError(f"{folder / CONFIG} is damaged: {error}") from None
    members = table.pop("members", 0)
    if members:
        config, _ = read_folder_config(folder / MEMBERS / "1")
        return config.model_copy(update={"search": read_config({"search": table.get("search", {})}).search}), members
    return read_config(table), 0


def read_columns(folder: Path, config: Config) -> dict[str, TextColumn]:
    names = (*config.data.sources, *config.data.features, config.data.target)
    return {name: TextColumn.load(folder, name) for name in names if name is not None}


def read_model(folder: Path, config: Config, columns: Columns) -> Model:
    """The model that a configuration describes, with the folder's weights."""
    model = Model(config, extents(columns)).eval()
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
        raise RegardError(
            f"{path} is missing: training was stopped before its first evaluation; go on with"
            f" regard train --resume {path.parent}"
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
    homes: list[Path] = []
    for folder in folders:
        _, members = read_folder_config(folder)
        homes += [folder / MEMBERS / str(number) for number in range(1, members + 1)] or [folder]
    first, _ = read_folder_config(homes[0])
    for home in homes:
        config, _ = read_folder_config(home)
        for path in sorted((homes[0] / "columns").glob("*.json")):
            other = home / "columns" / path.name
            if not other.is_file() or other.read_bytes() != path.read_bytes():
                raise RegardError(
                    f"{home} and {homes[0]} do not read the same symbols ({path.stem}): train them on the same rows,"
                    " for example with --seeds 5"
                )
        if config.data.sources != first.data.sources or config.data.target != first.data.target:
            raise RegardError(f"{home} reads or writes other columns than {homes[0]}: they cannot be combined")
    if out.exists() and any(out.iterdir()):
        raise RegardError(f"{out} exists and is not empty; choose another --out")
    for number, home in enumerate(homes, 1):
        place = out / MEMBERS / str(number)
        (place / "columns").mkdir(parents=True)
        for path in (home / CONFIG, home / WEIGHTS, *(home / "columns").glob("*.json")):
            (place / path.relative_to(home)).write_bytes(path.read_bytes())
    table = {"format": first.format, "members": len(homes), "search": first.search.model_dump(mode="json")}
    write_text(out / CONFIG, dumps(table))
