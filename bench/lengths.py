"""What attention is for: BLEU by the length of the source, with attention and without (RNNsearch's figure).

    python bench/lengths.py DATA --set minutes=20

Multi30k has almost no long sentence, so sentences are joined one to five at a time, in training and in dev alike. What
is done already is skipped; the table goes to OUT/table.md, the plot to OUT/lengths.svg.
"""

import argparse
import json
import random
from pathlib import Path
from statistics import mean

from run import regard

RECIPES = ("translate-first", "translate-every", "translate")
MOST = 5  # sentences joined


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of data")
    parser.add_argument("--set", action="append", default=[], help="a setting for all runs")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=Path("runs/lengths"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    words = [write(given.data / "translation", "val", given.out / f"dev-{joined}", [joined]) for joined in sizes()]
    write(given.data / "translation", "val", given.out / "dev", sizes())
    write(given.data / "translation", "train", given.out / "train", sizes())
    scores = {recipe: one(given, recipe) for recipe in RECIPES}
    lines = [
        f"| | {' | '.join(f'{number} ({length:.0f} words)' for number, length in zip(sizes(), words, strict=True))} |",
        f"|---{'|---' * MOST}|",
        *(f"| {recipe} | {' | '.join(f'{bleu:.1f}' for bleu in row)} |" for recipe, row in scores.items()),
    ]
    (given.out / "table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    plot(words, scores, given.out / "lengths.svg")


def sizes() -> list[int]:
    return list(range(1, MOST + 1))


def write(data: Path, part: str, out: Path, numbers: list[int]) -> float:
    """Two parallel files of joined sentences, in the same order; the mean number of words of a source.

    With several numbers each row is joined of as many sentences as chance says, so that all lengths are alike often.
    """
    sides = [(data / f"{part}.{language}").read_text(encoding="utf-8").splitlines() for language in ("en", "de")]
    chance, pairs = random.Random(0), list(zip(*sides, strict=True))
    chance.shuffle(pairs)
    rows = []
    while pairs:
        together = [pairs.pop() for _ in range(min(chance.choice(numbers), len(pairs)))]
        rows.append([" ".join(side) for side in zip(*together, strict=True)])
    for language, side in zip(("en", "de"), zip(*rows, strict=True), strict=True):
        out.with_suffix(f".{language}").write_text("".join(f"{row}\n" for row in side), encoding="utf-8")
    return mean(len(source.split()) for source, _ in rows)


def one(given: argparse.Namespace, recipe: str) -> list[float]:
    """BLEU on each length's dev part, after training on all lengths."""
    folder = given.out / recipe
    folder.mkdir(exist_ok=True)
    if not (folder / "model" / "weights.safetensors").exists():
        files = [str(given.out / f"train.{language}") for language in ("en", "de")]
        dev = [part for language in ("en", "de") for part in ("--dev", str(given.out / f"dev.{language}"))]
        settings = [part for setting in given.set for part in ("--set", setting)]
        command = ["train", *files, *dev, "--recipe", recipe, "--out", str(folder / "model"), "--device", given.device]
        regard([*command, *settings], folder / "train.log")
    found = []
    for number in sizes():
        report = folder / f"dev-{number}.json"
        if not report.exists():
            files = [str(given.out / f"dev-{number}.{language}") for language in ("en", "de")]
            command = ["evaluate", str(folder / "model"), *files, "--device", given.device, "--out", str(report)]
            regard(command, folder / "evaluate.log")
        found.append(json.loads(report.read_text(encoding="utf-8"))["bleu"])
    return found


def plot(words: list[float], scores: dict[str, list[float]], out: Path) -> None:
    """A line a recipe; needs the extra `plot`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    for recipe, row in scores.items():
        axes.plot(words, row, marker="o", label=recipe)
        axes.annotate(recipe, (words[-1], row[-1]), xytext=(6, 0), textcoords="offset points", va="center")
    axes.set(xlabel="words of the source, mean", ylabel="dev BLEU", ylim=(0, None), xlim=(0, words[-1] * 1.3))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out)


if __name__ == "__main__":
    main()
