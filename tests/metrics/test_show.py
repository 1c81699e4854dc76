"""The report in a terminal of 80 columns, whatever script it is in."""

import io

from rich.cells import cell_len
from rich.console import Console

from regard.display import END_ISOLATE, ISOLATE
from regard.metrics import show


def drawn(report):
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(show(report))
    return console.file.getvalue().split("\n")


HARD = ["سلام", "कहानी", "שָׁלוֹם", "a\tb\nc", "[bold]x[/]", "한국어", "\u0301", "\u202eevil", " ", "x" * 15]


def test_hard_scripts_stay_within_their_cells(words):
    references = [[text] for text in HARD]
    report = words([text[::-1] + "ы" for text in HARD], references)
    lines = drawn(report)
    assert max(map(cell_len, lines)) <= 80
    assert not any("\u202e" in line or "\t" in line for line in lines)
    for line in lines:
        depth = 0
        for character in line:
            depth += (character == ISOLATE) - (character == END_ISOLATE)
            assert depth in (0, 1)
        assert depth == 0
    [head] = [index for index, line in enumerate(lines) if line.startswith("source ")]
    start = cell_len(lines[head][: lines[head].index("written")])
    for line in lines[head + 2 : head + 2 + len(HARD)]:
        cells = [sum(cell_len(character) for character in line[:index]) for index in range(len(line))]
        assert start in cells  # a column begins exactly there in every row
    assert any("[bold]x[/]" in line for line in lines)


def test_a_report_reads_as_it_should(words):
    lines = drawn(words(["cat", "kat", "dog"], [["cat"], ["cut"], ["dogs"]]))
    text = "\n".join(lines)
    assert "3 examples, 3 references; 1 right; 3 edits in 10 symbols" in text
    assert any(line.split()[:3] == ["word", "error", "66.67"] for line in lines)
    assert any(line.split()[:4] == ["symbol", "error", "(character)", "30.00"] for line in lines)
    assert any(line.split() == ["s", "(nothing)", "1", "1"] for line in lines)
    assert any(line.split() == ["cut", "kat", "cut", "c→k", "u→a"] for line in lines)
    assert any(line.split() == ["dogs", "dog", "dogs", "-s"] for line in lines)
    assert "BLEU  " not in text  # no answer has four words, and 0 would mislead


def test_printed_it_is_the_same_without_spaces_at_the_ends(words):
    report = words(["cat", "kat", "dog"], [["cat"], ["cut"], ["dogs"]])
    assert str(report).split("\n") == [line.rstrip() for line in drawn(report)[:-1]]
    assert "\x1b" not in str(report)
    assert f"{report}" == str(report)
    assert repr(report) == "<Report 3 examples: word error 66.67 %, symbol error 30.00 %>"


def test_long_answers_get_lines_of_their_own(words):
    sentence = "a man in a blue shirt is standing on a ladder cleaning a window while somebody watches him"
    lines = drawn(words([sentence[3:]] * 9, [[sentence]] * 9))
    assert max(map(cell_len, lines)) <= 80
    assert sum(line.startswith("expected") and line.rstrip().endswith("…") for line in lines) == 5


def test_nothing_wrong_is_short(words):
    text = "\n".join(drawn(words(["a", "b"], [["a"], ["b"]])))
    assert "worst" not in text
    assert "confusions" not in text


def test_what_the_model_does_not_know_is_a_line(words):
    references = [["ab"], ["cd"], ["ef"]]
    found = drawn(words(["ab", "cd", "xy"], references, unknown=[["É"], [], []]))
    at = found.index("1 example has symbols that the model does not know (É):")
    assert found[at + 1] == "1 right, word error 0.00, symbol error 0.00"
    marks = [[*"abcdefghijkl"], ["\u0301", "ש"], []]
    found = drawn(words(["ab", "cd", "xy"], references, unknown=marks))
    assert "2 examples have symbols that the model does not know (a b c d e f g h i j …):" in " ".join(found)
    assert "does not know" not in "\n".join(drawn(words(["ab"], [["ab"]])))
