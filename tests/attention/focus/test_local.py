"""Windows by hand: where they lie, what the Gaussian makes of them, borders, equality with looking at everything."""

import math

import pytest
import torch

from regard.attention import SCORES, Attention, Sizes
from regard.attention.attention import over_all_places
from regard.attention.focus import Local
from regard.config import compose, idle_settings
from regard.errors import RegardError
from regard.memory import Memory

WIDTH = 4


@pytest.fixture
def memory():
    """So many places, of which so many are kept."""

    def make(size, *lengths):
        keep = torch.arange(size) < torch.tensor(lengths)[:, None]
        return Memory(torch.randn(*keep.shape, WIDTH).double(), keep, torch.zeros(len(lengths), 1), (size,))

    return make


def chosen(focus, memory, time):
    """(places, keep) of one query of each example at this step."""
    query = torch.zeros(len(memory.keep), 1, WIDTH).double()
    choice = focus.choose(query, memory, memory.keep.sum(1), torch.full((len(memory.keep), 1), time))
    return choice.places[:, 0].tolist(), choice.keep[:, 0].tolist()


@pytest.mark.parametrize(
    ("time", "places", "keep"),
    [
        (0, [0, 1, 2], [True, True, False]),  # moved back into the memory: place 2 is too far from 0
        (1, [0, 1, 2], [True, True, True]),
        (4, [3, 4, 5], [True, True, True]),
        (5, [4, 5, 6], [True, True, False]),  # the memory goes on, the source does not
        (9, [4, 5, 6], [True, True, False]),  # behind the end it stays at the last place
    ],
)
def test_a_window_about_the_step(time, places, keep, memory):
    assert chosen(Local(kind="monotonic", width=1), memory(7, 6), time) == ([places], [keep])


def test_a_window_at_the_memorys_own_end_and_in_a_row_without_places(memory):
    focus = Local(kind="monotonic", width=1)
    assert chosen(focus, memory(4, 4, 0), 3) == ([[1, 2, 3], [0, 1, 2]], [[False, True, True], [False] * 3])


def test_a_window_as_wide_as_the_memory_is_the_memory(memory):
    """Then nothing is gathered."""
    focus, looked = Local(kind="monotonic", width=1), memory(3, 3)
    choice = focus.choose(torch.zeros(1, 1, WIDTH).double(), looked, looked.keep.sum(1), torch.zeros(1, 1).long())
    assert (choice.places, choice.keep.tolist()) == (None, [[[True, True, False]]])


@pytest.fixture
def aimed():
    """A focus that predicts this share of the source, whatever the query."""

    def make(share, **options):
        focus = Local(Sizes(1, WIDTH), **options)
        focus.hidden.weight.data.fill_(100.0)  # tanh is 1
        focus.vector.weight.data.fill_(math.log(share / (1 - share)))
        return focus.double()

    return make


def glance_at(focus, energies, length):
    """(weights over all places, the choice) of a focus in a memory of these energies."""
    size = len(energies)
    looked = Memory(torch.zeros(1, size, 1), torch.arange(size)[None] < length, torch.zeros(1, 1), (size,))
    choice = focus.choose(torch.ones(1, 1, 1).double(), looked, looked.keep.sum(1), None)
    scored = torch.tensor(energies).double()
    scored = scored.expand(1, 1, -1) if choice.places is None else scored[choice.places]
    return over_all_places(focus.weigh(scored, choice.keep, choice), size)[0, 0], choice


def test_a_predicted_place_by_hand(aimed):
    # p = 8 · 0.4 = 3.2, so the window is places 1 to 5; sigma = 1
    energies = [9.0, math.log(2), 0.0, math.log(3), 0.0, math.log(4), 9.0, 9.0, 9.0]
    weights, choice = glance_at(aimed(0.4, width=2), energies, 8)
    gauss = [math.exp(-((j - 3.2) ** 2) / 2) for j in range(1, 6)]
    expected = [alpha / 11 * g for alpha, g in zip([2, 1, 3, 1, 4], gauss, strict=True)]
    torch.testing.assert_close(choice.aim, torch.tensor([[3.2]]).double())
    torch.testing.assert_close(weights, torch.tensor([0.0, *expected, 0.0, 0.0, 0.0]).double())
    again, _ = glance_at(aimed(0.4, width=2, renormalise=True), energies, 8)
    torch.testing.assert_close(again, weights / sum(expected))


@pytest.mark.parametrize(("share", "kept"), [(0.01, [0, 1, 2]), (0.99, [3, 4, 5])])
def test_a_predicted_place_near_a_border(share, kept, aimed):
    weights, _ = glance_at(aimed(share, width=2), [0.0] * 9, 6)
    assert weights.nonzero()[:, 0].tolist() == kept


def test_who_says_that_its_rows_sum_to_one_and_who_must_be_told_the_time():
    sizes = Sizes(WIDTH, WIDTH)
    for focus, whole, timed in (
        (Local(sizes), False, False),
        (Local(sizes, renormalise=True), True, False),
        (Local(kind="monotonic"), True, True),
    ):
        assert (focus.sums_to_one, focus.timed) == (whole, timed)


@pytest.mark.parametrize("renormalise", [True, False])
def test_the_gradient_moves_the_place(renormalise, aimed):
    """More weight is wanted on a place to the right of where it aims."""
    focus = aimed(0.4, width=2, renormalise=renormalise)
    weights, choice = glance_at(focus, [0.0] * 8, 8)
    choice.aim.retain_grad()
    weights[5].backward()
    assert choice.aim.grad.item() > 0.01
    assert focus.vector.weight.grad.abs().item() > 0.01
    if not renormalise:  # dα_5/dp = α_5 (5 − p) / σ²
        torch.testing.assert_close(choice.aim.grad, (weights[5] * (5 - choice.aim)).detach())


@pytest.mark.parametrize("score", SCORES.names())
@pytest.mark.parametrize("options", [{"kind": "monotonic"}, {}, {"renormalise": True}], ids=str)
def test_a_window_is_the_whole_with_all_else_masked(score, options, memory):
    """Scoring what was chosen, against scoring everything and weighing what was chosen."""
    looked, queries = memory(9, 9, 7, 2, 0), torch.randn(4, 12, WIDTH).double()
    focus = Local(Sizes(WIDTH, WIDTH), width=2, **options).double()
    attention = Attention(SCORES[score](Sizes(WIDTH, WIDTH, (9,))).double(), focus)
    contexts, glance = attention.along(queries, attention.bind(looked))
    assert glance.weights.shape == glance.places.shape == (4, 12, 5)
    choice = focus.choose(queries, looked, looked.keep.sum(1), torch.arange(12).expand(4, -1))
    keep = torch.zeros(4, 12, 9, dtype=torch.bool).scatter(-1, choice.places, choice.keep)
    everything = focus.weigh(attention.score(queries, looked), keep, choice._replace(places=None, keep=keep))
    weights = over_all_places(glance, 9)
    torch.testing.assert_close(weights, everything.weights)
    torch.testing.assert_close(contexts, weights @ looked.values)
    assert weights[3].eq(0).all()


def test_no_place_is_chosen_twice(memory):
    """A window that counted a border's place twice would give it twice the weight."""
    looked, focus = memory(30, 30, 13, 1, 0), Local(Sizes(WIDTH, WIDTH), width=3).double()
    choice = focus.choose(torch.randn(4, 50, WIDTH).double(), looked, looked.keep.sum(1), None)
    assert choice.places.diff(dim=-1).eq(1).all()
    assert choice.places.min() >= 0
    assert choice.places.max() < 30
    assert choice.keep[:3].any(-1).all()
    assert not choice.keep[3].any()


def test_places_in_a_line_are_needed():
    for options in ({"kind": "monotonic"}, {}):
        with pytest.raises(RegardError) as error:
            Local(Sizes(WIDTH, WIDTH, (4, 5)), **options)
        assert str(error.value) == (
            'the focus "local" needs places in a line, and this memory is a grid of up to 4 × 5; set focus=soft'
        )


def test_a_predicted_place_needs_a_width():
    with pytest.raises(RegardError, match="needs to know the width of the query that predicts its place"):
        Local()


def test_an_option_without_effect_is_told():
    config = compose({}, ['focus={type="local", kind="monotonic", renormalise=true}'])
    assert idle_settings(config) == [
        "looks.source.focus.renormalise (a monotonic window has no Gaussian, and its rows sum to 1)"
    ]
    assert not idle_settings(compose({}, ['focus={type="local", renormalise=true}']))
