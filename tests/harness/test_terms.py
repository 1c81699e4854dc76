"""What must hold of every loss term, over what a real model saw: padding and company change nothing, nothing is NaN.

Unusual here: a term is run by its name alone. One that needs a column of its own is tested where it is written. Looks
are soft, and made to say with what probability they drew the likeliest place, as those that draw do.
"""

import pytest
import torch

from regard.attention.attention import over_all_places
from regard.memory import Glance
from regard.terms import TERMS, gather

from .harness import alone, build, configuration, make_batch, padded

NAMES = [name for name in TERMS.names() if not any("columns" in need for need in TERMS[name].needs)]


def drew(seen):
    """The same, as if each step had drawn its likeliest place."""
    glances = {}
    for name, glance in seen.glances.items():
        best = torch.nn.functional.pad(glance.weights, (0, 1)).amax(-1)
        glances[name] = glance._replace(log_prob=best.clamp(min=1e-30).log() * (best > 0), chances=glance.weights)
    return seen._replace(glances=glances)


def through_a_window(seen):
    """The same, as a focus would say it that names its places, in some order and one of them in name only."""
    glances = {}
    for name, glance in seen.glances.items():
        places = torch.randperm(glance.weights.shape[-1]).expand_as(glance.weights)
        own = Glance(glance.weights.gather(-1, places), places, glance.log_prob, glance.chances.gather(-1, places))
        torch.testing.assert_close(over_all_places(own, places.shape[-1]), glance.weights)
        glances[name] = own
    return seen._replace(glances=glances)


def value(term, options, seen):
    total, count = term(*gather(term, options, seen))
    return torch.stack([total, count.to(total.dtype)])


@pytest.fixture(params=NAMES)
def term(request):
    options = TERMS[request.param].Options()
    return TERMS.build(options).eval(), options


@pytest.fixture
def model():
    return build(configuration(score="additive"))


def test_there_are_some():
    assert {"coverage", "doubly_stochastic", "entropy", "reinforce"} <= set(NAMES)


def test_padding_and_company_change_nothing(term, model):
    batch = make_batch(sources=(2, 4, 0), targets=(3, 2, 4))
    found = value(*term, drew(model.see(batch)))
    torch.testing.assert_close(value(*term, drew(model.see(padded(batch, 3)))), found)
    torch.testing.assert_close(value(*term, through_a_window(drew(model.see(batch)))), found)
    apart = [value(*term, drew(model.see(alone(batch, row)))) for row in range(3)]
    torch.testing.assert_close(torch.stack(apart).sum(0), found)
    heavy = batch._replace(weights=3 * batch.weights)
    torch.testing.assert_close(value(*term, drew(model.see(heavy))), 3 * found)


def test_it_guides_the_look(term, model):
    total, count = value(*term, drew(model.see(make_batch())))
    assert count > 0
    gradients = torch.autograd.grad(total, list(model.decoder.looks.parameters()))
    assert all(part.isfinite().all() for part in gradients)
    assert sum(part.abs().sum() for part in gradients) > 1e-3


EMPTY = [((0, 3), (2, 2), 1), ((2, 3), (0, 2), 1), ((0, 0), (2, 1), 1), ((2, 1), (1, 2), 0)]


@pytest.mark.parametrize(("sources", "targets", "weight"), EMPTY)
def test_empty_rows_are_finite(term, model, sources, targets, weight):
    batch = make_batch(sources, targets)
    total, count = value(*term, drew(model.see(batch._replace(weights=weight * batch.weights))))
    assert total.isfinite()
    assert (count == 0) == (weight == 0)
    gradients = torch.autograd.grad(total, list(model.parameters()), allow_unused=True)
    assert all(part is None or part.isfinite().all() for part in gradients)
