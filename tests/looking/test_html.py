"""The page: one file, no network, any text escaped, answer and source linked; right to left where the source is."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from typing import NamedTuple

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from regard.looking.html import LONGEST, Bit, Html, bits, fragment, html
from regard.looking.labels import END, label, tooltip, visible

VOID = {"meta"}


class Tag(NamedTuple):
    name: str
    given: dict
    text: list  # filled while it is open, with the text of everything inside


class Reader(HTMLParser):
    """All tags in order, each with its attributes and text; every one but void ones must be closed in its turn."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.open = [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attrs):
        tag = Tag(name, dict(attrs), [])
        self.tags.append(tag)
        if name not in VOID:
            self.open.append(tag)

    def handle_endtag(self, name):
        assert self.open.pop().name == name

    def handle_data(self, data):
        for tag in self.open:
            tag.text.append(data)

    def found(self, name, kind=""):
        """The texts and attributes of these tags."""
        wanted = [tag for tag in self.tags if tag.name == name and {kind} <= {"", *tag.given.get("class", "").split()}]
        return [("".join(tag.text), tag.given) for tag in wanted]


def rows(page):
    """For each row of the heat map the places of its cells, from left to right on paper."""
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    return [[int(at) for at in re.findall(r'data-place="(\d+)"', row)] for row in table.split("<tr>")[1:]]


def ends(look):
    """What stands after an answer for its end, and for any piece that has no text of its own in it."""
    return f" {END}" * sum(piece.span[0] == piece.span[1] for piece in look.outputs)


def assert_attributes(look, page):
    """Each tooltip says what it should, and no text has broken out into an attribute of its own."""
    assert sorted(given["title"] for _, given in page.found("td", "w")) == sorted(
        tooltip(piece, place, float(weight))
        for gaze in look.gazes
        for piece, row in zip(look.outputs, gaze.weights, strict=True)
        for place, weight in zip(gaze.places, row, strict=True)
    )
    ours = {"class", "style", "title", "lang", "dir", "role", "tabindex", "scope", "colspan", "content", "charset"}
    others = {name for tag in page.tags for name in tag.given} - ours
    assert all(name.startswith(("data-", "aria-")) or name in ("http-equiv", "name") for name in others)


def test_it_is_one_page_that_asks_nothing_of_the_network(any_look):
    page = html(any_look)
    reader = Reader(page)
    assert page.startswith("<!doctype html>\n")
    assert [tag.name for tag in reader.tags].count("script") == 1
    assert not {tag.name for tag in reader.tags} & {"link", "img", "iframe", "base", "object", "b"}
    assert not {name for tag in reader.tags for name in tag.given} & {"src", "href", "action", "srcset"}
    code = "".join(text for name in ("style", "script") for text, _ in reader.found(name))
    assert not re.search(r"http|//[a-z]|url\(|@import|fetch|XMLHttp|WebSocket|import\(", code)
    [(_, policy)] = [found for found in reader.found("meta") if "http-equiv" in found[1]]
    assert policy["content"].startswith("default-src 'none';")
    assert html(any_look) == page


def test_every_text_can_be_read(any_look):
    page = Reader(html(any_look))
    texts = [text for text, _ in page.found("p", "line")]
    assert texts[0] == visible(any_look.text) + ends(any_look)
    assert {visible(text) or "∅" for text in any_look.given.values()} <= set(texts)
    assert page.found("p", "name")[0][0] == "answer"
    assert_attributes(any_look, page)
    assert len(page.found("h3")) == (len(any_look.gazes) if len(any_look.gazes) > 1 else 0)


@given(st.data())
def test_any_text_is_escaped(strange, data):
    look = data.draw(strange)()
    page = Reader(html(look))
    lines = [text for text, _ in page.found("p", "line")]
    assert lines[0] == (visible(look.text) + ends(look) or "∅")
    assert {visible(text) or "∅" for text in look.given.values()} <= set(lines)
    assert {visible(name) for name in look.given} <= {text for text, _ in page.found("p", "name")}
    assert [tag.name for tag in page.tags].count("article") == 1
    assert_attributes(look, page)


def test_the_title_names_the_look(looks):
    assert Reader(html(looks["french"])).found("title")[0][0] == "chaussée → ʃose"
    assert Reader(html([looks["french"], looks["urdu"]])).found("title")[0][0] == "2 looks"
    hostile = Reader(html(looks["hostile"])).found("title")[0][0]
    assert hostile == """<script>alert("1")</script> & U+0000 → </title><b>'"""


def test_answer_and_source_are_linked_by_number(looks):
    page = Reader(html(looks["phones"]))
    assert [(text, given["data-at"]) for text, given in page.found("span", "piece")] == [
        ("t͡ʂ", "0"), ("ɨ", "1"), ("t", "2"), ("a", "3"), ("t͡ɕ", "4"), (END, "5"),
    ]  # fmt: skip
    assert [(text, given["data-at"]) for text, given in page.found("span", "place")] == [
        (char, str(at)) for at, char in enumerate("czytać")
    ]
    assert rows(html(looks["phones"])) == [list(range(6))] * 6
    titles = [given["title"] for _, given in page.found("span", "piece")]
    assert titles[0] == "t͡ʂ: probability 98 %"
    assert [given["tabindex"] for _, given in page.found("span", "piece")] == ["0", *["-1"] * 5]


def test_marks_and_parts_of_syllables_belong_to_what_a_reader_sees(looks):
    page = Reader(html(looks["from_hindi"]))
    assert [(text, given["data-at"]) for text, given in page.found("span", "place")] == [
        ("हि", "0 1"), ("न्दु", "2 3 4 5"), ("स्ता", "6 7 8 9"), ("नी", "10 11"),
    ]  # fmt: skip
    page = Reader(html(looks["korean"]))
    assert [(text, given["data-at"]) for text, given in page.found("span", "place")] == [
        ("한", "0 1 2"), ("글", "3 4 5"),
    ]  # fmt: skip
    page = Reader(html(looks["urdu_letters"]))  # lam and alef are one sign in every font
    assert [text for text, _ in page.found("span", "place")] == ["لا", "ہ", "و", "ر"]


def test_right_to_left_text_and_columns(looks):
    page = Reader(html(looks["urdu"]))
    [answer, source] = page.found("p", "line")
    assert (answer[1]["dir"], source[1]["dir"], source[0]) == ("ltr", "rtl", "پاکستان زندہ باد")
    assert rows(html(looks["urdu"])) == [[2, 1, 0]] * 4
    heads = [text for text, given in page.found("th") if given["scope"] == "col"]
    assert heads == ["باد", "زندہ", "پاکستان"]
    assert [text for text, _ in page.found("th") if text in ("long", END)] == ["long", END]


def test_cells_carry_their_share_of_the_top_and_tell_their_weight(looks):
    page = Reader(html(looks["document"]))
    cells = [given for _, given in page.found("td", "w")]
    assert [cell["style"] for cell in cells[-2:]] == ["--w:0.250", "--w:0.750"]
    assert cells[1]["title"] == "good ← dull: 0.700"
    assert [given["data-top"] for _, given in page.found("table")] == ["1", "1"]
    assert [text for text, _ in page.found("p", "legend")] == ["weight 01"] * 2
    assert [text for text, _ in page.found("h3")] == ["look of review · words", "look of review · sentences"]


def test_columns_of_a_joined_source_stand_apart(looks):
    page = Reader(html(looks["inflection"]))
    assert [(text, given["colspan"]) for text, given in page.found("th", "column")] == [
        ("lemma", "9"), ("features", "4"),
    ]  # fmt: skip
    assert len(page.found("td", "gap")) == 2 + 8  # two rows of heads, eight of outputs
    assert [text for text, _ in page.found("p", "name")] == ["answer", "lemma", "features"]
    table = html(looks["inflection"]).split("<tr>")[2:]  # without the row of names, whose cells are wide
    assert {len(re.findall("<t[dh]", row)) for row in table} == {1 + 9 + 1 + 4 + 1}


def test_long_labels_are_cut_and_told_whole(looks):
    sentence = "The acting is superb and nobody will ever sleep through it"
    look = looks["document"]
    gaze = look.gazes[1]
    long = replace(look, gazes=(replace(gaze, places=(gaze.places[0], replace(gaze.places[1], text=sentence))),))
    heads = [(text, given.get("title")) for text, given in Reader(html(long)).found("th") if given["scope"] == "col"]
    assert heads == [("A dull plot.", None), (sentence[: LONGEST - 1] + "…", sentence)]


def test_a_model_that_attends_to_nothing_says_so(looks):
    page = html(looks["no_gaze"])
    assert "<p>this model attends to nothing: there is no map of where it looked</p>" in page
    assert "<table" not in page
    assert [text for text, _ in Reader(page).found("p", "line")] == ["θɹu ∎", "through"]
    assert "<p>there was nothing to look at</p>" in html(looks["nothing_to_see"])


def test_several_looks_share_one_style_and_script(looks):
    page = Reader(html([looks["french"], looks["urdu"], looks["no_gaze"]]))
    names = [tag.name for tag in page.tags]
    assert (names.count("article"), names.count("script")) == (3, 1)
    assert Html.draw([looks["urdu"]]) == html(looks["urdu"]).encode()


def test_in_a_notebook_it_keeps_to_itself(looks):
    shown = looks["urdu"]._repr_html_()
    assert shown == fragment([looks["urdu"]])
    reader = Reader(shown)
    assert not {tag.name for tag in reader.tags} & {"html", "head", "body", "meta", "title"}
    assert not any("id" in tag.given for tag in reader.tags)  # two looks on a page would share them
    [(style, _)] = reader.found("style")
    for selectors in re.findall(r"([^{}]+)\{", re.sub(r"@media[^{]*\{", "", style)):
        assert all(one.strip().startswith(".regard-look") for one in selectors.split(","))
    [(_, article)] = reader.found("article")
    assert (article["lang"], article["dir"]) == ("en", "ltr")  # whatever the page around it is


def test_what_is_not_known_is_marked_and_told(looks):
    page = Reader(fragment([looks["not_known"]]))
    assert [text for text, _ in page.found("th", "unknown")] == ["h", "PST"]
    assert [given["title"] for _, given in page.found("th", "unknown")] == [
        "h (not known to the model)", "PST (not known to the model)",
    ]  # fmt: skip
    bits = {text: given["title"] for text, given in page.found("span", "unknown") if "data-at" in given}
    assert bits == {"h": "h (not known to the model)", "PST": "PST (not known to the model)"}
    assert [text for text, _ in page.found("p", "legend")] == ["weight 01not known to the model"]
    assert "not known" not in fragment([looks["inflection"]])


def test_classes_of_the_page_have_their_style_and_the_style_its_classes(looks):
    css, js = (files("regard.looking").joinpath(name).read_text(encoding="utf-8") for name in ("look.css", "look.js"))
    styled = set(re.findall(r"\.([a-z][a-z-]*)", css)) | set(re.findall(r"\.([a-z][a-z-]*)", " ".join(
        re.findall(r'querySelector(?:All)?\("([^"]+)"', js))))  # fmt: skip
    used = {
        kind
        for look in looks.values()
        for tag in Reader(fragment([look])).tags
        for kind in tag.given.get("class", "").split()
    }
    assert used - styled == {"piece", "place"}  # these the script asks for by a name that it is given
    assert styled - used == {"at"}  # this one it sets itself


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("abc", [(0, 1), (1, 3)], [("a", (0,)), ("bc", (1,))]),
        ("a b", [(0, 1), (2, 3)], [("a", (0,)), (" ", ()), ("b", (1,))]),
        ("abc", [(0, 2), (1, 3)], [("a", (0,)), ("b", (0, 1)), ("c", (1,))]),
        ("e\u0301x", [(0, 1), (1, 2), (2, 3)], [("e\u0301", (0, 1)), ("x", (2,))]),
        ("لَا", [(0, 1), (1, 2), (2, 3)], [("لَا", (0, 1, 2))]),
        ("abc", [(1, 1)], [("abc", ())]),  # an empty span touches nothing
        ("", [], []),
    ],
)
def test_text_is_cut_where_its_places_change(text, spans, expected):
    assert list(bits(text, spans)) == [Bit(*one) for one in expected]


@given(st.text(max_size=12), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=4))
def test_cutting_loses_nothing_and_divides_no_grapheme(text, spans):
    spans = [tuple(sorted((min(a, len(text)), min(b, len(text))))) for a, b in spans]
    cut = list(bits(text, spans))
    assert "".join(bit.text for bit in cut) == text
    graphemes = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
    place = 0
    for bit in cut:
        end = place + len(bit.text)
        assert {place, end} <= graphemes
        assert bit.at == tuple(at for at, (a, b) in enumerate(spans) if a < b and a < end and place < b)
        place = end


def test_labels_in_the_map_are_those_of_all_renderers(looks):
    heads = [text for text, given in Reader(html(looks["hindi"])).found("th") if given["scope"] == "row"]
    assert heads == [*map(label, "इंडिया"), END]
