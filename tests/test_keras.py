"""The Keras layer: its numbers, its masks, its errors, what Keras asks of a layer, and that a model learns with it."""

import os

os.environ["KERAS_BACKEND"] = "torch"  # before Keras is imported

import importlib.util
import sys

import keras
import numpy as np
import pytest
import torch
from keras import layers, ops
from keras.src.testing import TestCase  # Keras' own checks of a layer; there is no public name for them

import regard.keras
from regard.attention import SCORES, Attention, Sizes
from regard.attention.focus import Soft
from regard.errors import MissingExtra, RegardError
from regard.keras import AttentionLayer, attend
from regard.masks import keep_places
from regard.memory import Memory

B, S, T, M, Q = 3, 5, 4, 6, 2


@pytest.fixture
def pair():
    """encoder_out and decoder_out."""
    return [torch.randn(B, S, M), torch.randn(B, T, Q)]


@pytest.fixture
def keep():
    """All five places of the first row are real, two of the second, none of the third."""
    return keep_places(torch.tensor([5, 2, 0]), size=S)


def numbers(tensor):
    return ops.convert_to_numpy(tensor)


# -- numbers -------------------------------------------------------------------------------------------------------


def test_numbers_by_hand():
    places, states = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]]), torch.tensor([[[0.0, 5.0], [1.0, 5.0]]])
    W, U = torch.tensor([[1.0, 0.0], [0.0, 0.5]]), torch.tensor([[1.0, -1.0], [0.0, 0.0]])
    context, weights = attend(places, states, W, U, torch.tensor([[1.0], [2.0]]))
    # keys (1, 0) and (0, 1). The first state adds nothing: e = tanh 1 = 0.76159416 and 2 tanh 1 = 1.52318831, apart
    # 0.76159416. The second adds (1, −1): e = tanh 2 − 2 tanh 1 = −0.55916074 and tanh 1 + 0, apart 1.32075489.
    # Weights are the logistic function of that: 0.68169974 and 0.78930727 at the second place, which holds (0, 2).
    torch.testing.assert_close(weights, torch.tensor([[[0.31830026, 0.68169974], [0.21069273, 0.78930727]]]))
    torch.testing.assert_close(context, torch.tensor([[[0.31830026, 1.36339948], [0.21069273, 1.57861455]]]))
    context, weights = attend(places, states, W, U, torch.tensor([[1.0], [2.0]]), torch.tensor([[False, True]]))
    assert weights.tolist() == [[[0, 1], [0, 1]]]
    assert context.tolist() == [[[0, 2], [0, 2]]]


@pytest.mark.parametrize("units", [None, 7])
def test_equals_our_additive_score_without_its_bias(units, pair, keep):
    layer = AttentionLayer(units)
    context, weights = layer(pair, mask=[keep, None])
    score = SCORES["additive"](Sizes(query=Q, memory=M), width=units or M)
    W, U, v = (torch.from_numpy(weight) for weight in layer.get_weights())
    score.project_memory.weight.data, score.project_query.weight.data, score.vector.data = W.T, U.T, v[:, 0]
    score.project_memory.bias.data.zero_()
    ours = Attention(score, Soft())
    expected, glance, _ = ours(pair[1], ours.bind(Memory(pair[0], keep, pair[0][:, 0], (S,))))
    torch.testing.assert_close(weights, glance.weights)
    torch.testing.assert_close(context, expected)


def test_a_list_a_tuple_and_two_arguments_are_the_same(pair):
    layer = AttentionLayer()
    expected = layer(pair)
    for found in (layer(tuple(pair)), layer(*pair), layer(inputs=pair), layer(*pair, mask=(None, None))):
        assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))
    symbols = [keras.Input((None, M)), keras.Input((None, Q))]
    for model in (keras.Model(symbols, layer(*symbols)), keras.Model(symbols, layer(tuple(symbols)))):
        again = keras.Model.from_config(model.get_config())
        again.set_weights(layer.get_weights())
        torch.testing.assert_close(again(pair)[0], expected[0])


# -- masks ---------------------------------------------------------------------------------------------------------


def test_padding_weighs_nothing_and_an_empty_row_is_zero(pair, keep):
    context, weights = AttentionLayer()(pair, mask=[keep, None])
    assert (weights[~keep[:, None].expand_as(weights)] == 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.tensor([1.0, 1.0, 0.0])[:, None].expand(B, T))
    assert (context[2] == 0).all()
    layer = AttentionLayer()
    alone = layer([pair[0][1:2, :2], pair[1][1:2]])
    padded = layer([pair[0][1:2], pair[1][1:2]], mask=[keep[1:2], None])
    torch.testing.assert_close(padded[0], alone[0])
    torch.testing.assert_close(padded[1][..., :2], alone[1])


@pytest.mark.parametrize("dtype", ["float32", "mixed_float16", "mixed_bfloat16"])
def test_gradients_are_finite_and_an_empty_row_has_none(dtype, pair, keep):
    layer = AttentionLayer(dtype=dtype)
    memory, queries = (one.requires_grad_() for one in pair)
    context, weights = layer([memory, queries], mask=[keep, None])
    (context.float().square().sum() + weights.float().square().sum()).backward()
    gradients = [memory.grad, queries.grad, *(weight.value.grad for weight in layer.weights)]
    assert all(gradient.isfinite().all() and gradient.any() for gradient in gradients)
    assert not memory.grad[2].any()
    assert not queries.grad[2].any()
    assert not memory.grad[1, 2:].any()


def test_masks_come_through_recurrent_layers_and_the_decoders_travels_on():
    source, before = keras.Input((None,)), keras.Input((None,))
    encoder_out = layers.Bidirectional(layers.LSTM(M, return_sequences=True))(
        layers.Embedding(9, 3, mask_zero=True)(source)
    )
    decoder_out = layers.GRU(Q, return_sequences=True)(layers.Embedding(9, 3, mask_zero=True)(before))
    both = AttentionLayer()([encoder_out, decoder_out])
    averages = [layers.GlobalAveragePooling1D()(one) for one in both]  # over what the mask keeps
    tokens = [np.array([[1, 2, 3], [4, 0, 0], [0, 0, 0]]), np.array([[1, 2], [3, 0], [4, 5]])]
    # two models, as Keras before 3.15 averages in place on torch
    context, weights = (numbers(one) for one in keras.Model([source, before], both)(tokens))
    found = [numbers(one) for one in keras.Model([source, before], averages)(tokens)]
    assert (weights > 0).tolist() == [[[True] * 3] * 2, [[True, False, False]] * 2, [[False] * 3] * 2]
    np.testing.assert_allclose(weights.sum(-1), [[1, 1], [1, 1], [0, 0]], rtol=1e-5)
    for one, average in zip((context, weights), found, strict=True):
        np.testing.assert_allclose(average, [one[0].mean(0), one[1, 0], one[2].mean(0)], rtol=1e-5)


def test_without_masks_none_is_made(pair):
    layer = AttentionLayer()
    assert layer.compute_mask(pair, None) is None
    assert layer.compute_mask(pair, [None, None]) == (None, None)


# -- what Keras asks of a layer ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:`shuffle=True` was passed:UserWarning")  # by Keras' own check
@pytest.mark.parametrize(("settings", "wrap"), [({}, list), ({"units": 7, "name": "attention_layer"}, tuple)])
def test_keras_own_checks(settings, wrap):
    """Configuration, building, symbols and numbers, shapes, types, one step of training."""
    TestCase().run_layer_test(
        AttentionLayer,
        init_kwargs=settings,
        input_shape=wrap([(B, S, M), (B, T, Q)]),
        expected_output_shape=((B, T, M), (B, T, S)),
        expected_output_dtype=("float32", "float32"),
        expected_num_trainable_weights=3,
        expected_num_non_trainable_weights=0,
        expected_num_seed_generators=0,
        expected_num_losses=0,
        supports_masking=True,
    )


def test_shapes_of_weights_and_of_what_is_not_yet_known():
    for units, width in ((None, M), (7, 7)):
        layer = AttentionLayer(units)
        layer.build([(None, None, M), (None, T, Q)])
        assert [(weight.name, weight.shape) for weight in layer.weights] == [
            ("W", (M, width)),
            ("U", (Q, width)),
            ("v", (width, 1)),
        ]
        symbols = layer([keras.Input((None, M)), keras.Input((T, Q))])
        assert [one.shape for one in symbols] == [(None, T, M), (None, T, None)]
        assert layer.compute_output_shape([(None, None, M), (None, T, Q)]) == ((None, T, M), (None, T, None))
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 6"):
        layer([torch.zeros(B, S, M + 1), torch.zeros(B, T, Q)])


@pytest.mark.parametrize(
    ("policy", "computed", "held"),
    [
        ("float64", "float64", "float64"),
        ("float16", "float16", "float16"),
        ("mixed_float16", "float16", "float32"),
        ("mixed_bfloat16", "bfloat16", "float32"),
    ],
)
def test_types_follow_the_policy(policy, computed, held, pair, keep):
    layer = AttentionLayer(dtype=policy)
    found = layer(pair, mask=[keep, None])
    assert {keras.backend.standardize_dtype(one.dtype) for one in found} == {computed}
    assert {one.dtype for one in layer([keras.Input((S, M)), keras.Input((T, Q))])} == {computed}
    assert {weight.dtype for weight in layer.weights} == {held}
    exact = AttentionLayer()
    exact.build([(B, S, M), (B, T, Q)])
    exact.set_weights([weight.astype("float32") for weight in layer.get_weights()])
    for one, other in zip(found, exact(pair, mask=[keep, None]), strict=True):
        torch.testing.assert_close(one.float(), other.float(), rtol=0.05, atol=0.02)
    assert (found[1].float()[~keep[:, None].expand(B, T, S)] == 0).all()
    assert (found[0][2] == 0).all()


# -- a model -------------------------------------------------------------------------------------------------------

START, LONGEST = 6, 3


def examples(count, more=0):
    """Two or three of the tokens 1 to 5, what was written before each step, and the tokens reversed."""
    source = np.zeros((count, LONGEST + more), "int32")
    answer = np.zeros((count, LONGEST), "int32")
    for row, length in enumerate(np.random.randint(2, LONGEST + 1, count)):
        source[row, :length] = np.random.randint(1, START, length)
        answer[row, :length] = source[row, :length][::-1]
    return [source, np.pad(answer[:, :-1], ((0, 0), (1, 0)), constant_values=START)], answer


def test_a_model_learns_to_reverse_looks_backwards_and_is_saved(tmp_path):
    keras.utils.set_random_seed(1)
    source, before = keras.Input((None,)), keras.Input((None,))
    embedded = layers.Embedding(START, 12, mask_zero=True)(source)
    encoder_out = layers.Bidirectional(layers.GRU(24, return_sequences=True))(embedded)
    decoder_out = layers.GRU(24, return_sequences=True)(layers.Embedding(START + 1, 12, mask_zero=True)(before))
    attn_out, attn_states = AttentionLayer(name="attention_layer")([encoder_out, decoder_out])
    answer = layers.Dense(START, activation="softmax")(layers.Concatenate()([decoder_out, attn_out]))
    model = keras.Model([source, before], answer)
    model.compile(keras.optimizers.Adam(0.02), "sparse_categorical_crossentropy")
    model.fit(*examples(1000), batch_size=50, epochs=5, verbose=0)

    inputs, expected = examples(200)
    chances = model.predict(inputs, verbose=0)
    real = expected > 0
    assert (chances.argmax(-1) == expected)[real].mean() > 0.98

    looking = keras.Model([source, before], [answer, attn_states])
    weights = looking.predict(inputs, verbose=0)[1]
    last = (inputs[0] > 0).sum(1, keepdims=True) - 1
    assert (weights.argmax(-1) == last - np.arange(LONGEST))[real].mean() > 0.9
    assert (weights[~np.repeat((inputs[0] > 0)[:, None], LONGEST, 1)] == 0).all()

    wider = [np.pad(inputs[0], ((0, 0), (0, 2))), inputs[1]]
    np.testing.assert_allclose(model.predict(wider, verbose=0)[real], chances[real], atol=1e-5)

    looking.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert type(again.get_layer("attention_layer")) is AttentionLayer
    assert all(
        np.array_equal(*both)
        for both in zip(again.predict(inputs, verbose=0), looking.predict(inputs, verbose=0), strict=True)
    )
    assert keras.saving.get_registered_object("regard>AttentionLayer") is AttentionLayer


# -- mistakes ------------------------------------------------------------------------------------------------------

STATES = "of a layer that returns its states too, give the sequence alone"


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ([(B, S, M)], f"came with 1 input; expected two, [encoder_out, decoder_out]: {STATES}"),
        ([(B, S, M), (B, T, Q), (B, Q)], "came with 3 inputs; expected two"),
        ([], "came with 0 inputs; expected two"),
        (
            [(B, M), (B, T, Q)],
            "encoder_out came with shape (3, 6); expected (batch, steps, width): the layer before it may need "
            "return_sequences=True",
        ),
        ([(B, S, M), (B, Q)], "decoder_out came with shape (3, 2); expected (batch, steps, width)"),
        ([(B, 2, S, M), (B, T, Q)], "encoder_out came with shape (3, 2, 5, 6); expected"),
    ],
)
def test_wrong_inputs(shapes, said):
    for give in (
        lambda: AttentionLayer()([torch.zeros(shape) for shape in shapes]),
        lambda: AttentionLayer()([keras.Input(batch_shape=shape) for shape in shapes]),
        lambda: AttentionLayer().build(shapes),
        lambda: AttentionLayer().compute_output_shape(shapes),
    ):
        with pytest.raises(RegardError) as caught:
            give()
        assert said in str(caught.value)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: AttentionLayer()(torch.zeros(B, S, M)), "came with 1 input; expected two"),
        (
            lambda: AttentionLayer()(["text", torch.zeros(B, T, Q)]),
            "encoder_out came as str; expected a tensor (batch, steps, width)",
        ),
        (lambda: AttentionLayer()([torch.zeros(B, S, M), [3.0]]), "decoder_out came as list; expected a tensor"),
        (
            lambda: AttentionLayer()([torch.zeros(B, S, M), torch.zeros(B, T, Q)], mask=torch.ones(B, S)),
            "mask came as Tensor; expected [encoder_mask, decoder_mask], None where there is none",
        ),
        (
            lambda: AttentionLayer()([keras.Input((S, None)), keras.Input((T, Q))]),
            "encoder_out came without a width; expected (batch, steps, width) with the last one known",
        ),
        (lambda: AttentionLayer()([keras.Input((S, M)), keras.Input((T, None))]), "decoder_out came without a width"),
        (lambda: AttentionLayer(0), "units came as 0; expected a whole number above 0, or None"),
        (lambda: AttentionLayer("wide"), "units came as 'wide'; expected a whole number above 0"),
    ],
)
def test_other_mistakes(act, said):
    with pytest.raises(RegardError) as caught:
        act()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("absent", "error", "said"),
    [
        ("keras", MissingExtra, 'regard.keras needs the extra "keras": pip install "regard[keras]"'),
        (
            "tensorflow",
            RegardError,
            "Keras wants tensorflow, which is not installed: set KERAS_BACKEND=torch in the environment before Keras "
            "is imported, or install tensorflow",
        ),
        ("h5py", ModuleNotFoundError, "no h5py"),
    ],
)
def test_what_is_not_installed_is_named(absent, error, said, monkeypatch):
    class Refuse:
        def find_spec(self, name, path=None, target=None):
            if name == "keras":
                raise ModuleNotFoundError(f"no {absent}", name=absent)

    monkeypatch.delitem(sys.modules, "keras")
    monkeypatch.setattr(sys, "meta_path", [Refuse(), *sys.meta_path])
    spec = importlib.util.spec_from_file_location("another", regard.keras.__file__)
    with pytest.raises(error) as caught:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert type(caught.value) is error
    assert str(caught.value) == said
