"""A model described: its parts, the shape of every tensor, and how many numbers it is made of."""

from pydantic import BaseModel, ConfigDict, Field
from rich.table import Table

from regard.answering import Answerer
from regard.display import grid


class TensorRecord(BaseModel):
    """One tensor of the model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    shape: tuple[int, ...]
    numbers: int


class ColumnRecord(BaseModel):
    """How one column is read or written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    unit: str
    symbols: int
    longest: int = Field(description="symbols of the longest cell in training")
    decomposed: bool
    written: bool = Field(description="whether the model writes this column")


class Description(BaseModel):
    """What `regard inspect MODEL --json` says."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="regard inspect MODEL --json")

    models: int = Field(description="1, or how many an ensemble has")
    parameters: int = Field(description="numbers that make up all models")
    columns: list[ColumnRecord]
    tensors: list[TensorRecord] = Field(description="of the first model")


def describe(answerer: Answerer) -> Description:
    """Everything that can be said without answering."""
    tensors = [
        TensorRecord(name=name, shape=tuple(tensor.shape), numbers=tensor.numel())
        for name, tensor in answerer.models[0].tensors().items()
    ]
    return Description(
        models=len(answerer.models),
        parameters=sum(tensor.numel() for model in answerer.models for tensor in model.tensors().values()),
        columns=[
            ColumnRecord(
                name=column.name,
                unit=column.unit,
                symbols=column.size - 4,
                longest=column.longest - column.end,
                decomposed=column.decomposed,
                written=column is answerer.target,
            )
            for column in answerer.columns.values()
        ],
        tensors=tensors,
    )


def show(found: Description) -> Table:
    """For the terminal."""
    each = f"{found.models} models of" if found.models > 1 else ""
    title = f"{each} {sum(tensor.numbers for tensor in found.tensors):,} parameters".strip()
    table = grid(title, ">numbers", ">shape", "tensor")
    table.columns[-1].no_wrap, table.columns[-1].overflow = False, "fold"  # a narrow terminal must not cut numbers
    for tensor in found.tensors:
        table.add_row(f"{tensor.numbers:,}", " × ".join(map(str, tensor.shape)), tensor.name)
    return table
