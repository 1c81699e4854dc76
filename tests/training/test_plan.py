"""From a table to a plan: nothing stays open, everything left out is said, every mistake is one line."""

import gzip

import numpy as np
import pyarrow as pa
import pytest
import torch

from regard.batch import UNKNOWN
from regard.config import compose
from regard.data.tables import read
from regard.errors import RegardError
from regard.training import plan as module
from regard.training.plan import make_plan, read_tables

FIXED = ["hidden=8", "embedding=4", "threads=1", "precision=float32", "training.device=cpu"]


def planned(table, *settings, dev=None, say=lambda line: None, columns=None, **recipe):
    return make_plan(compose(recipe, [*FIXED, *settings]), read(table), dev and read(dev), say, columns)


def refused(table, *settings, dev=None, **recipe):
    with pytest.raises(RegardError) as error:
        planned(table, *settings, dev=dev, **recipe)
    return str(error.value)


def write(path, *rows):
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rows_of(examples, column, name):
    """The cells of a part, read back from its ids."""
    cells = examples.cells[name]
    return [column.decode(cells.ids[start:end]) for start, end in zip(cells.starts, cells.starts[1:], strict=False)]


# -- nothing stays open --------------------------------------------------------------------------------------------


def test_everything_left_open_is_written(toy, monkeypatch):
    monkeypatch.setattr(module, "choose_device", lambda name: torch.device("cpu"))
    monkeypatch.setattr(module, "choose_threads", lambda most: 3)
    monkeypatch.setattr(module, "choose_precision", lambda device: "bfloat16")
    plan = make_plan(compose({}), toy.table(), None, toy.silent)
    training, data = plan.config.training, plan.config.data
    assert (training.epochs, training.batch, training.metric) == (100, 32, "word_error_rate")  # of 35 rows
    assert (training.device, training.threads, training.precision) == ("cpu", 3, "bfloat16")
    assert (data.sources, data.features, data.target, data.weight) == (("source",), (), "target", None)
    assert {name: (one.unit, one.decompose) for name, one in data.columns.items()} == {
        "source": ("character", False), "target": ("character", False),
    }  # fmt: skip
    assert plan.config.encoders["source"].reads == ("source",)
    assert plan.config.decoder.writes == "target"


def test_what_is_copied_is_written_and_pointed_at():
    table = pa.table({"said": ["saw Ann"] * 9 + ["saw Bob"], "reply": ["met Ann"] * 9 + ["met Bob"]})
    units = ["data.columns.said.unit=word", "data.columns.reply.unit=word"]
    plans = {name: planned(table, *units, f"emission={name}", dev=table) for name in ("copying", "linear")}
    assert plans["copying"].config.decoder.emission.column == "said"
    size, bob = plans["copying"].columns["reply"].size, {}
    for name, plan in plans.items():
        assert [batch.columns["reply"].ids.shape for batch in plan.dev.ordered(1e9)] == [(10, 3)]
        bob[name] = [part.cells["reply"].ids[-2] for part in (plan.train, plan.dev)]
        assert (plan.train.cells["said"].copies is not None) == (name == "copying")
    assert bob == {"copying": [size + 1] * 2, "linear": [UNKNOWN] * 2}
    assert plans["copying"].fingerprint != plans["linear"].fingerprint


def test_another_column_that_is_copied_stays():
    table = pa.table({"lemma": ["ab", "cd"] * 5, "tags": ["A;B", "B;A"] * 5, "form": ["ba", "dc"] * 5})
    options = {"data": {"sources": ["lemma"], "features": ["tags"], "target": "form"}}
    plan = planned(table, "emission=copying", "emission.column=tags", dev=table, **options)
    assert plan.config.decoder.emission.column == "tags"
    assert [name for name, cells in plan.train.cells.items() if cells.copies is not None] == ["tags"]


def test_what_was_asked_for_stays(toy, monkeypatch):
    for name in ("choose_threads", "choose_precision"):
        monkeypatch.setattr(module, name, lambda *given: pytest.fail("nothing was left to look for"))
    plan = planned(toy.rows(), "epochs=7", "batch=5", "metric=chrf", "threads=2",
                   "data.columns.source.unit=word", "data.columns.2.decompose=true")  # fmt: skip
    training, columns = plan.config.training, plan.config.data.columns
    assert (training.epochs, training.batch, training.metric, training.threads) == (7, 5, "chrf", 2)
    assert columns["source"].unit == "word"
    assert columns["target"].decompose is True  # asked for by number
    assert set(columns) == {"source", "target"}


def test_a_gpu_needs_one_thread_and_keeps_its_number(toy, monkeypatch):
    monkeypatch.setattr(module, "choose_device", lambda name: torch.device(name))
    monkeypatch.setattr(module, "choose_threads", lambda most: pytest.fail("of no use on a GPU"))
    config = compose({}, ["training.device=cuda:1", "precision=float32"])
    training = make_plan(config, toy.table(), None, toy.silent).config.training
    assert (training.device, training.threads) == ("cuda:1", 1)


def test_sentences_are_measured_by_bleu(toy):
    plan = planned(toy.rows(), "data.columns.target.unit=word")
    assert plan.config.training.metric == "bleu"


def test_what_is_written_makes_the_same_plan_again(toy):
    plan = planned(toy.rows())
    again = make_plan(plan.config, toy.table(), None, toy.silent)
    assert again.config == plan.config
    assert again.fingerprint == plan.fingerprint


def test_tags_keep_their_separators_and_features_are_read():
    table = {"lemma": ["go", "run", "see"] * 4, "tags": ["V;PST", "V;PRS", "N;SG"] * 4, "form": ["a", "b", "c"] * 4}
    plan = planned(pa.table(table))
    assert plan.config.data.features == ("tags",)
    assert plan.config.data.columns["tags"].unit == "tags"
    assert ";" in plan.config.data.columns["tags"].separators
    assert plan.config.encoders["source"].reads == ("lemma", "tags")
    assert plan.questions.given.keys() == {"lemma", "tags"}


def test_a_language_model_reads_nothing():
    plan = planned(pa.table({"word": [f"w{n}" for n in range(20)]}), "conditioning=none")
    assert (plan.config.data.sources, plan.config.data.target) == ((), "word")
    assert list(plan.columns) == ["word"]
    assert (len(plan.train), len(plan.dev)) == (18, 2)
    assert plan.questions.given == {}


def test_the_width_of_pretrained_vectors_comes_from_their_file(toy, tmp_path):
    with gzip.open(tmp_path / "vectors.gz", "wt") as file:
        file.write("a 1 2 3\nb 4 5 6\n")
    plan = planned(toy.rows(), f'decoder.embedding={{file="{tmp_path}/vectors.gz"}}')
    assert plan.config.decoder.embedding.width == 3
    assert plan.config.encoders["source"].embedding.width == 4


# -- the two parts -------------------------------------------------------------------------------------------------


def test_a_share_is_held_out_and_nothing_stands_on_both_sides(toy):
    said = []
    plan = planned(toy.rows([*toy.words, *toy.words]), "data.dev_share=0.25", say=said.append)
    train, dev = (rows_of(part, plan.columns["source"], "source") for part in (plan.train, plan.dev))
    assert sorted(train + dev) == sorted(toy.words * 2)
    assert not set(train) & set(dev)
    assert len(dev) == pytest.approx(0.25 * 78, abs=2)
    assert f"{len(train)} rows to train on, {len(dev)} held out for dev" in said
    assert plan.questions.given["source"] == list(dict.fromkeys(dev))
    assert plan.questions.references == [[word[::-1]] for word in plan.questions.given["source"]]


def test_the_seed_of_the_split(toy):
    parts = [rows_of(planned(toy.rows(), f"data.dev_seed={seed}").dev, toy.plan().columns["source"], "source")
             for seed in (0, 0, 1)]  # fmt: skip
    assert parts[0] == parts[1] != parts[2]


def test_a_dev_part_of_its_own(toy):
    said = []
    plan = planned(toy.rows(), dev=toy.rows(["abc", "ccc"]), say=said.append)
    assert (len(plan.train), len(plan.dev)) == (39, 2)
    assert plan.questions.given == {"source": ["abc", "ccc"]}
    assert plan.questions.references == [["cba"], ["ccc"]]
    assert "39 rows to train on, 2 for dev from the table given" in said


def test_what_dev_alone_has_is_unknown(toy):
    plan = planned(toy.rows(), dev=toy.rows(["axb"]))
    assert plan.columns["source"].size == 3 + 4
    assert plan.dev.cells["source"].ids.tolist().count(3) == 1


def test_a_dev_part_without_a_column_that_is_needed(toy):
    said = refused(toy.rows(), dev=pa.table({"source": ["a"], "sound": ["b"], "more": ["c"]}))
    assert said == "the table given has no column 'target': known: more, sound, source"


def test_one_source_only_cannot_be_parted():
    said = refused(pa.table({"source": ["a"] * 5, "target": ["b"] * 5}), "data.sources=source", "data.target=target")
    assert said == "all rows have the same source, so none can be held out; give other rows with dev=…"


def test_columns_of_a_run_that_goes_on(toy):
    columns = toy.plan().columns
    plan = planned(toy.rows(["ab", "ba", "abab"]), columns=columns)
    assert plan.columns is columns
    assert plan.config.data.columns["source"].unit == "character"


# -- rows left out -------------------------------------------------------------------------------------------------


def test_rows_left_out_are_said_with_their_place(tmp_path):
    rows = [(word, word) for word in ("ab", "ba", "aab", "abb", "bab", "bba")]
    table = write(tmp_path / "words.tsv", ("source", "target"), *rows, ("", "a"), (" ", "b"), ("a", ""))
    dev = write(tmp_path / "dev.tsv", ("source", "target"), ("bb", "bb"), ("aa", " "))
    said = []
    plan = planned(table, dev=dev, say=said.append)
    assert f"2 rows left out that have nothing to read; the first: {table}, line 8" in said
    assert f"1 rows left out that have nothing to write; the first: {table}, line 10" in said
    assert f"1 rows left out that have nothing to write; the first: {dev}, line 3" in said
    assert f"6 rows to train on, 1 for dev from {dev}" in said
    assert rows_of(plan.train, plan.columns["source"], "source") == [source for source, _ in rows]


def test_no_row_is_left():
    said = refused(pa.table({"source": ["a", ""], "target": ["", "b"]}), "data.sources=source", "data.target=target")
    assert said == "the table given: no row has something both to read and to write"


# -- weights -------------------------------------------------------------------------------------------------------


def weighed(toy, weights, *settings, **more):
    return planned(toy.rows(count=weights), "data.weight=count", *settings, **more)


def test_weights(toy):
    counts = [str(number % 3) for number in range(39)]
    plan = weighed(toy, counts)
    by_word = dict(zip(toy.words, map(float, counts), strict=True))
    for part in (plan.train, plan.dev):
        words = rows_of(part, plan.columns["source"], "source")
        assert part.weights.tolist() == [by_word[word] for word in words]
    assert plan.config.data.weight == "count"


def test_a_dev_part_may_have_none(toy):
    plan = weighed(toy, ["2"] * 39, dev=toy.rows(["abc"]))
    assert plan.train.weights.tolist() == [2.0] * 39
    assert plan.dev.weights is None


@pytest.mark.parametrize("text", ["many", "-1", "nan", "inf", "", "1,5"])
def test_a_weight_that_is_none(tmp_path, text):
    rows = [(word, word, "1") for word in ("ab", "ba", "aab", "abb")]
    table = write(tmp_path / "words.tsv", ("source", "target", "count"), *rows, ("bab", "bab", text))
    said = refused(table, "data.weight=count", dev=table)
    assert said == f"{table}, line 6: the weight {text!r} in column 'count' is not a number from 0 on"


def test_all_weights_are_zero(toy):
    said = refused(toy.rows(count=["0"] * 39), "data.weight=count")
    assert said == "the table given: all 35 rows to train on have the weight 0 in column 'count'"
    dev = toy.rows(["abc", "cba"], count=["0", "0.0"])
    said = refused(toy.rows(count=["1"] * 39), "data.weight=count", dev=dev)
    assert said == "the table given: all 2 rows for dev have the weight 0 in column 'count'"


# -- what would otherwise go wrong only at the end -----------------------------------------------------------------


def test_nothing_left_to_train(toy):
    said = refused(toy.rows(), 'freeze=["decoder", "encoder"]')
    assert said == "training.freeze names the encoder and the decoder: nothing would be left to train"
    said = refused(pa.table({"word": toy.words}), "conditioning=none", "freeze=decoder")
    assert said == "training.freeze names the decoder: nothing would be left to train"
    planned(toy.rows(), "freeze=decoder")


def test_a_metric_that_nobody_has(toy):
    assert refused(toy.rows(), "metric=blue") == "unknown metric 'blue'; did you mean 'bleu'?"


def test_a_search_that_cannot_be(toy):
    said = refused(toy.rows(), "beam=2", "n_best=3")
    assert "n_best" in said
    assert "beam" in said


def test_several_encoders_say_what_each_reads(toy):
    table = toy.rows(more=[word.upper() for word in toy.words])
    encoders = {"left": {"reads": ["source"]}, "right": {}}
    settings = ['data.sources=["source", "more"]', "data.target=target"]
    assert refused(table, *settings, encoders=encoders) == (
        "encoders.right.reads is empty: with several encoders, say which columns each reads, of source, more"
    )
    plan = planned(table, *settings, encoders=encoders | {"right": {"reads": ["more"]}})
    assert [part.reads for part in plan.config.encoders.values()] == [("source",), ("more",)]


def test_a_column_that_is_not_there(toy):
    said = refused(toy.rows(), "data.columns.sorce.unit=word")
    assert said == "the table given has no column 'sorce': did you mean 'source'?"


# -- the fingerprint -----------------------------------------------------------------------------------------------


def test_the_fingerprint_is_of_the_rows_and_their_weights(toy):
    held = toy.rows(["abc"])
    columns = toy.plan().columns

    def fingerprint(table, *settings):
        return planned(table, *settings, dev=held, columns=columns).fingerprint

    plain = fingerprint(toy.rows())
    assert fingerprint(toy.rows()) == plain
    others = [
        fingerprint(toy.rows(toy.words[:-1])),
        fingerprint(toy.rows(toy.words[::-1])),
        fingerprint(pa.table({"source": toy.words, "target": [*(word[::-1] for word in toy.words[:-1]), "b"]})),
        fingerprint(pa.table({"source": toy.words, "target": toy.words})),
        fingerprint(toy.rows(count=["1"] * 38 + ["2"]), "data.weight=count"),
        fingerprint(toy.rows(count=["1"] * 39), "data.weight=count"),
        fingerprint(pa.table({"source": ["ab", "c"], "target": ["a", "a"]})),
        fingerprint(pa.table({"source": ["a", "bc"], "target": ["a", "a"]})),  # the same letters in a row
    ]
    assert len({plain, *others}) == len(others) + 1
    assert planned(toy.rows(), dev=toy.rows(["cab"]), columns=columns).fingerprint == plain  # dev teaches nothing


# -- which tables --------------------------------------------------------------------------------------------------


def tables(given=None, held=None, say=lambda line: None, **data):
    return read_tables(compose({"data": data}), say, given, held)


def test_a_single_column_is_refused_before_anything_is_learnt(tmp_path):
    begins = "has a single column, and something to read and something to write are needed"
    model = " (a model that reads nothing: --recipe language-model)"
    table = write(tmp_path / "t.tsv", ["house"], ["mouse"])
    said = []
    with pytest.raises(RegardError) as error:
        planned(table, say=said.append)
    assert str(error.value) == f"{table} {begins}{model}"
    assert said == []
    assert refused(pa.table({"word": ["a", "b"]})) == f"the table given {begins}{model}"
    for rows in (["word,ipa", "cat,k"], ['"word";"ipa"', '"cat";"k"']):
        table = write(tmp_path / "t.tsv", *([row] for row in rows))
        assert refused(table) == f"{table} {begins}; it looks like CSV: rename it to .csv{model}"


def test_the_columns_of_the_table_are_remembered(tmp_path):
    table = write(tmp_path / "t.tsv", ["id", "ipa", "word"], *([f"x{at}", f"p {at}", f"w{at}"] for at in range(30)))
    data = planned(table, data={"sources": ["word"], "target": "ipa", "names": ["old"]}).config.data
    assert (data.names, data.sources, data.target) == (("id", "ipa", "word"), ("word",), "ipa")


def test_the_tables_that_the_configuration_names(tmp_path):
    table = write(tmp_path / "words.tsv", ("source", "target"), ("a", "b"), ("c", "d"))
    dev = write(tmp_path / "dev.tsv", ("source", "target"), ("e", "f"))
    first, second = tables(table=[str(table)])
    assert (first.arrow.to_pylist()[1], second) == ({"source": "c", "target": "d"}, None)
    first, second = tables(table=[str(table)], dev=[str(dev)])
    assert (len(first), second.arrow.to_pylist()) == (2, [{"source": "e", "target": "f"}])
    first, second = tables(table=[str(table)], dev=[str(table)], where={"source": "a"})
    assert (len(first), len(second)) == (1, 1)


def test_dataframes_in_their_place(toy):
    first, second = tables(toy.rows(), toy.rows(["ab"]), table=["not-there.tsv"])
    assert (len(first), len(second)) == (39, 1)


def test_a_dataframe_that_is_not_given_again():
    with pytest.raises(RegardError) as error:
        tables()
    assert str(error.value) == "the table of this run was not a file; give it again to go on"


def test_parallel_files_with_other_names(tmp_path):
    paths = {}
    for name, content in {"train.en": "one\ntwo\n", "train.de": "eins\nzwei\n", "dev-en.txt": "three\n",
                          "dev-de.txt": "drei\n"}.items():  # fmt: skip
        paths[name] = tmp_path / name
        paths[name].write_text(content)
    first, second = tables(table=[str(paths["train.en"]), str(paths["train.de"])],
                           dev=[str(paths["dev-en.txt"]), str(paths["dev-de.txt"])])  # fmt: skip
    assert first.names == second.names == ["en", "de"]
    assert second.arrow.to_pylist() == [{"en": "three", "de": "drei"}]
    assert second.place(0) == f"{paths['dev-en.txt']} + {paths['dev-de.txt']}, line 1"


def test_names_are_not_put_over_columns_in_another_order(tmp_path):
    table = write(tmp_path / "words.tsv", ("source", "target"), ("a", "b"), ("c", "d"))
    dev = write(tmp_path / "dev.tsv", ("target", "sauce"), ("e", "f"))
    assert tables(table=[str(table)], dev=[str(dev)], header=True)[1].names == ["target", "sauce"]
    swapped = write(tmp_path / "swapped.tsv", ("target", "source"), ("e", "f"))
    _, second = tables(table=[str(table)], dev=[str(swapped)], header=True)
    assert second.arrow.to_pylist() == [{"target": "e", "source": "f"}]


def test_a_dev_file_of_a_table_without_a_header_has_none_either(tmp_path):
    table = write(tmp_path / "words.tsv", ("ab", "b a"), ("ba", "a b"), ("aa", "a a"))
    dev = write(tmp_path / "dev.tsv", ("source", "target"), ("bb", "b b"), ("bba", "a b b"))
    first, second = tables(table=[str(table)], dev=[str(dev)])
    assert (first.header, second.header) == (False, False)
    assert (len(first), len(second)) == (3, 3)
    assert second.names == first.names == ["1", "2"]


def test_examples_are_the_tables_rows(toy):
    """Ids end to end, a target with its END (2), in the table's order."""
    plan = planned(toy.rows(), dev=toy.rows(["abc"]))
    source, target = (plan.train.cells[name] for name in ("source", "target"))
    np.testing.assert_array_equal(source.lengths, [len(word) for word in toy.words])
    np.testing.assert_array_equal(target.lengths, [len(word) + 1 for word in toy.words])
    assert (target.ids[target.starts[1:] - 1] == 2).all()
