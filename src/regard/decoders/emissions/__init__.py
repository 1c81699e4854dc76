"""Emissions, one a file: from features and glances to a loss and to the probabilities of the next symbols. Others come
in by the entry point group `regard.emissions`."""

from regard.decoders.emissions.copying import Copying
from regard.decoders.emissions.emission import Emission, Said, Surroundings
from regard.decoders.emissions.linear import Linear
from regard.decoders.emissions.marginal import Marginal
from regard.parts import Family

EMISSIONS = Family("emission", "regard.emissions", [Linear, Copying, Marginal], "linear")

__all__ = ["EMISSIONS", "Copying", "Emission", "Linear", "Marginal", "Said", "Surroundings"]
