"""A run from its plan to the model folder: what the loop is given, and what it leaves behind.

Unusual here: the folder is complete from the first evaluation on (configuration, columns, the best weights so far), so
a run that dies leaves a model, and `resume` goes on from the state beside it.
"""

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn

from regard.answering import Answerer, extents
from regard.config import Config
from regard.data.tables import Table
from regard.embedding import fill
from regard.errors import RegardError
from regard.evaluating import evaluate, figure
from regard.files import write_text
from regard.folder import CARD, EVENTS, WEIGHTS, read, read_columns, read_folder_config, write_config, write_weights
from regard.memory import map_tensors
from regard.metrics import METRICS
from regard.model import Model
from regard.terms import TERMS, gather
from regard.training.alone import check_apart, freeze, train_apart
from regard.training.average import Average
from regard.training.card import card
from regard.training.loop import Scores, Work, train
from regard.training.machine import choose_device
from regard.training.optimiser import make_optimiser
from regard.training.plan import Plan, make_plan, read_tables
from regard.training.run import Run

Say = Callable[[str], object]
Tell = Callable[[dict[str, Any]], object]  # an event: those of `training.jsonl`, every update, and the end


def fit(
    config: Config, table: Table, dev: Table | None, folder: Path, *, say: Say, tell: Tell, resume: bool = False
) -> None:
    """Train a model into `folder`; go on with an interrupted one where `resume`."""
    plan = make_plan(config, table, dev, say, read_columns(folder, config) if resume else None)
    options = plan.config.training
    assert options.threads is not None
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    model = Model(plan.config, extents(plan.columns)).to(plan.device)
    for embedding in model.vectors():
        column = plan.columns[embedding.column]
        found = fill(embedding, column.symbols, Path(embedding.file or ""))
        say(f"{column.name}: {found:,} of {column.size - 4:,} symbols have a vector in {embedding.file}")
    terms = make_terms(plan, model)
    check_apart(plan.config)
    told = _recorded(folder / EVENTS, tell)
    if not resume:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / EVENTS).unlink(missing_ok=True)
        write_config(folder, plan.config, plan.columns)
        train_apart(model, extents(plan.columns), plan.train, told)
    freeze(model)
    optimiser = make_optimiser(nn.ModuleList([model, terms]), options)
    run = Run(model, Average(model, options.average), optimiser, plan.fingerprint, terms)
    if resume:
        run.restore(folder)
    else:
        run.save(folder)  # from here on it can go on, wherever it is stopped
    with _stopping(say) as stopping:
        train(run, _work(plan, run, folder, told, stopping))
    finish(plan, folder)
    Run.forget(folder)
    tell(_end(plan, run))


def make_terms(plan: Plan, model: Model) -> nn.ModuleDict:
    """The terms of a run, once one row has shown that what they need is there; no random number is drawn for that."""
    terms = {name: TERMS.build(options) for name, options in plan.config.terms.items()}
    if terms:
        one = map_tensors(next(plan.train.ordered(0.0)), lambda part: part.to(plan.device))
        drawing_here = [plan.device] if plan.device.type == "cuda" else []
        with torch.random.fork_rng(drawing_here), torch.no_grad():
            seen = model.train().see(one)
        for name, options in plan.config.terms.items():
            gather(terms[name], options, seen)
    return nn.ModuleDict(terms).to(plan.device)


def resume(
    folder: Path, *, say: Say, tell: Tell, table: Any = None, dev: Any = None, device: str | None = None
) -> None:
    """Go on with the run in `folder`, on another device if one is named; a table that was not a file is given again."""
    config, members = read_folder_config(folder)
    begun = Run.exists(folder)
    if members or ((folder / WEIGHTS).exists() and not begun):
        raise RegardError(
            f"{folder} has finished training: there is nothing to go on with; to train for longer, train anew with "
            "more epochs"
        )
    choose_device(device or config.training.device)  # a wrong one is told before a large table is read
    if device is not None:
        config = config.model_copy(update={"training": config.training.model_copy(update={"device": device})})
    fit(config, *read_tables(config, say, table, dev), folder, say=say, tell=tell, resume=begun)


def _recorded(events: Path, tell: Tell) -> Callable[[dict[str, Any]], None]:
    """To tell, and to write into the folder what is not told at every update."""

    def told(event: dict[str, Any]) -> None:
        if event["event"] != "update":
            with events.open("a", encoding="utf-8") as file:
                file.write(json.dumps(event, ensure_ascii=False) + "\n")
        tell(event)

    return told


def _work(
    plan: Plan, run: Run, folder: Path, tell: Callable[[dict[str, Any]], None], stopping: Callable[[], bool]
) -> Work:
    options = plan.config.training
    assert options.batch is not None
    budget = plan.train.budget(options.batch)
    return Work(
        options=options,
        rows=len(plan.train),
        batches=lambda epoch, skip: plan.train.shuffled(budget, options.batch or 1, options.seed, epoch, skip),
        evaluate=lambda model: dev_scores(plan, model),
        keep=lambda model, facts: write_weights(folder, model, facts),
        save=lambda: run.save(folder),
        tell=tell,
        stopping=stopping,
    )


def dev_scores(plan: Plan, model: Model) -> Scores:
    """The dev loss a symbol, and the dev metric of the answers that the model would give."""
    options = plan.config.training
    assert options.metric is not None
    assert options.batch is not None
    model.eval()
    total = count = 0.0
    with torch.inference_mode():
        for batch in plan.dev.ordered(8 * plan.train.budget(options.batch)):
            loss, _, _ = model(map_tensors(batch, lambda part: part.to(plan.device)))
            total, count = total + float(loss.total), count + float(loss.count)
    loss = total / max(count, 1e-6)
    if not plan.config.encoders:
        return Scores(loss, -loss, {})
    answerer = Answerer(plan.config, plan.columns, [model])
    answers = [ranked[0] for ranked in answerer.answers(plan.questions.given)]
    value = figure(options.metric, answerer, plan.questions, answers)
    return Scores(loss, value if METRICS[options.metric].higher_is_better else -value, {options.metric: value})


def finish(plan: Plan, folder: Path) -> None:
    """The best model on dev once more, as it will answer, and the card that says so."""
    answerer = read(folder, plan.device)
    report = None
    if plan.config.encoders:
        answers = [ranked[0] for ranked in answerer.answers(plan.questions.given)]
        report = evaluate(answerer, plan.questions, answers)
    write_text(folder / CARD, card(answerer, folder.name, len(plan.train), len(plan.dev), report, _example(plan)))


def _example(plan: Plan) -> list[str]:
    """Something to read: the first of dev, a text a column."""
    return [texts[0] for texts in plan.questions.given.values()]


def _end(plan: Plan, run: Run) -> dict[str, Any]:
    """The last event: how good the weights are that were kept, and something to ask the model."""
    progress = run.progress
    assert progress.best is not None
    figures = {"dev_loss": -progress.best[1]} | {f"dev_{name}": value for name, value in progress.metrics.items()}
    return {
        "event": "done",
        "epoch": progress.best_epoch,
        **figures,
        "looks": bool(plan.config.looks),
        "example": _example(plan),
    }


@contextmanager
def _stopping(say: Say) -> Iterator[Callable[[], bool]]:
    """Ctrl-C asks the loop to stop at a place where its state is whole; a second one stops at once."""
    asked = threading.Event()
    saying: list[threading.Thread] = []
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return

    def ask(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, before)
        asked.set()
        # From a thread, since what is interrupted here may be printing itself, and may not be called into again.
        said = "stopping, when the state is saved; Ctrl-C again stops at once"
        saying.append(threading.Thread(target=say, args=[said]))
        saying[-1].start()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
        for one in saying:
            one.join()
