"""Copying from end to end: sentences with names that nobody has seen before, answered with those names."""

import json
import random
import string
import tomllib

import pyarrow as pa
import pytest

import regard
from regard.batch import UNKNOWN
from regard.errors import RegardError

PATTERNS = [("my name is {} .", "hello {} !"), ("{} lives in {} .", "so {} is in {}"), ("I saw {}", "you met {}")]
SETTINGS = {
    "emission": "copying", "score": "dot", "cell": "gru", "hidden": 12, "decoder.hidden": 24, "embedding": 8,
    "epochs": 6, "batch": 8, "rate": 0.03, "dropout": 0.0, "average": 0.9, "method": "greedy", "threads": 1,
    "precision": "float32",
}  # fmt: skip


def drawn(count, seed):
    """So many rows, each name in one row only."""
    choose = random.Random(seed)
    said, reply = [], []
    for _ in range(count):
        pattern, answer = choose.choice(PATTERNS)
        names = ["".join(choose.choices(string.ascii_lowercase, k=6)).capitalize() for _ in range(pattern.count("{}"))]
        said.append(pattern.format(*names))
        reply.append(answer.format(*names))
    return pa.table({"said": said, "reply": reply})


def train(table, out, **settings):
    columns = {"source": "said", "target": "reply", "units": {"said": "word", "reply": "word"}}
    return regard.train(table, out=out, settings=SETTINGS | settings, say=lambda line: None, **columns)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return train(drawn(120, 1), tmp_path_factory.mktemp("copying") / "model")


@pytest.fixture(scope="module")
def held():
    return drawn(60, 2)


def right(answers, held):
    return sum(answer.text == text for answer, text in zip(answers, held["reply"].to_pylist(), strict=True)) / len(held)


def test_names_never_seen_are_written(model, held):
    source, target = (model.answerer.columns[name] for name in ("said", "reply"))
    assert source.size + target.size < 30
    assert (source.encode_ids(["Zoltan"])[0] == UNKNOWN).all()
    assert right(model.predict(held["said"].to_pylist()), held) > 0.95


def test_measures_read_what_was_copied(model, held):
    report = model.evaluate(held)
    assert report.word_error_rate < 5.0
    events = [json.loads(line) for line in (model.folder / "training.jsonl").read_text().splitlines()]
    assert max(event["dev_bleu"] for event in events if event["event"] == "epoch") > 95.0
    assert events[-1]["dev_loss"] < events[0]["dev_loss"] < 50.0


def test_a_saved_model_copies_what_its_folder_says(model, held, tmp_path):
    again = regard.load(model.save(tmp_path / "m"))
    assert tomllib.loads((tmp_path / "m" / "config.toml").read_text())["decoder"]["emission"] == {
        "type": "copying",
        "column": "said",
    }
    said = held["said"].to_pylist()
    one, other = ([(answer.text, answer.log_prob) for answer in made.predict(said)] for made in (model, again))
    assert one == other


def test_a_look_at_a_copied_word(model):
    look = model.look("Zoltan lives in Uzbekistan .")
    assert look.text == "so Zoltan is in Uzbekistan"
    assert [piece.text for piece in look.outputs] == ["so", "Zoltan", "is", "in", "Uzbekistan", ""]
    for piece in look.outputs:
        assert look.text[slice(*piece.span)] == piece.text
    (gaze,) = look.gazes
    assert gaze.places[gaze.weights[1].argmax()].text == "Zoltan"
    assert gaze.places[gaze.weights[4].argmax()].text == "Uzbekistan"
    assert model.predict("I saw Zoltan").symbols == ["you", "met", "Zoltan"]


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("I saw Zoe\u0301", "you met Zo\u00e9"),  # in the form that the answers' own data have
        ("I saw 李明", "you met 李明"),
        ("my name is <unknown> .", None),  # signs are symbols of their own: what comes is not said here
    ],
)
def test_whatever_was_typed(model, said, reply):
    found = model.predict(said).text
    assert "\ufffd" not in found
    assert reply in (None, found)


@pytest.mark.parametrize(
    "search", [{"method": "beam", "beam": 4, "n_best": 3}, {"method": "sample", "samples": 3, "seed": 1}], ids=str
)
def test_answers_do_not_depend_on_their_company(model, search):
    said = ["I saw Ann", "Bob lives in Caracas .", " ".join(f"x{number}" for number in range(30))]
    together = model.predict(said, **search)
    for text, answers in zip(said, together, strict=True):
        alone = model.ranked({"said": [text]}, **search)[0] if search["method"] == "beam" else answers
        assert [one.text for one in alone] == [one.text for one in answers]
        assert [one.score for one in alone] == pytest.approx([one.score for one in answers], abs=1e-5)
    assert together[0][0].text == "you met Ann"
    assert together[1][0].text == "so Bob is in Caracas"


def test_several_models_agree_on_what_is_copied(model, held, tmp_path):
    other = train(drawn(120, 1), tmp_path / "other", seed=2)
    both = regard.combine([model.folder, other.folder], tmp_path / "both")
    assert right(both.predict(held["said"].to_pylist()), held) > 0.95
    assert [piece.text for piece in both.look("I saw Zoltan").outputs] == ["you", "met", "Zoltan", ""]
    plain = train(drawn(40, 1), tmp_path / "plain", emission="linear", epochs=1)
    with pytest.raises(RegardError) as error:
        regard.combine([model.folder, plain.folder], tmp_path / "none")
    assert str(error.value) == f"{plain.folder} copies nothing and {model.folder} said: they cannot be combined"


def test_every_way_of_training(tmp_path):
    """Its own outputs fed back, and parts trained alone first, whose targets point at nothing."""
    more = {"encoder_first": "autoencode", "decoder_first": "language-model", "first_epochs": 1}
    made = train(drawn(60, 3), tmp_path / "m", epochs=2, own=0.5, smoothing=0.1, **more)
    events = [json.loads(line) for line in (made.folder / "training.jsonl").read_text().splitlines()]
    losses = [event["train_loss"] for event in events]
    assert len(losses) == 4
    assert all(0 < loss < 20 for loss in losses)


def test_its_looks_can_be_checked(model):
    """What is left after a deletion still says what writes it; outputs that are copied are left out."""
    (found,) = model.check_looks(["my name is Zoltan .", "Anna lives in Ghent ."], say=lambda line: None)
    assert found.inputs == 2
    assert found.outputs + found.left_out == 4 + 6  # hello Zoltan ! ∎ so Anna is in Ghent ∎
    assert found.left_out == 3
