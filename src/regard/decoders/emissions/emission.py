"""What an emission is: features and glances in, a loss or the probabilities of the next symbols out.

Legend: B batch, T steps, K beams, N T or K, F feature width, S places, V vocabulary. Unusual here: an emission may look
for itself (the exact forms of hard attention mix over the places here, copying points at them). So it is given the
memories once (`bind`), sees the glances of every step, and may carry a past of its own that travels with the beam.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.errors import RegardError, nearest
from regard.memory import Encoded, Glance, Memory, MemorySizes
from regard.parts import Options


class Said(NamedTuple):
    """What a decoder has to say at one step of all beams, or at all steps."""

    features: Float[Tensor, "B N F"]
    glances: dict[str, Glance]


class Surroundings(NamedTuple):
    """What an emission is told of the model that it is a part of."""

    features: int  # F
    size: int  # V
    target: str  # the column that is written
    looks: Mapping[str, MemorySizes] = {}  # what each look of the decoder looks at
    fed: frozenset[str] = frozenset()  # the looks whose contexts feed the recurrence
    extents: Mapping[str, Any] = {}
    tied: Tensor | None = None  # embeddings to take the output weights from
    dropout: float = 0.0  # share dropped of what an emission that mixes makes of the features


def look_of(emission: str, name: str | None, around: Surroundings) -> str:
    """The look that an emission goes by, once it is known to be there; unset: the first."""
    if not around.looks:
        raise RegardError(f'the emission "{emission}" mixes over the places of a look, and this model has none')
    found = next(iter(around.looks)) if name is None else name
    if found not in around.looks:
        raise RegardError(f'decoder.emission.look = "{found}" is no look; {nearest(found, around.looks)}')
    return found


class Emission(nn.Module):
    """P(y_t | features, glances). A subclass sets `name` and `Options` and gives `loss` and `log_probs`."""

    name: ClassVar[str]
    Options: ClassVar[type[Options]]
    mixes: ClassVar[bool] = False  # whether it mixes over the places itself, so that the readout needs no context
    # whether it writes what is read: then ids from V on are places of the column that its option `column` names, and
    # the batch says what writes each of them (`CopiedTokens`)
    copies: ClassVar[bool] = False

    def __init__(self, around: Surroundings):
        super().__init__()

    def bind(self, encoded: Encoded, memories: Mapping[str, Memory]) -> Any:
        """What belongs to the examples, each tensor (B, …); `memories` by look."""
        return None

    def start(self, bound: Any) -> Any:
        """What is remembered before the first step, each tensor (B, …)."""
        return None

    def loss(
        self,
        said: Said,
        bound: Any,
        targets: Int[Tensor, "B T"],
        keep: Bool[Tensor, "B T"],
        smoothing: float = 0.0,
    ) -> Float[Tensor, "B T"]:
        """−log P(y_t = target) at every step, zero where not kept."""
        raise NotImplementedError

    def log_probs(self, said: Said, bound: Any, past: Any) -> tuple[Float[Tensor, "B K V"], Any]:
        """(log P of every symbol, past): in float32; those that no answer holds (padding, start, unknown) have none."""
        raise NotImplementedError

    def remember(self, bound: Any, past: Any, tokens: Int[Tensor, "B K"]) -> Any:
        """What is remembered once it is known which symbols the last step ended with (the start symbol, at first)."""
        return past

    def seen(self, said: Said, bound: Any, past: Any, ids: Int[Tensor, "B K C"]) -> dict[str, Glance]:
        """Glances that become known with the symbol: weights (B, K, C, S) for each candidate. None, for most."""
        return {}

    def seen_along(self, said: Said, bound: Any, targets: Int[Tensor, "B T"]) -> dict[str, Glance]:
        """The same for all steps of known targets: weights (B, T, S)."""
        return {}
