"""What every test stands on: shapes and types checked at run time, one thread, one seed, repeatable examples.

Unusual here: the import hook must be installed before anything imports `regard`, so it stands at the top level, and
tests never import `regard` from a pytest plugin. It checks every annotated function and dataclass of the package
against its jaxtyping shapes; outside the tests nothing is checked and nothing is paid.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch; subprocesses inherit it

import random

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
