"""Reports over plain words, whose symbols are their characters."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from regard.metrics import Report, report


def of_words(answers: list[str], references: list[list[str]], **more: Any) -> Report:
    given: dict[str, Any] = {
        "sources": [row[0] for row in references],
        "answer_symbols": [list(answer) for answer in answers],
        "reference_symbols": [[list(text) for text in row] for row in references],
        "source_lengths": [len(row[0]) for row in references],
        "unit": "character",
        "samples": 200,
    }
    return report(answers, references, **{**given, **more})


@pytest.fixture
def words() -> Callable[..., Report]:
    return of_words


@pytest.fixture
def drawn() -> Callable[[Any], list[str]]:
    """What a terminal of 80 columns shows."""

    def show(what: Any) -> list[str]:
        console = Console(file=io.StringIO(), width=80, color_system=None)
        with console.capture() as capture:
            console.print(what)
        return [line.rstrip() for line in capture.get().splitlines()]

    return show
