"""What decays and what does not, by numbers worked out by hand."""

import pytest
import torch
from torch import nn

from regard.config import TrainingOptions
from regard.training.optimiser import make_optimiser


def layer() -> nn.Linear:
    made = nn.Linear(1, 1)
    with torch.no_grad():
        made.weight.fill_(2.0)
        made.bias.fill_(3.0)
    return made


def step(optimiser, made, gradient):
    for part in made.parameters():
        part.grad = torch.full_like(part, gradient)
    optimiser.step()
    return [round(part.item(), 5) for part in (made.weight, made.bias)]


def test_plain_gradient_descent_with_momentum():
    made = layer()
    optimiser = make_optimiser(made, TrainingOptions(optimiser="sgd", rate=0.1, momentum=0.5, weight_decay=0.2))
    # the matrix: g = 1 + 0.2 · 2 = 1.4, 2 - 0.14; then g = 1 + 0.2 · 1.86 = 1.372, v = 0.5 · 1.4 + 1.372 = 2.072
    # the vector: g = 1, 3 - 0.1; then v = 0.5 + 1, 2.9 - 0.15
    assert step(optimiser, made, 1.0) == [1.86, 2.9]
    assert step(optimiser, made, 1.0) == [1.6528, 2.75]


def test_adamw():
    made = layer()
    optimiser = make_optimiser(made, TrainingOptions(rate=0.1, weight_decay=0.2))
    # the first step of Adam is the rate long, whatever the gradient; the matrix shrinks by 0.1 · 0.2 of itself before
    assert step(optimiser, made, 7.0) == [1.86, 2.9]  # 2 - 0.04 - 0.1, 3 - 0.1
    assert isinstance(optimiser, torch.optim.AdamW)


@pytest.mark.parametrize("name", ["adamw", "sgd"])
def test_without_a_gradient_only_matrices_shrink(name):
    made = layer()
    options = TrainingOptions(optimiser=name, rate=0.1, weight_decay=0.5)
    assert step(make_optimiser(made, options), made, 0.0) == [1.9, 3.0]  # 2 - 0.1 · 0.5 · 2


def test_of_a_model_exactly_the_matrices_decay(toy):
    model = toy.run_of(toy.plan()).model
    decays, stays = make_optimiser(model, TrainingOptions(weight_decay=0.01)).param_groups
    assert (decays["weight_decay"], stays["weight_decay"]) == (0.01, 0.0)
    names = {id(part): name for name, part in model.named_parameters()}
    assert {names[id(part)] for part in stays["params"]} == {
        name for name, part in model.named_parameters() if "bias" in name or part.dim() == 1
    }
    assert len(decays["params"]) + len(stays["params"]) == len(names)


def test_what_is_frozen_is_left_out():
    made = layer()
    made.bias.requires_grad_(False)
    (group,) = make_optimiser(made, TrainingOptions()).param_groups
    assert group["params"] == [made.weight]
