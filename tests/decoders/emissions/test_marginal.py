"""The exact forms against brute force: every place, every path of places that never goes back."""

from itertools import product

import pytest
import torch

from regard.config import compose
from regard.decoders.emissions import EMISSIONS, Said, Surroundings
from regard.decoders.emissions import marginal as room
from regard.errors import RegardError
from regard.memory import Encoded, Glance, Memory, MemorySizes

F, V, M = 3, 7, 2  # features, symbols, memory


@pytest.fixture(params=["any", "monotonic"])
def order(request):
    return request.param


@pytest.fixture
def emission(order):
    made = EMISSIONS["marginal"](Surroundings(F, V, "target", looks={"source": MemorySizes(M, 0, (4,))}), order=order)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return made.double().eval()


@pytest.fixture
def case(emission):
    """(said, bound, targets) of two examples, three places and two, four steps."""
    keep = torch.tensor([[True] * 3, [True, True, False]])
    values = torch.randn(2, 3, M).double()
    memory = Memory(values, keep, values.new_zeros(2, 0), (3,))
    energies = torch.randn(2, 4, 3).double().masked_fill(~keep[:, None], float("-inf"))
    said = Said(torch.randn(2, 4, F).double(), {"source": Glance(energies.softmax(-1))})
    return said, emission.bind(Encoded({}, {}), {"source": memory}), torch.randint(V, (2, 4))


def paths(places, steps, order):
    """Every way through the places; with their order kept, places never go back."""
    every = product(range(places), repeat=steps)
    return [path for path in every if order == "any" or list(path) == sorted(path)]


def chance_of(path, alpha, order):
    """P(path): each place by its weight, in order by its weight among those that are left."""
    total, last = 1.0, 0
    for step, place in enumerate(path):
        total = total * alpha[step, place]
        if order == "monotonic":
            total = total / alpha[step, last:].sum()
            last = place
    return total


def brute_force(emission, said, bound, targets, order, row, places):
    """(P(y_1…y_t) for each t, posterior P(a_t | y_≤t))."""
    alpha = said.glances["source"].weights[row, :, :places]
    keys = bound.keys[row, :places]
    logits = emission.output(torch.tanh(said.features[row][:, None] + keys[None]))
    chances = logits.softmax(-1)  # (T, S, V)
    totals, posteriors = [], []
    for steps in range(1, len(alpha) + 1):
        at = torch.zeros(places, dtype=torch.float64)
        for path in paths(places, steps, order):
            written = 1.0
            for step, place in enumerate(path):
                written = written * chances[step, place, targets[row, step]]
            at = at.index_add(0, torch.tensor([path[-1]]), (chance_of(path, alpha, order) * written)[None])
        totals.append(at.sum())
        posteriors.append(at / at.sum())
    return torch.stack(totals), torch.stack(posteriors)


def test_loss_and_posterior_are_those_of_all_paths(emission, case, order):
    said, bound, targets = case
    losses = emission.loss(said, bound, targets, torch.ones_like(targets, dtype=torch.bool))
    seen = emission.seen_along(said, bound, targets)["source"].weights
    for row, places in enumerate((3, 2)):
        totals, posteriors = brute_force(emission, said, bound, targets, order, row, places)
        torch.testing.assert_close(losses[row].cumsum(0), -totals.log(), rtol=1e-5, atol=1e-6, check_dtype=False)
        torch.testing.assert_close(seen[row, :, :places], posteriors, rtol=1e-5, atol=1e-6, check_dtype=False)
        assert seen[row, :, places:].eq(0).all()


def test_gradients_are_those_of_all_paths(emission, case, order):
    said, bound, targets = case
    features = said.features.requires_grad_()
    losses = emission.loss(Said(features, said.glances), bound, targets, torch.ones_like(targets, dtype=torch.bool))
    (exact,) = torch.autograd.grad(losses[0].sum(), features)
    totals, _ = brute_force(emission, Said(features, said.glances), bound, targets, order, 0, 3)
    (expected,) = torch.autograd.grad(-totals[-1].log(), features)
    torch.testing.assert_close(exact, expected, rtol=1e-4, atol=1e-6)


def test_steps_are_the_unrolled_whole(emission, case, order):
    """Log-probabilities and posteriors step by step, as search asks for them, candidate by candidate."""
    said, bound, targets = case
    losses = emission.loss(said, bound, targets, torch.ones_like(targets, dtype=torch.bool))
    whole = emission.seen_along(said, bound, targets)["source"].weights
    past = emission.start(bound)
    past = past._replace(**{name: getattr(past, name)[:, None] for name in past._fields})  # one beam
    tokens = torch.ones_like(targets[:, :1])
    for step in range(targets.shape[1]):
        glances = {"source": Glance(said.glances["source"].weights[:, step, None])}
        one = Said(said.features[:, step, None], glances)
        past = emission.remember(bound, past, tokens)
        log_probs, past = emission.log_probs(one, bound, past)
        chances = (past.chances[..., None] + emission._logits(past.joint).log_softmax(-1)).logsumexp(2)  # all symbols
        torch.testing.assert_close(chances.gather(2, targets[:, step, None, None])[:, 0, 0], -losses[:, step])
        assert log_probs[..., [0, 1, 3]].eq(float("-inf")).all()
        torch.testing.assert_close(log_probs.exp().sum(-1), torch.ones_like(log_probs[..., 0]))
        tokens = targets[:, step, None]
        candidates = torch.stack([tokens, torch.full_like(tokens, 5)], -1)
        seen = emission.seen(one, bound, past, candidates)["source"].weights
        assert seen.shape == (2, 1, 2, 3)
        torch.testing.assert_close(seen[:, 0, 0], whole[:, step])


def test_places_never_go_back(case):
    """With all chance on place 2 at first, what follows comes of place 2 whatever the look would have."""
    alpha = torch.tensor([[[0.0, 0.0, 1.0], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]], dtype=torch.float64)
    before, after = room.filtered(alpha.clamp(min=1e-30).log(), torch.zeros_like(alpha))
    torch.testing.assert_close(before.exp(), torch.tensor([[[0.0, 0.0, 1.0]] * 3], dtype=torch.float64))
    torch.testing.assert_close(after.exp(), before.exp())


def test_onward_by_hand():
    """From the first place: as the look has it; from the second: what is left, 1/2 and 1/2."""
    alpha = torch.tensor([[0.5, 0.25, 0.25]]).log()
    from_first = room.onward(alpha, torch.tensor([[0.0, room.NEVER, room.NEVER]])).exp()
    from_second = room.onward(alpha, torch.tensor([[room.NEVER, 0.0, room.NEVER]])).exp()
    torch.testing.assert_close(from_first, torch.tensor([[0.5, 0.25, 0.25]]))
    torch.testing.assert_close(from_second, torch.tensor([[0.0, 0.5, 0.5]]))


def test_smoothing_spreads_over_all_symbols(emission, case, order):
    said, bound, targets = case
    keep = torch.ones_like(targets, dtype=torch.bool)
    plain = emission.loss(said, bound, targets, keep)
    smooth = emission.loss(said, bound, targets, keep, 0.3)
    if order == "any":  # then the mixture at each step does not depend on the targets
        every = torch.stack([emission.loss(said, bound, torch.full_like(targets, one), keep) for one in range(V)], -1)
        torch.testing.assert_close(smooth, 0.7 * plain + 0.3 * every.mean(-1))
    else:
        first = torch.stack(
            [emission.loss(said, bound, torch.full_like(targets, one), keep)[:, 0] for one in range(V)], -1
        )
        torch.testing.assert_close(smooth[:, 0], 0.7 * plain[:, 0] + 0.3 * first.mean(-1))


def test_a_few_examples_at_a_time_give_the_same(emission, case, monkeypatch):
    said, bound, targets = case
    keep = torch.tensor([[True] * 4, [True, True, True, False]])

    def outcome():
        emission.zero_grad()
        losses = emission.loss(said, bound, targets, keep, 0.1)
        losses.sum().backward(retain_graph=True)
        return losses.detach(), [parameter.grad.clone() for parameter in emission.parameters()]

    whole = outcome()
    monkeypatch.setattr(room, "AT_ONCE", 1)
    torch.testing.assert_close(outcome(), whole)
    assert whole[0][1, 3] == 0


def test_a_source_without_places(emission):
    empty = Memory(torch.zeros(2, 0, M).double(), torch.zeros(2, 0, dtype=torch.bool), torch.zeros(2, 0).double(), (0,))
    bound = emission.bind(Encoded({}, {}), {"source": empty})
    said = Said(torch.randn(2, 3, F).double(), {"source": Glance(torch.zeros(2, 3, 0).double())})
    targets = torch.randint(V, (2, 3))
    losses = emission.loss(said, bound, targets, torch.ones_like(targets, dtype=torch.bool), 0.1)
    losses.sum().backward()
    log_probs = emission.output(torch.tanh(said.features)).log_softmax(-1)
    expected = -0.9 * log_probs.gather(2, targets[..., None])[..., 0] - 0.1 * log_probs.mean(-1)
    torch.testing.assert_close(losses, expected, check_dtype=False)
    assert emission.seen_along(said, bound, targets)["source"].weights.shape == (2, 3, 0)
    assert all(parameter.grad is None or parameter.grad.isfinite().all() for parameter in emission.parameters())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"look": "sauce"}, r'^decoder\.emission\.look = "sauce" is no look; did you mean \'source\'\?$'),
        ({"fed": frozenset(["source"])}, r"needs the look 'source' to feed nothing"),
        ({"looks": {}}, r"mixes over the places of a look, and this model has none$"),
        ({"looks": {"source": MemorySizes(M, 0, (2, 2))}}, r"cannot be monotonic over a grid"),
    ],
)
def test_what_cannot_be(settings, said):
    around = {"looks": {"source": MemorySizes(M, 0, (4,))}} | settings
    look = around.pop("look", None)
    with pytest.raises(RegardError, match=said):
        EMISSIONS["marginal"](Surroundings(F, V, "target", **around), order="monotonic", look=look)


def test_the_readout_leaves_the_context_to_the_emission():
    made = compose({}, ["emission=marginal"])
    assert (made.decoder.readout, made.decoder.readout_layer) == (("state", "previous"), "linear")
    assert made.idle() == []
    both = compose(
        {"looks": {"a": {"at": "source"}, "b": {"at": "source"}}}, ["emission.type=marginal", "emission.look=b"]
    )
    assert both.decoder.readout == ("state", "look.a", "previous")
    assert compose({}, []).decoder.readout_layer == "tanh"
