"""A survey in a terminal of 80 columns, whatever script its table is in."""

import io

from rich.cells import cell_len
from rich.console import Console

from regard.data.columns import TextColumn
from regard.data.show import show
from regard.data.survey import survey, unknown

HARD = ["سلام", "कहानी", "שָׁלוֹם", "한국어", "\u0301a", "\u202eevil", "[bold]x[/]", "x" * 200, "\u200d", "\x07"]


def drawn(found) -> list[str]:
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(show(found))
    return [line.rstrip() for line in console.file.getvalue().split("\n")]


def test_a_survey_reads_as_it_should(table):
    found = survey(table("aab\tx y\nab\ty\n\tz\naab\tx\nragged\n" + "c\tx\n" * 20, header=False))
    lines = drawn(found)
    assert lines[0] == "24 rows, 2 columns (named by number)"
    assert lines[2:12] == [
        "1: character, read",
        "why so     single words",
        "example    aab",
        "cells      4 different, 1 empty",
        "symbols    a cell: 1 to 3; half have at most 1, 95 % at most 3",
        "           1 █▁▁ 3",
        "           3 different; 2 seen fewer than 20 times",
        "commonest  c 20   a 5   b 3",
        "Unicode    reads the same in every form",
        "",
    ]
    assert "2: symbol, written" in lines or "2: character, written" in lines
    end = lines.index("all columns")
    assert lines[end + 1 : end + 4] == [
        "duplicates 19 rows equal to an earlier one",
        "           20 rows whose source came before",
        "           1 source with several answers",
    ]
    assert lines[end + 4].startswith("left out   1 row (not 2 cells), the first:")


def test_hard_scripts_stay_within_the_lines(table):
    rows = "".join(f"{cell}\t{cell[::-1]}\n" for cell in HARD * 3)
    found = survey(table(rows, header=False))
    lines = drawn(found)
    assert max(map(cell_len, lines)) <= 80
    assert not any(sign in line for line in lines for sign in "\u202e\x07\t")
    assert any("runs       mixed (" in line for line in lines)
    assert drawn(survey(table("".join(f"{cell}\n" for cell in HARD), header=False)))


def test_what_is_open_is_said_last(table):
    lines = drawn(survey(table("a\tb\tc\nd\te\tf\n", header=False)))
    assert "leaves open what is read" in " ".join(lines[-6:])
    assert "1: character, not used" in lines


def test_what_a_model_does_not_know(table):
    given = table("word\tphones\nabx\ta b c\nسxy\ta b\nabcab\tc b a b\n")
    columns = {
        "word": TextColumn.fit("word", ["abc"], unit="character"),
        "phones": TextColumn.fit("phones", ["a b c b"], unit="symbol"),
    }
    lines = drawn(
        survey(given).model_copy(update={"unknown": unknown(columns, given, {name: name for name in columns})})
    )
    start = lines.index("word: what the model does not know")
    assert lines[start + 1 : start + 3] == [
        "1 row longer than its longest, which had 3 symbols",
        "2 rows with symbols it does not know, 3 different",
    ]
    assert lines[start + 5].split() == ["x", "2", "abx", "line", "2"]
    assert lines[lines.index("phones: what the model does not know") + 1] == "it knows every symbol"


def test_one_row_of_one_column(table):
    lines = drawn(survey(table("abc\n", header=False)))
    assert lines[0] == "1 row, 1 column (named by number)"
    assert "           3 █ 3" in lines
    assert lines[-3:-1] == ["duplicates none", "left out   none"]
