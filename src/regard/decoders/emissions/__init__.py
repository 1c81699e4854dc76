"""Emissions, one a file: from features to a loss and to the best next symbols."""

from regard.decoders.emissions.emission import Emission
from regard.decoders.emissions.linear import Linear
from regard.parts import Family

EMISSIONS = Family("emission", "regard.emissions", [Linear], "linear")

__all__ = ["EMISSIONS", "Emission", "Linear"]
