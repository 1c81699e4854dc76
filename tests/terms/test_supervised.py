"""True links shown to the look: by hand, for words of several symbols, and what a run makes of them."""

from math import log

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RegardError
from regard.masks import masked_softmax
from regard.memory import Glance
from regard.terms import gather
from regard.terms.supervised import Supervised, SupervisedOptions, distance

WEIGHTS = torch.tensor([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
LINKS = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


def test_by_hand():
    expected = torch.tensor([log(2), log(4), 0.0, 0.0])
    torch.testing.assert_close(distance(WEIGHTS, LINKS), expected)
    squared = torch.tensor([0.25 + 0.0625 + 0.0625, 0.25 + 0.0625 + 0.0625, 0.0, 0.0])
    torch.testing.assert_close(distance(WEIGHTS, LINKS, "squared"), squared)
    torch.testing.assert_close(distance(WEIGHTS, 7 * LINKS), expected)  # rows are divided by their sum


def test_steps_without_links_are_left_out_and_others_count_by_their_weight():
    counts = torch.tensor([[1.0, 2.0, 5.0, 0.0]])
    total, count = Supervised()(Glance(WEIGHTS[None]), LINKS[None], counts)
    assert total.item() == pytest.approx(log(2) + 2 * log(4))
    assert count.item() == 3.0
    total, count = Supervised(loss="squared")(Glance(WEIGHTS[None]), LINKS[None], counts)
    assert total.item() == pytest.approx(3 * 0.375)
    assert Supervised()(Glance(WEIGHTS[None]), torch.zeros(1, 4, 3), counts) == (0.0, 0.0)


def test_the_next_step_has_read_the_symbol():
    """Each row's links are shown one row later; the first row has none, and the last one's go nowhere."""
    late = Supervised(step="next")(Glance(WEIGHTS[None]), LINKS[None], torch.tensor([[1.0, 2.0, 5.0, 7.0]]))
    assert late.count.item() == 7.0  # rows 1 and 2, shown those of rows 0 and 1; row 3 shown those of row 2: none
    assert late.total.item() == pytest.approx(2 * log(2) + 5 * log(4))


def test_columns_that_are_joined_come_after():
    wider = Glance(torch.nn.functional.pad(WEIGHTS, (0, 2))[None])
    counts = torch.ones(1, 4)
    assert Supervised()(wider, LINKS[None], counts) == Supervised()(Glance(WEIGHTS[None]), LINKS[None], counts)


def test_a_look_that_draws_is_shown_what_it_draws_from():
    drawn = Glance(torch.eye(3)[None, [2, 2, 2, 2]], chances=WEIGHTS[None])
    counts = torch.ones(1, 4)
    assert Supervised()(drawn, LINKS[None], counts) == Supervised()(Glance(WEIGHTS[None]), LINKS[None], counts)


def test_a_look_at_something_else():
    with pytest.raises(RegardError, match=r"^the term 'supervised' guides a look whose places are not the symbols"):
        Supervised()(Glance(torch.ones(1, 4, 2) / 2), LINKS[None], torch.ones(1, 4))


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=6), st.data())
def test_nothing_is_better_than_the_true_weights(energies, data):
    """Both losses are least where the weights are the true ones; the squared one is 0 there."""
    weights = torch.tensor(energies, dtype=torch.float64).softmax(-1)
    links = torch.tensor(data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(weights), max_size=len(weights))))
    links = links.double().index_fill(0, torch.tensor([0]), 1.0)
    true = links / links.sum()
    for loss in ("cross-entropy", "squared"):
        assert distance(weights, links, loss) >= distance(true, links, loss) - 1e-12
    assert distance(true, links, "squared") < 1e-12


@pytest.mark.parametrize("loss", ["cross-entropy", "squared"])
def test_gradients_are_finite_where_nothing_is_looked_at(loss):
    energies = torch.tensor([[0.0, -1e4, 3.0], [0.0, 0.0, 0.0]], requires_grad=True)
    keep = torch.tensor([[True, True, True], [False, False, False]])
    distance(masked_softmax(energies, keep), torch.tensor([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]), loss).sum().backward()
    assert energies.grad.isfinite().all()


@pytest.mark.parametrize("loss", ["cross-entropy", "squared"])
def test_descending_leads_the_look_to_the_links(loss):
    energies = torch.zeros(4, 3, requires_grad=True)
    for _ in range(300):
        (gradient,) = torch.autograd.grad(distance(energies.softmax(-1), LINKS, loss).sum(), energies)
        energies.data -= gradient
    weights = energies.detach().softmax(-1)
    torch.testing.assert_close(weights[[0, 1, 3]], (LINKS / LINKS.sum(-1, keepdim=True))[[0, 1, 3]], atol=0.05, rtol=0)
    torch.testing.assert_close(weights[2], torch.full((3,), 1 / 3))


def test_links_that_nobody_gave(looks):
    seen = looks().seen
    with pytest.raises(RegardError):
        gather(Supervised(), SupervisedOptions(), seen._replace(batch=seen.batch._replace(columns={})))
