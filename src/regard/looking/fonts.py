"""Which installed fonts can draw a text: matplotlib's own first, then whatever the system has.

Unusual here: system fonts are looked for on disk, not in matplotlib's list, which is remembered between runs and does
not know a font that was installed since; and a script that no font covers is told in one line with the remedy.
Needs matplotlib; only `png` imports it.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from matplotlib.font_manager import findSystemFonts, fontManager, get_font

OWN = "DejaVu Sans"  # comes with matplotlib
_OTHER_STYLES = ("bold", "italic", "oblique", "light", "thin", "black", "medium", "condensed", "mono", "serif")


@cache
def covered(path: str) -> frozenset[int]:
    """The characters that a font has outlines for; none where it holds pictures, or the file cannot be read."""
    try:
        font = get_font(path)
    except (RuntimeError, OSError):
        return frozenset()
    return frozenset(font.get_charmap() if font.scalable else ())


@cache
def system_fonts() -> tuple[str, ...]:
    """Font files on this machine, plain upright sans-serif ones first, then by name: the same choice every time."""

    def order(path: str) -> tuple[int, int, str]:
        name = Path(path).stem.lower().replace("sansserif", "sans")
        return sum(style in name for style in _OTHER_STYLES), "sans" not in name, name

    return tuple(sorted(findSystemFonts(), key=order))


def _needed(text: str) -> set[int]:
    """Characters with ink: joiners, direction marks and spaces need no glyph."""
    return {ord(char) for char in text if not char.isspace() and unicodedata.category(char) not in ("Cf", "Cc")}


class Fonts:
    """The fonts for one drawing."""

    def __init__(self, texts: Iterable[str]):
        own = fontManager.findfont(OWN)
        self.families: dict[str, frozenset[int]] = {OWN: covered(own)}
        self.missing = set().union(*map(_needed, texts)) - covered(own)
        for path in system_fonts() if self.missing else ():
            found = self.missing & covered(path)
            if found:
                fontManager.addfont(path)
                self.families.setdefault(get_font(path).family_name, covered(path))
                self.missing -= found
            if not self.missing:
                break

    def for_text(self, text: str) -> list[str]:
        """Families in order of preference: one that has the whole text, so that its letters join, before the rest."""
        needed = _needed(text)
        return sorted(self.families, key=lambda family: len(needed - self.families[family]))

    def complaint(self) -> str | None:
        """What no font here can draw, and what to install, in one line."""
        if not self.missing:
            return None
        scripts = sorted({_script(code) for code in self.missing})
        packages = sorted({_package(script) for script in scripts})
        return (
            f"no installed font has the {', '.join(scripts)} characters of this look ({len(self.missing)} of them), "
            f"boxes stand in their place; install one, on Debian or Ubuntu: apt install {' '.join(packages)}; "
            ".html and .svg take the reader's fonts"
        )


def _script(code: int) -> str:
    """`Devanagari`: the first word of a letter's name is its script."""
    if unicodedata.category(chr(code))[0] not in "LMN":
        return "symbol"
    return unicodedata.name(chr(code), "unnamed").split()[0].capitalize().replace("Cjk", "CJK")


def _package(script: str) -> str:
    if script == "symbol":
        return "fonts-symbola"
    return "fonts-noto-cjk" if script in ("CJK", "Hangul", "Hiragana", "Katakana", "Bopomofo") else "fonts-noto-core"
