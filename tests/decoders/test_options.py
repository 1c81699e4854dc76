"""What does not fit together is refused before anything is built, with what there is instead."""

import pytest

from regard.batch import Extent
from regard.config import compose
from regard.errors import RegardError
from regard.model import Model

EXTENTS = {"source": Extent(9, 5), "target": Extent(9, 5)}


def build(*settings, **table):
    recipe = {"encoders": {"source": {"reads": ["source"]}}, "decoder": {"writes": "target"}} | table
    return Model(compose(recipe, [*settings, "decoder.hidden=6", "decoder.embedding.width=4"]), EXTENTS)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["looks.source.at=sauce"], "looks.source.at = \"sauce\" is no memory; did you mean 'source'?"),
        (
            ["feed=look.x"],
            "decoder.feed names 'look.x', which is not there; known: look.source, readout, summary.source",
        ),
        (["feed=state"], "decoder.feed names 'state', which is not there; known: look.source, readout, summary.source"),
        (["readout=look.sorce"], "decoder.readout names 'look.sorce', which is not there; did you mean 'look.source'?"),
        (["readout=[]"], 'decoder.readout is empty; give it at least ["state"]'),
        (
            ["conditioning=none", "start=summary"],
            'decoder.start = "summary" needs an encoder with one; use "zero" or "learned"',
        ),
        (
            ["tied=true", "decoder.embedding.type=one-hot"],
            "decoder.tied needs embeddings with weights, and one-hot ones have none",
        ),
        (
            ["tied=true", "readout_width=5"],
            "decoder.tied needs a readout as wide as the embedding, but readout_width is 5 and the embedding 4; leave"
            " readout_width out",
        ),
        (["share=sorce"], "decoder.share = \"sorce\" is no encoder; did you mean 'source'?"),
        (
            ["score=dot", "encoders.source.hidden=4"],
            'the score "dot" needs a query as wide as the memory, but the query has 6 and the memory 8; make the sizes'
            ' equal or use score = "general"',
        ),
    ],
)
def test_what_cannot_be(settings, said):
    with pytest.raises(RegardError) as error:
        build(*settings)
    assert str(error.value) == said


def test_the_same_words_fit_where_they_are_right():
    build('feed=["look.source", "summary.source", "readout"]', "tied=true", "readout_width=4")
