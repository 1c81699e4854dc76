"""Copying against its formula, written out; that steps, batches and padding agree is proved in tests/harness."""

from math import exp, log

import pytest
import torch

from regard.batch import END, PAD, START, UNKNOWN, Batch, CopiedTokens, Extent, Tokens
from regard.config import compose
from regard.decoders.emissions import EMISSIONS, Said, Surroundings
from regard.decoders.emissions.copying import log_prob_of, mixture, shares
from regard.errors import RegardError
from regard.memory import Encoded, Glance, Memory, MemorySizes
from regard.model import Model

V, S, F = 7, 4, 3
TEXT = MemorySizes(2, 2, columns=("lemma", "tags"))
PICTURE = MemorySizes(2, 2, (3, 3))


def emission(**options):
    around = Surroundings(F, V, "target", looks={"one": TEXT, "two": TEXT, "picture": PICTURE})
    return EMISSIONS.build(EMISSIONS.options({"type": "copying"} | options), around)


def memory(keep):
    return Memory(torch.randn(*keep.shape, 2), keep, torch.randn(len(keep), 2), (keep.shape[1],))


def encoded(**lengths):
    """Two examples: columns with so many symbols, and the memory in which they are joined."""
    columns = {}
    for name, own in lengths.items():
        keep = torch.arange(max(own)) < torch.tensor(own)[:, None]
        ids = torch.randint(4, 9, keep.shape)
        columns[name] = CopiedTokens(ids, keep, torch.where(keep, V + torch.arange(max(own)), PAD))
    total = torch.tensor([sum(each) for each in zip(*lengths.values(), strict=True)])
    keep = torch.arange(sum(max(own) for own in lengths.values())) < total[:, None]
    return Encoded({}, {}, columns), {name: memory(keep) for name in ("one", "two", "picture")}


# -- the mixture ---------------------------------------------------------------------------------------------------


def test_by_hand():
    """g = 3/4, weights 0.5, 0.3, 0.2 on places that write symbol 1, symbol V + 1 and symbol 1."""
    vocabulary = torch.tensor([[[0.5, 0.3, 0.2]]]).log()
    found = mixture(vocabulary, torch.tensor([[log(3)]]), torch.tensor([[[0.5, 0.3, 0.2]]]), torch.tensor([[1, 4, 1]]))
    expected = [0.75 * 0.5, 0.75 * 0.3 + 0.25 * 0.7, 0.75 * 0.2, 0.0, 0.25 * 0.3, 0.0]
    torch.testing.assert_close(found[0, 0].exp(), torch.tensor(expected))


def test_what_is_not_looked_at_is_the_vocabularys():
    """Weights that sum to 0.6: the vocabulary has 1 − 0.25 · 0.6."""
    write, copy = shares(torch.tensor([log(3)]), torch.tensor([[0.4, 0.2]]))
    assert (write.exp().item(), copy.exp().item()) == (pytest.approx(0.85), pytest.approx(0.25))
    write, _ = shares(torch.tensor([-40.0]), torch.zeros(1, 2))
    assert write.item() == pytest.approx(0.0)  # nothing to look at: nothing is copied, however much it is wished


@pytest.mark.parametrize("total", [1.0, 0.7, 0.0])
def test_by_brute_force(total):
    """Every symbol's sum over the places that write it, and the sum over all symbols is 1."""
    log_vocabulary = torch.randn(2, 3, V).double().log_softmax(-1)
    gate, weights = torch.randn(2, 3).double(), total * torch.randn(2, 3, S).double().softmax(-1)
    symbols = torch.tensor([[4, V + 1, 4, V + 1], [V, 5, V + 2, 6]])
    found = mixture(log_vocabulary, gate, weights, symbols).exp()
    torch.testing.assert_close(found.sum(-1), torch.ones(2, 3).double())
    for row in range(2):
        for step in range(3):
            g = 1 / (1 + exp(-gate[row, step]))
            alpha = weights[row, step].tolist()
            for symbol in range(V + S):
                copied = sum(alpha[place] for place in range(S) if symbols[row, place] == symbol)
                own = log_vocabulary[row, step, symbol].exp().item() if symbol < V else 0.0
                assert found[row, step, symbol].item() == pytest.approx((1 - (1 - g) * total) * own + (1 - g) * copied)
                one = log_prob_of(
                    torch.tensor([symbol]),
                    log_vocabulary[row, step, symbol % V][None],
                    gate[row, step, None],
                    weights[row, step][None],
                    symbols[row][None],
                    V,
                )
                assert one.exp().item() == pytest.approx(found[row, step, symbol].item(), abs=1e-30)


def test_far_out_numbers_stay_exact():
    vocabulary = torch.tensor([[[0.0, -200.0]]]).log_softmax(-1)
    weights = torch.tensor([[[1.0, 0.0]]])
    found = mixture(vocabulary, torch.tensor([[90.0]]), weights, torch.tensor([[2, 3]]))[0, 0].tolist()
    assert found == [pytest.approx(0.0), pytest.approx(-200.0), pytest.approx(-90.0), float("-inf")]


# -- loss and answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_by_formula(smoothing):
    made = emission()
    there, memories = encoded(lemma=[4, 2])
    bound = made.bind(there, memories)
    features, weights = torch.randn(2, 3, F), torch.randn(2, 3, 4).softmax(-1)
    weights[1] = torch.tensor([0.75, 0.25, 0.0, 0.0])
    targets = torch.tensor([[4, V + 3, V], [V + 1, UNKNOWN, 6]])
    keep = torch.tensor([[True, True, True], [True, True, False]])
    losses = made.loss(Said(features, {"one": Glance(weights)}), bound, targets, keep, smoothing)
    for row in range(2):
        for step in range(3):
            own = made.output(features[row, step]).log_softmax(-1)
            g = made.gate(features[row, step])[0].sigmoid()
            target = targets[row, step].item()
            true = g * own[target].exp() if target < V else (1 - g) * weights[row, step, target - V]
            expected = -(1 - smoothing) * true.log() - smoothing * (g.log() + own).mean()
            assert losses[row, step].item() == pytest.approx(expected.item() if keep[row, step] else 0.0, abs=1e-6)


def test_only_answers_are_written_and_their_probabilities_sum_to_one():
    made = emission()
    there, memories = encoded(lemma=[3, 2])
    there.columns["lemma"].copies[0, 1] = PAD  # a place that writes nothing
    weights = torch.tensor([0.5, 0.25, 0.25]).expand(2, 5, 3) * memories["one"].keep[:, None]
    found, past = made.log_probs(Said(torch.randn(2, 5, F), {"one": Glance(weights)}), made.bind(there, memories), None)
    assert past is None
    assert found.shape == (2, 5, V + 3)
    assert found[..., [PAD, START, UNKNOWN]].eq(float("-inf")).all()
    assert found[0, :, V + 1].eq(float("-inf")).all()
    assert found[1, :, V + 2].eq(float("-inf")).all()  # padding
    assert found[..., [END, 4, 5, 6, V]].isfinite().all()
    torch.testing.assert_close(found.exp().sum(-1), torch.ones(2, 5))


def test_gradients_stay_finite_where_a_look_leaves_the_only_place_out():
    made = emission()
    there, memories = encoded(lemma=[3, 3])
    weights = torch.tensor([[[0.0, 1.0, 0.0]] * 2] * 2, requires_grad=True)
    features = torch.randn(2, 2, F, requires_grad=True)
    targets = torch.tensor([[V, V + 1], [4, V + 2]])
    said = Said(features, {"one": Glance(weights)})
    losses = made.loss(said, made.bind(there, memories), targets, torch.ones(2, 2).bool(), 0.1)
    losses.sum().backward()
    assert losses.isfinite().all()
    assert features.grad.isfinite().all()
    assert weights.grad.isfinite().all()
    assert losses[0, 0] > 50 > losses[0, 1]


def test_a_look_through_a_window():
    made = emission()
    there, memories = encoded(lemma=[4, 3])
    bound, features = made.bind(there, memories), torch.randn(2, 1, F)
    window = Glance(torch.tensor([[[0.25, 0.75]], [[0.5, 0.5]]]), torch.tensor([[[3, 1]], [[0, 2]]]))
    whole = Glance(torch.tensor([[[0.0, 0.75, 0.0, 0.25]], [[0.5, 0.0, 0.5, 0.0]]]))
    one, other = (made.log_probs(Said(features, {"one": glance}), bound, None)[0] for glance in (window, whole))
    torch.testing.assert_close(one, other)


# -- which places --------------------------------------------------------------------------------------------------


def test_the_second_of_two_columns_lies_behind_each_examples_own_first():
    made = emission(column="tags")
    there, memories = encoded(lemma=[1, 3], tags=[2, 1])
    bound = made.bind(there, memories)
    assert (made.column, made.before) == ("tags", ("lemma",))
    assert [bound.at[row][bound.keep[row]].tolist() for row in range(2)] == [[1, 2], [3]]
    weights = torch.tensor([[[0.1, 0.2, 0.7, 0.0, 0.0]], [[0.1, 0.1, 0.2, 0.6, 0.0]]])
    assert made._weights(Said(torch.randn(2, 1, F), {"one": Glance(weights)}), bound).tolist() == [
        [pytest.approx([0.2, 0.7])],
        [pytest.approx([0.6, 0.0])],
    ]


def test_the_look_that_was_asked_for():
    made = emission(look="two")
    there, memories = encoded(lemma=[2, 2])
    glances = {"one": Glance(torch.tensor([[[1.0, 0.0]]] * 2)), "two": Glance(torch.tensor([[[0.0, 1.0]]] * 2))}
    found, _ = made.log_probs(Said(torch.randn(2, 1, F), glances), made.bind(there, memories), None)
    assert found[..., V].eq(float("-inf")).all()
    assert found[..., V + 1].isfinite().all()


def test_without_anything_read_what_would_be_copied_is_unknown():
    """A decoder that is trained alone, as a language model."""
    made = emission()
    nothing = memory(torch.zeros(2, 1, dtype=torch.bool))
    bound = made.bind(Encoded({}, {}), {"one": nothing})
    said = Said(torch.randn(2, 2, F), {"one": Glance(torch.zeros(2, 2, 1))})
    keep = torch.ones(2, 2).bool()
    losses = made.loss(said, bound, torch.tensor([[V, 4], [V + 9, UNKNOWN]]), keep)
    unknown = made.loss(said, bound, torch.tensor([[UNKNOWN, 4], [UNKNOWN, UNKNOWN]]), keep)
    assert losses.tolist() == unknown.tolist()
    expected = -made.output(said.features).log_softmax(-1)[..., UNKNOWN]
    torch.testing.assert_close(losses[:, 0], expected[:, 0])


# -- in a model ----------------------------------------------------------------------------------------------------


@pytest.fixture
def model():
    recipe = {"encoders": {"source": {"reads": ["source"]}}, "decoder": {"writes": "target"}}
    settings = ["hidden=3", "decoder.hidden=4", "embedding=5", "dropout=0", "emission=copying", "feed=readout"]
    return Model(compose(recipe, settings), {"source": Extent(9, 5), "target": Extent(V, 5)}).double()


def copying_batch():
    """Targets that only copying can write."""
    ids = torch.randint(4, 9, (2, 3))
    source = CopiedTokens(ids, torch.ones_like(ids).bool(), torch.tensor([[V, 4, V + 2], [5, V + 1, V + 1]]))
    targets = torch.tensor([[V, V + 2, END], [V + 1, 5, END]])
    return Batch(
        {"source": source, "target": Tokens(targets, torch.ones_like(targets).bool())}, torch.arange(2), torch.ones(2)
    )


def test_what_was_copied_is_fed_as_unknown(model):
    batch = copying_batch()
    found, _ = model.decoder.unroll(model.encode(batch.columns), batch.columns["target"].ids)
    fed = batch.columns["target"].ids
    expected, _ = model.decoder.unroll(model.encode(batch.columns), fed.masked_fill(fed >= V, UNKNOWN))
    assert torch.equal(found.features, expected.features)


def test_answers_of_steps_are_the_losses_of_training(model):
    batch = copying_batch()
    true, emission = batch.columns["target"].ids, model.decoder.emission
    fixed, moving = model.decoder.begin(model.encode(batch.columns), 2)
    tokens = torch.cat([torch.full_like(true[:, :1], START), true[:, :-1]], 1)
    for step in range(3):
        said, moving = model.decoder.step(fixed, moving, tokens[:, step, None])
        log_probs, moving = model.decoder.log_probs(fixed, moving, said)

        def chance(ids, said=said):
            return (-emission.loss(said, fixed.emission, ids, torch.ones(2, 1).bool())).exp()

        never = sum(chance(torch.full((2, 1), id)) for id in (PAD, START, UNKNOWN))  # no answer holds them
        expected = chance(true[:, step, None]) / (1 - never)
        torch.testing.assert_close(log_probs.gather(-1, true[:, step, None, None])[..., 0].exp(), expected)


def test_its_own_copies_may_be_fed_back(model):
    with torch.no_grad():
        model.decoder.emission.gate.bias.fill_(-20.0)  # copies, whatever it reads
    batch = copying_batch()
    guesses = []
    vectors = model.decoder._vectors
    model.decoder._vectors = lambda tokens, fixed: guesses.append(tokens) or vectors(tokens, fixed)
    loss, _, _ = model(batch, own=1.0, smoothing=0.1)
    loss.total.backward()
    assert any((tokens >= V).any() for tokens in guesses)
    assert all(part.grad is None or part.grad.isfinite().all() for part in model.parameters())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["conditioning=first"], 'the emission "copying" mixes over the places of a look, and this model has none'),
        (["emission.look=sauce"], "decoder.emission.look = \"sauce\" is no look; did you mean 'source'?"),
        (
            ["emission.column=tag"],
            "decoder.emission.column = \"tag\" is no column that the look 'source' looks at; known: source",
        ),
    ],
)
def test_what_cannot_be_copied(settings, said):
    recipe = {"encoders": {"source": {"reads": ["source"]}}, "decoder": {"writes": "target", "emission": "copying"}}
    with pytest.raises(RegardError) as error:
        Model(compose(recipe, ["decoder.hidden=4", *settings]), {"source": Extent(9, 5), "target": Extent(V, 5)})
    assert str(error.value) == said


def test_a_look_at_no_text():
    with pytest.raises(RegardError) as error:
        emission(look="picture")
    assert str(error.value) == (
        "the emission \"copying\" copies symbols of text, and the look 'picture' looks at none; set"
        " decoder.emission.look to one that does"
    )
