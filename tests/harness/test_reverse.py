"""The toy task reverse: up to eight of twenty symbols, written backwards; how many updates each score needs.

`make long PYTEST="-k reverse -rP"` prints the table: updates until 99 % of 500 held-out answers are exactly right
(asked every 100), the share right after 1,500, and how much weight the right place then gets, on the mean. It shows:
- every score learns it, most in 400 to 700 updates; `first`, without any look, needs all 1,500 for the same.
- cosine needs nearly as many: its energies lie in [-1, 1], so a place can get at most e² times the weight of another,
  of eight places at most e² / (e² + 7) = 0.51, and what is read is always a mixture of many.
- location-aware needs 100: it looks one place to the left of where it looked, which its filters say at once, and all
  weight comes to lie on the right place.
- location learns it although it never sees what stands at a place: the length, and so the place to begin at, comes with
  the first state (the summary), and after that places are counted down.
"""

import numpy as np
import pytest
import torch

from regard.attention import SCORES
from regard.batch import END, Batch, Extent, Tokens
from regard.config import compose
from regard.model import Model, ModelStepper
from regard.search import SearchOptions, search
from regard.training.schedule import rate_at

SYMBOLS, LONGEST, RATE = 20, 8, 5e-3
EXTENTS = {"source": Extent(4 + SYMBOLS, LONGEST), "target": Extent(4 + SYMBOLS, LONGEST + 1)}


def examples(count: int) -> Batch:
    lengths = torch.randint(1, LONGEST + 1, (count, 1))
    places = torch.arange(LONGEST + 1)
    keep = places[:-1] < lengths
    ids = (torch.randint(SYMBOLS, keep.shape) + 4) * keep
    mirrored = ids.gather(1, (lengths - 1 - places).clamp(min=0))
    targets = torch.where(places < lengths, mirrored, torch.where(places == lengths, END, 0))
    columns = {"source": Tokens(ids, keep), "target": Tokens(targets, places <= lengths)}
    return Batch(columns, torch.arange(count), torch.ones(count))


def right(model: Model, batch: Batch) -> tuple[float, float]:
    """The share of answers that are exactly right, and the mean weight of the right place (nan: no look)."""
    limits = np.full(len(batch.rows), LONGEST + 2)
    found = search(ModelStepper(model.eval()), batch, limits, SearchOptions(method="greedy"))
    exact, mass = [], []
    for row, (answer,) in enumerate(found):
        target = batch.columns["target"].ids[row][batch.columns["target"].keep[row]].tolist()
        exact.append(list(answer.tokens) == target)
        steps = np.arange(min(len(target), len(answer.tokens)) - 1)
        mass += [
            glance.weights[steps, len(target) - 2 - steps].mean() for glance in answer.glances.values() if len(steps)
        ]
    return float(np.mean(exact)), float(np.mean(mass)) if mass else float("nan")


def learn(settings: list[str], updates: int, every: int) -> tuple[int | None, float, float]:
    """(updates until 99 % were right, share right at the end, weight of the right place at the end)."""
    torch.manual_seed(1)
    held_out = examples(500)
    sizes = ["hidden=64", "decoder.hidden=128", "embedding=32", "dropout=0"]
    table = {"encoders": {"source": {"reads": ["source"]}}, "decoder": {"writes": "target"}}
    model = Model(compose(table, [*settings, *sizes]), EXTENTS)
    optimiser, learned = torch.optim.AdamW(model.parameters(), lr=RATE, fused=True), None
    for update in range(1, updates + 1):
        optimiser.param_groups[0]["lr"] = RATE * rate_at(update / updates, 0.05, "linear")
        loss, _, _ = model.train()(examples(64))
        optimiser.zero_grad()
        (loss.total / loss.count).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if learned is None and update % every == 0 and right(model, held_out)[0] >= 0.99:
            learned = update
    return learned, *right(model, held_out)


@pytest.mark.long
@pytest.mark.parametrize("score", SCORES.names())
def test_every_score_learns_reverse(score):
    learned, exact, mass = learn([f"score={score}"], updates=1500, every=100)
    print(f"| {score} | {learned} | {100 * exact:.1f} % | {mass:.2f} |")
    assert exact >= 0.99
    if score == "cosine":
        assert mass < 0.51
    if SCORES[score].remembers:  # where it looked tells where to look
        assert mass > 0.9
    if score == "location-aware":
        assert learned <= 300


@pytest.mark.long
def test_without_a_look():
    learned, exact, _ = learn(["conditioning=first"], updates=1500, every=100)
    print(f"| none (`first`) | {learned} | {100 * exact:.1f} % | |")
    assert exact > 0.9


def test_additive_is_on_its_way():
    """In a tenth of the updates the look finds its places; without one 44 % of the answers are right by then."""
    _, exact, mass = learn(["score=additive"], updates=150, every=1000)
    assert exact > 0.95
    assert mass > 0.6
