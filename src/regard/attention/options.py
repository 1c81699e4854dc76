"""A look's configuration: what it looks at, how it scores and focuses, and when."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny

from regard.attention.focus import FOCUSES
from regard.attention.focus.soft import SoftOptions
from regard.attention.scores import SCORES
from regard.attention.scores.additive import AdditiveOptions
from regard.parts import Options


class LookOptions(Options):
    """One look of the decoder at a memory."""

    at: str = Field(description="the memory to look at: an encoder's name, or `encoder.level` for a level above")
    score: Annotated[SerializeAsAny[Options], BeforeValidator(SCORES.options)] = Field(
        AdditiveOptions(), description="how well a place matches: a score's name, or a table with its options"
    )
    focus: Annotated[SerializeAsAny[Options], BeforeValidator(FOCUSES.options)] = Field(
        SoftOptions(), description="how scores become weights: a focus's name, or a table with its options"
    )
    when: Literal["before", "after"] = Field(
        "after", description="look with the state before the cell moves (RNNsearch) or after (Luong)"
    )
