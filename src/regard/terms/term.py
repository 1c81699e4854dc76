"""What a loss term is: something that a run pays for beside the usual loss, such as places looked at twice.

Legend: B batch, T target steps, S places. Unusual here: a term says by dotted paths what it `needs` of what was seen
(`glances.{look}.weights`), and is handed that and no more; so what makes a batch's numbers knows which of them to keep
without knowing any term. A term always sees all S places, also where a look is through a window.
"""

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor, nn

from regard.attention.attention import over_all_places
from regard.batch import Batch, Total
from regard.errors import RegardError, nearest
from regard.memory import Glance, Memory
from regard.parts import Options


class Seen(NamedTuple):
    """What a term may need of a batch that went through a model, by dotted path."""

    batch: Batch
    losses: Float[Tensor, "B T"]  # −log P of each target symbol, smoothing included; zero where not kept
    keep: Bool[Tensor, "B T"]  # True = a real target step
    weights: Float[Tensor, "B T"]  # how much each step counts: its example's weight, zero where not kept
    glances: dict[str, Glance]  # by look, the decoder's in their order first
    memories: dict[str, Memory]  # by look: what it looks at

    @property
    def loss(self) -> Total:
        """The usual loss."""
        return Total((self.losses * self.weights).sum(), self.weights.sum())


class TermOptions(Options):
    """What all terms have; `type` says which one it is."""

    type: str = ""
    weight: float = Field(1.0, ge=0, description="how much it counts beside the usual loss")
    look: str | None = Field(None, description="the look that it guides; unset: the first")

    def idle(self) -> list[str]:
        return ["weight (at 0 the term is told of and guides nothing)"] if self.weight == 0 else []


class Term(nn.Module):
    """needed tensors -> Total. A subclass sets `name`, `Options` and `needs` and gives `forward`.

    `needs` are paths into `Seen`, such as `"glances.{look}.weights"`, `"memories.{look}.keep"`, `"keep"`, `"weights"`
    or `"batch.columns.{links}"`; a name in braces stands for that option's value. `forward` is given what they lead to,
    in their order, and returns a sum and what to divide it by; the option `weight` is applied outside. What a term
    learns or remembers are its parameters and buffers: they belong to the run and not to the model.
    """

    name: ClassVar[str]
    Options: ClassVar[type[TermOptions]]
    needs: ClassVar[tuple[str, ...]]

    def __init__(self, weight: float = 1.0, look: str | None = None):
        """Options come by name; these two are for those who call it."""
        super().__init__()


def look_of(term: Term | type[Term], options: TermOptions, looks: Iterable[str]) -> str | None:
    """The look that a term guides, of those there are; None for one that needs none."""
    if not any("{look}" in need for need in term.needs):
        return None
    there = list(looks)
    if not there:
        raise RegardError(
            f"the term {term.name!r} guides a look, and this model has none: leave the term out, or let the model"
            ' attend (conditioning = "attend")'
        )
    found = there[0] if options.look is None else options.look
    if found not in there:
        raise RegardError(
            f"the term {term.name!r} names the look {found!r}, which is not there; {nearest(found, there)}"
        )
    return found


def gather(term: Term, options: TermOptions, seen: Seen) -> tuple[Any, ...]:
    """What a term needs, in the order of its `needs`."""
    look = look_of(term, options, seen.glances)
    if look is not None:
        glance, size = seen.glances[look], seen.memories[look].keep.shape[1]
        seen = seen._replace(glances=seen.glances | {look: _over_all_places(glance, size)})
    return tuple(_found(term, need, options.model_copy(update={"look": look}), seen) for need in term.needs)


def guided(glance: Glance) -> Float[Tensor, "*N S"]:
    """What a term can move of a glance: its weights, or of one that drew its place what it was drawn from, since the
    place itself has no gradient."""
    return glance.weights if glance.chances is None else glance.chances


def _found(term: Term, need: str, options: TermOptions, seen: Seen) -> Any:
    """What one path leads to. Names that options stand for may have dots of their own."""
    value: Any = seen
    for part in need.split("."):
        key, among = part, value
        if part.startswith("{"):
            key = getattr(options, part.strip("{}"))
        if isinstance(among, dict):
            if key not in among:
                raise RegardError(f"the term {term.name!r} names {key!r}, which is not there; {nearest(key, among)}")
            value = among[key]
        elif not hasattr(among, key):
            raise RegardError(f"the term {term.name!r} needs {need!r}, and nothing is called so")
        else:
            value = getattr(among, key)
        if value is None and isinstance(among, Glance):
            raise RegardError(
                f"the term {term.name!r} needs the probabilities of places that were drawn, and the look"
                f" {options.look!r} tells none: give it another focus (looks.{options.look}.focus), or leave the term"
                " out"
            )
        if value is None:
            raise RegardError(f"the term {term.name!r} needs {need!r}, which this model does not have")
    return value


def _over_all_places(glance: Glance, size: int) -> Glance:
    """The same glance without a window."""
    chances = None if glance.chances is None else over_all_places(glance._replace(weights=glance.chances), size)
    return Glance(over_all_places(glance, size), None, glance.log_prob, chances)
