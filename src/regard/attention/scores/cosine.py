"""Content-based: the cosine of the angle between state and place."""

from typing import Literal

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from regard.attention.scores.dot import Dot
from regard.memory import Memory
from regard.parts import Options


class CosineOptions(Options):
    """e = cosine(s, h): content alone, whatever the lengths of the vectors; sizes must be equal."""

    type: Literal["cosine"] = "cosine"


class Cosine(Dot):
    """e = s·h_j / (|s| |h_j|) (Graves et al. 2014, "content-based"). Ours has no sharpening factor β: as the lectures
    have it, energies lie in [-1, 1], so weights can differ by at most e²; a vector of zeros scores 0."""

    name = "cosine"
    Options = CosineOptions

    def keys(self, memory: Memory) -> Float[Tensor, "B S A"]:
        return F.normalize(memory.values, dim=-1)

    def query(self, state: Float[Tensor, "B N Q"]) -> Float[Tensor, "B N A"]:
        return F.normalize(state, dim=-1)
