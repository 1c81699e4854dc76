"""Trains one small model for each way of looking, on the same words, and draws where each looked at the same one.

    .venv/bin/python docs/ways.py demo/words.tsv photography --out runs/ways

What is trained already is skipped. The pictures go to docs/pictures/ways-*.svg, for the page "Ways of looking"; the
dev figures of these small models, one seed each, are printed as a table.
"""

import argparse
from pathlib import Path

import regard

PICTURES = Path(__file__).parent / "pictures"
ROWS = 6000
SMALL = ("hidden=128", "decoder.hidden=256", "epochs=10", "threads=1", "precision=float32", "average=0.99")
WAYS: dict[str, tuple[str, ...]] = {
    "soft": (),
    "hard": ("focus=hard", "terms.reinforce.weight=1", "terms.reinforce.reward=step"),
    "gumbel": ("focus=gumbel",),
    "exact": ("decoder.emission=marginal",),
    "exact-monotonic": ("decoder.emission=marginal", "emission.order=monotonic"),
    "monotonic": ("focus=monotonic", "focus.noise=2"),
    "local-m": ("focus=local", "focus.kind=monotonic", "focus.width=3"),
    "local-p": ("focus=local", "focus.width=3"),
    "location-aware": ("score=location-aware",),
    "coverage": ("score=coverage",),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="words and their phones, with a header")
    parser.add_argument("word")
    parser.add_argument("--out", type=Path, default=Path("runs/ways"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    lines = given.table.read_text(encoding="utf-8").splitlines()[: ROWS + 1]
    table = given.out / "words.tsv"
    table.write_text("\n".join(line for line in lines if not line.startswith(f"{given.word}\t")) + "\n", "utf-8")
    print("| way | dev word error | answer |\n|---|---|---|")
    for name, settings in WAYS.items():
        folder = given.out / name
        if not (folder / "README.md").exists():
            regard.train(table, out=folder, settings=[*SMALL, *settings], say=lambda line: None)
        answer = regard.load(folder).predict(given.word)
        answer.look.save(PICTURES / f"ways-{name}.svg")
        print(f"| {name} | {dev_error(folder)} | {answer.text} |", flush=True)


def dev_error(folder: Path) -> str:
    """As the model's card has it."""
    card = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    return next(line.split("|")[2].strip() for line in card if line.startswith("| word error |"))


if __name__ == "__main__":
    main()
