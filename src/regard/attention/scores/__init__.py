"""Scores, one a file: how well does this place match? Others come in by the entry point group `regard.scores`."""

from regard.attention.scores.additive import Additive
from regard.attention.scores.cosine import Cosine
from regard.attention.scores.coverage import Coverage
from regard.attention.scores.dot import Dot
from regard.attention.scores.general import General
from regard.attention.scores.location import Location
from regard.attention.scores.location_aware import LocationAware
from regard.attention.scores.mlp import MLP
from regard.attention.scores.scaled import Scaled
from regard.attention.scores.score import Score
from regard.parts import Family

SCORES = Family(
    "score",
    "regard.scores",
    [Additive, Cosine, Coverage, Dot, General, Location, LocationAware, MLP, Scaled],
    "additive",
)

__all__ = [
    "MLP",
    "SCORES",
    "Additive",
    "Cosine",
    "Coverage",
    "Dot",
    "General",
    "Location",
    "LocationAware",
    "Scaled",
    "Score",
]
