"""What a focus is: how energies become weights. It may choose its places before anything is scored.

Legend: B batch, N queries of an example, S places, W places in a window.
"""

from typing import ClassVar

from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.memory import Glance
from regard.parts import Options


class Focus(nn.Module):
    """energies -> Glance. A subclass sets `name` and `Options` and gives `weigh`."""

    name: ClassVar[str]
    Options: ClassVar[type[Options]]

    def weigh(self, energies: Float[Tensor, "B N S"], keep: Bool[Tensor, "B S"]) -> Glance:
        """The weights of each query over the kept places."""
        raise NotImplementedError
