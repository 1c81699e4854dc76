"""What an emission is: features in, a loss or the best next symbols out.

Legend: B batch, T steps, *N B K or B T, F feature width, V vocabulary.
"""

from typing import ClassVar

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.parts import Options


class Emission(nn.Module):
    """P(y_t | features). A subclass sets `name` and `Options` and gives `loss` and `log_probs`."""

    name: ClassVar[str]
    Options: ClassVar[type[Options]]

    def loss(
        self,
        features: Float[Tensor, "B T F"],
        targets: Int[Tensor, "B T"],
        keep: Bool[Tensor, "B T"],
        smoothing: float = 0.0,
    ) -> Float[Tensor, "B T"]:
        """−log P(y_t = target) at every step, zero where not kept."""
        raise NotImplementedError

    def log_probs(self, features: Float[Tensor, "*N F"]) -> Float[Tensor, "*N V"]:
        """log P of every symbol, in float32; those that no answer holds (padding, start, unknown) have none."""
        raise NotImplementedError
