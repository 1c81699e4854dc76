"""A two-level Memory: words in sentences, attended at both; one word of a document tells the answer.

The encoder attends inside (each sentence is the sum of its words, weighted by a learned query) and reports that
glance; the decoder looks at the sentences, at the words, or at both.
"""

from typing import Literal, NamedTuple

import pytest
import torch
from torch import Tensor, nn

from regard.batch import END, Batch, Extent, Tokens
from regard.config import compose
from regard.encoders import Encoder, Origin
from regard.errors import RegardError
from regard.looking import Gaze, Look, Piece, Place
from regard.masks import masked_softmax
from regard.memory import Glance, Level, LevelSizes, Memory, MemorySizes
from regard.model import Model
from regard.parts import Options


class Sentences(NamedTuple):
    """Words sentence by sentence; each example's sentences and words padded to the batch's most."""

    ids: Tensor  # (B, N, W)
    keep: Tensor  # (B, N, W)


class DocumentOptions(Options):
    type: Literal["document"] = "document"
    reads: tuple[str, ...] = ()


class Document(Encoder):
    """Sentence n = Σ_w α_w e(word_w), α = softmax over the words of n of e(word)·u."""

    name, level, Options = "document", "words", DocumentOptions

    def __init__(self, extents, *, reads, width=16):
        super().__init__()
        self.reads, self.embedding = reads, nn.Embedding(extents[reads[0]].size, width)
        self.asked = nn.Parameter(0.1 * torch.randn(width))
        self.sizes = MemorySizes(width, 0, None, LevelSizes("sentences", MemorySizes(width, 0)))

    def forward(self, columns):
        ids, keep = columns[self.reads[0]]
        words = self.embedding(ids)  # (B, N, W, M)
        weights = masked_softmax(words @ self.asked, keep)
        sentences = (weights[..., None] * words).sum(2)
        parent = torch.arange(ids.shape[1])[:, None].expand(ids.shape).flatten(1)
        empty = words.new_zeros(len(words), 0)
        above = Memory(sentences, keep.any(2), empty, (ids.shape[1],))
        level = Level("sentences", parent, above)
        memory = Memory(words.flatten(1, 2), keep.flatten(1), empty, (*ids.shape[1:],), level)
        return memory, {"words": Glance(weights.flatten(1))}

    def places(self, columns):
        lengths = columns[self.reads[0]].keep.sum(2)[0].tolist()
        starts = [sum(lengths[:number]) for number in range(len(lengths) + 1)]
        words = [(at, at + 1, number) for number in range(len(lengths)) for at in range(*starts[number : number + 2])]
        return {
            "words": tuple(Origin("text", (at,), (end,), parent) for at, end, parent in words),
            "sentences": tuple(Origin("text", (starts[at],), (starts[at + 1],)) for at in range(len(lengths))),
        }


# -- sixty lines end here ------------------------------------------------------------------------------------------


CLASSES, ORDINARY = 4, 12
EXTENTS = {"text": Extent(4 + CLASSES + ORDINARY, 0), "topic": Extent(4 + CLASSES, 2)}


@pytest.fixture
def make():
    """Two to four sentences of one to five words; `where`: the sentence and the word that tells the topic."""

    def batch(count):
        sentences = torch.randint(2, 5, (count,))
        lengths = torch.randint(1, 6, (count, int(sentences.max())))
        keep = torch.arange(5) < lengths[..., None]
        keep &= (torch.arange(lengths.shape[1]) < sentences[:, None])[..., None]
        ids = (torch.randint(ORDINARY, keep.shape) + 4 + CLASSES) * keep
        topic, rows = torch.randint(CLASSES, (count,)) + 4, torch.arange(count)
        at = (torch.rand(count) * sentences).long()
        word = (torch.rand(count) * lengths[rows, at]).long()
        ids[rows, at, word] = topic
        batch.where = torch.stack([at, word], 1).tolist()
        answers = Tokens(torch.stack([topic, torch.full((count,), END)], 1), torch.ones(count, 2, dtype=torch.bool))
        return Batch({"text": Sentences(ids, keep), "topic": answers}, rows, torch.ones(count))

    return batch


def alone(batch, row):
    ids, keep = batch.columns["text"]
    own = keep[row : row + 1, : int(keep[row].any(1).sum()), : int(keep[row].sum(1).max())]
    text = Sentences(ids[row : row + 1, : own.shape[1], : own.shape[2]], own)
    return Batch({"text": text}, *(part[:1] for part in batch[1:]))


def config(looks):
    table = {"encoders": {"document": {"type": "document", "reads": ["text"]}}, "looks": looks}
    sizes = ["start=learned", "decoder.hidden=16", "decoder.embedding=8", "decoder.dropout=0"]
    return compose(table | {"decoder": {"writes": "topic"}}, [*sizes, 'score={type="additive", width=16}'])


def drawn(model, batch, row, answer):
    """The answer as a Look, tied to words and sentences by what the encoder says of its places."""
    own = alone(batch, row).columns
    levels, words = model.encoders["document"].places(own), own["text"].ids[own["text"].keep].tolist()
    gazes = []
    for name, glance in answer.glances.items():
        encoder, level = model.looked_at(name)
        places = tuple(
            Place(" ".join(map(str, words[at.start[0] : at.end[0]])), at.column, (at.start[0], at.end[0]), at.parent)
            for at in levels[level]
        )
        gazes.append(Gaze(name, encoder, level, places, glance.weights[:, : len(places)]))
    outputs = tuple(Piece(str(token), (0, 0), 0.0) for token in answer.tokens)
    return Look({}, "", outputs, tuple(gazes))


def test_sentences_by_the_decoder_and_words_inside(known, trained, make, answers, steps_equal_unroll):
    known(Document)
    model = trained(config({"sentences": {"at": "document.sentences"}}), EXTENTS, make, updates=200)
    batch = make(40)
    steps_equal_unroll(model, batch)
    right = landed = 0
    for row, answer in enumerate(answers(model, batch, alone)):
        look = drawn(model, batch, row, answer)
        assert [gaze.look for gaze in look.gazes] == ["sentences", "document.words"]
        sentences, words = look.gazes
        flat = look.flatten("words").gazes[0]
        sums = [words.weights[0, words.parents() == number].sum() for number in range(len(sentences.places))]
        assert sums == pytest.approx([1.0] * len(sentences.places), abs=1e-5)
        right += answer.tokens == tuple(batch.columns["topic"].ids[row].tolist())
        landed += flat.places[int(flat.weights[0].argmax())].text == str(int(batch.columns["topic"].ids[row, 0]))
        landed += int(sentences.weights[0].argmax()) == make.where[row][0]
    assert right >= 38
    assert landed >= 76


def test_both_levels_by_the_decoder(known, trained, make, answers, steps_equal_unroll):
    known(Document)
    looks = {"words": {"at": "document", "score": "dot"}, "sentences": {"at": "document.sentences", "when": "before"}}
    model = trained(config(looks), EXTENTS, make, updates=1)
    batch = make(6)
    steps_equal_unroll(model, batch)
    for answer in answers(model, batch, alone):
        assert list(answer.glances) == ["sentences", "words", "document.words"]


def test_a_level_that_is_not_there(known):
    known(Document)
    with pytest.raises(RegardError) as error:
        Model(config({"x": {"at": "document.sentence"}}), EXTENTS)
    assert str(error.value) == ("looks.x.at = \"document.sentence\" is no memory; did you mean 'document.sentences'?")
