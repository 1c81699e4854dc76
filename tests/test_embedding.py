"""Symbols as vectors: one-hot, trained, or read from a file in any of the forms that such files have."""

import gzip
from contextlib import suppress

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.batch import PAD
from regard.embedding import Embedding, EmbeddingOptions, fill, vector_file_width
from regard.errors import RegardError

SYMBOLS = ["<pad>", "<start>", "<end>", "<unknown>", "the", "The", "Paris", "cat"]


def embedding(width=2, **options):
    return Embedding(EmbeddingOptions(width=width, **options), len(SYMBOLS), "word")


@pytest.fixture
def vectors(tmp_path):
    def write(text, name="vectors.txt"):
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def test_one_hot_and_nothing_for_padding():
    one_hot = Embedding(EmbeddingOptions(type="one-hot"), 5, "word")
    assert one_hot(torch.tensor([[4, PAD]])).tolist() == [[[0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]]
    assert (one_hot.width, list(one_hot.parameters()), one_hot.state_dict()) == (5, [], {})
    assert one_hot.double()(torch.tensor([1])).dtype == torch.float64


def test_trained():
    made = embedding(width=3)
    assert made(torch.tensor([[4, PAD]])).shape == (1, 2, 3)
    assert made(torch.tensor([PAD])).eq(0).all()
    assert made.table.weight.requires_grad
    assert not embedding(frozen=True).table.weight.requires_grad


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (64, ("trained", 64, None)),
        ("one-hot", ("one-hot", 128, None)),
        ({"file": "x.txt"}, ("vectors", 128, "x.txt")),
        ({"type": "vectors", "file": "x.txt", "width": 7}, ("vectors", 7, "x.txt")),
    ],
)
def test_short_forms(given, expected):
    options = EmbeddingOptions.model_validate(given)
    assert (options.type, options.width, options.file) == expected


@pytest.mark.parametrize("given", ["vectors", {"type": "one-hot", "file": "x"}, {"type": "trained", "file": "x"}])
def test_a_file_and_its_type_belong_together(given):
    with pytest.raises(ValueError, match='an embedding of type "vectors" needs a file, and only that type has one'):
        EmbeddingOptions.model_validate(given)


def test_a_switch_is_no_width():
    with pytest.raises(ValueError, match="valid dictionary"):
        EmbeddingOptions.model_validate(True)


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz"])
@pytest.mark.parametrize("head", ["", "3 2\n"])
@pytest.mark.parametrize("ending", ["\n", " \n", "\r\n"])
def test_exact_forms_first_then_lower_case(vectors, name, head, ending):
    path = vectors(head + ending.join(["paris 5 6", "the 1 2", "dog 9 9", "Paris 3 -4e-1", "the 7 7"]) + ending, name)
    made = embedding()
    assert vector_file_width(path) == 2
    assert fill(made, SYMBOLS, path) == 3  # the, The (by its lower case), Paris
    rows = made.table.weight.detach()
    assert rows[6].tolist() == pytest.approx([3, -0.4])
    assert rows[5].tolist() == [1, 2]
    assert rows[4].tolist() == [7, 7]  # of two lines for one word the last
    assert rows[PAD].eq(0).all()


def test_what_the_file_does_not_know_has_the_spread_of_what_it_knows(vectors):
    torch.manual_seed(0)
    made = Embedding(EmbeddingOptions(width=50), 1000, "word")
    lines = [f"w{row} " + " ".join(f"{number:.4f}" for number in 0.05 * torch.randn(50)) for row in range(4, 204)]
    assert fill(made, ["<pad>", "", "", "", *(f"w{row}" for row in range(4, 1000))], vectors("\n".join(lines))) == 200
    assert made.table.weight[204:].std().item() == pytest.approx(0.05, rel=0.02)


def test_nothing_known_changes_nothing(vectors):
    made = embedding()
    before = made.table.weight.clone()
    assert fill(made, SYMBOLS, vectors("dog 1 2\n")) == 0
    assert torch.equal(made.table.weight, before)


def test_one_number_alone(vectors):
    made = embedding(width=1)
    assert fill(made, SYMBOLS, vectors("cat 3\n")) == 1
    assert made.table.weight[7].item() == 3
    assert made.table.weight.isfinite().all()


def test_words_with_spaces_and_bytes_that_are_no_text(vectors):
    path = vectors(b"cat 1 2\n. . . 3 4\n\xff\xfe 5 6\n\xc2\xa0 7 8\nthe 9 10\n")
    made = Embedding(EmbeddingOptions(width=2), 6, "word")
    assert fill(made, ["<pad>", "", "", ". . .", "\u00a0", "the"], path) == 3
    assert made.table.weight[3:].tolist() == [[3, 4], [7, 8], [9, 10]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cat 1 2\nthe 1 2 3\n", "line 2: 3 numbers, where the first line has 2"),
        ("cat 1 2\nthe 1\n", "line 2: 1 numbers, where the first line has 2"),
        ("cat 1 2\nthe 1 x\n", "line 2: expected `word v1 … vn`, got 'the 1 x'"),
        ("cat 1 2\nthe 1 nan\n", "line 2: expected `word v1 … vn`, got 'the 1 nan'"),
        ("cat\tone\n", r"line 1: expected `word v1 … vn`, got 'cat\tone'"),
        ("<html> " + 100 * "x", "line 1: expected `word v1 … vn`, got '<html> " + 33 * "x" + "'"),
    ],
)
def test_lines_that_are_wrong(vectors, text, said):
    path = vectors(text)
    with pytest.raises(RegardError) as error:
        fill(embedding(), SYMBOLS, path)
    assert str(error.value) == f"{path}, {said}"


@pytest.mark.parametrize("text", ["", "5 300\n"])
def test_no_vectors(vectors, text):
    path = vectors(text)
    with pytest.raises(RegardError) as error:
        vector_file_width(path)
    assert str(error.value) == f"{path}: no vectors; expected lines of `word v1 … vn`"


def test_files_that_cannot_be_read(vectors, tmp_path):
    whole = vectors("cat 1 2\n" * 1000, "cut.gz")
    whole.write_bytes(whole.read_bytes()[:-12])
    plain = vectors("cat 1 2\n")
    plain = plain.rename(plain.with_name("plain.gz"))
    for path, said in (
        (tmp_path / "none.txt", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (plain, "Not a gzipped file (b'ca')"),
        (whole, "Compressed file ended before the end-of-stream marker was reached"),
    ):
        with pytest.raises(RegardError) as error:
            fill(embedding(), SYMBOLS, path)
        assert str(error.value) == f"cannot read the vectors {path}: {said}"


@given(st.binary(max_size=200))
def test_any_bytes_are_vectors_or_one_clear_line(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "vectors.txt"
    path.write_bytes(data)
    with suppress(RegardError):
        assert vector_file_width(path) > 0


def test_idle():
    assert EmbeddingOptions(type="one-hot", width=3, frozen=True).idle() == [
        "width (a one-hot embedding has no weights)",
        "frozen (a one-hot embedding has no weights)",
    ]
    assert EmbeddingOptions(width=3, frozen=True).idle() == []
