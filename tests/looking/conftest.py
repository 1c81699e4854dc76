"""Looks as a trained model could have made them, with weights written by hand, in several scripts."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regard.looking.look import Gaze, Look, Piece, Place


def places(text: str, column: str, units: list[str]) -> tuple[Place, ...]:
    """Each unit found in the text, from left to right."""
    found, start = [], 0
    for unit in units:
        start = text.index(unit, start)
        found.append(Place(unit, column, (start, start + len(unit))))
        start += len(unit)
    return tuple(found)


def outputs(text: str, units: list[str]) -> tuple[Piece, ...]:
    spans = [place.span for place in places(text, "", units)]
    sure = [-0.02, -0.4, -0.1, -0.01, -0.05]
    pieces = [Piece(unit, span, sure[at % 5]) for at, (unit, span) in enumerate(zip(units, spans, strict=True))]
    return (*pieces, Piece("", (len(text), len(text)), -0.01))


def towards(targets: list[list[int]], size: int, blur: float = 0.15) -> np.ndarray:
    """Rows that look mostly at their targets and a little at what stands beside them."""
    far = np.abs(
        np.arange(size)[None, None] - np.array([row + row[-1:] * (9 - len(row)) for row in targets])[..., None]
    )
    energy = np.exp(-(far.min(1) ** 2) / 0.4) + blur / size
    return (energy / energy.sum(1, keepdims=True)).astype(np.float32)


def text_look(source: str, units: list[str], answer: str, pieces: list[str], links: list[list[int]]) -> Look:
    gaze = Gaze("source", "source", "places", places(source, "source", units), towards(links, len(units)))
    return Look({"source": source}, answer, outputs(answer, pieces), (gaze,), -0.6)


def french() -> Look:
    return text_look("chaussée", list("chaussée"), "ʃose", list("ʃose"), [[0, 1], [2, 3], [4, 5], [6, 7], [7]])


def phones() -> Look:
    source, answer = "czytać", "t͡ʂ ɨ t a t͡ɕ"
    return text_look(source, list(source), answer, answer.split(), [[0, 1], [2], [3], [4], [5], [5]])


def hindi() -> Look:
    """Letters and vowel signs apart, as a model that writes characters sees them."""
    return text_look("india", list("india"), "इंडिया", list("इंडिया"), [[0], [1], [2], [3], [3, 4], [4], [4]])


def from_hindi() -> Look:
    source = "हिन्दुस्तानी"
    links = [[0], [1], [2], [4, 5], [5], [6, 7], [8], [9], [10], [11], [11]]
    return text_look(source, list(source), "hindustani", list("hindustani"), links)


def urdu() -> Look:
    source = "پاکستان زندہ باد"
    words = source.split()
    return text_look(source, words, "long live Pakistan", ["long", "live", "Pakistan"], [[1], [2], [0], [2]])


def urdu_letters() -> Look:
    return text_look("لاہور", list("لاہور"), "lahore", list("lahore"), [[0], [1], [2], [3], [4], [4], [4]])


def korean() -> Look:
    """Syllables decomposed into letters: several places lie in one character of what was given."""
    letters = [Place(letter, "source", (at // 3, at // 3 + 1)) for at, letter in enumerate("한글" and "ㅎㅏㄴㄱㅡㄹ")]
    links = [[0], [1], [2], [3], [4], [5], [5]]
    gaze = Gaze("source", "source", "places", tuple(letters), towards(links, 6))
    return Look({"source": "한글"}, "hangɯl", outputs("hangɯl", ["h", "a", "n", "g", "ɯ", "l"]), (gaze,), -0.3)


def inflection() -> Look:
    """A source joined from two columns."""
    lemma, tags = "schreiben", "V;PST;3;SG"
    joined = places(lemma, "lemma", list(lemma)) + places(tags, "features", tags.split(";"))
    weights = towards([[0], [1], [2], [3], [4, 10], [5], [6, 10], [10, 12]], len(joined), 0.5)[:, : len(joined)]
    return Look(
        {"lemma": lemma, "features": tags},
        "schrieb",
        outputs("schrieb", list("schrieb")),
        (Gaze("source", "source", "places", joined, weights),),
        -0.2,
    )


def two_encoders() -> Look:
    latin, nagari = "delhi", "दिल्ली"
    first = Gaze(
        "spelling", "latin", "places", places(latin, "latin", list(latin)), towards([[0], [1], [2, 3], [4], [4]], 5)
    )
    second = Gaze(
        "sound", "nagari", "places", places(nagari, "nagari", list(nagari)), towards([[0], [1], [2, 4], [5], [5]], 6)
    )
    return Look({"latin": latin, "nagari": nagari}, "dɪlː", outputs("dɪlː", list("dɪlː")), (first, second), -0.4)


def sentence() -> Look:
    source = (
        "Two young guys with shaggy hair look at their hands while hanging out in the yard behind an old house , "
        "and a small dog watches them from the unmistakably green grass ."
    )
    answer = (
        "Zwei junge Männer mit zotteligen Haaren betrachten ihre Hände , während sie im Garten hinter einem alten "
        "Haus sind , und ein kleiner Hund beobachtet sie ."
    )
    size, length = len(source.split()), len(answer.split())
    links = [[round(at * (size - 1) / length)] for at in range(length + 1)]
    return text_look(source, source.split(), answer, answer.split(), links)


def document() -> Look:
    """Words within sentences: the words of each sentence sum to 1, and so do the sentences."""
    text = "A dull plot. The acting is superb!"
    words = places(text, "review", ["A", "dull", "plot.", "The", "acting", "is", "superb!"])
    parents = [0, 0, 0, 1, 1, 1, 1]
    below = tuple(Place(word.text, word.column, word.span, parent) for word, parent in zip(words, parents, strict=True))
    weights = np.array([[0.1, 0.7, 0.2, 0.1, 0.2, 0.1, 0.6]], dtype=np.float32)
    sentences = (Place("A dull plot.", "review", (0, 12)), Place("The acting is superb!", "review", (13, 34)))
    over = np.array([[0.25, 0.75]], dtype=np.float32)
    return Look(
        {"review": text},
        "good",
        (Piece("good", (0, 4), -0.2),),
        (Gaze("look", "review", "words", below, weights), Gaze("look", "review", "sentences", sentences, over)),
        -0.2,
    )


def not_known() -> Look:
    """Two letters that the model does not know, in a source of two columns."""
    look = inflection()
    (gaze,) = look.gazes
    odd = tuple(replace(place, unknown=at in (2, 10)) for at, place in enumerate(gaze.places))
    return replace(look, gazes=(replace(gaze, places=odd),))


def no_gaze() -> Look:
    return Look({"source": "through"}, "θɹu", outputs("θɹu", list("θɹu")), (), -1.0)


def hebrew() -> Look:
    """Both directions in one sentence, and an answer that ends in a sign of neither."""
    source, answer = "שלום hello עולם!", "السلام عليكم (123)."
    units, pieces = ["שלום", "hello", "עולם", "!"], ["السلام", "عليكم", "(123)", "."]
    return text_look(source, units, answer, pieces, [[0], [1], [2], [3], [3]])


def emoji() -> Look:
    source = "🦊 + 👩‍👩‍👧 = 🇩🇪❤️😀"
    units = ["🦊", " ", "+", " ", "👩‍👩‍👧", " ", "=", " ", "🇩🇪", "❤️", "😀"]
    return text_look(source, units, "fox", list("fox"), [[0], [2], [4], [10]])


def nothing_to_see() -> Look:
    """A model that attends, over an empty source."""
    gaze = Gaze("source", "source", "places", (), np.zeros((2, 0), np.float32))
    return Look({"source": ""}, "a", outputs("a", ["a"]), (gaze,), -0.1)


def hostile() -> Look:
    """Text that would be markup if anything forgot to escape it."""
    source, column = '<script>alert("1")</script> & \x00', '"><b>&'
    units = ["<script>", 'alert("1")', "</script>", "&", "\x00"]
    seen = places(source, column, units)
    gaze = Gaze('\'" onload="', "<i>", "</table>", seen, towards([[0], [1], [2, 3], [4]], 5))
    return Look({column: source}, "</title><b>'", outputs("</title><b>'", ["</title>", "<b>", "'"]), (gaze,), -0.6)


MAKERS: dict[str, Callable[[], Look]] = {
    maker.__name__: maker
    for maker in (
        french,
        phones,
        hindi,
        from_hindi,
        urdu,
        urdu_letters,
        korean,
        inflection,
        two_encoders,
        sentence,
        document,
        hebrew,
        emoji,
        nothing_to_see,
        not_known,
        no_gaze,
        hostile,
    )
}


@pytest.fixture
def looks() -> dict[str, Look]:
    return {name: maker() for name, maker in MAKERS.items()}


@pytest.fixture(params=sorted(MAKERS))
def any_look(request: pytest.FixtureRequest) -> Look:
    return MAKERS[request.param]()


# Whatever has once broken a line, a table, markup or a direction, and anything else that Unicode has.
AWKWARD = "<>&\"' \x00\n\t\r\x7f\x85\ufffe\u2028\u00ad\u200c\u200d\u200f\u202e\u2067\u2069\u0301\u093e\u1161שعא١ل한😀"
TEXTS = st.text(st.sampled_from(AWKWARD) | st.characters(codec="utf-8"), max_size=8)
NUMBERS = st.floats(-100, 0)


@st.composite
def strange_looks(draw: st.DrawFn) -> Callable[[], Look]:
    """Any texts, names and spans; any number of columns, gazes, outputs and places, none among them.

    What is drawn makes the look when it is called: the checks at run time use random numbers, a strategy must not.
    """

    def span(text: str) -> tuple[int, int]:
        start, end = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        return start, end

    given = draw(st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=3))
    text = draw(TEXTS)
    pieces = [(draw(TEXTS), span(text), draw(NUMBERS)) for _ in range(draw(st.integers(0, 3)))]
    gazes = []
    for _ in range(draw(st.integers(0, 2))):
        columns = draw(st.lists(st.sampled_from(sorted(given)), max_size=5))
        seen = [(draw(TEXTS), column, span(given[column]), None, draw(st.booleans())) for column in columns]
        weights = draw(arrays(np.float32, (len(pieces), len(seen)), elements=st.floats(0, 1, width=32)))
        gazes.append((draw(TEXTS), draw(TEXTS), draw(TEXTS), seen, weights))
    log_prob = draw(NUMBERS)

    def make() -> Look:
        return Look(
            given,
            text,
            tuple(Piece(*piece) for piece in pieces),
            tuple(Gaze(*names, tuple(Place(*place) for place in seen), weights) for *names, seen, weights in gazes),
            log_prob,
        )

    return make


@pytest.fixture(scope="session")
def strange() -> st.SearchStrategy[Callable[[], Look]]:
    """For `data.draw(strange)()`."""
    return strange_looks()
