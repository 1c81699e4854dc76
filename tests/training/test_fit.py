"""From a table to a folder, and on from wherever a run was stopped: by Ctrl-C or by a crash."""

import signal
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
import torch
from safetensors import safe_open

from regard.answering import Answerer
from regard.errors import RegardError
from regard.folder import read, read_folder_config
from regard.metrics import METRICS
from regard.training import fit
from regard.training.fit import dev_scores
from regard.training.loop import Interrupted, Scores
from regard.training.run import Run


@pytest.fixture(scope="module")
def whole(toy, tmp_path_factory):
    """A run that nobody stopped."""
    return toy.train(tmp_path_factory.mktemp("whole") / "model")


def at_update(number, act):
    """What happens when so many updates were told."""
    seen = count(1)

    def tell(event):
        if event["event"] == "update" and next(seen) == number:
            act()

    return tell


def ctrl_c():
    signal.raise_signal(signal.SIGINT)


def crash():
    raise MemoryError("the machine went down")


# -- the folder ----------------------------------------------------------------------------------------------------


def test_what_a_folder_holds(whole):
    assert sorted(path.name for path in whole.iterdir()) == [
        "README.md", "columns", "config.toml", "training.jsonl", "weights.safetensors",
    ]  # fmt: skip
    config, members = read_folder_config(whole)
    assert members == 0
    assert (config.training.epochs, config.training.batch, config.decoder.writes) == (2, 8, "target")
    assert (whole / "README.md").read_text(encoding="utf-8").startswith("# model\n")


def test_events(toy, whole):
    told = []
    folder = toy.train(whole.parent / "again", tell=told.append)
    events = toy.events(folder)
    assert events == [event for event in told if event["event"] not in ("update", "done")]
    best = min(events, key=lambda event: (event["dev_word_error_rate"], event["dev_loss"]))
    end = {"event": "done", "looks": True} | {key: best[key] for key in ("epoch", "dev_loss", "dev_word_error_rate")}
    assert {key: value for key, value in told[-1].items() if key != "example"} == end
    (example,) = told[-1]["example"]
    assert example in toy.rows().column("source").to_pylist()
    assert [(event["epoch"], event["update"]) for event in events] == [(1.0, 5), (2.0, 10)]
    for event in events:
        assert set(event) == {
            "event", "epoch", "update", "seconds", "train_loss", "target_tokens_per_second", "dev_loss",
            "dev_word_error_rate", "best",
        }  # fmt: skip
    assert toy.untimed(events) == toy.untimed(toy.events(whole))  # the same seed, the same run
    assert toy.differing(toy.weights(folder), toy.weights(whole)) == []
    other = toy.train(whole.parent / "other", "training.seed=2")
    assert toy.differing(toy.weights(other), toy.weights(whole))


def test_the_folder_keeps_the_best_weights_and_not_the_last(toy, tmp_path, monkeypatch):
    scores, average = iter([1.0, 3.0, 2.0]), []

    def scripted(plan, model):
        average.append({name: tensor.detach().clone() for name, tensor in model.tensors().items()})
        return Scores(1.0, next(scores), {})

    monkeypatch.setattr(fit, "dev_scores", scripted)
    folder = toy.train(tmp_path / "model", "epochs=3", "average=0.5")
    assert toy.differing(toy.weights(folder), average[1]) == []
    assert toy.differing(average[1], average[2])
    with safe_open(folder / "weights.safetensors", "pt") as file:
        assert (file.metadata()["epoch"], file.metadata()["update"]) == ("2.0", "10")


def test_the_card_has_the_figures_of_what_is_kept(toy, whole):
    best = [event for event in toy.events(whole) if event["best"]][-1]
    card = (whole / "README.md").read_text(encoding="utf-8")
    assert f"\n| word error | {best['dev_word_error_rate']:.2f} | " in card
    assert "35 rows to learn from, 4 held out as dev." in card


def test_events_of_an_earlier_attempt_are_gone(toy, tmp_path):
    tmp_path.joinpath("training.jsonl").write_text('{"event": "old"}\n')
    toy.train(tmp_path, "epochs=1")
    assert [event["event"] for event in toy.events(tmp_path)] == ["epoch"]


def test_a_language_model(toy, tmp_path):
    folder = toy.train(tmp_path / "lm", "conditioning=none", given=toy.sentences())
    events = toy.events(folder)
    assert not any("word_error" in key for key in events[0])
    assert events[-1]["best"] == (events[-1]["dev_loss"] < events[0]["dev_loss"])
    assert "## Figures" not in (folder / "README.md").read_text(encoding="utf-8")


def test_pretrained_vectors_are_used_and_said(toy, tmp_path):
    vectors = tmp_path / "letters.txt"
    vectors.write_text("a 1 0 0\nb 0 2 0\nx 1 1 1\n")
    said = []
    frozen = f'encoders.source.embedding={{file="{vectors}", frozen=true}}'
    folder = toy.train(tmp_path / "model", frozen, "epochs=1", say=said.append)
    assert f"source: 2 of 3 symbols have a vector in {vectors}" in said
    table = toy.weights(folder)["encoders.source.embeddings.0.table.weight"]
    known = {tuple(row) for row in table.tolist()}
    assert {(1.0, 0.0, 0.0), (0.0, 2.0, 0.0)} <= known


# -- dev -----------------------------------------------------------------------------------------------------------


def test_the_dev_loss_is_the_mean_a_symbol(toy):
    """Row by row, weighed: Σ weight · loss / Σ weight · symbols."""
    counts = [str(1 + number % 3) for number in range(39)]
    plan = toy.plan("data.weight=count", given=toy.table(count=counts))
    model = toy.run_of(plan).model.eval()
    total = symbols = 0.0
    for batch in plan.dev.ordered(1.0):  # a row each
        assert len(batch.rows) == 1
        _, losses, _ = model(batch)
        total += batch.weights.item() * losses.sum().item()
        symbols += batch.weights.item() * losses.shape[1]
    assert dev_scores(plan, model.train()).loss == pytest.approx(total / symbols, rel=1e-5)


@pytest.mark.parametrize("metric", ["word_error_rate", "chrf"])
def test_the_dev_metric_is_that_of_the_answers(toy, metric):
    plan = toy.plan(f"metric={metric}", "epochs=30", "rate=0.02")
    model = toy.run_of(plan).model
    scores = dev_scores(plan, model)
    found = Answerer(plan.config, plan.columns, [model]).answers(plan.questions.given)
    right = [ranked[0].text == refs[0] for ranked, refs in zip(found, plan.questions.references, strict=True)]
    value = scores.metrics[metric]
    assert set(scores.metrics) == {metric}
    if metric == "word_error_rate":
        assert value == pytest.approx(100 * (1 - sum(right) / len(right)))
    assert scores.score == (value if METRICS[metric].higher_is_better else -value)
    assert METRICS["chrf"].higher_is_better
    assert not METRICS["word_error_rate"].higher_is_better


def test_a_language_model_is_scored_by_its_loss(toy):
    plan = toy.plan("conditioning=none", given=toy.sentences())
    scores = dev_scores(plan, toy.run_of(plan).model)
    assert (scores.score, scores.metrics) == (-scores.loss, {})


# -- stopped, and gone on with -------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [5, 8])
def test_ctrl_c_stops_and_resume_goes_on_as_if_nothing_had_happened(toy, whole, tmp_path, number):
    before = signal.getsignal(signal.SIGINT)
    folder = tmp_path / "model"
    with pytest.raises(Interrupted):
        toy.train(folder, tell=at_update(number, ctrl_c))
    assert signal.getsignal(signal.SIGINT) is before
    assert Run.exists(folder)
    torch.rand(5)
    toy.go_on(folder)
    assert toy.differing(toy.weights(folder), toy.weights(whole)) == []
    assert toy.untimed(toy.events(folder)) == toy.untimed(toy.events(whole))
    assert not (folder / "training").exists()


def test_twice_stopped(toy, whole, tmp_path):
    with pytest.raises(Interrupted):
        toy.train(tmp_path, tell=at_update(3, ctrl_c))
    with pytest.raises(Interrupted):
        toy.go_on(tmp_path, tell=at_update(4, ctrl_c))
    toy.go_on(tmp_path)
    assert toy.differing(toy.weights(tmp_path), toy.weights(whole)) == []
    assert toy.untimed(toy.events(tmp_path)) == toy.untimed(toy.events(whole))


@pytest.fixture
def listening():
    """Python's own handler, also where the tests were started in the background, deaf to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_a_second_ctrl_c_stops_at_once(toy, tmp_path, listening):

    def twice():
        ctrl_c()
        ctrl_c()

    with pytest.raises(KeyboardInterrupt):
        toy.train(tmp_path, tell=at_update(2, twice))
    assert signal.getsignal(signal.SIGINT) is listening


@pytest.mark.parametrize("number", [2, 8])  # before the first evaluation, and after it
def test_a_crash_costs_what_came_after_the_last_evaluation_and_no_more(toy, whole, tmp_path, number):
    with pytest.raises(MemoryError):
        toy.train(tmp_path, tell=at_update(number, crash))
    assert (tmp_path / "weights.safetensors").exists() == (number > 5)  # the folder is a model from then on
    if number > 5:
        assert read(tmp_path).answers({"source": ["ab"]})
    toy.go_on(tmp_path)
    assert toy.differing(toy.weights(tmp_path), toy.weights(whole)) == []
    assert toy.untimed(toy.events(tmp_path)) == toy.untimed(toy.events(whole))


def test_a_crash_while_parts_are_trained_alone_begins_again(toy, tmp_path):
    settings = ["encoder_first=autoencode", "first_epochs=2"]
    straight = toy.train(tmp_path / "straight", *settings)

    def tell(event):
        if event["event"] == "alone":
            crash()

    with pytest.raises(MemoryError):
        toy.train(tmp_path / "model", *settings, tell=tell)
    toy.go_on(tmp_path / "model")
    assert toy.differing(toy.weights(tmp_path / "model"), toy.weights(straight)) == []
    assert toy.untimed(toy.events(tmp_path / "model")) == toy.untimed(toy.events(straight))


def test_parts_trained_alone_are_not_trained_again(toy, tmp_path):
    settings = ["encoder_first=autoencode", "first_epochs=1", "freeze=encoder"]
    straight = toy.train(tmp_path / "straight", *settings)
    with pytest.raises(Interrupted):
        toy.train(tmp_path / "model", *settings, tell=at_update(3, ctrl_c))
    toy.go_on(tmp_path / "model")
    assert toy.differing(toy.weights(tmp_path / "model"), toy.weights(straight)) == []
    assert [event["event"] for event in toy.events(tmp_path / "model")] == ["alone", "epoch", "epoch"]


def test_from_a_file_nothing_need_be_given_again(toy, tmp_path):
    table = tmp_path / "words.tsv"
    table.write_text("source\ttarget\n" + "".join(f"{word}\t{word[::-1]}\n" for word in toy.words))
    with pytest.raises(Interrupted):
        toy.train(tmp_path / "model", tell=at_update(3, ctrl_c), data={"table": [str(table)]})
    toy.go_on(tmp_path / "model", table=None, device="cpu")
    assert [event["epoch"] for event in toy.events(tmp_path / "model")] == [1.0, 2.0]


def test_a_thread_of_a_program_has_no_ctrl_c(toy, whole, tmp_path):
    """Where signals cannot be caught, training goes its way and gives the same."""
    with ThreadPoolExecutor(1) as pool:
        folder = pool.submit(toy.train, tmp_path / "model").result()
    assert toy.differing(toy.weights(folder), toy.weights(whole)) == []


# -- what cannot be gone on with -----------------------------------------------------------------------------------


def refused(toy, folder, **more):
    with pytest.raises(RegardError) as error:
        toy.go_on(folder, **more)
    return str(error.value)


def test_a_finished_run(toy, whole):
    said = "has finished training: there is nothing to go on with; to train for longer, train anew with more epochs"
    assert refused(toy, whole) == f"{whole} {said}"


def test_what_is_no_run(toy, tmp_path):
    assert refused(toy, tmp_path / "none") == f"there is no model folder {tmp_path / 'none'}"
    assert refused(toy, tmp_path) == f"{tmp_path} is not a model: it has no config.toml"


@pytest.fixture
def stopped(toy, tmp_path):
    with pytest.raises(Interrupted):
        toy.train(tmp_path / "model", tell=at_update(7, ctrl_c))
    return tmp_path / "model"


def test_the_table_is_not_given_or_is_another_one(toy, stopped):
    before = toy.weights(stopped)
    assert refused(toy, stopped, table=None) == "the table of this run was not a file; give it again to go on"
    said = refused(toy, stopped, table=toy.rows([*toy.words, "abca"]))
    assert said == f"the table is no longer the one that {stopped} began to learn: train anew"
    assert refused(toy, stopped, device="gpu") == "unknown device 'gpu'; use cpu, cuda or auto"
    assert toy.differing(toy.weights(stopped), before) == []
    toy.go_on(stopped)  # none of these did any harm


def test_a_damaged_state(toy, stopped):
    path = stopped / "training" / "state.safetensors"
    path.write_bytes(path.read_bytes()[:1000])
    said = refused(toy, stopped)
    assert said.startswith(f"{path} is damaged (")
    assert said.endswith("): train anew")
