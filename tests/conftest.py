"""What every test stands on: shapes and types checked at run time, one thread, one seed, repeatable examples.

Unusual here: the import hook must be installed before anything imports `regard`, so it stands at the top level, and
tests never import `regard` from a pytest plugin. It checks every annotated function and dataclass of the package
against its jaxtyping shapes; outside the tests nothing is checked and nothing is paid.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch; subprocesses inherit it

import random
from pathlib import Path
from types import MappingProxyType

import hypothesis
import numpy as np
import pytest
import torch
from jaxtyping import install_import_hook

install_import_hook("regard", "beartype.beartype")


class TorchRandom:
    """Torch's generator as hypothesis wants it, so that an example draws the same numbers when it is run again."""

    seed = staticmethod(torch.manual_seed)
    getstate = staticmethod(torch.get_rng_state)
    setstate = staticmethod(torch.set_rng_state)


TORCH_RANDOM = TorchRandom()  # hypothesis keeps only a weak reference
hypothesis.register_random(TORCH_RANDOM)

# A busy machine is no failure: no deadline for one example, no complaint that examples are slow to draw.
PATIENT = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("here", PATIENT)
hypothesis.settings.register_profile("ci", PATIENT, derandomize=True, database=None, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(autouse=True)
def seed() -> None:
    """The same random numbers in every test, whatever ran before it."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


# -- one small model, trained once, for all that only ask it -------------------------------------------------------

TINY = MappingProxyType(
    {"hidden": 12, "embedding": 6, "score.width": 8, "epochs": 4, "batch": 8, "rate": 0.03, "average": 0.5,
     "threads": 1, "precision": "float32"}
)  # fmt: skip


@pytest.fixture(scope="session")
def tiny() -> dict[str, object]:
    """Settings of a model that trains in less than half a second, and without a probe of the machine."""
    return dict(TINY)


@pytest.fixture(scope="session")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """50 rows: letters a to d, and the same in capitals with spaces between."""
    drawn = random.Random(0)
    found = sorted({"".join(drawn.choices("abcd", k=drawn.randint(2, 5))) for _ in range(80)})[:50]
    path = tmp_path_factory.mktemp("tables") / "words.tsv"
    rows = [f"{word}\t{' '.join(word.upper())}\n" for word in found]
    path.write_text("word\tsounds\n" + "".join(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model_folder(words: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What training on `words` left; tests that change it copy it first."""
    from regard import train

    folder = tmp_path_factory.mktemp("models") / "tiny"
    train(words, out=folder, settings=dict(TINY), say=lambda line: None)
    return folder


@pytest.fixture(scope="session")
def other_folder(words: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with another seed and another cell."""
    from regard import train

    folder = tmp_path_factory.mktemp("models") / "other"
    train(words, out=folder, settings=dict(TINY) | {"seed": 2, "cell": "gru"}, say=lambda line: None)
    return folder


@pytest.fixture(scope="session")
def tagged_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two columns: letters and tags."""
    from regard import train

    folder = tmp_path_factory.mktemp("models")
    stems = ["".join((a, b, c)) for a in "kgt" for b in "aiu" for c in "lmn"]
    rows = [(stem, tags, stem + end) for stem in stems for tags, end in (("V;PST", "ed"), ("V;PRS", "s"))]
    table = folder / "forms.tsv"
    table.write_text("lemma\ttags\tform\n" + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    train(table, out=folder / "tagged", settings=dict(TINY), say=lambda line: None)
    return folder / "tagged"
