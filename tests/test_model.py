"""The model as search sees it: ties, ensembles, looks without the batch's padding; its tensors by name."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regard.batch import END, PAD, START, UNKNOWN, Batch, Extent, Tokens
from regard.config import compose
from regard.masks import keep_places
from regard.memory import Glance
from regard.model import Model, ModelStepper, _averaged, _own, _own_first, best_symbols
from regard.search import SearchOptions, search

EXTENTS = {"source": Extent(9, 5), "target": Extent(9, 5)}


def build(*settings, seed=0):
    torch.manual_seed(seed)
    recipe = {"encoders": {"source": {"reads": ["source"]}}, "decoder": {"writes": "target"}}
    model = Model(compose(recipe, ["hidden=3", "embedding=5", *settings]), EXTENTS).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return model


@pytest.fixture
def batch():
    keep = keep_places(torch.tensor([5, 2, 3]))
    return Batch({"source": Tokens(torch.randint(4, 9, (3, 5)), keep)}, torch.arange(3), torch.ones(3))


# -- the best symbols ----------------------------------------------------------------------------------------------


def test_ties_go_to_the_lower_id():
    values, ids = best_symbols(torch.tensor([[[0.0, 2.0, 1.0, 2.0, 1.0, 1.0]]]), 3)
    assert (ids.tolist(), values.tolist()) == ([[[1, 3, 2]]], [[[2.0, 2.0, 1.0]]])


FEW = st.sampled_from([-np.inf, -3.0, -1.0, -0.5, 0.0])


@given(arrays(np.float32, st.tuples(st.just(2), st.just(2), st.integers(1, 8)), elements=FEW), st.integers(1, 10))
def test_the_best_are_those_of_a_stable_sort(log_probs, top):
    values, ids = best_symbols(torch.from_numpy(log_probs), top)
    order = np.argsort(-log_probs, axis=-1, kind="stable")[..., :top]
    assert ids.tolist() == order.tolist()
    assert values.tolist() == np.take_along_axis(log_probs, order, -1).tolist()


# -- an ensemble ---------------------------------------------------------------------------------------------------


def advance(stepper, batch, top=9):
    fixed, moving = stepper.start(batch, 2)
    tokens = np.full((3, 2), START)
    return stepper.advance(fixed, moving, tokens, np.zeros((3, 2), np.int64), top)


def by_id(step):
    log_probs = np.empty_like(step.log_probs)
    np.put_along_axis(log_probs, step.ids, step.log_probs, -1)
    return log_probs


def test_probabilities_are_averaged_and_so_are_glances(batch):
    one, other = build(seed=1), build("cell=gru", "score=general", seed=2)
    both, alone = (
        advance(ModelStepper(one, other), batch),
        [advance(ModelStepper(model), batch) for model in (one, other)],
    )
    mean = np.mean([np.exp(by_id(step)) for step in alone], 0)
    np.testing.assert_allclose(np.exp(by_id(both)), mean, atol=1e-6)
    weights = np.mean([step.glances["source"].weights for step in alone], 0)
    np.testing.assert_allclose(both.glances["source"].weights, weights, atol=1e-6)
    assert (by_id(both)[..., [PAD, START, UNKNOWN]] == -np.inf).all()
    assert by_id(both)[..., END].max() > -np.inf


def test_a_model_twice_is_the_model(batch):
    model = build()
    once, twice = (
        search(ModelStepper(*models), batch, np.full(3, 6), SearchOptions(beam=3))
        for models in ([model], [model, model])
    )
    for (one,), (two,) in zip(once, twice, strict=True):
        assert one.tokens == two.tokens
        np.testing.assert_allclose(one.log_probs, two.log_probs, atol=1e-5)
        np.testing.assert_allclose(one.glances["source"].weights, two.glances["source"].weights, atol=1e-6)


def test_with_a_model_that_looks_at_nothing_the_others_looks_are_shown(batch):
    one, other = build(seed=1), build("conditioning=first", seed=2)
    for models in ([one, other], [other, one]):
        both = advance(ModelStepper(*models), batch)
        np.testing.assert_allclose(
            both.glances["source"].weights, advance(ModelStepper(one), batch).glances["source"].weights, atol=1e-6
        )


# -- glances -------------------------------------------------------------------------------------------------------


def test_own_places_come_first_and_padding_behind():
    keep = torch.tensor([[True, False, True, True], [False, True, False, False]])
    order = _own_first(keep)
    weights = torch.tensor([[[0.5, 0.0, 0.2, 0.3]], [[0.0, 1.0, 0.0, 0.0]]])
    assert torch.equal(_own(Glance(weights), order).weights, torch.tensor([[[0.5, 0.2, 0.3, 0.0]], [[1.0, 0, 0, 0]]]))
    window = Glance(torch.tensor([[[0.4, 0.6]], [[1.0, 0.0]]]), torch.tensor([[[3, 2]], [[1, 2]]]))
    moved = _own(window, order)
    assert moved.weights is window.weights
    assert moved.places.tolist() == [[[2, 1]], [[0, 2]]]


def test_places_that_stand_in_front_stay():
    keep = keep_places(torch.tensor([3, 0, 1]))
    assert _own_first(keep) is None
    glance = Glance(torch.rand(3, 2, 3))
    assert _own(glance, None) is glance


def test_windows_of_several_models_become_one_over_all_places():
    first = Glance(torch.tensor([[[0.25, 0.75]]]), torch.tensor([[[1, 2]]]))
    second = Glance(torch.tensor([[[0.5, 0.5]]]), torch.tensor([[[3, 2]]]))
    seen = _averaged([{"a": first}, {"a": second}])["a"]
    assert seen.places is None
    np.testing.assert_allclose(seen.weights, [[[0.0, 0.125, 0.625, 0.25]]])
    whole = Glance(torch.tensor([[[0.0, 1.0, 0.0, 0.0, 0.0]]]))
    np.testing.assert_allclose(_averaged([{"a": first}, {"a": whole}])["a"].weights, [[[0.0, 0.625, 0.375, 0.0, 0.0]]])
    alone = _averaged([{"a": first}])["a"]
    assert (alone.places.tolist(), alone.weights.tolist()) == ([[[1, 2]]], [[[0.25, 0.75]]])


def test_a_narrower_window_beside_a_wider_one():
    narrow = Glance(torch.tensor([[[1.0]]]), torch.tensor([[[0]]]))
    wide = Glance(torch.tensor([[[0.5, 0.5]]]), torch.tensor([[[0, 1]]]))
    np.testing.assert_allclose(_averaged([{"a": narrow}, {"a": wide}])["a"].weights, [[[0.75, 0.25]]])


def test_forced_places_are_an_examples_own(batch):
    """Padding may stand between; a step below 0 looks as it likes, and a look that is not there is nobody's."""
    model = build()
    encoded = model.encode(batch.columns)
    keep = torch.tensor([[True, False, True, True, False], [False, True, False, False, False], [False] * 5])
    memory = encoded.memories["source"]._replace(keep=keep)
    asked = torch.tensor([[2, -1, 1], [0, -1, -1], [-1, -1, -1]])
    found = model.force(encoded._replace(memories={"source": memory}), {"source": asked, "other": asked})
    assert found.forced.keys() == {"source"}
    assert found.forced["source"].tolist() == [[3, -1, 2], [1, -1, -1], [-1, -1, -1]]
    assert model.force(encoded, {"other": asked}) is encoded


# -- the model -----------------------------------------------------------------------------------------------------


def test_what_a_glance_looks_at():
    model = build()
    assert model.looked_at("source") == ("source", "places")
    assert model.looked_at("source.sentences") == ("source", "sentences")


def test_tensors_are_named_once():
    tied = build("tied=true", "share=source", "two_way=false", "decoder.hidden=3", "layers=2")
    names = list(tied.tensors())
    assert len({id(tensor) for tensor in tied.tensors().values()}) == len(names)
    assert {id(tensor) for tensor in tied.parameters()} == {id(tensor) for tensor in tied.tensors().values()}
