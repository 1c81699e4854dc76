"""Terms are given what they need, seen over all places; what is not there is said in plain words."""

from typing import ClassVar, Literal

import pytest
import torch
from torch import nn

from regard.errors import RegardError
from regard.memory import Glance
from regard.terms import TERMS, Term, TermOptions, gather, guided, look_of
from regard.terms.coverage import Coverage, CoverageOptions
from regard.terms.reinforce import Reinforce, ReinforceOptions


class OwnOptions(TermOptions):
    """A term of one's own."""

    type: Literal["own"] = "own"
    links: str = "links"


def term(*paths):
    """A term that needs these."""

    class Own(Term):
        name: ClassVar[str] = "own"
        Options: ClassVar[type[TermOptions]] = OwnOptions
        needs: ClassVar[tuple[str, ...]] = paths

    return Own()


def refused(path, seen, **options):
    with pytest.raises(RegardError) as error:
        gather(term(path), OwnOptions(**options), seen)
    return str(error.value)


def test_what_is_needed_comes_in_its_order(looks):
    seen = looks().seen
    paths = ("weights", "glances.{look}.weights", "memories.{look}.keep", "keep", "losses", "batch.weights",
             "batch.columns.{links}", "batch.columns.{links}.keep")  # fmt: skip
    expected = (seen.weights, seen.glances["source"].weights, seen.memories["source"].keep, seen.keep, seen.losses,
                seen.batch.weights, seen.batch.columns["links"], seen.batch.columns["links"].keep)  # fmt: skip
    found = gather(term(*paths), OwnOptions(), seen)
    assert len(found) == len(expected)
    assert all(torch.equal(left, right) for left, right in zip(found[:6], expected[:6], strict=True))
    assert found[6] is expected[6]
    assert found[7] is expected[7]


def test_names_may_have_dots(looks):
    seen = looks().seen
    columns = {"gold.links, v2": seen.batch.columns["links"]}
    (found,) = gather(
        term("batch.columns.{links}.ids"), OwnOptions(links="gold.links, v2"),
        seen._replace(batch=seen.batch._replace(columns=columns)),
    )  # fmt: skip
    assert found is seen.batch.columns["links"].ids


def test_the_first_look_unless_another_is_named(looks):
    one, other = looks().seen, looks(sources=(3, 3)).seen
    both = one._replace(
        glances={"left": one.glances["source"], "right": other.glances["source"]},
        memories={"left": one.memories["source"], "right": other.memories["source"]},
    )
    for look, own in ((None, one), ("left", one), ("right", other)):
        weights, keep = gather(term("glances.{look}.weights", "memories.{look}.keep"), OwnOptions(look=look), both)
        assert torch.equal(weights, own.glances["source"].weights)
        assert torch.equal(keep, own.memories["source"].keep)


def test_a_window_is_seen_over_all_places(looks):
    seen = looks(window=2).seen
    weights, places = seen.glances["source"].weights, seen.glances["source"].places
    drawn = seen._replace(glances={"source": Glance(weights, places, weights[..., 0].log(), 2 * weights)})
    paths = ("glances.{look}.weights", "glances.{look}.chances", "glances.{look}.log_prob")
    whole, chances, log_prob = gather(term(*paths), OwnOptions(), drawn)
    assert whole.shape == (2, 3, 4)
    for row in range(2):
        for step in range(3):
            expected = [0.0] * 4
            for weight, place in zip(weights[row, step].tolist(), places[row, step].tolist(), strict=True):
                expected[place] = weight
            assert whole[row, step].tolist() == expected
    assert torch.equal(chances, 2 * whole)
    assert torch.equal(log_prob, weights[..., 0].log())


def test_a_look_that_draws_is_guided_by_what_it_draws_from():
    weights, chances = torch.tensor([[[0.0, 1.0]]]), torch.tensor([[[0.4, 0.6]]])
    assert guided(Glance(weights)) is weights
    assert guided(Glance(weights, None, chances[..., 1].log(), chances)) is chances


# -- what is not there ---------------------------------------------------------------------------------------------


def test_a_look_that_is_not_there(looks):
    said = "the term 'own' names the look 'sorce', which is not there; did you mean 'source'?"
    assert refused("glances.{look}.weights", looks().seen, look="sorce") == said
    assert look_of(Coverage, CoverageOptions(look="b"), ["a", "b"]) == "b"
    with pytest.raises(RegardError, match=r"^the term 'coverage' names the look 'c', which is not there; known: a, b$"):
        look_of(Coverage, CoverageOptions(look="c"), ["a", "b"])


def test_a_model_that_looks_at_nothing(looks):
    said = refused("memories.{look}.keep", looks().seen._replace(glances={}))
    assert said == (
        "the term 'own' guides a look, and this model has none: leave the term out, or let the model attend"
        ' (conditioning = "attend")'
    )
    assert gather(term("keep"), OwnOptions(), looks().seen._replace(glances={}))  # it needs none
    assert look_of(term("keep"), OwnOptions(look="nowhere"), []) is None


def test_a_look_that_draws_nothing(looks):
    with pytest.raises(RegardError) as error:
        gather(Reinforce(), ReinforceOptions(), looks().seen)
    assert str(error.value) == (
        "the term 'reinforce' needs the probabilities of places that were drawn, and the look 'source' tells none: give"
        " it another focus (looks.source.focus), or leave the term out"
    )


def test_a_column_that_is_not_read(looks):
    said = refused("batch.columns.{links}", looks().seen, links="gold")
    assert said == "the term 'own' names 'gold', which is not there; known: links"


def test_what_nothing_is_called(looks):
    said = refused("glances.{look}.wieghts", looks().seen)
    assert said == "the term 'own' needs 'glances.{look}.wieghts', and nothing is called so"
    said = refused("memories.{look}.above.parent", looks().seen)
    assert said == "the term 'own' needs 'memories.{look}.above.parent', which this model does not have"


# -- the family ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TERMS.names())
def test_every_term_is_made_by_its_options(name):
    options = TERMS[name].Options(weight=0.5)
    made = TERMS.build(options)
    assert isinstance(options, TermOptions)
    assert isinstance(made, nn.Module)
    assert (made.name, options.type) == (name, name)
    assert made.needs
    assert next(iter(type(options).model_fields)) == "type"  # the table of the documentation leaves the first out


def test_a_weight_of_nothing_says_so():
    assert CoverageOptions().idle() == []
    assert CoverageOptions(weight=0).idle() == ["weight (at 0 the term is told of and guides nothing)"]


def test_the_usual_loss(looks):
    seen = looks().seen
    rows = [(1.0, seen.losses[0, :3]), (3.0, seen.losses[1, :1])]
    assert seen.loss.total.item() == pytest.approx(sum(weight * own.sum().item() for weight, own in rows))
    assert seen.loss.count.item() == 1.0 * 3 + 3.0 * 1
