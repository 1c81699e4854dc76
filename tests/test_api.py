"""Regard from Python: whatever a table comes as, the model is the same; an ensemble's figures by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from safetensors.torch import load_file

import regard
from regard.api import TrainedModel, configure, cross_validate, learning_curve, train_seeds
from regard.batch import START
from regard.data import splits
from regard.data.tables import read
from regard.data.texts import Strings
from regard.errors import RegardError
from regard.model import ModelStepper

WORDS = ["abcd", "b", "", "dcba", "xyz"]


def silent(line):
    pass


def refused(call, *arguments, **more):
    with pytest.raises(RegardError) as error:
        call(*arguments, **more)
    assert "\n" not in str(error.value)
    return str(error.value)


def same_weights(one: Path, other: Path) -> bool:
    first, second = (load_file(folder / "weights.safetensors") for folder in (one, other))
    return first.keys() == second.keys() and all(tensor.equal(second[name]) for name, tensor in first.items())


def answers(model):
    return [(answer.text, answer.log_prob) for answer in model.predict(WORDS)]


@pytest.fixture(scope="module")
def model(model_folder):
    return regard.load(model_folder)


@pytest.fixture(scope="module")
def rows(words):
    lines = words.read_text(encoding="utf-8").splitlines()[1:]
    return [line.split("\t") for line in lines]


@pytest.fixture
def quick(tiny):
    """Where only the road counts."""
    return tiny | {"epochs": 1, "hidden": 8, "embedding": 4, "batch": 32}


# -- tables --------------------------------------------------------------------------------------------------------


def test_the_same_model_whatever_the_table_comes_as(rows, words, quick, tmp_path):
    columns = {"word": [a for a, _ in rows], "sounds": [b for _, b in rows]}
    paths = [tmp_path / f"text.{name}" for name in columns]
    for path, column in zip(paths, columns.values(), strict=True):
        path.write_text("".join(f"{cell}\n" for cell in column), encoding="utf-8")
    tables = [words, str(words), paths, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]
    named = [(str(words),), (str(words),), tuple(map(str, paths)), (), (), ()]
    for at, (table, names) in enumerate(zip(tables, named, strict=True)):
        made = regard.train(table, out=tmp_path / str(at), settings=quick, say=silent)
        assert (made.reads, made.answerer.target.name) == (("word",), "sounds")
        assert made.config.data.table == names
        assert same_weights(tmp_path / str(at), tmp_path / "0"), type(table)


def test_a_dev_table(rows, quick, tmp_path):
    frame = pd.DataFrame(rows, columns=["word", "sounds"])
    said = []
    model = regard.train(frame[:40], dev=frame[40:], settings=quick, say=said.append)
    assert any("40 rows to train on, 10 for dev" in line for line in said)
    assert model.config.data.dev == ()


def test_the_same_as_lines_and_as_a_mapping(words, quick):
    lines = [f"{key}={value}" for key, value in quick.items()]
    assert configure(settings=lines) == configure(settings=quick) == configure(settings=iter(lines))
    made = configure(
        settings={"score": {"type": "mlp", "layers": 3}, "own": 0.5, "two_way": False, "freeze": ["encoder"]}
    )
    assert (made.looks["source"].score.layers, made.training.own) == (3, 0.5)
    assert (made.encoders["source"].two_way, made.training.freeze) == (False, ("encoder",))


def test_settings_that_are_none():
    assert refused(configure, settings={"minutes": None}).startswith("settings, minutes: a configuration holds no None")
    assert refused(configure, settings={"epoch": 3}) == "setting 'epoch': no such setting; did you mean 'epochs'?"


def test_what_is_said_of_the_table_is_laid_over_the_recipe(tmp_path):
    recipe = tmp_path / "mine.toml"
    recipe.write_text("[data]\ntarget = 'x'\n[data.columns.y]\nsize = 99\n", encoding="utf-8")
    made = configure(str(recipe), table="t.tsv", target="y", source="a", features=["b", "c"], where={"d": "1"},
                     header=False, units={"y": "subword"})  # fmt: skip
    data = made.data
    assert (data.target, data.sources, data.features, data.where, data.header) == (
        "y", ("a",), ("b", "c"), {"d": "1"}, False,
    )  # fmt: skip
    assert (data.columns["y"].size, data.columns["y"].unit) == (99, "subword")
    assert data.table == (str(Path("t.tsv").absolute()),)
    assert (configure(str(recipe)).data.target, made.recipe) == ("x", "mine")


def test_what_has_no_effect_is_said():
    said = []
    configure(settings=["momentum=0.5"], say=said.append)
    assert said == ['has no effect here: training.momentum (only optimiser = "sgd" has it)']


def test_a_configuration_trains_the_same_again(model_folder, tmp_path):
    """As the documentation promises: `--recipe model/config.toml`."""
    table = regard.load(model_folder).config.data.table[0]
    regard.train(table, out=tmp_path / "again", recipe=str(model_folder / "config.toml"), say=silent)
    assert same_weights(tmp_path / "again", model_folder)


@pytest.mark.parametrize("table", [3, {"a": ["b"]}, [], None])
def test_what_is_no_table(table, quick):
    assert "table" in refused(regard.train, table, settings=quick, say=silent)


def test_nothing_is_written_over(model, model_folder, words, quick):
    for call in (
        lambda: regard.train(words, out=model_folder, settings=quick),
        lambda: train_seeds(words, 2, out=model_folder, settings=quick),
        lambda: regard.combine([model_folder], model_folder),
        lambda: model.save(model_folder),
    ):
        assert refused(call).startswith(f"{model_folder} exists and is not empty")


# -- answers -------------------------------------------------------------------------------------------------------


def test_one_and_many(model):
    one = model.predict("abc")
    (many,) = model.predict(["abc"])
    assert (one.text, one.log_prob) == (many.text, many.log_prob)
    assert [answer.given for answer in model.predict(("a", "b"))] == [{"word": "a"}, {"word": "b"}]
    assert [answer.given for answer in model.predict(pd.Series(["a", "b"]))] == [{"word": "a"}, {"word": "b"}]


def test_several_answers(model):
    best = model.predict("abc", n_best=3)
    assert len(best) == 3
    assert [len(ranked) for ranked in model.predict(["abc", "a"], n_best=2)] == [2, 2]
    assert len(model.predict("abc", method="sample", samples=4)) == 4
    assert model.predict("abc", method="sample").text is not None


def test_settings_of_a_search(model):
    assert model.settings(beam=2).beam == 2
    assert model.settings().beam == model.config.search.beam == 5
    assert refused(model.predict, "a", beem=3) == "configuration, search: unknown key 'beem'; did you mean 'beam'?"
    assert "a beam of 2 finds at most 2" in refused(model.predict, "a", beam=2, n_best=3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "the model reads word (1 in all), but 0 were given"),
        (("a", "b"), "the model reads word (1 in all), but 2 were given"),
        ((3,), "a text was expected, not 3 (int)"),
        ((None,), "a text was expected, not None (NoneType)"),
        ((["a", 4.5],), "a text was expected, not 4.5 (float)"),
    ],
)
def test_what_cannot_be_asked(model, given, said):
    assert refused(model.predict, *given) == said


def test_answers_print_in_a_line(model, tagged_folder):
    answer = model.predict("abc")
    assert repr(answer) == f"<Answer word='abc' → {answer.text!r}, log P {answer.log_prob:.4f}>"
    tokens = len(answer.hypothesis.tokens)
    assert repr(answer.hypothesis) == f"<Hypothesis {tokens} tokens, log P {answer.log_prob:.4f}>"
    cut = model.predict("abc", longest=1).hypothesis
    assert cut.ended == (", cut off" not in repr(cut))
    assert repr(regard.load(tagged_folder).predict("kal", "V")).startswith("<Answer lemma='kal' tags='V' → '")


def test_two_columns(tagged_folder):
    model = regard.load(tagged_folder)
    assert model.reads == ("lemma", "tags")
    one = model.predict("kal", "V;PST")
    assert one.given == {"lemma": "kal", "tags": "V;PST"}
    many = model.predict(["kal", "gim"], ["V;PST", "V;PRS"])
    assert [answer.given["tags"] for answer in many] == ["V;PST", "V;PRS"]
    assert (many[0].text, many[0].log_prob) == (one.text, pytest.approx(one.log_prob, abs=1e-5))
    (gaze,) = model.look("kal", "V;PST").gazes
    found = [(place.column, place.text) for place in gaze.places]
    assert found == [("lemma", "k"), ("lemma", "a"), ("lemma", "l"), ("tags", "V"), ("tags", "PST")]
    assert refused(model.predict, "kal") == "the model reads lemma and tags (2 in all), but 1 were given"
    assert refused(model.predict, ["a"], ["b", "c"]) == "each column needs as many texts, but 1 and 2 came"
    assert repr(model) == f"<TrainedModel lemma + tags → form, {tagged_folder}>"


def test_a_language_model(rows, quick):
    model = regard.train(pd.DataFrame({"text": [a for a, _ in rows]}), recipe="language-model",
                         settings={k: v for k, v in quick.items() if k != "score.width"}, say=silent)  # fmt: skip
    assert model.reads == ()
    assert model.predict().given == {}
    assert len(model.predict(method="sample", samples=3)) == 3
    assert refused(model.predict, "a") == "the model reads nothing (0 in all), but 1 were given"
    assert refused(model.evaluate, pd.DataFrame({"text": ["a"]})).startswith("a language model is asked nothing")
    assert model.look().gazes == ()


# -- save and load -------------------------------------------------------------------------------------------------


def test_saved_and_loaded_it_answers_the_same(model, tmp_path):
    place = model.save(tmp_path / "a" / "b")
    assert place == tmp_path / "a" / "b"
    assert answers(regard.load(place)) == answers(model)
    assert answers(regard.load(str(place))) == answers(model)
    assert sorted(path.name for path in place.iterdir()) == sorted(path.name for path in model.folder.iterdir())


def test_without_a_folder_the_model_lives_until_it_is_saved(words, quick, tmp_path):
    model = regard.train(words, settings=quick, say=silent)
    assert model.folder.is_dir()
    assert answers(regard.load(model.save(tmp_path / "m"))) == answers(model)


def test_a_temporary_folder_outlives_its_model_and_goes_with_the_program(words, quick, monkeypatch):
    at_exit = []
    monkeypatch.setattr("atexit.register", lambda *call, **more: at_exit.append((call, more)))
    folder = regard.train(words, settings=quick, say=silent).folder
    assert regard.load(folder).reads == ("word",)
    for (call, *arguments), more in at_exit:
        call(*arguments, **more)
    assert not folder.exists()


def test_no_such_device(model_folder):
    assert refused(regard.load, model_folder, device="mps") == "unknown device 'mps'; use cpu, cuda or auto"


# -- ensembles -----------------------------------------------------------------------------------------------------


def first_step(answerer, word):
    """The probabilities of the first symbol, and where was looked for it."""
    from regard.data.examples import Cells, collate

    batch = collate({"word": Cells.of([answerer.columns["word"].encode_ids([word])])}, np.zeros(1, np.int64))
    stepper = ModelStepper(*answerer.models)
    fixed, moving = stepper.start(batch, 1)
    step = stepper.advance(fixed, moving, np.array([[START]]), np.array([[0]]), 8)
    probabilities = np.zeros(8)
    probabilities[step.ids[0, 0]] = np.exp(step.log_probs[0, 0])
    return probabilities, step.glances["source"].weights[0, 0]


def test_an_ensemble_averages_probabilities(model_folder, other_folder, tmp_path):
    one, other = regard.load(model_folder), regard.load(other_folder)
    both = regard.combine([model_folder, str(other_folder)], tmp_path / "both")
    assert len(both.answerer.models) == 2
    for word in WORDS[:2]:
        parts = [first_step(each.answerer, word) for each in (one, other)]
        found = first_step(both.answerer, word)
        for by_hand, figure in zip(zip(*parts, strict=True), found, strict=True):
            np.testing.assert_allclose(figure, np.mean(by_hand, axis=0), atol=1e-6)
        assert np.abs(parts[0][0] - parts[1][0]).max() > 0.01
    answer = both.predict("abcd")
    first = first_step(both.answerer, "abcd")[0][answer.hypothesis.tokens[0]]
    assert np.exp(answer.hypothesis.log_probs[0]) == pytest.approx(first, abs=1e-5)
    assert answers(regard.load(both.save(tmp_path / "copy"))) == answers(both)


def test_seeds(words, quick, tmp_path):
    told, said = [], []
    settings = (f"{key}={value}" for key, value in quick.items())  # read once only
    both = train_seeds(words, 2, out=tmp_path / "both", settings=settings, tell=told.append, say=said.append)
    assert [event["what"] for event in told if event["event"] == "part"] == ["seed 1 of 2", "seed 2 of 2"]
    assert len([line for line in said if "rows to train on" in line]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["both"]
    for seed in (1, 2):
        alone = regard.train(words, out=tmp_path / str(seed), settings=quick | {"seed": seed}, say=silent)
        assert same_weights(alone.folder, tmp_path / "both" / "members" / str(seed))
    assert not same_weights(tmp_path / "1", tmp_path / "2")
    assert {model.config.decoder.hidden for model in both.answerer.models} == {8}


# -- measuring -----------------------------------------------------------------------------------------------------


def test_several_references_a_source(model):
    right = model.predict("abcd").text
    table = pd.DataFrame({"word": ["abcd", "abcd", "b"], "sounds": ["D D D D D D", right, "C C C C C C"]})
    found = model.evaluate(table, say=silent)
    assert (found.counts.examples, found.counts.references, found.counts.right) == (2, 3, 1)
    assert (found.accuracy, found.word_error_rate) == (50.0, 50.0)
    assert model.evaluate(table[1:], say=silent).counts.references == 2


def test_rows_that_cannot_be_measured_are_left_out_and_said(model):
    table = pd.DataFrame({"word": ["a", " ", "b"], "sounds": ["A", "B", ""]})
    said = []
    assert model.evaluate(table, say=said.append).counts.examples == 1
    assert said == ["2 rows left out that have nothing to read or to write"]
    assert refused(model.evaluate, table[1:]) == (
        "there is nothing to measure: no row has something both to read and to write"
    )


def test_a_search_that_is_measured(model, words):
    assert model.evaluate(words, say=silent) == model.evaluate(words, beam=5, say=silent)
    assert model.evaluate(words, method="sample", temperature=9.0, say=silent).word_error_rate > 50


def test_columns_are_found_by_name(model, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sounds,other,word,split\nA B,x,ab,dev\nC,x,c,test\n", encoding="utf-8")
    assert model.texts(path, ("word", "sounds")) == {"word": ["ab", "c"], "sounds": ["A B", "C"]}
    assert model.texts(path, ("word",), where={"split": "test"}) == {"word": ["c"]}
    assert refused(model.texts, path, ("wort",)) == (
        f"{path} has no column 'wort': did you mean 'word'?; --from COLUMN says which"
    )


def test_a_single_column_is_the_one_that_is_needed(model, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("ab\ncd\n", encoding="utf-8")
    assert model.texts(path, ("word",)) == {"word": ["ab", "cd"]}
    assert model.texts(path, ("word",), header=True) == {"word": ["cd"]}


def test_a_model_without_names_takes_columns_by_number(rows, quick, tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    model = regard.train(path, header=False, settings=quick, say=silent)
    assert model.reads == ("1",)
    named = pd.DataFrame(rows, columns=["word", "sounds"])
    assert model.evaluate(named, say=silent) == model.evaluate(path, header=False, say=silent)


def test_a_dataframe_whose_columns_are_called_otherwise(model, rows):
    frame = pd.DataFrame([(b, a) for a, b in rows], columns=["son", "mot"])
    said = []
    found = model.evaluate(frame, source="mot", target="son", say=said.append)
    assert said == []
    assert found == model.evaluate(pd.DataFrame(rows, columns=["word", "sounds"]), say=silent)
    assert model.texts(frame, ("word",), source="mot") == {"word": [a for a, _ in rows]}
    assert refused(model.evaluate, frame, source=["son", "mot"]).startswith("the model reads word (1 in all,")


def test_what_is_not_known_is_said_of_a_table_and_stands_in_answers(model):
    said = []
    found = model.evaluate(pd.DataFrame({"word": ["AB", "ab"], "sounds": ["A B", "A B"]}), say=said.append)
    assert said == [
        "1 of 2 inputs have symbols that the model does not know: A B (all: regard inspect TABLE --model MODEL)"
    ]
    assert (found.unknown.examples, found.unknown.symbols) == (1, ["A", "B"])
    assert model.predict("aΩ").unknown == {"word": ["Ω"]}
    assert model.predict("ab").unknown == {}


def test_a_metric_that_is_none_is_told_before_anything_is_read(model, tmp_path):
    assert refused(model.evaluate, tmp_path / "no.tsv", also=["bluu"]).startswith("unknown metric 'bluu'")


def test_cross_validation_measures_each_row_once(words, quick):
    told = []
    reports = cross_validate(words, 3, settings=quick, say=silent, tell=told.append)
    assert sum(report.counts.examples for report in reports) == 50
    table = read(words)
    keys = [Strings(table.arrow.column("word"))]
    assert [report.counts.examples for report in reports] == [len(held) for _, held in splits.folds(keys, 3, 0)]
    assert [event["what"] for event in told if event["event"] == "part"] == [f"fold {n} of 3" for n in (1, 2, 3)]


def test_a_fold_is_measured_by_a_model_that_has_not_seen_it(words, quick, tmp_path):
    table = read(words)
    (kept, held), _ = splits.folds([Strings(table.arrow.column("word"))], 2, 0)
    alone = regard.train(table.arrow.take(pa.array(kept)), settings=quick, say=silent)
    by_hand = alone.evaluate(table.arrow.take(pa.array(held)), say=silent)
    assert cross_validate(words, 2, settings=quick, say=silent)[0] == by_hand


def test_a_learning_curve(words, quick):
    said = []
    found = learning_curve(words, 2, settings=quick, say=said.append)
    assert [point.rows for point in found.points] == [45 >> 2, 45 >> 1, 45]
    assert len([line for line in said if "is read" in line]) == 1
    assert refused(learning_curve, words, 6, settings=quick, say=silent) == (
        "45 rows cannot be halved 6 times; ask for fewer halvings"
    )


def test_the_whole_of_the_curve_is_the_training_itself(words, rows, quick):
    frame = pd.DataFrame(rows, columns=["word", "sounds"])
    train, dev = frame[:40], frame[40:]
    found = learning_curve(train, 1, dev=dev, settings=quick, say=silent)
    model = regard.train(train, dev=dev, settings=quick, say=silent)
    by_hand = model.evaluate(dev, say=silent)
    last = found.points[-1]
    assert (last.rows, last.word_error_rate, last.symbol_error_rate) == (
        40, by_hand.word_error_rate, by_hand.symbol_error_rate,
    )  # fmt: skip


# -- what is said --------------------------------------------------------------------------------------------------


def epochs(lines):
    return [line.split()[1] for line in lines if line.startswith("epoch ")]


def test_a_training_says_how_it_goes(words, quick, capsys):
    regard.train(words, settings=quick | {"epochs": 2})
    first, *_, before, after, last = capsys.readouterr().out.splitlines()
    assert "header" in first
    assert [one.split()[:4] for one in (before, after)] == [["epoch", n, "train", "loss"] for n in "12"]
    assert last.startswith("best: epoch ")
    regard.train(words, settings=quick, say=silent)
    regard.train(words, settings=quick, say=silent, tell=silent)
    assert capsys.readouterr() == ("", "")


def test_who_is_told_says_it_himself(words, quick):
    said, told = [], []
    regard.train(words, settings=quick, say=said.append, tell=told.append)
    assert not epochs(said)
    assert [event["event"] for event in told if event["event"] != "update"] == ["epoch", "done"]


def test_parts_of_a_longer_work_say_how_they_go(words, quick, tmp_path):
    said = []
    train_seeds(words, 2, out=tmp_path / "m", settings=quick, say=said.append)
    parts = [line for line in said if line.startswith(("seed ", "epoch "))]
    assert [line.split()[0] for line in parts] == ["seed", "epoch"] * 2
    for work, name in ((cross_validate, "fold"), (learning_curve, None)):
        said.clear()
        work(words, 2, settings=quick, say=said.append)
        assert epochs(said) == ["1"] * (2 if name else 3)
        assert len([line for line in said if line.startswith(name or "45 rows")]) == (2 if name else 1)


def test_mistakes_are_told_in_python(model_folder, tmp_path):
    three = pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "c": ["r", "s"]})
    said = [
        refused(regard.train, three, say=silent),
        refused(regard.train, three, source="a", say=silent),
        refused(regard.train, three, source="a", target="a", say=silent),
        refused(regard.train, three[["a"]], recipe="language-model", source="a", say=silent),
        refused(regard.train, pd.DataFrame({"a": ["x", "x"], "b": ["u", "v"]}), say=silent),
        refused(regard.load(model_folder).save, model_folder),
    ]
    assert "say source='a' and target='b', source='a' and target='c', " in said[0]
    assert "say target='b' or target='c'" in said[1]
    assert "asked for twice, by source and by target" in said[2]
    assert said[3] == "a language model reads no column: leave out source"
    assert said[4].endswith("give other rows with dev=…")
    assert said[-1].endswith(f"or go on with regard.go_on('{model_folder}')")
    assert not [one for one in said if "--" in one]


# -- the package ---------------------------------------------------------------------------------------------------


def test_names():
    assert set(regard.__all__) <= set(dir(regard))
    assert regard.TrainedModel is TrainedModel
    with pytest.raises(AttributeError, match="module 'regard' has no attribute 'trane'"):
        _ = regard.trane


def test_going_on_with_what_is_finished(model_folder):
    assert refused(regard.go_on, model_folder) == (
        f"{model_folder} has finished training: there is nothing to go on with; "
        "to train for longer, train anew with more epochs"
    )
