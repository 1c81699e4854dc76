"""Encoders, one a file: a column's tensors in, a Memory out. Others come by the entry point group `regard.encoders`."""

from regard.encoders.encoder import Encoder, Origin
from regard.encoders.text import Recurrent
from regard.parts import Family

ENCODERS = Family("encoder", "regard.encoders", [Recurrent], default="recurrent")

__all__ = ["ENCODERS", "Encoder", "Origin", "Recurrent"]
