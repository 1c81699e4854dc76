"""The loop over a toy: same seed and any interruption, same bits; what is kept, when it ends, what it tells.

Unusual here: where time matters, the loop's clock is one that the test moves.
"""

from copy import deepcopy
from itertools import count
from types import SimpleNamespace

import pytest
import torch

from regard.batch import END
from regard.memory import map_tensors
from regard.training import loop
from regard.training.loop import Interrupted, Scores, Work, autocast, train, update


@pytest.fixture(scope="module")
def plan(toy):
    return toy.plan()


def work_of(plan, told=None, **more):
    """Work whose dev score follows from the weights alone, and whose epochs are the plan's."""
    options = plan.config.training
    budget = plan.train.budget(options.batch)

    def evaluate(model):
        model.eval()
        with torch.inference_mode():
            loss, _, _ = model(next(plan.dev.ordered(1e9)))
        return Scores(float(loss.total / loss.count), -float(loss.total), {"word_error_rate": float(loss.total)})

    given = {
        "options": options,
        "rows": len(plan.train),
        "batches": lambda epoch, skip: plan.train.shuffled(budget, options.batch, options.seed, epoch, skip),
        "evaluate": evaluate,
        "keep": lambda model, facts: None,
        "save": lambda: None,
        "tell": lambda event: None if told is None else told.append(dict(event)),
    }
    return Work(**given | more)


def trained(toy, plan, told=None, seed=1, **more):
    run = toy.run_of(plan, seed)
    train(run, work_of(plan, told, **more))
    return run


def with_options(plan, **options):
    """The same plan, to be trained otherwise."""
    training = plan.config.training.model_copy(update=options)
    other = deepcopy(vars(plan)) | {"config": plan.config.model_copy(update={"training": training})}
    return type(plan)(**other)


def after(number):
    """Asks to stop after so many updates."""
    calls = count(1)
    return lambda: next(calls) == number


def epochs(told):
    return [event for event in told if event["event"] == "epoch"]


# -- the same bits -------------------------------------------------------------------------------------------------


def test_same_seed_same_bits_and_another_seed_other_ones(toy, plan):
    first, second, other = (toy.state(trained(toy, plan, seed=seed)) for seed in (1, 1, 2))
    assert toy.differing(first, second) == []
    assert toy.differing(first, other)


@pytest.mark.parametrize("check_every", [2000, 2])
@pytest.mark.parametrize("stop", [1, 5, 7, 10])  # an epoch has five updates
def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(toy, plan, tmp_path, stop, check_every):
    told, parts = [], []
    straight = trained(toy, plan, told, check_every=check_every)
    expected = toy.state(straight)

    begun = toy.run_of(plan)
    with pytest.raises(Interrupted):
        train(begun, work_of(plan, parts, check_every=check_every, stopping=after(stop),
                             save=lambda: begun.save(tmp_path)))  # fmt: skip
    assert begun.progress.update == stop

    again = toy.run_of(plan, seed=77)  # whatever it begins with is replaced
    again.restore(tmp_path)
    train(again, work_of(plan, parts, check_every=check_every))
    assert toy.differing(toy.state(again), expected) == []
    assert toy.untimed(epochs(parts)) == toy.untimed(epochs(told))
    counted = {"update", "epoch", "batch", "checked", "best", "best_epoch", "stale", "metrics", "seen", "since"}
    assert {key: getattr(again.progress, key) for key in counted} == {
        key: getattr(straight.progress, key) for key in counted
    }


@pytest.mark.parametrize("options", [{"optimiser": "sgd"}, {"optimiser": "sgd", "momentum": 0.0}, {"average": 0.0},
                                     {"own": 0.5}, {"clip": 0.05}], ids=str)  # fmt: skip
def test_so_does_one_that_is_trained_otherwise(toy, plan, tmp_path, options):
    other = with_options(plan, **options)
    expected = toy.state(trained(toy, other))
    assert toy.differing(expected, toy.state(trained(toy, plan)))
    begun = toy.run_of(other)
    with pytest.raises(Interrupted):
        train(begun, work_of(other, stopping=after(7), save=lambda: begun.save(tmp_path)))
    again = toy.run_of(other, seed=77)
    again.restore(tmp_path)
    train(again, work_of(other))
    assert toy.differing(toy.state(again), expected) == []


# -- one update ----------------------------------------------------------------------------------------------------


def test_one_update_by_hand(toy):
    """Plain gradient descent, without dropout: w - rate · share of it · clipped gradient of the mean loss a symbol."""
    settings = ["optimiser=sgd", "momentum=0", "weight_decay=0", "rate=0.5", "warmup=0.5", "clip=0.1", "dropout=0",
                "smoothing=0", "average=0"]  # fmt: skip
    plan = toy.plan(*settings)
    run, batch = toy.run_of(plan), next(plan.train.ordered(1e9))
    before = [part.detach().clone() for part in run.model.parameters()]
    target = batch.columns["target"]
    _, losses, _ = run.model(batch)
    mean = losses[target.keep].mean()
    gradients = torch.autograd.grad(mean, list(run.model.parameters()))
    length = torch.stack([part.square().sum() for part in gradients]).sum().sqrt()
    assert length > 0.1

    sums = update(run, batch, plan.config.training, share=0.25)  # half of the warm-up: half of the rate
    symbols = target.keep.sum().item()
    torch.testing.assert_close(sums, torch.tensor([mean.item() * symbols, symbols, symbols]))
    for start, part, gradient in zip(before, run.model.parameters(), gradients, strict=True):
        torch.testing.assert_close(part, start - 0.25 * gradient * 0.1 / length, atol=1e-6, rtol=1e-4)


def test_its_own_outputs_come_in_as_the_run_goes_on(toy, plan, monkeypatch):
    options, seen = plan.config.training.model_copy(update={"own": 0.8, "smoothing": 0.3}), []
    run, batch = toy.run_of(plan), next(plan.train.ordered(30.0))
    see = run.model.see
    monkeypatch.setattr(run.model, "see", lambda one, **named: seen.append(named) or see(one, **named))
    for share in (0.0, 0.25, 1.0):
        update(run, batch, options, share)
    assert [named["own"] for named in seen] == pytest.approx([0.0, 0.2, 0.8])
    assert {named["smoothing"] for named in seen} == {0.3}


def test_a_batch_that_weighs_nothing_changes_nothing(toy):
    plan = toy.plan("weight_decay=0", "dropout=0")
    run, batch = toy.run_of(plan), next(plan.train.ordered(40.0))
    before = [part.detach().clone() for part in run.model.parameters()]
    update(run, batch._replace(weights=torch.zeros(len(batch.rows))), plan.config.training, share=0.5)
    assert all(torch.equal(start, part) for start, part in zip(before, run.model.parameters(), strict=True))


def test_products_in_bfloat16_leave_the_weights_in_float32(toy, plan):
    other = with_options(plan, precision="bfloat16")
    run = trained(toy, other)
    assert toy.differing(toy.state(run), toy.state(trained(toy, plan)))
    assert all(part.dtype == torch.float32 and part.isfinite().all() for part in run.model.parameters())
    with autocast(torch.device("cpu"), "bfloat16"):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
    with autocast(torch.device("cpu"), "float32"):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32


# -- what is kept, and when it ends --------------------------------------------------------------------------------


def scripted(*scores):
    """Evaluations that come out as written: (score, loss)."""
    left = iter(scores)

    def evaluate(model):
        score, loss = next(left)
        return Scores(loss, score, {"figure": -score})

    return evaluate


def test_the_best_weights_are_kept_and_not_the_last(toy, plan):
    other, kept, told = with_options(plan, epochs=6), [], []
    script = [(1.0, 5.0), (3.0, 5.0), (2.0, 1.0), (3.0, 4.0), (3.0, 4.0), (0.0, 0.0)]
    run = trained(toy, other, told, evaluate=scripted(*script), keep=lambda model, facts: kept.append(facts))
    # of equal scores the one with the lower loss, of equal losses the first
    assert [facts["epoch"] for facts in kept] == [1.0, 2.0, 4.0]
    assert [event["best"] for event in epochs(told)] == [True, True, False, True, False, False]
    assert (run.progress.best, run.progress.best_epoch, run.progress.metrics) == ((3.0, -4.0), 4.0, {"figure": -3.0})
    assert kept[-1]["dev_loss"] == 4.0
    assert kept[-1]["dev_figure"] == -3.0


def test_what_is_kept_and_evaluated_is_the_average(toy, plan):
    kept, seen = [], []

    def evaluate(model):
        seen.append(model)
        return Scores(1.0, 1.0, {})

    run = trained(toy, plan, evaluate=evaluate, keep=lambda model, facts: kept.append(model))
    assert all(model is run.average.model for model in (*kept, *seen))
    assert run.model.training


def test_patience(toy, plan):
    told, script = [], [(1.0, 1.0), (0.0, 1.0), (2.0, 1.0), (2.0, 1.0), (1.0, 1.0), (9.0, 9.0)]
    run = trained(toy, with_options(plan, epochs=6, patience=2), told, evaluate=scripted(*script))
    assert [event["epoch"] for event in epochs(told)] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert run.progress.stale == 2
    train(run, work_of(with_options(plan, epochs=6, patience=2), told))  # and it stays so
    assert len(epochs(told)) == 5


def test_long_epochs_are_evaluated_within(toy, plan):
    told = []
    trained(toy, plan, told, check_every=2)
    assert [event["update"] for event in epochs(told)] == [2, 4, 5, 7, 9, 10]
    seen = [event["epoch"] for event in epochs(told)]
    assert (seen[2], seen[5]) == (1.0, 2.0)
    assert seen == sorted(seen)
    told.clear()
    trained(toy, plan, told, check_every=5)  # the border is the epoch's own: once
    assert [(event["update"], event["epoch"]) for event in epochs(told)] == [(5, 1.0), (10, 2.0)]


def test_evaluating_more_often_leaves_the_training_as_it_is(toy, plan):
    seldom, often = (toy.state(trained(toy, plan, check_every=every)) for every in (2000, 2))
    assert toy.differing(seldom, often) == []


# -- time, on a clock that stands still until it is moved ----------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


def ticking(plan, clock, seconds):
    """Batches that take so long each."""

    def batches(epoch, skip):
        options = plan.config.training
        for batch in plan.train.shuffled(plan.train.budget(options.batch), options.batch, options.seed, epoch, skip):
            clock.seconds += seconds
            yield batch

    return batches


def slow(clock, seconds):
    def evaluate(model):
        clock.seconds += seconds
        return Scores(1.0, 1.0, {})

    return evaluate


def test_minutes(toy, plan, clock):
    told, other = [], with_options(plan, epochs=100, minutes=1.0)
    run = trained(toy, other, told, batches=ticking(plan, clock, 9.0), evaluate=slow(clock, 0.0))
    assert run.progress.update == 7  # 63 seconds
    assert [event["update"] for event in epochs(told)] == [5, 7]  # a last evaluation, of what was learnt since
    # the rate falls with the minutes: 5 epochs of 100 would still be at the top
    shares = [event["share"] for event in told if event["event"] == "update"]
    assert shares == pytest.approx([0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0])
    train(run, work_of(other, told))
    assert run.progress.update == 7  # they are used up


def test_without_minutes_the_share_is_of_the_epochs(toy, plan):
    told, done = [], []
    work = work_of(plan, told)

    def batches(epoch, skip):
        for batch in work.batches(epoch, skip):
            done.append(len(batch.rows))
            yield batch

    trained(toy, plan, told, batches=batches)
    shares = [event["share"] for event in told if event["event"] == "update"]
    assert shares == pytest.approx([sum(done[: n + 1]) / (2 * len(plan.train)) for n in range(len(done))])
    assert shares[-1] == 1.0


def test_the_rate_of_every_update(toy, plan, monkeypatch):
    """It is set before the update, from what was done until then."""
    rates = []

    def noted(run, batch, options, share):
        found = update(run, batch, options, share)
        rates.append([group["lr"] for group in run.optimiser.param_groups])
        return found

    monkeypatch.setattr(loop, "update", noted)
    told = []
    trained(toy, with_options(plan, warmup=0.0, rate=1.0), told)
    shares = [0.0, *(event["share"] for event in told if event["event"] == "update")][:-1]
    assert rates == [[pytest.approx(1 - share)] * 2 for share in shares]


def test_evaluations_do_not_count_as_training(toy, plan, clock):
    told = []
    run = trained(toy, plan, told, batches=ticking(plan, clock, 2.0), evaluate=slow(clock, 100.0))
    rates = [event["target_tokens_per_second"] for event in epochs(told)]
    symbols = sum(len(word) + 1 for word in plan.questions.given["source"])  # of dev, each with its END
    symbols = sum(len(word) + 1 for word in toy.words) - symbols
    assert rates == [round(symbols / 10, 1)] * 2  # five updates of two seconds; neither padding nor source symbols
    assert [event["seconds"] for event in epochs(told)] == [10.0, 120.0]
    assert run.progress.seconds == 220.0  # minutes are a person's: they hold everything


def test_an_interruption_stops_the_clock(toy, plan, clock, tmp_path):
    told, begun, again = [], toy.run_of(plan), toy.run_of(plan)
    more = {"batches": ticking(plan, clock, 2.0), "evaluate": slow(clock, 100.0)}
    with pytest.raises(Interrupted):
        train(begun, work_of(plan, told, stopping=after(7), save=lambda: begun.save(tmp_path), **more))
    clock.seconds += 1e6
    again.restore(tmp_path)
    train(again, work_of(plan, told, **more))
    assert [event["seconds"] for event in epochs(told)] == [10.0, 120.0]
    assert len({event["target_tokens_per_second"] for event in epochs(told)}) == 1


# -- what it tells -------------------------------------------------------------------------------------------------


def test_what_an_epoch_tells(toy, plan):
    """The training loss is the mean a target symbol over the epoch, worked out batch by batch."""
    other, told, sums = with_options(plan, epochs=1), [], torch.zeros(2, dtype=torch.float64)
    shadow = toy.run_of(other)
    shadow.model.train()
    work = work_of(other)
    for number, batch in enumerate(work.batches(0, 0)):
        seen = sum(len(one.rows) for one in list(work.batches(0, 0))[:number])
        random = torch.get_rng_state()
        total = shadow.model(batch, smoothing=0.1)[0].total.item()
        torch.set_rng_state(random)  # so that the update drops the same
        update(shadow, batch, other.config.training, seen / len(plan.train))
        ends = (batch.columns["target"].ids == END).sum(1)
        assert ends.eq(1).all()
        sums += torch.tensor([total, batch.columns["target"].ids.ne(0).sum().item()])
    expected = toy.state(shadow)
    assert toy.differing(toy.state(trained(toy, other, told)), expected) == []
    (event,) = epochs(told)
    assert set(event) == {
        "event", "epoch", "update", "seconds", "train_loss", "target_tokens_per_second", "dev_loss",
        "dev_word_error_rate", "best",
    }  # fmt: skip
    assert event["train_loss"] == pytest.approx((sums[0] / sums[1]).item(), rel=1e-5)
    assert (event["epoch"], event["update"]) == (1.0, 5)
    assert event["seconds"] > 0
    assert event["target_tokens_per_second"] > 0


def test_what_an_update_tells(toy, plan):
    told = []
    trained(toy, plan, told)
    updates = [event for event in told if event["event"] == "update"]
    assert len(updates) == 10
    assert all(set(event) == {"event", "share", "seconds", "train_loss", "target_tokens_per_second"}
               for event in updates)  # fmt: skip
    assert [event["event"] for event in told] == ([*["update"] * 5, "epoch"]) * 2
    assert [event["seconds"] for event in updates] == sorted(event["seconds"] for event in updates)


def test_a_run_learns(toy):
    """Forty epochs of the toy: the loss on words that it has not seen falls far below chance (log 4 = 1.39)."""
    plan = toy.plan("epochs=40", "rate=0.03", "dropout=0", "smoothing=0", "average=0.9", "hidden=16")
    told = []
    trained(toy, plan, told)
    losses = [event["dev_loss"] for event in epochs(told)]
    assert losses[0] > 1.0
    assert min(losses) < 0.3


def test_rows_weigh(toy, plan):
    """A row of weight 3 and the same row three times give the same gradient."""
    run = toy.run_of(toy.plan("dropout=0"))
    batch = next(plan.train.ordered(30.0))
    row = torch.tensor([0, 0, 0, *range(1, len(batch.rows))])
    thrice = map_tensors(batch, lambda part: part[row])
    heavy = batch._replace(weights=torch.tensor([3.0] + [1.0] * (len(batch.rows) - 1)))
    found = []
    for one in (thrice, heavy):
        loss, _, _ = run.model(one)
        found.append(torch.autograd.grad(loss.total / loss.count, list(run.model.parameters())))
    for left, right in zip(*found, strict=True):
        torch.testing.assert_close(left, right)
