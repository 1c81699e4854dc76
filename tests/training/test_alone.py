"""Parts trained apart: what is meant to move moves, everything else stays to the last bit."""

import pytest
import torch

from regard.answering import extents
from regard.batch import Tokens
from regard.errors import RegardError
from regard.model import Model
from regard.training import alone
from regard.training.alone import Blind, freeze, train_apart, with_end

ONE_WAY = "two_way=false"


def model_of(plan, seed=1):
    torch.manual_seed(seed)
    return Model(plan.config, extents(plan.columns))


def apart(toy, *settings, given=None):
    """(the model, names of what moved, events) after its parts were trained alone."""
    plan = toy.plan(*settings, given=given)
    model, told = model_of(plan), []
    before = {name: tensor.detach().clone() for name, tensor in model.tensors().items()}
    train_apart(model, extents(plan.columns), plan.train, told.append)
    return model, {name for name, tensor in model.tensors().items() if not torch.equal(before[name], tensor)}, told


def test_an_end_is_put_behind_each_cell():
    tokens = Tokens(torch.tensor([[5, 6, 0], [4, 0, 0], [4, 5, 6], [0, 0, 0]]),
                    torch.tensor([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]]).bool())  # fmt: skip
    ids, keep = with_end(tokens)
    assert ids.tolist() == [[5, 6, 2, 0], [4, 2, 0, 0], [4, 5, 6, 2], [2, 0, 0, 0]]
    assert keep.int().tolist() == [[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]]


def test_nothing_is_trained_alone_unless_asked(toy):
    assert apart(toy)[1:] == (set(), [])


@pytest.mark.parametrize(
    ("settings", "moves", "what"),
    [
        (["encoder_first=autoencode"], "encoders.source.", "encoder source alone (autoencode)"),
        (["encoder_first=language-model", ONE_WAY], "encoders.source.", "encoder source alone (language-model)"),
        (["decoder_first=language-model"], "decoder.", "decoder alone (language-model)"),
    ],
)
def test_what_is_trained_alone_moves_and_nothing_else(toy, settings, moves, what):
    model, moved, told = apart(toy, *settings, "first_epochs=3", "weight_decay=0", "rate=0.02", "dropout=0")
    own = {name for name in model.tensors() if name.startswith(moves)}
    assert {name for name in own if "looks" not in name and ".start." not in name} <= moved <= own
    assert [(event["event"], event["what"], event["epoch"]) for event in told] == [
        ("alone", what, n) for n in (1, 2, 3)
    ]
    losses = [event["train_loss"] for event in told]
    assert losses == sorted(losses, reverse=True)
    assert losses[2] < losses[0] - 0.1


def test_both_first_the_encoder_and_then_the_decoder(toy):
    settings = ["encoder_first=autoencode", "decoder_first=language-model", "first_epochs=1"]
    _, moved, told = apart(toy, *settings)
    assert [event["what"] for event in told] == ["encoder source alone (autoencode)", "decoder alone (language-model)"]
    assert {name.partition(".")[0] for name in moved} == {"encoders", "decoder"}


def test_training_apart_is_repeatable(toy):
    first, second = (apart(toy, "encoder_first=autoencode", "first_epochs=2")[0] for _ in range(2))
    assert toy.differing(first.tensors(), second.tensors()) == []


def test_an_autoencoder_learns_to_write_what_it_read(toy):
    """Three letters of three pass through the summary: far below the entropy of a letter, log 3 = 1.10."""
    settings = ["encoder_first=autoencode", "first_epochs=30", "rate=0.03", "dropout=0", "smoothing=0", "hidden=16"]
    assert apart(toy, *settings)[2][-1]["train_loss"] < 0.3


def test_a_language_model_cannot_know_what_comes(toy):
    """Of all words of three letters a third each: nothing beats log 3 a letter, and log 1 at the end of three."""
    words = [word for word in toy.words if len(word) == 3]
    settings = ["encoder_first=language-model", ONE_WAY, "first_epochs=30", "rate=0.03", "dropout=0", "smoothing=0",
                "data.dev_share=0.04"]  # fmt: skip
    loss = apart(toy, *settings, given=toy.table(words))[2][-1]["train_loss"]
    assert loss == pytest.approx(3 * 1.0986 / 4, abs=0.12)


@pytest.mark.parametrize("way", ["autoencode", "language-model"])
def test_of_several_columns_the_first_is_written(toy, monkeypatch, way):
    """The autoencoder reads both to write it; the language model knows nothing of the other."""
    written = []
    monkeypatch.setattr(alone, "with_end", lambda tokens: written.append(tokens) or with_end(tokens))
    given = toy.table(tags=["N;SG", "V;PST", "V;PRS"] * 13)
    _, moved, _ = apart(toy, f"encoder_first={way}", ONE_WAY, "first_epochs=1", "data.features=tags", given=given)
    tables = {f"encoders.source.embeddings.{number}.table.weight" for number in (0, 1)}
    assert tables & moved == (tables if way == "autoencode" else {"encoders.source.embeddings.0.table.weight"})
    assert sum(len(tokens.ids) for tokens in written) == 35
    assert max(tokens.ids.shape[1] for tokens in written) == 3  # letters, where tags have two and an end


def test_a_blind_decoder_sees_nothing_of_the_source(toy):
    plan = toy.plan("decoder_first=language-model")
    model, batch = model_of(plan), next(plan.dev.ordered(1e9))
    blind = Blind(plan.config, extents(plan.columns)).eval()
    blind.decoder = model.decoder.eval()
    _, losses, glances = blind(batch)
    assert glances["source"].weights.eq(0).all()
    source = batch.columns["source"]
    other = batch._replace(columns=batch.columns | {"source": source._replace(ids=source.ids.flip(1))})
    torch.testing.assert_close(blind(other)[1], losses)
    assert not torch.allclose(model.eval()(other)[1], model(batch)[1])
    memory = blind.encode(batch.columns).memories["source"]
    assert memory.values.eq(0).all()
    assert memory.summary.eq(0).all()
    assert not memory.keep.any()
    assert memory.values.shape[2] == memory.summary.shape[1] == 16  # as the true encoder's: two ways of 8


@pytest.mark.parametrize(("frozen", "stays"), [(["encoder"], "encoders."), (["decoder"], "decoder.")])
def test_frozen_parts_want_no_gradient(toy, frozen, stays):
    model = model_of(toy.plan(f"freeze={frozen[0]}"))
    freeze(model)
    assert all(part.requires_grad != name.startswith(stays) for name, part in model.named_parameters())


@pytest.mark.parametrize(("frozen", "stays"), [("encoder", "encoders."), ("decoder", "decoder.")])
def test_a_frozen_part_stays_as_it_was_trained_alone(toy, tmp_path, frozen, stays):
    """Through the whole road: what is in the folder is what the apprenticeship left."""
    first = "encoder_first=autoencode" if frozen == "encoder" else "decoder_first=language-model"
    settings = [first, "first_epochs=1", f"freeze={frozen}", "rate=0.02", "average=0.5"]
    model, _, _ = apart(toy, *settings)
    left = toy.weights(toy.train(tmp_path / "model", *settings))
    own = {name for name in left if name.startswith(stays)}
    differing = toy.differing(left, {name: tensor.detach() for name, tensor in model.tensors().items()})
    assert not own & set(differing)
    assert differing
    alone_told, *epochs = toy.events(tmp_path / "model")
    assert alone_told.keys() == {"event", "what", "epoch", "train_loss"}
    assert [event["event"] for event in epochs] == ["epoch", "epoch"]


def test_a_language_model_reads_one_way(toy, tmp_path):
    with pytest.raises(RegardError) as error:
        toy.train(tmp_path / "model", "encoder_first=language-model")
    assert str(error.value) == (
        'encoder_first = "language-model" needs an encoder that reads one way, as a language model does:'
        ' set two_way = false, or encoder_first = "autoencode"'
    )
    assert not (tmp_path / "model").exists()  # so that the same name can be used again


def test_the_apprentice_is_of_the_same_parts(toy):
    plan = toy.plan("encoder_first=language-model", ONE_WAY, "cell=gru", "encoders.source.layers=2")
    model = model_of(plan)
    apprentice = alone._encoder_apprentice(model, "source", extents(plan.columns), True)
    encoder = model.encoders["source"]
    assert apprentice.decoder.embedding is encoder.embeddings[0]
    cells = [cell for layer in encoder.recurrence.forwards for cell in layer.cells]
    assert len(cells) == 2
    assert all(ours is theirs for ours, theirs in zip(apprentice.decoder.recurrence.cells, cells, strict=True))
