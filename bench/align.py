"""Alignment error of looks, shown true links or not, beside IBM's first model on the same text.

    python bench/align.py DATA                 # on a part of the training pairs: to choose settings by
    python bench/align.py DATA --final         # on the pairs kept aside

DATA is a folder laid out as bench/README.md says. Everything goes by the command line, as a user would go; what is done
already is skipped. IBM-1 (Brown et al. 1993) is here and not in Regard, because it is a yardstick and no look.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

Pair = tuple[list[str], list[str]]  # source words, target words
PLAIN, OWN, NEXT = "plain", "own", "next"  # how a model is trained: shown nothing, or links at either step
MODELS = {  # what is measured: training, options of `regard align`
    "attention": (PLAIN, ()),
    "attention, read a step late": (PLAIN, ("--step", "next")),
    "attention, shown links": (OWN, ()),
    "attention, shown links a step late": (NEXT, ()),
    "the same, above 0.4": (NEXT, ("--threshold", "0.4")),
}
SETTINGS = (
    "hidden=128", "embedding=96", "score=general", "dropout=0.3", "batch=16", "rate=0.003", "epochs=20",
    "weight_decay=0.01", "threads=1", "precision=float32", "method=greedy", "metric=accuracy", "dev_share=0.03",
)  # fmt: skip
EVERY = 9  # without --final, every ninth training pair is kept aside


def ibm1(pairs: Sequence[Pair], rounds: int = 10) -> dict[tuple[str, str], float]:
    """P(target word | source word) by EM from alike for all: P(t | s) ∝ Σ over pairs of P(t | s) / Σ_s' P(t | s').

    Each source has one word more, "", for target words that come from nothing.
    """
    chances: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(rounds):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        for source, target in pairs:
            there = ["", *source]
            for word in target:
                each = [chances[one, word] for one in there]
                whole = sum(each)
                for one, chance in zip(there, each, strict=True):
                    counts[one, word] += chance / whole
                    totals[one] += chance / whole
        chances = defaultdict(float, {key: count / totals[key[0]] for key, count in counts.items()})
    return chances


def most_likely(chances: dict[tuple[str, str], float], pair: Pair) -> str:
    """Each target word with the source word that it most likely comes from; none where that is nothing."""
    source, found = ["", *pair[0]], []
    for j, word in enumerate(pair[1]):
        each = [chances.get((one, word), 0.0) for one in source]
        if (best := max(range(len(source)), key=each.__getitem__)) and each[best] > 0:
            found.append(f"{best - 1}-{j}")
    return " ".join(found)


def error(links: Sequence[str], gold: Path, table: Path, out: Path) -> dict[str, float]:
    """Measured by Regard's own figures, with which ours are measured too."""
    from regard.data.links import from_cells, from_file
    from regard.metrics.alignment import measure

    rows = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    sizes = [(len(row[0].split()), len(row[1].split())) for row in rows]
    true = from_file(gold, sizes) if gold != table else from_cells([row[2] for row in rows], sizes, str)
    found = from_cells(links, sizes, str)
    report = measure([one.sure for one in found], true)
    out.write_text(report.model_dump_json(), encoding="utf-8")
    found: dict[str, float] = json.loads(report.model_dump_json())
    return found


def prepare(data: Path, out: Path, final: bool) -> dict[str, tuple[Path, Path, Path, Path]]:
    """For each set its table to learn from, what has its links, its table to measure on, and what has that one's."""
    rows = [line.split("\t") for line in (data / "en-cs.tsv").read_text(encoding="utf-8").splitlines()]
    train = [row[1:] for row in rows if row[0] == "train"]
    test = [row[1:] for row in rows if row[0] != "train"]
    if not final:
        train, test = [row for at, row in enumerate(train) if at % EVERY], train[::EVERY]
    sets = {"en-cs": (train, test)}
    if final:
        own = data / "hansards-en-fr"
        trial, sample, held = (
            [[*both, ""] for both in zip(lines(own / f"{name}.e"), lines(own / f"{name}.f"), strict=True)]
            for name in ("trial", "train_berkeley_sample", "test")
        )
        sets["hansards"] = ([*trial, *sample], held)  # links of the first 37 are known
    found = {}
    for name, parts in sets.items():
        paths = [out / f"{name}.{part}.tsv" for part in ("train", "test")]
        for path, part in zip(paths, parts, strict=True):
            path.write_text("".join("\t".join(row) + "\n" for row in (["read", "written", "links"], *part)), "utf-8")
        own = data / "hansards-en-fr"
        gold = [own / f"{part}.wa.nonullalign" for part in ("trial", "test")] if name == "hansards" else paths
        found[name] = (paths[0], gold[0], paths[1], gold[1])
    return found


def lines(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]


def attention(
    folder: Path, files: Sequence[Path], training: str, options: Sequence[str], settings: Sequence[str]
) -> dict[str, float]:
    """Train a model, link by its look, measure. Hardly a sentence is ever quite right, so `metric=accuracy` keeps the
    weights with the least loss on dev."""
    train, links, test, gold = files
    if not (folder / "README.md").exists():  # the card is written last
        guide = [] if training == PLAIN else ["--links", "links" if links == train else str(links)]
        settings = settings if training == PLAIN else [*settings, f"terms.supervised.step={training}"]
        guide += [part for setting in settings for part in ("--set", setting)]
        columns = ("--header", "--from", "read", "--to", "written")
        regard("train", train, *columns, "--recipe", "translate", "--out", folder, *guide)
    by = ["--gold-column", "links"] if gold == test else ["--gold", gold]
    found: dict[str, float] = json.loads(regard("align", folder, test, *by, *options, "--header", "--json"))
    return found


def regard(*words: object) -> str:
    command = [sys.executable, "-m", "regard", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=os.environ, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[2:])} failed")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of data")
    parser.add_argument(
        "--final", action="store_true", help="learn from all training pairs, measure on those kept aside"
    )
    parser.add_argument("--sets", nargs="+", default=["en-cs", "hansards"])
    parser.add_argument("--models", nargs="*", default=list(MODELS), help=f"of {', '.join(MODELS)}")
    parser.add_argument("--name", default="default", help="what these settings are called")
    parser.add_argument("--set", action="append", default=[], help="a setting for all models")
    parser.add_argument("--out", type=Path, default=Path("runs/align"))
    given = parser.parse_args()
    out = given.out / ("final" if given.final else "dev")
    out.mkdir(parents=True, exist_ok=True)
    print("| set | links from | alignment error | 95 % interval | precision | recall |\n|---|---|---|---|---|---|")
    for name, files in prepare(given.data / "alignment", out, given.final).items():
        if name not in given.sets:
            continue
        train, test = (
            [(row.split("\t")[0].split(), row.split("\t")[1].split()) for row in lines(path)[1:]]
            for path in (files[0], files[2])
        )
        for text, label in ((train, "IBM-1"), ([*train, *test], "IBM-1, told the test's text too")):
            chances = ibm1(text)
            show(
                name, label, error([most_likely(chances, pair) for pair in test], files[3], files[2], out / "ibm1.json")
            )
        for label in given.models:
            training, options = MODELS[label]
            folder = out / given.name / f"{name}-{training}"
            show(name, label, attention(folder, files, training, options, [*SETTINGS, *given.set]))


def show(name: str, label: str, report: dict[str, float]) -> None:
    low, high = report["intervals"]["aer"]
    figures = f"{report['aer']:.1f} | {low:.1f} to {high:.1f} | {report['precision']:.1f} | {report['recall']:.1f}"
    print(f"| {name} | {label} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
