"""A toy: words of three letters to be written backwards, a model of a few hundred weights, runs of a second."""

import json
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file

from regard.answering import extents
from regard.config import Config, compose
from regard.data.tables import Table, read
from regard.model import Model
from regard.training.average import Average
from regard.training.fit import fit, make_terms, resume
from regard.training.optimiser import make_optimiser
from regard.training.plan import Plan, make_plan
from regard.training.run import Run

WORDS = ["".join(letters) for length in (1, 2, 3) for letters in product("abc", repeat=length)]  # 39
SMALL = ["hidden=8", "embedding=4", "method=greedy", "training.device=cpu", "threads=1", "precision=float32"]
SHORT = [*SMALL, "epochs=2", "batch=8"]
ASIDE = ("seconds", "target_tokens_per_second")  # what no two runs share


def silent(*said: Any) -> None:
    pass


def rows(words: list[str] = WORDS, **more: list[str]) -> pa.Table:
    return pa.table({"source": words, "target": [word[::-1] for word in words], **more})


def table(words: list[str] = WORDS, **more: list[str]) -> Table:
    return read(rows(words, **more))


def config(*settings: str, **recipe: Any) -> Config:
    return compose(recipe, [*SHORT, *settings])


def plan(*settings: str, given: Table | None = None) -> Plan:
    return make_plan(config(*settings), given or table(), None, silent)


def sentences(words: list[str] = WORDS) -> Table:
    """A single column, for a language model."""
    return read(pa.table({"word": words}))


def run_of(made: Plan, seed: int = 1) -> Run:
    """A run before its first update."""
    torch.manual_seed(seed)
    options = made.config.training
    model = Model(made.config, extents(made.columns))
    terms = make_terms(made, model)
    optimiser = make_optimiser(torch.nn.ModuleList([model, terms]), options)
    return Run(model, Average(model, options.average), optimiser, made.fingerprint, terms)


def state(run: Run) -> dict[str, torch.Tensor]:
    """Every number of a run, and the random numbers' state as it is now."""
    found = run.tensors()
    for number, kept in run.optimiser.state_dict()["state"].items():
        found |= {f"optimiser.{number}.{key}": torch.as_tensor(value) for key, value in kept.items()}
    return {name: value.detach().clone() for name, value in found.items()} | {"random": torch.get_rng_state()}


def differing(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> list[str]:
    """The names of what is not the same to the last bit."""
    both = left.keys() & right.keys()
    return sorted(left.keys() ^ right.keys()) + [name for name in both if not torch.equal(left[name], right[name])]


def train(
    folder: Path, *settings: str, tell: Any = silent, say: Any = silent, given: Any = None, **recipe: Any
) -> Path:
    fit(config(*settings, **recipe), given or table(), None, folder, say=say, tell=tell)
    return folder


def go_on(folder: Path, tell: Any = silent, **more: Any) -> Path:
    resume(folder, say=silent, tell=tell, **{"table": rows()} | more)
    return folder


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "training.jsonl").read_text(encoding="utf-8").splitlines()]


def untimed(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in event.items() if key not in ASIDE} for event in told]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "weights.safetensors")


@pytest.fixture(scope="session")
def toy() -> SimpleNamespace:
    return SimpleNamespace(
        words=WORDS, silent=silent, rows=rows, table=table, sentences=sentences, config=config, plan=plan,
        run_of=run_of, state=state, differing=differing, train=train, go_on=go_on, events=events, untimed=untimed,
        weights=weights,
    )  # fmt: skip
