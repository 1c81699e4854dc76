"""SVG: well-formed for any text, the picture and nothing else, the same bytes every time."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from regard.looking.colours import colour
from regard.looking.picture import picture
from regard.looking.svg import EM, Svg, svg

NAME = "{http://www.w3.org/2000/svg}"


def parsed(look):
    root = ElementTree.fromstring(Svg.draw([look]))
    return root, root.findall(f"{NAME}rect")[1:], root.findall(f"{NAME}text")  # the first rectangle is the paper


def test_it_paints_the_picture(any_look):
    drawing = picture([any_look])
    root, rectangles, texts = parsed(any_look)
    assert [text.text for text in texts] == [words.text for words in drawing.words]
    assert [rectangle.get("fill") for rectangle in rectangles] == [colour(cell.share) for cell in drawing.cells]
    assert [rectangle.find(f"{NAME}title").text for rectangle in rectangles] == [cell.told for cell in drawing.cells]
    assert float(root.get("width")) == round(EM * drawing.width)
    for text, words in zip(texts, drawing.words, strict=True):
        assert text.get("text-anchor") == words.anchor
        assert text.get("class") == words.kind
        assert float(text.get("x")) == round(EM * words.x, 2)
        assert ("transform" in text.attrib) == words.turned


@given(st.data())
def test_any_text_gives_well_formed_xml(strange, data):
    look = data.draw(strange)()
    drawing = picture([look])
    _, rectangles, texts = parsed(look)
    assert [text.text or "" for text in texts] == [words.text for words in drawing.words]
    assert [rectangle.find(f"{NAME}title").text for rectangle in rectangles] == [cell.told for cell in drawing.cells]


def test_halves_of_characters_are_drawn_as_codes(looks):
    look = type(looks["french"])({"source": "\udcff"}, "\ud800", ())
    assert parsed(look)[2][0].text == "U+DCFF → U+D800"


def test_a_turned_label_turns_about_its_start(looks):
    _, _, texts = parsed(looks["urdu"])
    [turned] = [text for text in texts if text.text == "باد"]
    assert turned.get("transform") == f"rotate(-45 {turned.get('x')} {turned.get('y')})"


def test_nothing_outside_is_needed(any_look):
    text = svg(any_look).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not any(reference in text for reference in ("http", "href", "url(", "@import", "src=", "<!"))
    assert Svg.draw([any_look]) == Svg.draw([any_look])


def test_several_looks_share_a_file(looks):
    both = svg([looks["french"], looks["urdu"]])
    titles = [text.text for text in ElementTree.fromstring(both).iter(f"{NAME}text") if text.get("class") == "heading"]
    assert titles == ["chaussée → ʃose", "\u2068پاکستان زندہ باد\u2069 → long live Pakistan"]
