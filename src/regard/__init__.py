"""Regard: attention-based recurrent encoder-decoders that learn from a table and show where they looked."""

__version__ = "0.1.0"
