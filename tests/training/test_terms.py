"""Terms in a run, and parts that change over it: what is paid, told, kept and gone on with.

Unusual here: two parts of the tests' own. `Learned` is a term with a parameter, a buffer and a share of the run, `Warm`
a focus with a temperature that falls, so that whatever a run forgot to save or to tell would show in its last bit.
"""

import signal
from itertools import count
from typing import ClassVar, Literal

import pytest
import torch
from torch import nn

from regard.attention.focus import FOCUSES, Soft
from regard.attention.focus.soft import SoftOptions
from regard.batch import Total
from regard.config import idle_settings
from regard.errors import RegardError
from regard.folder import read, read_folder_config
from regard.memory import Glance
from regard.terms import TERMS, Term, TermOptions
from regard.terms.coverage import Coverage
from regard.terms.entropy import Entropy
from regard.training import fit
from regard.training.loop import Interrupted, anneal, update
from regard.training.run import Run

TERM = "terms.entropy.weight=0.3"


class LearnedOptions(TermOptions):
    """A term that learns."""

    type: Literal["learned"] = "learned"


class Learned(Term):
    """(a − b − loss a step)² · (1 + share): a is learned, b counts the batches."""

    name: ClassVar[str] = "learned"
    Options = LearnedOptions
    needs: ClassVar[tuple[str, ...]] = ("losses", "weights")

    def __init__(self, weight=1.0, look=None):
        super().__init__(weight, look)
        self.guess = nn.Parameter(torch.rand(3, 1))
        self.register_buffer("batches", torch.zeros(()))
        self.share = 0.0

    def anneal(self, share):
        self.share = share

    def forward(self, losses, weights):
        if self.training:
            self.batches += 0.01
        gap = self.guess.sum() - self.batches - losses
        return Total((1 + self.share) * (gap.square() * weights).sum(), weights.sum())


class WarmOptions(SoftOptions):
    """Soft, and softer at the beginning."""

    type: Literal["warm"] = "warm"


class Warm(Soft):
    """softmax(e / (3 − 2 · share))."""

    name: ClassVar[str] = "warm"
    Options = WarmOptions
    temperature = 3.0

    def anneal(self, share):
        self.temperature = 3.0 - 2.0 * share

    def weigh(self, energies, keep, choice=None, past=None) -> Glance:
        return super().weigh(energies / self.temperature, keep, choice, past)


@pytest.fixture(autouse=True)
def parts_of_our_own(monkeypatch):
    monkeypatch.setitem(TERMS._ours, "learned", Learned)
    monkeypatch.setitem(FOCUSES._ours, "warm", Warm)


BOTH = ["terms.learned.weight=0.5", TERM, "focus=warm", "rate=0.03"]


def stop_at(number):
    """Ctrl-C when so many updates were told."""
    seen = count(1)

    def tell(event):
        if event["event"] == "update" and next(seen) == number:
            signal.raise_signal(signal.SIGINT)

    return tell


# -- what is paid --------------------------------------------------------------------------------------------------


def test_the_gradient_of_an_update(toy):
    """(mean loss) + 0.3 · (mean entropy) + 2 · (mean coverage), by hand, down plain gradient descent."""
    plan = toy.plan(TERM, "terms.again.type=coverage", "terms.again.weight=2", "optimiser=sgd", "momentum=0",
                    "weight_decay=0", "rate=0.5", "warmup=0", "decay=none", "clip=0", "dropout=0", "smoothing=0",
                    "average=0")  # fmt: skip
    run, batch = toy.run_of(plan), next(plan.train.ordered(1e9))
    before = [part.detach().clone() for part in run.model.parameters()]
    loss, _, glances = run.model(batch)
    keep = batch.columns["target"].keep
    weights = glances["source"].weights
    narrow = -(weights * weights.clamp(min=1e-30).log()).sum(-1)[keep]
    again = torch.minimum(weights, weights.cumsum(1) - weights).sum(-1)[keep]
    whole = loss.total / loss.count + 0.3 * narrow.mean() + 2 * again.mean()
    gradients = torch.autograd.grad(whole, list(run.model.parameters()))
    sums = update(run, batch, plan.config.training, share=0.5)
    for start, part, gradient in zip(before, run.model.parameters(), gradients, strict=True):
        torch.testing.assert_close(part, start - 0.5 * gradient, atol=1e-6, rtol=1e-4)
    symbols = keep.sum().item()
    expected = [loss.total.item(), symbols, symbols, narrow.sum().item(), symbols, again.sum().item(), symbols]
    torch.testing.assert_close(sums, torch.tensor(expected))


def test_a_weight_of_nothing_is_told_and_guides_nothing(toy, tmp_path):
    plain, idle = toy.train(tmp_path / "plain"), toy.train(tmp_path / "idle", "terms.entropy.weight=0")
    assert toy.differing(toy.weights(plain), toy.weights(idle)) == []
    plain, idle = toy.untimed(toy.events(plain)), toy.untimed(toy.events(idle))
    assert all(0.1 < event.pop("train_terms")["entropy"] < 1.1 for event in idle)  # of at most three places
    assert plain == idle
    said = "terms.entropy.weight (at 0 the term is told of and guides nothing)"
    assert idle_settings(toy.config("terms.entropy.weight=0")) == [said]


def test_terms_guide(toy, tmp_path):
    means = {}
    for weight in (0, 0.5):
        folder = toy.train(tmp_path / str(weight), f"terms.entropy.weight={weight}", "epochs=6", "rate=0.03")
        means[weight] = toy.events(folder)[-1]["train_terms"]["entropy"]
    assert means[0.5] < 0.5 * means[0]


def test_what_a_term_learns_is_trained_and_clipped_with_the_rest(toy):
    plan = toy.plan("terms.learned.weight=1", "optimiser=sgd", "momentum=0", "weight_decay=0", "rate=1", "warmup=0",
                    "decay=none", "clip=0.01")  # fmt: skip
    run = toy.run_of(plan)
    before = {name: part.detach().clone() for name, part in run.parameters().items()}
    assert "terms.learned.guess" in before
    update(run, next(plan.train.ordered(1e9)), plan.config.training, share=0.5)
    moved = torch.stack([(part - before[name]).square().sum() for name, part in run.parameters().items()])
    assert moved.sum().sqrt().item() == pytest.approx(0.01, rel=1e-4)  # all of it together
    assert run.terms["learned"].guess.ne(before["terms.learned.guess"]).all()
    assert not any("learned" in name for name in run.model.tensors())


# -- what is told and kept -----------------------------------------------------------------------------------------


def test_events_tell_the_mean_of_each_term(toy, tmp_path):
    told = []
    folder = toy.train(tmp_path / "model", TERM, "terms.coverage.weight=1", tell=told.append)
    for event in told[:-1]:
        assert list(event["train_terms"]) == ["entropy", "coverage"]
        assert all(0 <= mean < 1.1 for mean in event["train_terms"].values())
    assert toy.events(folder) == [event for event in told if event["event"] == "epoch"]
    plain: list[dict[str, object]] = []
    toy.train(tmp_path / "plain", tell=plain.append)
    assert not any("train_terms" in event for event in plain)


def test_the_folder_says_which_terms_and_holds_nothing_else_of_them(toy, tmp_path):
    folder = toy.train(tmp_path / "model", "terms.learned.weight=0.5", "terms.again.type=coverage")
    config, _ = read_folder_config(folder)
    assert config.terms == {"learned": LearnedOptions(weight=0.5), "again": Coverage.Options()}
    assert '[terms.again]\ntype = "coverage"\nweight = 1.0\n' in (folder / "config.toml").read_text()
    plain = toy.train(tmp_path / "plain")
    assert "terms" not in (plain / "config.toml").read_text()  # so a folder from before there were terms is no other
    assert read_folder_config(plain)[0].terms == {}
    assert toy.weights(folder).keys() == toy.weights(plain).keys()
    assert read(folder).answers({"source": ["ab"]})


def test_no_random_number_is_drawn_to_see_whether_a_term_has_what_it_needs(toy):
    assert toy.config().decoder.dropout > 0
    plain, guided = (toy.state(toy.run_of(toy.plan(*settings))) for settings in ([], [TERM]))
    assert toy.differing(plain, guided) == []


# -- stopped, and gone on with -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(toy, tmp_path_factory):
    """A run that nobody stopped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TERMS._ours, "learned", Learned)
        patch.setitem(FOCUSES._ours, "warm", Warm)
        return toy.train(tmp_path_factory.mktemp("guided") / "model", *BOTH)


@pytest.mark.parametrize("number", [1, 5, 8])  # after 5 an evaluation is all that is left of the epoch
def test_a_run_goes_on_as_if_nothing_had_happened(toy, whole, tmp_path, number):
    folder = tmp_path / "model"
    with pytest.raises(Interrupted):
        toy.train(folder, *BOTH, tell=stop_at(number))
    assert Run.exists(folder)
    toy.go_on(folder)
    assert toy.differing(toy.weights(folder), toy.weights(whole)) == []
    assert toy.untimed(toy.events(folder)) == toy.untimed(toy.events(whole))
    assert all(set(event["train_terms"]) == {"learned", "entropy"} for event in toy.events(folder))


def test_what_terms_know_comes_back(toy, tmp_path):
    plan = toy.plan(*BOTH)
    first, second = toy.run_of(plan), toy.run_of(plan, seed=2)
    for share in (0.1, 0.2):
        update(first, next(plan.train.ordered(60.0)), plan.config.training, share)
    first.save(tmp_path)
    expected = toy.state(first)
    assert "terms.learned.guess" in toy.differing(toy.state(second), expected)
    second.restore(tmp_path)
    assert toy.differing(toy.state(second), expected) == []
    assert expected["terms.learned.batches"].item() == pytest.approx(0.02)
    assert sum(name.startswith("optimiser.") for name in expected) == 3 * len(first.parameters())


# -- parts that change over a run ----------------------------------------------------------------------------------


def warmth(model):
    return model.decoder.looks["source"].focus.temperature


def test_every_part_is_told_before_each_update_and_the_average_too(toy):
    plan = toy.plan("focus=warm", "terms.learned.weight=1")
    run, batch, seen = toy.run_of(plan), next(plan.train.ordered(30.0)), []
    see = run.model.see
    run.model.see = lambda *given, **named: seen.append(warmth(run.model)) or see(*given, **named)
    for share in (0.0, 0.25, 1.0):
        update(run, batch, plan.config.training, share)
        assert warmth(run.average.model) == 3 - 2 * share
        assert run.terms["learned"].share == share
    assert seen == [3.0, 2.5, 1.0]


def test_a_model_tells_its_parts_once(toy):
    run, told = toy.run_of(toy.plan("focus=warm", "average=0")), []
    run.model.decoder.looks["source"].focus.anneal = told.append
    run.model.anneal(0.5)
    anneal(run, 0.75)  # the average is the model itself
    assert told == [0.5, 0.75]


def test_what_is_evaluated_is_as_warm_as_the_run_is_far(toy, tmp_path, monkeypatch):
    seen, dev_scores = [], fit.dev_scores
    monkeypatch.setattr(fit, "dev_scores", lambda plan, model: seen.append(warmth(model)) or dev_scores(plan, model))
    toy.train(tmp_path / "model", "focus=warm")
    assert seen == [2.0, 1.0]  # after one epoch of two, and after both


# -- what cannot be, said before anything is trained ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            ["terms.entropy.look=sorce"],
            "the term 'entropy' names the look 'sorce', which is not there; did you mean 'source'?",
        ),
        (
            ["terms.entropy.weight=1", "conditioning=first"],
            "the term 'entropy' guides a look, and this model has none: leave the term out, or let the model attend"
            ' (conditioning = "attend")',
        ),
        (
            ["terms.reinforce.weight=1"],
            "the term 'reinforce' needs the probabilities of places that were drawn, and the look 'source' tells none:"
            " give it another focus (looks.source.focus), or leave the term out",
        ),
    ],
)
def test_what_a_term_lacks_is_said_before_a_folder_is_made(toy, tmp_path, settings, said):
    with pytest.raises(RegardError) as error:
        toy.train(tmp_path / "model", *settings)
    assert str(error.value) == said
    assert not (tmp_path / "model").exists()


def test_a_state_from_before_a_term_was_written_into_the_configuration(toy, tmp_path):
    with pytest.raises(Interrupted):
        toy.train(tmp_path, tell=stop_at(2))
    with (tmp_path / "config.toml").open("a") as file:
        file.write("\n[terms.learned]\n")
    with pytest.raises(RegardError) as error:
        toy.go_on(tmp_path)
    path = tmp_path / "training" / "state.safetensors"
    said = f"{path} is of a run with other parts (terms.learned.batches is not in it): train anew"
    assert str(error.value) == said


def test_looks_are_looked_for_before_columns_are_learnt(toy):
    with pytest.raises(RegardError, match="names the look 'x'"):
        toy.plan("terms.entropy.look=x")


def test_terms_do_not_guide_what_is_trained_alone(toy, tmp_path):
    apart = ["encoder_first=autoencode", "decoder_first=language-model", "first_epochs=1"]
    folder = toy.train(tmp_path / "model", TERM, *apart)
    assert [event["event"] for event in toy.events(folder)] == ["alone", "alone", "epoch", "epoch"]
    assert Entropy.name in toy.events(folder)[-1]["train_terms"]
