"""The score-function gradient: over all draws of a small model its mean is the gradient of the expected loss.

Unusual here: nothing is drawn. A focus follows a script, every script is tried, and what each one gives is weighed with
its probability, so that the two gradients must agree to the last digits and not on the average.
"""

from itertools import product
from typing import ClassVar, Literal

import pytest
import torch
from torch.nn import functional as F

from regard.attention import Focus
from regard.batch import Batch, Extent, Tokens
from regard.config import compose
from regard.masks import masked_softmax
from regard.memory import Glance
from regard.model import Model
from regard.parts import Options
from regard.terms import gather
from regard.terms.reinforce import Reinforce, ReinforceOptions, onward

PLACES, STEPS, WEIGHT = 2, 3, 1.7


class ScriptedOptions(Options):
    """One place a step."""

    type: Literal["scripted"] = "scripted"


class Scripted(Focus):
    """All weight on the place that the script says; what it would have been drawn from is the softmax."""

    name: ClassVar[str] = "scripted"
    Options = ScriptedOptions

    def follow(self, script):
        self.script, self.step = torch.tensor(script), 0

    def weigh(self, energies, keep, choice=None, past=None):
        chances = masked_softmax(energies, keep)
        places = self.script[self.step : self.step + energies.shape[1]].expand(len(energies), -1)
        self.step += energies.shape[1]
        weights = F.one_hot(places, energies.shape[2]).to(energies.dtype)
        return Glance(weights, None, (weights * chances).sum(-1).log(), chances)


@pytest.fixture(scope="module", params=["before", "after"])
def model(request):
    """One whose contexts feed what follows (before), or nothing (after)."""
    table = {"encoders": {"source": {"reads": ["source"]}}, "decoder": {"writes": "target"}}
    sizes = ["hidden=3", "embedding=3", "dropout=0", "score=general", f"when={request.param}"]
    torch.manual_seed(0)
    made = Model(compose(table, sizes), {"source": Extent(7, PLACES), "target": Extent(7, STEPS)}).double()
    made.decoder.looks["source"].focus = Scripted()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(2 * torch.randn_like(parameter))
    return made


BATCH = Batch(
    {
        "source": Tokens(torch.tensor([[4, 5]]), torch.ones(1, PLACES, dtype=torch.bool)),
        "target": Tokens(torch.tensor([[5, 6, 2]]), torch.ones(1, STEPS, dtype=torch.bool)),
    },
    torch.arange(1),
    torch.tensor([WEIGHT]),
)


def outcomes(model):
    """What was seen under every script, and its probability."""
    for script in product(range(PLACES), repeat=STEPS):
        model.decoder.looks["source"].focus.follow(script)
        seen = model.see(BATCH, smoothing=0.1)
        yield seen, seen.glances["source"].log_prob.sum().exp()


def gradient_of(model, value):
    found = torch.autograd.grad(value, list(model.parameters()), allow_unused=True, retain_graph=True)
    return torch.cat([torch.zeros_like(p).flatten() if g is None else g.flatten()
                      for g, p in zip(found, model.parameters(), strict=True)])  # fmt: skip


@pytest.mark.parametrize("baseline", [0.0, -1.3])
@pytest.mark.parametrize("reward", ["onward", "step"])
def test_over_all_draws_it_is_the_gradient_of_the_expected_loss(model, reward, baseline, monkeypatch):
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)  # so that losses are as exact as all else
    options = ReinforceOptions(reward=reward, entropy=0)
    term = Reinforce(reward=reward, entropy=0.0).eval()
    term.rewards.fill_(baseline * 0.7)
    term.mass.fill_(0.7)
    expected, chances, estimate, without = 0.0, 0.0, 0.0, 0.0
    for seen, chance in outcomes(model):
        expected = expected + chance * seen.loss.total
        chances += chance.item()
        loss, guided = seen.loss, term(*gather(term, options, seen))
        assert guided.count == loss.count == pytest.approx(STEPS * WEIGHT)
        estimate = estimate + chance.item() * gradient_of(model, loss.total + guided.total)
        without = without + chance.item() * gradient_of(model, loss.total)
    exact = gradient_of(model, expected)
    assert chances == pytest.approx(1)
    missing = (exact - without).norm()
    assert missing > 0.01  # the usual loss alone is not it
    if reward == "onward" or model.config.looks["source"].when == "after":
        assert (estimate - exact).norm() < 1e-12 * exact.norm()
    else:  # what was looked at moves the steps after it, and the step's own reward does not know
        assert (estimate - exact).norm() > 0.01 * missing


def test_onward():
    assert onward(torch.tensor([[1.0, 2.0, 4.0]])).tolist() == [[7.0, 6.0, 4.0]]


LOG_PROBS = torch.tensor([[-0.5, -2.0], [-1.0, 0.0]])
LOSSES = torch.tensor([[1.0, 3.0], [0.5, 0.0]])
KEEP = torch.tensor([[True, True], [True, False]])
COUNTS = torch.tensor([[1.0, 1.0], [2.0, 0.0]])
EVEN = torch.full((2, 2, 4), 0.25)


@pytest.mark.parametrize(
    ("reward", "total"),
    [
        # -Σ count · log p · (R - b · steps left), b = -1: R = -4, -3 and -0.5
        ("onward", 1 * -(-0.5 * (-4 + 2)) + 1 * -(-2 * (-3 + 1)) + 2 * -(-1 * (-0.5 + 1))),
        ("step", 1 * -(-0.5 * (-1 + 1)) + 1 * -(-2 * (-3 + 1)) + 2 * -(-1 * (-0.5 + 1))),
    ],
)
def test_by_hand(reward, total):
    term = Reinforce(reward=reward, entropy=0.1).eval()
    term.rewards.fill_(-0.5)
    term.mass.fill_(0.5)
    found = term(LOG_PROBS, EVEN, LOSSES, KEEP, COUNTS)
    assert found.total.item() == pytest.approx(total - 0.1 * 4 * torch.tensor(4.0).log().item())
    assert found.count.item() == 4
    assert (term.rewards.item(), term.mass.item()) == (-0.5, 0.5)  # outside training nothing is remembered


def test_neither_reward_nor_baseline_has_a_gradient():
    losses, log_probs = LOSSES.clone().requires_grad_(), LOG_PROBS.clone().requires_grad_()
    Reinforce()(log_probs, EVEN, losses, KEEP, COUNTS).total.backward()
    assert losses.grad is None
    assert log_probs.grad.tolist() == [[4.0, 3.0], [1.0, 0.0]]  # -R: what led to less becomes likelier


def test_the_baseline_is_the_average_of_the_batches_before():
    term = Reinforce(decay=0.5, entropy=0.0)
    assert term.baseline.item() == 0
    first = term(LOG_PROBS, EVEN, LOSSES, KEEP, COUNTS)  # mean reward a step: -(1 + 3 + 2 · 0.5) / 4
    assert first.total.item() == pytest.approx(-(0.5 * 4 + 2 * 3 + 2 * 0.5))  # without any baseline yet
    assert term.baseline.item() == pytest.approx(-1.25)
    term(LOG_PROBS, EVEN, 2 * LOSSES, KEEP, COUNTS)
    assert term.baseline.item() == pytest.approx((-1.25 / 4 - 2.5 / 2) / 0.75)
    assert set(term.state_dict()) == {"rewards", "mass"}


def test_what_was_not_drawn_contributes_nothing():
    term = Reinforce(entropy=0.1)
    soft = torch.zeros_like(LOG_PROBS)
    found = term(soft, EVEN, LOSSES, KEEP, COUNTS)
    assert (found.total.item(), found.count.item()) == (0, 4)
    assert (term.rewards.item(), term.mass.item()) == (0, 0)
    half = torch.where(torch.tensor([[True], [False]]), LOG_PROBS, 0.0)
    other = Reinforce(entropy=0.1)
    one = other(half[:1], EVEN[:1], LOSSES[:1], KEEP[:1], COUNTS[:1])
    assert term(half, EVEN, LOSSES, KEEP, COUNTS).total.item() == pytest.approx(one.total.item())
    assert term.baseline.item() == pytest.approx(other.baseline.item())


def test_a_place_that_is_certain_has_a_finite_gradient():
    energies = torch.tensor([[[1000.0, 0.0]]], requires_grad=True)
    chances = energies.softmax(-1)
    term = Reinforce(entropy=1.0)
    ones = torch.ones(1, 1)
    term(chances[..., 0].log(), chances, ones, ones.bool(), ones).total.backward()
    assert energies.grad.tolist() == [[[0, 0]]]


@pytest.mark.parametrize("options", [{"reward": "all"}, {"decay": 1.0}, {"entropy": -1}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        ReinforceOptions(**options)
