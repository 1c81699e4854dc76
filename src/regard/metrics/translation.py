"""BLEU and chrF as sacrebleu computes them, with its signature.

Unusual here: we ask sacrebleu for its statistics of each sentence and its score of their sum, the two methods that its
own metrics are built from, rather than for a corpus score, so that a bootstrap adds up numbers and never reads a
string again. The tests hold both equal to `corpus_score`.
"""

from abc import abstractmethod
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from regard.metrics.metric import Answered, Metric


class Sacrebleu(Metric):
    """What both share. Sources may have unequally many references: the missing ones are None, as sacrebleu wants."""

    @abstractmethod
    def scorer(self, unit: str) -> Any:
        """The sacrebleu metric for answers in this unit."""

    def statistics(self, answered: Answered) -> np.ndarray:
        streams = list(zip_longest(*answered.references))
        rows = self.scorer(answered.unit)._extract_corpus_statistics(answered.answers, streams)
        return np.array(rows, np.float64)

    def score(self, totals: np.ndarray) -> float:
        return float(self.scorer("word")._compute_score_from_stats(totals.astype(np.int64).tolist()).score)

    def signature(self, answered: Answered) -> str:
        scorer = self.scorer(answered.unit)
        counts = {len(references) for references in answered.references}
        scorer.num_refs = counts.pop() if len(counts) == 1 else -1  # -1: it varies
        return str(scorer.get_signature())


class Bleu(Sacrebleu):
    """BLEU-4 of words. Text that is already split by spaces is taken as it stands, other text is tokenized (13a).

    Answers of fewer than four words have no 4-gram to share: where all are that short, BLEU is 0 by its definition.
    """

    name: ClassVar[str] = "bleu"

    def scorer(self, unit: str) -> Any:
        # force: no warning that text which is meant to be split looks split
        return BLEU(tokenize="none" if unit == "symbol" else "13a", force=True)


class Chrf(Sacrebleu):
    """chrF2: the F score of character n-grams up to 6, spaces aside."""

    name: ClassVar[str] = "chrf"

    def scorer(self, unit: str) -> Any:
        return CHRF()
