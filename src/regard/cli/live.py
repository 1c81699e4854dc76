"""The live line of a training: where it stands, how fast, how long still, how good, and the best so far.

Unusual here: in a terminal one line moves, and each evaluation leaves a line behind; into a file only those lines go.
"""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from types import TracebackType
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from regard.cli.common import errors
from regard.folder import is_model
from regard.metrics import Report
from regard.metrics.show import NAMES
from regard.training.card import command
from regard.training.lines import line, terms, time
from regard.training.loop import Interrupted

SHORT = 60  # characters of an example that is worth a place on the last line


class Live:
    """A context: `tell` takes the events of training."""

    def __init__(self, quiet: bool, folder: Path | None):
        self.quiet, self.folder = quiet, folder
        self.end: dict[str, Any] | None = None  # the event that ends a training
        self.parts = False  # whether it is several trainings, of which none speaks for all
        self.progress = Progress(
            TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.fields[rest]}"),
            TimeElapsedColumn(), console=errors, transient=True, disable=quiet or not errors.is_terminal,
        )  # fmt: skip
        self.task = self.progress.add_task("training", total=1.0, rest="")

    def __enter__(self) -> "Live":
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()
        if isinstance(error, Interrupted | KeyboardInterrupt):
            kept = self.folder is not None and is_model(self.folder)  # of seeds and folds nothing is
            then = f"go on with: regard train --resume {quote(str(self.folder))}" if kept else "nothing is kept"
            errors.print(f"stopped; {then}", markup=False)
            raise SystemExit(130) from None
        if error is None and self.folder is not None and not self.quiet:
            errors.print(self._done(self.folder), markup=False)

    def tell(self, event: dict[str, Any]) -> None:
        """Show an event of training."""
        if event["event"] == "update":
            left = event["seconds"] * (1 - event["share"]) / event["share"] if event["share"] else 0.0
            parts = [f"loss {event['train_loss']:.3f}", *terms(event), f"{event['target_tokens_per_second']:,.0f}/s"]
            self.progress.update(self.task, completed=event["share"], rest=" · ".join([*parts, f"{time(left)} left"]))
        elif event["event"] == "done":
            self.end = event
        elif event["event"] == "part":
            self.parts = True
            self.progress.update(self.task, completed=0.0, description=event["what"])
        if event["event"] not in ("update", "done") and not self.quiet:
            self.progress.console.print(line(event), markup=False, highlight=False)

    def _done(self, folder: Path) -> str:
        """The last line: how good the kept weights are, and what to try."""
        said, end = f"done: {folder}", self.end
        if end is not None and not self.parts:
            said += f" ({line(end)})"
        if end is not None and sum(map(len, end["example"])) <= SHORT:
            said += f"; try: {command('look' if end['looks'] else 'predict', str(folder), end['example'])}"
        return said

    def folds(self, reports: Sequence[Report]) -> None:
        """What a cross-validation found."""
        for name in ("word_error_rate", "symbol_error_rate"):
            figures = [getattr(report, name) for report in reports]
            mean = sum(figures) / len(figures)
            each = ", ".join(f"{figure:.2f}" for figure in figures)
            print(f"{NAMES[name]}: {mean:.2f} % over {len(figures)} folds ({each})")
