"""What a search asks of a stepper, and nothing else: so that an ONNX session or a service can be one."""

import numpy as np
import pytest

from regard.model import ModelStepper
from regard.search import SearchOptions, Stepper, search

SYMBOLS, BEAM = 6, 3
METHODS = [
    SearchOptions(beam=BEAM, n_best=2),
    SearchOptions(method="greedy"),
    SearchOptions(method="sample", samples=BEAM, top_k=4),
    SearchOptions(method="sample", samples=BEAM),
]


class Sealed:
    """Passes on what is promised, looks at what is asked, and refuses all else."""

    def __init__(self, model):
        self._model, self.calls = model, []

    @property
    def start_id(self):
        return self._model.start_id

    @property
    def end_id(self):
        return self._model.end_id

    def start(self, batch, beams):
        self.calls.append(("start", beams))
        return self._model.start(batch, beams)

    def advance(self, fixed, moving, tokens, parents, top):
        self.calls.append(("advance", tokens.copy(), parents.copy(), top))
        return self._model.advance(fixed, moving, tokens, parents, top)

    def narrow(self, fixed, moving, rows):
        self.calls.append(("narrow", rows.copy()))
        return self._model.narrow(fixed, moving, rows)


@pytest.mark.parametrize("options", METHODS, ids=str)
def test_every_method_asks_only_what_is_promised(fake, options):
    stepper = Sealed(fake.Model(fake.random_table(SYMBOLS), fake.random_look(4)))
    examples = [3, 1, 4, 1, 5]
    found = search(stepper, examples, np.array([6, 2, 6, 1, 4]), options)
    assert len(found) == len(examples)
    beams = 1 if options.method == "greedy" else BEAM
    (first, *later) = stepper.calls
    assert first == ("start", beams)
    rows = len(examples)
    for number, (what, *given) in enumerate(later):
        if what == "narrow":
            (kept,) = given
            assert np.array_equal(kept, np.unique(kept))
            assert 0 < len(kept) < rows
            assert kept.max() < rows
            rows = len(kept)
            continue
        tokens, parents, top = given
        assert tokens.shape == parents.shape == (rows, beams)
        assert tokens.dtype.kind == parents.dtype.kind == "i"
        assert 0 <= parents.min() <= parents.max() < beams
        if number == 0:
            assert (tokens == stepper.start_id).all()
        assert {"beam": top == BEAM, "greedy": top == 1, "sample": top == 4 or top >= SYMBOLS}[options.method]


@pytest.mark.parametrize("options", METHODS, ids=str)
def test_states_are_never_looked_into(fake, options):
    """Wrapped in something without any attribute, they come back as they went."""

    class Box:
        __slots__ = ("held",)

        def __init__(self, held):
            self.held = held

    class Boxed(fake.Model):
        def start(self, batch, beams):
            return tuple(map(Box, super().start(batch, beams)))

        def advance(self, fixed, moving, tokens, parents, top):
            step = super().advance(fixed.held, moving.held, tokens, parents, top)
            return step._replace(moving=Box(step.moving))

        def narrow(self, fixed, moving, rows):
            return tuple(map(Box, super().narrow(fixed.held, moving.held, rows)))

    table = fake.random_table(SYMBOLS)
    boxed, plain = (search(kind(table), [0, 1, 2], np.array([5, 3, 4]), options) for kind in (Boxed, fake.Model))
    assert [[answer.tokens for answer in row] for row in boxed] == [[answer.tokens for answer in row] for row in plain]


def test_ours_are_steppers_and_what_lacks_a_part_is_none(fake):
    assert isinstance(fake.Model(fake.random_table(4)), Stepper)
    assert isinstance(ModelStepper.__new__(ModelStepper), Stepper)
    assert not isinstance(object(), Stepper)
