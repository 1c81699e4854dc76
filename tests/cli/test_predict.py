"""regard predict: answers on standard output and nothing else there, from wherever the texts come."""

import io
import json
import os
from time import sleep

import pytest

from regard.answering import AnsweredRecord
from regard.api import load
from regard.cli import common


@pytest.fixture(scope="module")
def model(model_folder):
    return load(model_folder)


class Terminal(io.TextIOWrapper):
    """Standard input at which a person sits."""

    def isatty(self):
        return True


def lines(model, *words):
    return "".join(f"{word}\t{model.predict(word).text}\n" for word in words)


def test_words_on_the_command_line(regard, model, model_folder):
    assert regard("predict", model_folder, "abc", "d") == (0, lines(model, "abc", "d"), "")


def test_words_are_data_and_never_names_of_files(regard, model, model_folder, words, tmp_path):
    (tmp_path / "ab").write_text("cd\n")
    for word in ("ab", str(words), ".", "-"):
        assert regard("predict", model_folder, "--", word)[:2] == (0, lines(model, word))


def test_lines_of_standard_input(regard, model, model_folder):
    expected = (0, lines(model, "abc", "", "dcba", "d\ta"))
    for done in (
        regard("predict", model_folder, stdin="abc\n\ndcba\r\nd\ta\n"),
        regard("predict", model_folder, "--file", "-", stdin="abc\n\ndcba\nd\ta"),
    ):
        assert done[:2] == expected
        assert done.err.startswith("1 of 4 inputs have symbols that the model does not know: ⇥")


def test_lines_that_look_like_a_table_are_texts_and_that_is_said(regard, model, model_folder):
    done = regard("predict", model_folder, stdin="word\nab\ncd\n")
    assert done[:2] == (0, lines(model, "word", "ab", "cd"))
    first, unknown = done.err.splitlines()
    assert first == "standard input: each line is a text, and the first, word, too (--header if it names columns)"
    assert unknown == "1 of 3 inputs have symbols that the model does not know: w o r"
    assert regard("predict", model_folder, stdin="word\n").err == (
        "the input has symbols that the model does not know: w o r\n"
    )


def test_a_table_on_standard_input(regard, model, model_folder):
    done = regard("predict", model_folder, "--file", "-", "--header", stdin="x\tword\n1\tab\n2\tcd\n")
    assert done == (0, lines(model, "ab", "cd"), "")


def test_a_table(regard, model, model_folder, tmp_path):
    (tmp_path / "t.csv").write_text('word,n\nab,1\n"c,d",2\n')
    done = regard("predict", model_folder, "--file", "t.csv")
    assert done[:2] == (0, lines(model, "ab", "c,d"))
    assert done.err.splitlines() == [
        "t.csv: the first row is a header: word, n (--no-header if that is wrong)",
        "1 of 2 inputs have symbols that the model does not know: , (all: regard inspect TABLE --model MODEL)",
    ]
    (tmp_path / "t.txt").write_text("ab\ncd\n")
    done = regard("predict", model_folder, "--file", "t.txt")
    assert done[:2] == (0, lines(model, "ab", "cd"))
    assert done.err.splitlines() == [
        "t.txt: no header: the first row, ab, is taken as data and columns are named by number"
        " (--header if that is wrong)",
        "t.txt: column 1 (ab) is read (--from 1 to say so)",
    ]
    done = regard("predict", model_folder, "--file", "t.txt", "--header")
    assert done == (0, lines(model, "cd"), "t.txt: ab is read (--from ab to say so)\n")


def test_a_table_whose_columns_are_called_otherwise(regard, model, model_folder, tmp_path):
    (tmp_path / "t.tsv").write_text("son\tmot\nA B\tab\nC D\tcd\n")
    for column in ("mot", "2"):
        done = regard("predict", model_folder, "--file", "t.tsv", "--header", "--from", column)
        assert done == (0, lines(model, "ab", "cd"), "")
    done = regard("predict", model_folder, "--file", "-", "--from", "2", "--header", stdin="a\tb\n1\tab\n2\tcd\n")
    assert done == (0, lines(model, "ab", "cd"), "")
    (tmp_path / "n.tsv").write_text("ab\tA B\ncd\tC D\n")  # without a header, as many columns as in training
    done = regard("predict", model_folder, "--file", "n.tsv", "--no-header")
    assert done == (0, lines(model, "ab", "cd"), "n.tsv: column 1 (ab) is read (--from 1 to say so)\n")


def test_two_columns(regard, refused, tagged_folder):
    model = load(tagged_folder)
    given = [("kal", "V;PST"), ("gim", "V;PRS")]
    expected = "".join(f"{a}\t{b}\t{model.predict(a, b).text}\n" for a, b in given)
    assert regard("predict", tagged_folder, "kal", "V;PST", "gim", "V;PRS").out == expected
    assert regard("predict", tagged_folder, stdin="tags\tlemma\nV;PST\tkal\nV;PRS\tgim\n").out == expected
    assert refused("predict", tagged_folder, "kal") == (
        "the model reads 2 columns (lemma, tags): give 2 texts for each answer; 1 came"
    )


def test_into_a_file(regard, model, model_folder, tmp_path):
    assert regard("predict", model_folder, "abc", "--out", "a.tsv") == (0, "", "")
    assert (tmp_path / "a.tsv").read_text() == lines(model, "abc")
    regard("predict", model_folder, "d", "--out", "a.tsv")
    assert (tmp_path / "a.tsv").read_text() == lines(model, "d")
    assert os.listdir(tmp_path) == ["a.tsv"]


def test_several_answers(regard, model, model_folder):
    ranked = model.predict("abc", n_best=3)
    expected = "".join(f"abc\t{one.text}\t{rank}\t{one.score:.4f}\n" for rank, one in enumerate(ranked, 1))
    assert regard("predict", model_folder, "abc", "--n-best", 3) == (0, expected, "")
    assert regard("predict", model_folder, "abc", "--set", "n_best=3", "--set", "search.beam=5").out == expected


def test_the_beam(regard, model, model_folder):
    for beam in (1, 2):
        found = json.loads(regard("predict", model_folder, "abcd", "--beam", beam, "--json").out)
        assert found["answers"][0]["score"] == model.predict("abcd", beam=beam).score


def test_samples(regard, model, model_folder):
    words = ("predict", model_folder, "abcd", "--set", "method=sample", "--set", "temperature=3.0")
    (one, *more) = regard(*words).out.splitlines()
    assert (one.count("\t"), more) == (1, [])
    done = regard(*words, "--set", "samples=4", "--set", "seed=2")
    drawn = model.predict("abcd", method="sample", temperature=3.0, samples=4, seed=2)
    assert [line.split("\t")[1] for line in done.out.splitlines()] == [one.text for one in drawn]
    assert done.err == ""


def test_a_setting_without_effect_is_said(regard, model_folder):
    done = regard("predict", model_folder, "a", "--set", "method=greedy", "--beam", 3)
    assert (done.code, done.err) == (0, "has no effect here: beam (method is greedy)\n")


def test_json(regard, model, model_folder):
    done = regard("predict", model_folder, "a\tb\n", 'é"', "--json", "--n-best", 2)
    found = [AnsweredRecord.model_validate_json(line) for line in done.out.splitlines()]
    assert [one.given for one in found] == [{"word": "a\tb\n"}, {"word": 'é"'}]
    assert [one.unknown for one in found] == [{"word": ["\t", "\n"]}, {"word": ["é", '"']}]
    assert done.err == '2 of 2 inputs have symbols that the model does not know: ⇥ ↵ é "\n'
    assert json.loads(regard("predict", model_folder, "ab", "--json").out)["unknown"] == {}
    assert [len(one.answers) for one in found] == [2, 2]
    best = model.predict('é"')
    assert (found[1].answers[0].text, found[1].answers[0].log_prob) == (best.text, pytest.approx(best.log_prob))


def test_an_ensemble_is_a_model(regard, model_folder, other_folder):
    assert regard("combine", model_folder, other_folder, "--out", "both").code == 0
    assert regard("predict", "both", "abc").out == lines(load("both"), "abc")


MISTAKES = {
    "a setting": (["a", "--set", "beem=3"], "configuration, search: unknown key 'beem'; did you mean 'beam'?"),
    "no setting": (["a", "--set", "beam"], "setting 'beam': expected key=value"),
    "a number": (["a", "--set", "beam=x"], "configuration, search.beam: input should be a valid integer"),
    "n-best": (["a", "--n-best", "9"], "n_best is 9, but a beam of 5 finds at most 5"),
    "twice": (["a", "--file", "t.tsv"], "texts came both on the command line and by --file; give one of them"),
    "no file": (["--file", "no.tsv"], "there is no file no.tsv"),
    "no column": (["--file", "t.tsv", "--header"], "t.tsv has no column 'word': known: a, b; --from COLUMN says which"),
    "no table": (["a", "--from", "b"], "--from names a column of a table: give the table by --file"),
    "two columns": (
        ["--file", "t.tsv", "--from", "a", "--from", "b"],
        "the model reads word (1 in all, in this order), but",
    ),
    "no place": (["a", "--out", "/dev/null/where"], "cannot write /dev/null/where: "),
    "a folder": (["a", "--out", "."], "cannot write .: Is a directory"),
    "no device": (["a", "--device", "mps"], "unknown device 'mps'; use cpu, cuda or auto"),
    "half a character": (["a\udcff"], "'a\\udcff', given for 'word', is not text: \\udcff is half of a character"),
}


@pytest.mark.parametrize(("given", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(refused, model_folder, tmp_path, given, said):
    (tmp_path / "t.tsv").write_text("a\tb\n1\t2\n3\t4\n")
    assert refused("predict", model_folder, *given).startswith(said)


def test_input_that_is_not_utf_8(refused, model_folder):
    said = refused("predict", model_folder, stdin=b"ab\n\xff\n")
    assert said.startswith("standard input, line 2: byte 0xff is not UTF-8")


@pytest.mark.parametrize("verb", ["predict", "look"])
def test_nothing_to_answer(refused, model_folder, tmp_path, verb):
    said = "nothing to answer: standard input is empty; give texts after the model, or --file table.tsv"
    assert refused(verb, model_folder) == said
    assert refused(verb, model_folder, "--file", "-", "--out", "x.svg") == said
    assert list(tmp_path.iterdir()) == []


def test_a_person_at_a_terminal_is_told_what_to_type(regard, model, model_folder, tagged_folder, monkeypatch):
    monkeypatch.setattr("io.TextIOWrapper", Terminal)
    for more in ([], ["--file", "-"]):
        done = regard("predict", model_folder, *more, stdin="abc\n")
        assert done == (0, lines(model, "abc"), "type texts, one a line; Ctrl-D ends\n")
    done = regard("predict", tagged_folder, stdin="tags\tlemma\nV;PST\tkal\n")
    assert done.err.startswith("type a table with the columns lemma, tags, parted by tabs; Ctrl-D ends\n")


def test_a_pipe_that_brings_nothing_is_not_waited_for_in_silence(regard, model, model_folder, monkeypatch):
    class Slow(io.TextIOWrapper):
        @property
        def buffer(self):
            sleep(0.3)
            return super().buffer

    monkeypatch.setattr(common, "PATIENCE", 0.05)
    monkeypatch.setattr("io.TextIOWrapper", Slow)
    done = regard("predict", model_folder, stdin="abc\n")
    assert done == (0, lines(model, "abc"), "waiting for texts, one a line, on standard input; Ctrl-C leaves\n")


def test_out_makes_its_folder(regard, model, model_folder, tmp_path):
    assert regard("predict", model_folder, "abc", "--out", "new/er/x.tsv") == (0, "", "")
    assert (tmp_path / "new" / "er" / "x.tsv").read_text() == lines(model, "abc")


def test_mistakes_of_options_name_them(regard, model_folder):
    for words in (["--n-best", "0"], ["--beam", "x"], ["--nbest", "3"]):
        done = regard("predict", model_folder, "a", *words)
        assert (done.code, done.out) == (2, "")
        assert words[0] in done.err
        assert "Traceback" not in done.err
