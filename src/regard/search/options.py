"""What a person can choose about a search, as a plain dataclass: the configuration wraps it, search needs no more.

Unusual here: mistakes raise `ValueError` with one line for the user, because search imports nothing of ours; whoever
reads a configuration or a command line turns it into a `RegardError`.
"""

from dataclasses import dataclass, field, fields
from math import isinf
from typing import Any

METHODS = ("beam", "greedy", "sample")


def _option(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class SearchOptions:
    """Every option carries its help (`dataclasses.fields(SearchOptions)[i].metadata["help"]`)."""

    method: str = _option("beam", "beam, greedy (the likeliest symbol at each step) or sample (draws)")
    beam: int = _option(5, "beam: how many hypotheses are kept at each step")
    n_best: int = _option(1, "beam: how many answers are returned, at most `beam`")
    length_normalisation: float = _option(1.0, "score = sum of log p / length ^ this, the end counted; 0: plain sum")
    coverage_penalty: float = _option(0.0, "how much leaving places unlooked-at costs (GNMT's beta); 0: nothing")
    coverage_look: str | None = _option(None, "whose weights the coverage penalty reads; unset: the first look")
    temperature: float = _option(1.0, "sample: below 1 sharper, above 1 flatter")
    top_k: int | None = _option(None, "sample: from the k likeliest symbols only")
    top_p: float = _option(1.0, "sample: from the fewest symbols that together reach this probability")
    seed: int = _option(0, "sample: the same seed gives the same draws for the same row")
    samples: int = _option(1, "sample: how many draws for each input")

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"unknown search method {self.method!r}: choose one of {', '.join(METHODS)}")
        for name, least in (("beam", 1), ("n_best", 1), ("samples", 1), ("top_k", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}, but must be at least {least}")
        for name in ("length_normalisation", "coverage_penalty", "temperature"):
            if isinf(getattr(self, name)):
                raise ValueError(f"{name} is {getattr(self, name)}, but must be finite")
        for name in ("length_normalisation", "coverage_penalty"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}, but must be 0 or more")
        if not self.temperature > 0:
            raise ValueError(
                f'temperature is {self.temperature}, but must be above 0; for no chance use method "greedy"'
            )
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}, but must be above 0 and at most 1")
        if self.method == "beam" and self.n_best > self.beam:
            raise ValueError(f"n_best is {self.n_best}, but a beam of {self.beam} finds at most {self.beam}: "
                             f"set beam to {self.n_best} or more")  # fmt: skip
        if self.method == "greedy" and self.n_best > 1:
            raise ValueError(f'n_best is {self.n_best}, but greedy search finds one answer: use method "beam"')
        if self.method == "sample" and self.n_best > 1:
            raise ValueError(f"n_best is {self.n_best}, but sampling returns every draw: set samples instead")

    def without_effect(self) -> list[str]:
        """The options that were changed but that this method never reads, for a warning."""
        reads = {
            "beam": {"beam", "n_best"},
            "greedy": set(),
            "sample": {"temperature", "top_k", "top_p", "seed", "samples"},
        }
        of_a_method = set().union(*reads.values())
        return [
            option.name
            for option in fields(self)
            if option.name in of_a_method - reads[self.method] and getattr(self, option.name) != option.default
        ]
