"""The training loop, in plain torch: batches in, one update each, a dev evaluation an epoch, the best weights kept.

Unusual here: the loop knows of no task, no column and no file. It is given a function that makes an epoch's batches, a
function that evaluates, and one that keeps the best; everything that must survive an interruption is in `Run`.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from regard.batch import Batch, Total
from regard.config import TrainingOptions
from regard.memory import map_tensors
from regard.model import Model
from regard.terms import Seen, gather
from regard.training.run import Progress, Run
from regard.training.schedule import rate_at


@dataclass(frozen=True)
class Scores:
    """A dev evaluation; of two the one with the higher score is kept, of equals that with the lower loss."""

    loss: float
    score: float  # higher is better
    metrics: dict[str, float]


@dataclass(frozen=True)
class Work:
    """What the loop is given."""

    options: TrainingOptions  # epochs resolved
    rows: int  # of an epoch
    batches: Callable[[int, int], Iterator[Batch]]  # (epoch, skip) -> the epoch's batches from that one on
    evaluate: Callable[[Model], Scores]
    keep: Callable[[Model, dict[str, Any]], None]  # the best so far is written at once
    save: Callable[[], None]  # the run's state
    tell: Callable[[dict[str, Any]], None]  # an event: every update, every evaluation
    stopping: Callable[[], bool] = lambda: False  # asked after every update; yes: save the state and leave
    check_every: int = 2000  # updates of an epoch: long ones are evaluated within


class Interrupted(Exception):
    """The run was asked to stop; its state is saved."""


def autocast(device: torch.device, precision: str) -> AbstractContextManager[Any]:
    """Products in bfloat16 where asked for; weights, softmax and losses stay in float32."""
    return torch.autocast(device.type, torch.bfloat16) if precision == "bfloat16" else nullcontext()


def train(run: Run, work: Work) -> None:
    """Go on with a run until its epochs, its minutes or its patience are used up."""
    options, progress = work.options, run.progress
    assert options.epochs is not None
    device = next(run.model.parameters()).device
    began = time.monotonic() - progress.seconds
    run.model.train()
    run.terms.train()
    while progress.epoch < options.epochs and not _finished(run, work):
        since = _Since(run)
        for batch in work.batches(progress.epoch, progress.batch):
            share = _share(run, work)
            sums = update(run, map_tensors(batch, lambda part: part.to(device)), options, share)
            progress.batch += 1
            progress.update += 1
            progress.seen += len(batch.rows)
            progress.seconds = time.monotonic() - began
            since.add(sums)
            facts = since.figures(progress.seconds)
            work.tell({"event": "update", "share": _share(run, work), "seconds": progress.seconds, **facts})
            if progress.batch % work.check_every == 0:
                check(run, work, since)
                began, since = time.monotonic() - progress.seconds, _Since(run)
            if work.stopping():
                since.note(progress)
                work.save()
                raise Interrupted
            if _finished(run, work):
                break
        else:
            progress.epoch, progress.batch, progress.seen = progress.epoch + 1, 0, 0
        if progress.update > progress.checked:
            check(run, work, since)
            began = time.monotonic() - progress.seconds


def update(run: Run, batch: Batch, options: TrainingOptions, share: float) -> torch.Tensor:
    """One step down the gradient; (sum of losses, its count, target symbols, and sum and count of each term) of the
    batch, left on the device."""
    anneal(run, share)
    for group in run.optimiser.param_groups:
        group["lr"] = options.rate * rate_at(share, options.warmup, options.decay)
    with autocast(batch.weights.device, options.precision):
        seen = run.model.see(batch, own=options.own * share, smoothing=options.smoothing)
    loss, terms = seen.loss, totals(run, seen)
    whole = _mean(loss)
    for name, term in terms.items():
        if weight := run.model.config.terms[name].weight:
            whole = whole + weight * _mean(term)
    run.optimiser.zero_grad(set_to_none=True)
    whole.backward()
    if options.clip:
        nn.utils.clip_grad_norm_(run.parameters().values(), options.clip, foreach=True)
    run.optimiser.step()
    run.average.update()
    sums = [loss.total.detach(), loss.count, batch.columns[run.model.target].keep.sum()]
    return torch.stack([*sums, *(part.detach() for term in terms.values() for part in term)])


def totals(run: Run, seen: Seen) -> dict[str, Total]:
    """What each term of a run says of a batch."""
    options = run.model.config.terms
    return {name: term(*gather(term, options[name], seen)) for name, term in run.own_terms().items()}


def anneal(run: Run, share: float) -> None:
    """Tell everything that changes over training how much of the run is done; the average is to answer as it does."""
    for part in dict.fromkeys([run.model, run.average.model, *run.terms.modules()]):
        if (tell := getattr(part, "anneal", None)) is not None:
            tell(share)


def _mean(loss: Total) -> torch.Tensor:
    return loss.total / loss.count.clamp(min=1e-6)


def check(run: Run, work: Work, since: "_Since") -> None:
    """Evaluate on dev, keep the weights if they are the best so far, save the run's state."""
    progress = run.progress
    start = time.monotonic()
    anneal(run, _share(run, work))  # also where a run goes on with nothing left to do but this
    scores = work.evaluate(run.average.model)
    better = progress.best is None or (scores.score, -scores.loss) > progress.best
    facts = {
        "epoch": round(progress.epoch + progress.seen / max(1, work.rows), 2),
        "update": progress.update,
        "seconds": round(progress.seconds, 2),
        **since.figures(progress.seconds, now=True),
        "dev_loss": scores.loss,
        **{f"dev_{name}": value for name, value in scores.metrics.items()},
        "best": better,
    }
    progress.stale = 0 if better else progress.stale + 1
    if better:
        progress.best, progress.best_epoch = (scores.score, -scores.loss), facts["epoch"]
        progress.metrics = scores.metrics
        work.keep(run.average.model, facts)
    progress.seconds += time.monotonic() - start
    progress.checked, progress.since, progress.since_seconds = progress.update, Progress.since, progress.seconds
    work.save()
    run.model.train()
    work.tell({"event": "epoch", **facts})


def _share(run: Run, work: Work) -> float:
    """How much of the run is done, from 0 to 1: of its epochs, or of its minutes where those go faster."""
    assert work.options.epochs is not None
    done = (run.progress.epoch + run.progress.seen / max(1, work.rows)) / work.options.epochs
    if work.options.minutes is not None:
        done = max(done, run.progress.seconds / (60 * work.options.minutes))
    return min(1.0, done)


def _finished(run: Run, work: Work) -> bool:
    options, progress = work.options, run.progress
    if options.minutes is not None and progress.seconds >= 60 * options.minutes:
        return True
    return options.patience is not None and progress.stale >= options.patience


class _Since:
    """What has been gathered since the last evaluation; sums stay on the device until asked for."""

    def __init__(self, run: Run) -> None:
        self.began, self.updates = run.progress.since_seconds, 0
        self.terms = list(run.terms)
        size = len(Progress.since) + 2 * len(self.terms)
        self.sums = torch.tensor((*run.progress.since, *[0.0] * (size - len(run.progress.since))))
        self._told: dict[str, Any] = {}

    def add(self, sums: torch.Tensor) -> None:
        self.sums = self.sums.to(sums.device) + sums
        self.updates += 1

    def figures(self, seconds: float, now: bool = False) -> dict[str, Any]:
        """The mean loss a symbol, each term's mean, and the rate; unless `now`, read off the device at every tenth
        update."""
        if now or not self._told or self.updates % 10 == 0:
            loss, count, symbols, *terms = self.sums.tolist()
            rate = symbols / max(seconds - self.began, 1e-9)
            means = [total / max(own, 1e-6) for total, own in zip(terms[::2], terms[1::2], strict=True)]
            self._told = {"train_loss": loss / max(count, 1e-6)}
            if self.terms:
                self._told["train_terms"] = dict(zip(self.terms, means, strict=True))
            self._told["target_tokens_per_second"] = round(rate, 1)
        return self._told

    def note(self, progress: Progress) -> None:
        """Into what is kept, so that a run that goes on tells of its whole epoch."""
        progress.since, progress.since_seconds = tuple(self.sums.tolist()), self.began
