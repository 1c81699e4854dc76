"""The attention layer of the seq2seq tutorials for Keras 3, so that lecture code runs as written and obeys its masks.

    from regard.keras import AttentionLayer
    attn_out, attn_states = AttentionLayer(name="attention_layer")([encoder_out, decoder_out])

Unusual here: this module shares no code with the rest of Regard and names no backend. All is `keras.ops`, so that it
runs wherever Keras runs; a test holds it equal to our additive score. A tensor may be of any backend or a symbol that
has no values yet, so types say `Any`. Needs the extra "keras"; nothing of ours imports this module.

Legend: B batch, S source places, T target steps, M memory width, Q query width, A attention width.
"""

from typing import Any, no_type_check

from regard.errors import MissingExtra, RegardError

try:
    import keras
    from keras import ops
except ImportError as error:
    if error.name == "keras":
        raise MissingExtra("regard.keras", "keras") from error
    if error.name in ("tensorflow", "jax", "openvino"):
        raise RegardError(
            f"Keras wants {error.name}, which is not installed: set KERAS_BACKEND=torch in the environment before "
            f"Keras is imported, or install {error.name}"
        ) from error
    raise

LOW = -6e4  # below every energy, as |e| ≤ Σ|v|, and still a float16
ROLES = ("encoder_out", "decoder_out")


def attend(
    memory: Any,  # (B, S, M)
    queries: Any,  # (B, T, Q)
    W: Any,  # (M, A)
    U: Any,  # (Q, A)
    v: Any,  # (A, 1)
    keep: Any = None,  # (B, S); None: every place is real
) -> tuple[Any, Any]:
    """e_{t,j} = vᵀ tanh(h_j W + s_t U); weights = softmax of e over the kept places; context = Σ_j weights_{t,j} h_j.

    Returns the context (B, T, M) and the weights (B, T, S). All of both is zero in a row with nothing to keep.
    """
    # einsum everywhere: it keeps float64, of which `ops.matmul` makes float32
    keys = ops.expand_dims(ops.einsum("bsm,ma->bsa", memory, W), 1)  # (B, 1, S, A)
    asked = ops.expand_dims(ops.einsum("btq,qa->bta", queries, U), 2)  # (B, T, 1, A)
    energies = ops.einsum("btsa,az->bts", ops.tanh(keys + asked), v)  # z is 1
    if keep is None:
        weights = ops.softmax(energies, axis=-1)
    else:
        keep = ops.expand_dims(ops.cast(keep, "bool"), 1)  # (B, 1, S)
        weights = ops.softmax(ops.where(keep, energies, LOW), axis=-1)
        weights = ops.where(keep, weights, 0.0)  # empties the rows that have no real place
    return ops.einsum("bts,bsm->btm", weights, memory), weights


@keras.saving.register_keras_serializable(package="regard")
class AttentionLayer(keras.layers.Layer):  # type: ignore[misc]  # Keras ships no types
    """Additive attention with weights of its own: e_{t,j} = vᵀ tanh(h_j W + s_t U), α_t = softmax over the places j,
    c_t = Σ_j α_{t,j} h_j (Bahdanau et al. 2015, appendix A.1.2).

    Call it with [encoder_out (B, S, M), decoder_out (B, T, Q)]: a list, a tuple or two arguments. It returns the
    context c (B, T, M) and the weights α (B, T, S), in this order and always both. W is (M, A), U is (Q, A), v is
    (A, 1); A is `units`, and M where `units` is not given. There are no biases.

    Masks that Keras carries are obeyed, as is `mask=[encoder_mask, decoder_mask]`, True at what is real. A padded
    place weighs exactly 0; a row without a real place has zero weights, a zero context and finite gradients. The
    decoder's mask travels on with both outputs.

    How ours differs
    - from the layer of this name in the tutorials: that one ignores masks and loops over the steps, where this one
      is one broadcast that holds (B, T, S, A) numbers at once. Shapes and order of the weights are the same, so
      `set_weights` takes those of the old layer.
    - from the paper and from our own score `additive`: there the state *before* a step asks, and what was seen feeds
      the step; here the decoder has run already. Our score also has a bias, beside the keys.
    - from `keras.layers.AdditiveAttention`: that one takes the query first, has no W and U, so that M must equal Q,
      gives the weights only when asked, gives padding even weights in a row that is all padding, and zeroes the
      context of padded decoder steps, which ours leaves to the mask.
    """

    units: int | None

    @no_type_check  # Keras reads this signature, which a checker's wrapper would hide
    def __init__(self, units: int | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        if units is not None and (not isinstance(units, int) or units < 1):
            raise RegardError(
                f"units came as {units!r}; expected a whole number above 0, or None for the width of encoder_out"
            )
        self.units = units
        self.supports_masking = True

    def __call__(self, inputs: Any, *more: Any, **kwargs: Any) -> Any:
        if more:
            inputs = [inputs, *more]
        inputs = list(inputs) if isinstance(inputs, tuple) else inputs
        checked([getattr(one, "shape", type(one)) for one in inputs] if isinstance(inputs, list) else [inputs])
        mask = kwargs.get("mask")
        if mask is not None and not (isinstance(mask, list | tuple) and len(mask) == 2):
            raise RegardError(
                f"mask came as {type(mask).__name__}; expected [encoder_mask, decoder_mask], None where there is none"
            )
        return super().__call__(inputs, **kwargs)

    def build(self, input_shape: Any) -> None:
        memory, query = (shape[-1] for shape in checked(input_shape))
        if memory is None or query is None:
            raise RegardError(
                f"{ROLES[memory is not None]} came without a width; expected (batch, steps, width) with the last one "
                "known: give it to keras.Input"
            )
        width = memory if self.units is None else self.units
        self.W = self.add_weight(name="W", shape=(memory, width), initializer="glorot_uniform")
        self.U = self.add_weight(name="U", shape=(query, width), initializer="glorot_uniform")
        self.v = self.add_weight(name="v", shape=(width, 1), initializer="glorot_uniform")
        self.input_spec = [keras.layers.InputSpec(ndim=3, axes={-1: width}) for width in (memory, query)]

    def call(self, inputs: Any, mask: Any = None) -> tuple[Any, Any]:
        memory, queries = inputs
        return attend(memory, queries, self.W, self.U, self.v, None if mask is None else mask[0])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None if mask is None else (mask[1], mask[1])

    def compute_output_shape(self, input_shape: Any) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
        memory, query = checked(input_shape)
        return (*query[:2], memory[2]), (*query[:2], memory[1])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "units": self.units}


def checked(shapes: Any) -> list[tuple[int | None, ...]]:
    """The shapes of encoder_out and decoder_out, or what is wrong with them."""
    if len(shapes) != len(ROLES):
        raise RegardError(
            f"AttentionLayer came with {len(shapes)} input{'s' * (len(shapes) != 1)}; expected two, [encoder_out, "
            "decoder_out]: of a layer that returns its states too, give the sequence alone"
        )
    for role, shape in zip(ROLES, shapes, strict=True):
        if isinstance(shape, type):  # not a shape, but what came instead of a tensor
            raise RegardError(f"{role} came as {shape.__name__}; expected a tensor (batch, steps, width)")
        if len(shape) != 3:
            raise RegardError(
                f"{role} came with shape {tuple(shape)}; expected (batch, steps, width): "
                "the layer before it may need return_sequences=True"
            )
    return [tuple(shape) for shape in shapes]
