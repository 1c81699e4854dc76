"""Train and score the benchmark sets with the command line, as a user would, and write a Markdown table.

    python bench/run.py DATA --tasks g2p --seeds 1 2 3

DATA is a folder laid out as bench/README.md says; nothing of it is part of the repository. What is done already is
skipped: a run is done when its `scores.json` is there. A row is a task with its settings, a mean over its sets.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

G2P = ("ady", "bul", "fre", "geo", "hin", "kor", "lit", "vie")


@dataclass(frozen=True)
class Task:
    """One set: its files below DATA, and what its command says beside them."""

    train: tuple[str, ...]
    dev: tuple[str, ...]
    more: tuple[str, ...] = ()
    shown: tuple[str, ...] = ("word_error_rate", "symbol_error_rate")


def _inflection(language: str) -> Task:
    train, dev = (f"inflection/{language}.{part}.tsv" for part in ("train", "dev"))
    return Task((train,), (dev,), ("--recipe", "inflect"), ("accuracy", "symbol_error_rate"))


TASKS = {
    **{f"g2p-{name}": Task((f"g2p/{name}.train.tsv",), (f"g2p/{name}.dev.tsv",)) for name in G2P},
    **{f"inflection-{name}": _inflection(name) for name in ("deu", "fin", "tur")},
    "transliteration-hi": Task(
        ("transliteration/hi.translit.sampled.train.tsv",),
        ("transliteration/hi.translit.sampled.dev.tsv",),
        ("--recipe", "transliterate", "--from", "2", "--to", "1", "--weight", "3"),
        ("accuracy", "symbol_error_rate"),
    ),
    "translation-en-de": Task(
        ("translation/train.en", "translation/train.de"),
        ("translation/val.en", "translation/val.de"),
        ("--recipe", "translate"),
        ("bleu", "chrf"),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of data")
    parser.add_argument("--tasks", nargs="+", default=["g2p"], help=f"names or their beginnings, of {', '.join(TASKS)}")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--name", default="default", help="what these settings are called in the table")
    parser.add_argument("--set", action="append", default=[], help="a setting for all runs")
    parser.add_argument("--combine", action="store_true", help="also score the ensemble of all seeds of a set")
    parser.add_argument("--jobs", type=int, default=1, help="so many trainings side by side (a GPU)")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=Path("runs"))
    given = parser.parse_args()
    tasks = [name for name in TASKS if any(name == asked or name.startswith(f"{asked}-") for asked in given.tasks)]
    if not tasks:
        parser.error(f"no task is called {' or '.join(given.tasks)}")
    runs = [(name, seed) for name in tasks for seed in given.seeds]
    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(lambda run: one(given, *run), runs))
        if given.combine:
            list(pool.map(lambda name: ensemble(given, name), tasks))
    table = "\n".join(rows(given.out))
    (given.out / "table.md").write_text(table + "\n", encoding="utf-8")
    print(table)


def one(given: argparse.Namespace, name: str, seed: int) -> None:
    """Train and score one set with one seed."""
    task, folder = TASKS[name], given.out / given.name / name / str(seed)
    if (folder / "scores.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    settings = [f"seed={seed}", *given.set]
    dev = [part for file in task.dev for part in ("--dev", str(given.data / file))]
    command = [
        "train",
        *(str(given.data / file) for file in task.train),
        *dev,
        *task.more,
        "--out",
        str(folder / "model"),
    ]
    command += ["--device", given.device, *(part for setting in settings for part in ("--set", setting))]
    start = time.perf_counter()
    if not (folder / "model" / "weights.safetensors").exists():
        regard(command, folder / "train.log")
    seconds = time.perf_counter() - start
    score(given, task, folder, {"seconds": seconds, "command": f"regard {' '.join(command)}"})


def ensemble(given: argparse.Namespace, name: str) -> None:
    """Combine all seeds of a set, and score that."""
    home = given.out / given.name / name
    folder = home / "combined"
    if not (folder / "scores.json").exists():
        folder.mkdir(exist_ok=True)
        command = [
            "combine",
            *(str(home / str(seed) / "model") for seed in given.seeds),
            "--out",
            str(folder / "model"),
        ]
        regard(command, folder / "train.log")
        score(given, TASKS[name], folder, {"seconds": 0.0, "command": f"regard {' '.join(command)}"})


def score(given: argparse.Namespace, task: Task, folder: Path, facts: dict[str, object]) -> None:
    dev = [str(given.data / file) for file in task.dev]
    regard(
        [
            "evaluate",
            str(folder / "model"),
            *dev,
            "--json",
            "--device",
            given.device,
            "--out",
            str(folder / "full.json"),
        ],
        folder / "evaluate.log",
    )
    found = json.loads((folder / "full.json").read_text(encoding="utf-8"))
    facts |= {key: found[key] for key in ("word_error_rate", "symbol_error_rate", "accuracy", "bleu", "chrf")}
    (folder / "scores.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
    print(f"{folder}: " + ", ".join(f"{key} {facts[key]:.2f}" for key in task.shown), file=sys.stderr, flush=True)


def regard(command: list[str], log: Path) -> None:
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(
            [sys.executable, "-m", "regard", *command], stdout=file, stderr=file, env=os.environ, check=False
        )
    if done.returncode:
        raise SystemExit(f"regard {' '.join(command)} failed:\n{log.read_text(encoding='utf-8')[-2000:]}")


def rows(out: Path) -> list[str]:
    """The table of everything that is done below `out`."""
    found: dict[tuple[str, str], dict[str, list[dict[str, float]]]] = {}
    for path in sorted(out.glob("*/*/*/scores.json")):
        kind = "ensemble" if path.parent.name == "combined" else "single"
        name, task = path.parts[-4], path.parts[-3]
        found.setdefault((name, f"{task.partition('-')[0]} {kind}"), {}).setdefault(task, []).append(
            json.loads(path.read_text())
        )
    lines = [
        "| settings | task | figure | mean | spread over seeds | by set | minutes a run |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, kind), tasks in found.items():
        for key in TASKS[next(iter(tasks))].shown:
            by_set = {task: [row[key] for row in runs] for task, runs in tasks.items()}
            seeds = [mean(values) for values in zip(*by_set.values(), strict=False)]
            each = ", ".join(f"{task.partition('-')[2]} {mean(values):.1f}" for task, values in by_set.items())
            minutes = mean(row["seconds"] for runs in tasks.values() for row in runs) / 60
            spread = f"{stdev(seeds):.2f} ({len(seeds)})" if len(seeds) > 1 else ""
            lines.append(f"| {name} | {kind} | {key} | {mean(seeds):.2f} | {spread} | {each} | {minutes:.1f} |")
    return lines


if __name__ == "__main__":
    main()
