"""BLEU and chrF: by hand, and equal to what sacrebleu says of the whole corpus."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from regard.metrics import METRICS, Answered, score


def test_bleu_by_hand():
    # n-grams in common: 5 of 6, 4 of 5, 3 of 4, 2 of 3; their product is 1/3; as long as the reference
    assert score("bleu", ["a b c d e f"], [["a b c d e g"]]) == pytest.approx(100 * (1 / 3) ** 0.25)


def test_chrf_by_hand():
    # one of two characters, none of one bigram: precision and recall are both 1/4
    assert score("chrf", ["ab"], [["ac"]]) == pytest.approx(25.0)


sentences = st.lists(st.sampled_from(["the", "cat", "sat,", "on", "mat.", "das", "«", "文字"]), max_size=8).map(
    " ".join
)


@given(st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3)), min_size=1, max_size=6))
def test_equal_to_sacrebleu_over_the_corpus(examples):
    answers, references = [list(part) for part in zip(*examples, strict=True)]
    most = max(map(len, references))
    streams = [[row[index] if index < len(row) else None for row in references] for index in range(most)]
    for name, theirs in (("bleu", BLEU()), ("chrf", CHRF())):
        assert score(name, answers, references, unit="word") == theirs.corpus_score(answers, streams).score
        answered = Answered(answers, references, answers, references, "word")
        assert METRICS[name]().signature(answered) == str(theirs.get_signature())


def test_text_that_is_split_already_is_not_split_again():
    text = "a b. c d, e"  # five symbols as they stand, seven tokens otherwise
    answered = Answered([text], [[text]], [text.split()], [[text.split()]], "symbol")
    bleu = METRICS["bleu"]()
    assert bleu.statistics(answered)[0, 0] == 5
    assert "tok:none" in bleu.signature(answered)
    assert "nrefs:1|" in bleu.signature(answered)


def test_the_signature_says_when_references_vary():
    answered = Answered(["a", "b"], [["a"], ["b", "c"]], ["a", "b"], [["a"], ["b", "c"]], "word")
    assert "nrefs:var" in METRICS["chrf"]().signature(answered)
