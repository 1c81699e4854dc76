"""Decoders: what writes a sequence, step by step."""

from regard.decoders.options import MemorySizes, SequenceOptions
from regard.decoders.sequence import Fixed, Moving, SequenceDecoder

__all__ = ["Fixed", "MemorySizes", "Moving", "SequenceDecoder", "SequenceOptions"]
