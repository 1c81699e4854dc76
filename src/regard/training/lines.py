"""An event of training as a line to read: what the command line and Python print unless they are given another `tell`.

Unusual here: an event of every update is not a line; who shows a line that moves writes it from `terms` and `time`.
"""

from collections.abc import Callable
from typing import Any

from regard.metrics.show import NAMES


def printed(say: Callable[[str], object]) -> Callable[[dict[str, Any]], None]:
    """A `tell` that says a line for each evaluation, and for each part of a longer work."""

    def tell(event: dict[str, Any]) -> None:
        if event["event"] != "update":
            say(line(event))

    return tell


def line(event: dict[str, Any]) -> str:
    """`epoch 3  train loss 0.7  dev loss 0.2 …`; of the end, `best: epoch 2, dev word error 10.00`."""
    if event["event"] == "part":
        return str(event["what"])
    if event["event"] == "alone":
        return f"{event['what']}: epoch {event['epoch']}, train loss {event['train_loss']:.3f}"
    names = [key.removeprefix("dev_") for key in event if key.startswith("dev_") and key != "dev_loss"]
    metrics = [f"dev {NAMES.get(name, name)} {event[f'dev_{name}']:.2f}" for name in names]
    if event["event"] == "done":
        return f"best: epoch {event['epoch']:g}, {', '.join(metrics) or 'dev loss ' + format(event['dev_loss'], '.3f')}"
    parts = [
        f"epoch {event['epoch']:>5.4g}",
        f"train loss {event['train_loss']:.3f}",
        *terms(event),
        f"dev loss {event['dev_loss']:.3f}",
        *metrics,
        f"{event['target_tokens_per_second']:,.0f} symbols/s",
        time(event["seconds"]),
    ]
    return "  ".join(parts) + ("  best" if event["best"] else "")


def terms(event: dict[str, Any]) -> list[str]:
    """The mean of each loss term beside the loss."""
    return [f"{name} {mean:.3f}" for name, mean in event.get("train_terms", {}).items()]


def time(seconds: float) -> str:
    """`1:15`, or `1:00:00`."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
