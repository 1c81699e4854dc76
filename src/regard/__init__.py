"""Regard: attention-based recurrent encoder-decoders that learn from a table and show where they looked.

Unusual here: what is imported below is fetched when it is first asked for, so that `import regard` is quick and a part
(a saved look, a search) can be used without torch.
"""

import os
from typing import TYPE_CHECKING, Any

# Before torch is loaded: threads that wait should spin for some microseconds and then sleep. Spinning for ever makes
# training many times slower as soon as another process uses a core; sleeping at once makes it half as fast on a quiet
# machine (docs/log.md).
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "3000")

__version__ = "0.1.0"
__all__ = ["RegardError", "TrainedModel", "combine", "go_on", "load", "train"]

if TYPE_CHECKING:
    from regard.api import TrainedModel, combine, go_on, load, train
    from regard.errors import RegardError


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'regard' has no attribute {name!r}")
    from regard import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
