"""Decoders, one a file: what writes a sequence. Others come in by the entry point group `regard.decoders`."""

from regard.decoders.options import SequenceOptions
from regard.decoders.sequence import Fixed, Moving, SequenceDecoder
from regard.parts import Family

DECODERS = Family("decoder", "regard.decoders", [SequenceDecoder], default="sequence")

__all__ = ["DECODERS", "Fixed", "Moving", "SequenceDecoder", "SequenceOptions"]
