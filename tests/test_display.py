"""Text of any script within a cell of the terminal."""

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from regard.display import END_ISOLATE, ISOLATE, Trimmed, cell, grid, isolated, short


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("한국어", 5, "한국…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("\u0301", 5, "◌\u0301"),
        (" ", 5, "␣"),
        ("\u200d", 9, "U+200D"),
        ("a\tb\x7f", 9, "a␉b␡"),
        ("אבגד", 3, ISOLATE + "אב…" + END_ISOLATE),
        ("\u2067x\u2069", 9, "x"),
        ("", 5, ""),
    ],
)
def test_cell(text, width, shown):
    assert cell(text, width).plain == shown
    assert cell_len(shown) <= width


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("한국어", 6, "한국어"),
        ("한국어", 5, "한국…"),
        ("한국어", 4, "한…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("हिन्दी", 2, "हि…"),  # a conjunct is not cut
        ("👩\u200d👩\u200d👧👩\u200d👩\u200d👧", 3, "👩\u200d👩\u200d👧…"),
        ("abc", 1, "…"),
    ],
)
def test_long_labels_are_cut_between_graphemes(text, cells, expected):
    assert short(text, cells) == expected
    assert cell_len(expected) <= cells


@pytest.mark.parametrize("text", ["باد", "abc ا", "שלום!", "١٢", "ܐ", "\u200f"])
def test_what_would_reorder_its_line_is_isolated(text):
    assert isolated(text) == ISOLATE + text + END_ISOLATE
    assert cell_len(isolated(text)) == cell_len(text)


@pytest.mark.parametrize("text", ["abc", "हिन्दी", "123!", ""])
def test_what_would_not_is_left_alone(text):
    assert isolated(text) == text


def test_no_line_of_a_table_ends_in_blanks():
    table = grid("title", "name", "figure")
    table.add_row("a", "1")
    table.add_row("[b]longer[/b]", "")
    console = Console(width=40, highlight=False)
    with console.capture() as printed:
        console.print(Trimmed(table))
    assert printed.get() == "\ntitle\nname     figure\n───────────────\na        1\nlonger\n"


def test_colours_are_kept_and_blanks_that_show_are_too():
    table = Table.grid()
    table.add_column(width=6)
    table.add_row("[red]a[/red]")
    table.add_row("[on red]a[/on red]", style="on blue")
    console = Console(width=40, highlight=False, force_terminal=True, color_system="standard")
    with console.capture() as printed:
        console.print(Trimmed(table))
    first, second, _ = printed.get().split("\n")
    assert first == "\x1b[31ma\x1b[0m"
    assert second.replace("\x1b", "").count(" ") == 5
