"""The state of a run, in one place: everything that must be kept to go on as if nothing had happened."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn

from regard.errors import RegardError
from regard.files import write_atomically
from regard.model import Model
from regard.terms import Term
from regard.training.average import Average

FOLDER = "training"  # inside the model folder, while a run is not finished


@dataclass
class Progress:
    """Where a run stands."""

    epoch: int = 0  # finished epochs
    batch: int = 0  # finished batches of the epoch under way
    update: int = 0
    checked: int = 0  # the update at the last evaluation
    since: tuple[float, ...] = (0.0, 0.0, 0.0)  # from there on: losses, their count, target symbols; so of each term
    since_seconds: float = 0.0  # when that began
    seen: int = 0  # rows of the epoch under way
    seconds: float = 0.0
    best: tuple[float, float] | None = None  # dev score, -dev loss
    best_epoch: float = 0.0
    stale: int = 0  # evaluations since the best
    metrics: dict[str, float] = field(default_factory=dict)  # of the best


class Run:
    """A model, its average, its terms, its optimiser and where they stand; saved and restored as one."""

    def __init__(
        self,
        model: Model,
        average: Average,
        optimiser: torch.optim.Optimizer,
        table: str = "",
        terms: nn.ModuleDict | None = None,
    ):
        """`table`: the fingerprint of what is learnt from; `terms`: by name, as the model's configuration has them."""
        self.model, self.average, self.optimiser, self.progress = model, average, optimiser, Progress()
        self.table = table
        self.terms = nn.ModuleDict() if terms is None else terms

    def parameters(self) -> dict[str, nn.Parameter]:
        """All that is trained, by name; a term's begin with `terms.`."""
        own = {f"terms.{name}": value for name, value in self.terms.named_parameters()}
        return dict(self.model.named_parameters()) | own

    def tensors(self) -> dict[str, Tensor]:
        """All parameters and buffers by name, the average's too."""
        found = {f"model.{name}": value for name, value in self.model.tensors().items()}
        found |= {f"average.{name}": value for name, value in self.average.model.tensors().items()}
        return found | {f"terms.{name}": value for name, value in self.terms.state_dict().items()}

    def own_terms(self) -> dict[str, Term]:
        """The terms by name, as the types that they are."""
        return dict(self.terms.items())  # type: ignore[arg-type]

    def save(self, folder: Path) -> None:
        """Write the state under the model folder; a half-written one never takes the place of a whole one."""
        place = folder / FOLDER
        place.mkdir(parents=True, exist_ok=True)
        facts: dict[str, Any] = {"progress": asdict(self.progress), "average_updates": self.average.updates}
        facts["table"] = self.table
        tensors = self.tensors()
        tensors["random.cpu"] = torch.get_rng_state()
        if torch.cuda.is_available():
            tensors["random.cuda"] = torch.cuda.get_rng_state()
        names = {id(value): name for name, value in self.parameters().items()}
        for parameter, state in self.optimiser.state.items():
            for key, value in state.items():
                tensors[f"optimiser.{key}.{names[id(parameter)]}"] = torch.as_tensor(value)
        flat = {name: value.detach().contiguous().clone() for name, value in tensors.items()}
        # one file holds both, so that they cannot come from two different moments
        content = save(flat, {"facts": json.dumps(facts)})
        write_atomically(place / "state.safetensors", lambda path: path.write_bytes(content))

    def restore(self, folder: Path) -> None:
        """Go on from what `save` wrote."""
        path = folder / FOLDER / "state.safetensors"
        try:
            tensors = load_file(path)
            facts = json.loads(_facts(path))
        except (SafetensorError, OSError, ValueError) as error:
            raise RegardError(f"{path} is damaged ({error}): train anew") from None
        if facts["table"] != self.table:
            raise RegardError(f"the table is no longer the one that {folder} began to learn: train anew")
        if lacking := sorted(self.tensors().keys() - tensors.keys()):
            raise RegardError(f"{path} is of a run with other parts ({lacking[0]} is not in it): train anew")
        lists = {key: tuple(value) for key, value in facts["progress"].items() if isinstance(value, list)}
        self.progress = Progress(**facts["progress"] | lists)  # tuples, which JSON made lists
        self.average.updates = facts["average_updates"]
        with torch.no_grad():
            for name, value in self.tensors().items():
                value.copy_(tensors[name])
        parameters = self.parameters()
        states: dict[Tensor, dict[str, Tensor]] = {}
        for key, value in tensors.items():
            if key.startswith("optimiser."):
                _, item, name = key.split(".", 2)
                parameter = parameters[name]
                states.setdefault(parameter, {})[item] = value.to(parameter.device).clone()
        self.optimiser.state.update(states)
        torch.set_rng_state(tensors["random.cpu"])
        if torch.cuda.is_available() and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"])

    @staticmethod
    def exists(folder: Path) -> bool:
        return (folder / FOLDER / "state.safetensors").exists()

    @staticmethod
    def forget(folder: Path) -> None:
        """A finished run needs no state."""
        (folder / FOLDER / "state.safetensors").unlink(missing_ok=True)
        if (folder / FOLDER).is_dir() and not os.listdir(folder / FOLDER):
            (folder / FOLDER).rmdir()


def _facts(path: Path) -> str:
    with safe_open(path, "pt") as file:
        facts = (file.metadata() or {}).get("facts")
    if facts is None:
        raise ValueError("it is not the state of a run")
    return facts
