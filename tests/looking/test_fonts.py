"""Which font draws what, on machines made up for the test."""

from types import SimpleNamespace

import pytest

from regard.looking import fonts
from regard.looking.fonts import OWN, Fonts, covered

FILES = {  # what each made-up font file has
    "/fonts/LatinOnly.ttf": "abc",
    "/fonts/DevanagariSans-Regular.ttf": "a कखि",
    "/fonts/CJKSans.ttc": "한글字",
}


@pytest.fixture
def machine(monkeypatch):
    """A machine with these font files; what is added to matplotlib is written down."""
    added = []
    covered_really, opened = fonts.covered, fonts.get_font

    def cover(path):
        return frozenset(map(ord, FILES[path])) if path in FILES else covered_really(path)

    def get_font(path):
        return SimpleNamespace(family_name=path.split("/")[-1].split(".")[0]) if path in FILES else opened(path)

    monkeypatch.setattr(fonts, "system_fonts", lambda: tuple(FILES))
    monkeypatch.setattr(fonts, "covered", cover)
    monkeypatch.setattr(fonts, "get_font", get_font)
    monkeypatch.setattr(fonts.fontManager, "addfont", added.append)
    return added


def test_matplotlibs_own_font_is_enough_for_many_scripts(machine):
    drawing = Fonts(["through → θɹu", "پاکستان", "שלום", "t͡ɕ ◌ ∎ ␣ …"])
    assert (list(drawing.families), machine) == ([OWN], [])
    assert drawing.complaint() is None


def test_only_the_fonts_that_are_needed_are_loaded(machine):
    drawing = Fonts(["ab", "कि"])
    assert machine == ["/fonts/DevanagariSans-Regular.ttf"]
    assert drawing.complaint() is None
    assert drawing.for_text("ab") == [OWN, "DevanagariSans-Regular"]
    assert drawing.for_text("कि")[0] == "DevanagariSans-Regular"
    assert drawing.for_text("कθ")[0] == OWN  # neither has both: matplotlib's own comes first, the other after it


def test_joiners_marks_of_direction_and_spaces_need_no_glyph(machine):
    assert Fonts(["a\u200db\u2068c\u2069 \u3000\n"]).complaint() is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ང", "the Tibetan characters of this look (1 of them)|fonts-noto-core"),
        ("漢ひ", "the CJK, Hiragana characters of this look (2 of them)|fonts-noto-cjk"),
        ("གင漢", "the CJK, Myanmar, Tibetan characters of this look (3 of them)|fonts-noto-cjk fonts-noto-core"),
        ("🦊", "the symbol characters of this look (1 of them)|fonts-symbola"),
        ("\U0003fffd", "the symbol characters of this look (1 of them)|fonts-symbola"),
    ],
)
def test_what_no_font_has_is_named_with_what_to_install(machine, text, said):
    which, packages = said.split("|")
    assert Fonts([text, "कि"]).complaint() == (
        f"no installed font has {which}, boxes stand in their place; "
        f"install one, on Debian or Ubuntu: apt install {packages}; .html and .svg take the reader's fonts"
    )


def test_plain_upright_sans_serifs_come_first(monkeypatch):
    names = ["Zeta-Bold", "SerifOne", "Beta", "NotoSans-BoldItalic", "NotoSans-Regular", "FreeSans", "MonoSans"]
    monkeypatch.setattr(fonts, "findSystemFonts", lambda: [f"/f/{name}.ttf" for name in names])
    order = [path[3:-4] for path in fonts.system_fonts.__wrapped__()]
    assert order == ["FreeSans", "NotoSans-Regular", "Beta", "MonoSans", "SerifOne", "Zeta-Bold", "NotoSans-BoldItalic"]


def test_a_file_that_is_no_font_covers_nothing(tmp_path):
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    assert covered(str(tmp_path / "broken.ttf")) == frozenset()
    assert covered(str(tmp_path / "absent.ttf")) == frozenset()


def test_a_font_of_coloured_pictures_covers_nothing(monkeypatch):
    # matplotlib opens such a file (Noto Color Emoji) and then cannot draw with it
    picture = SimpleNamespace(scalable=False, get_charmap=lambda: {ord("🦊"): 1})
    monkeypatch.setattr(fonts, "get_font", lambda path: picture)
    assert covered("/fonts/Colour.ttf") == frozenset()
    monkeypatch.setattr(picture, "scalable", True)
    assert covered("/fonts/Outlines.ttf") == {ord("🦊")}
