"""How a column writes its accents, and whether to take them apart."""

from collections import Counter
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.forms import Forms, count_forms, worth_decomposing, write

COMPOSED, APART = "\u00e9t\u00e9", "e\u0301te\u0301"
QA = "\u0958"  # Devanagari qa: every normalisation takes it apart
ANGSTROM = "\u212b"  # the sign; every normalisation makes it the letter


class TestCounting:
    def test_rows_by_form(self):
        forms = count_forms(["abc", COMPOSED, COMPOSED, APART, COMPOSED + APART])
        assert forms.rows == Counter(plain=1, NFC=2, NFD=1, other=1)
        assert forms.composed["\u00e9"] == 2 * 2 + 2 + 4
        assert forms.decomposed["\u0301"] == forms.decomposed["e"] == 10
        assert forms.composed["a"] == forms.decomposed["a"] == 1

    @pytest.mark.parametrize(
        ("texts", "form", "written"),
        [
            (["abc"], "NFC", "NFC"),
            ([COMPOSED], "NFC", "NFC"),
            ([APART], "NFD", "NFD"),
            ([COMPOSED, APART, APART], "mixed", "NFD"),
            ([COMPOSED] * 99 + [APART], "NFC", "NFC"),  # 1 % may be slips
            ([COMPOSED] * 98 + [APART] * 2, "mixed", "NFC"),
            ([COMPOSED + APART], "mixed", "NFC"),
            (["\ud55c\uad6d"], "NFC", "NFC"),
            ([normalize("NFD", "\ud55c\uad6d")], "NFD", "NFD"),
        ],
    )
    def test_the_form_of_a_column(self, texts, form, written):
        forms = count_forms(texts)
        assert (forms.form, forms.written) == (form, written)

    def test_what_no_normalisation_keeps_says_nothing_of_the_rest(self):
        assert count_forms([QA + "\u0932", ANGSTROM + "\u00e9"]).form == "NFC"

    def test_what_the_data_prefer_is_put_back(self):
        assert count_forms([QA, QA, "\u0915\u093c"]).restore == {"\u0915\u093c": QA}
        assert count_forms([QA, "\u0915\u093c", "\u0915\u093c"]).restore == {}
        assert count_forms([f"10 {ANGSTROM}"]).restore == {"\u00c5": ANGSTROM}


def forms_of(whole: dict[str, int], parts: dict[str, int]) -> Forms:
    return Forms(Counter(whole), Counter(parts), Counter(), {})


class TestWorth:
    def test_syllables_become_few_letters(self):
        # 11 syllables are four initials, one vowel and two finals
        forms = count_forms(["가각갂나낙낚다닥닦라락"])
        assert worth_decomposing(forms) == (True, "11 symbols become 7, of them rare 11 become 7")

    @pytest.mark.parametrize(
        ("whole", "parts", "expected"),
        [
            (10, 9, True),  # a tenth fewer
            (11, 10, False),
        ],
    )
    def test_fewer_symbols(self, whole, parts, expected):
        common = [{chr(97 + i): 50 for i in range(n)} for n in (whole, parts)]
        assert worth_decomposing(forms_of(*common))[0] is expected

    @pytest.mark.parametrize(
        ("rare_whole", "rare_parts", "expected"),
        [(3, 0, True), (2, 0, False), (9, 6, True), (12, 9, False), (12, 8, True)],
    )
    def test_rare_symbols_become_frequent(self, rare_whole, rare_parts, expected):
        def of(rare: int) -> dict[str, int]:
            return {chr(97 + i): 19 if i < rare else 20 for i in range(20)}

        worth, figures = worth_decomposing(forms_of(of(rare_whole), of(rare_parts)))
        assert worth is expected
        assert figures == f"20 symbols become 20, of them rare {rare_whole} become {rare_parts}"


class TestWriting:
    def test_nothing_to_do(self):
        assert write("abc", "NFC", {}) == ("abc", None)

    def test_a_cluster_that_changes_is_one_place(self):
        # a, e + accent, b: the e and its accent both stand where é stands
        assert write("ae\u0301b", "NFC", {}) == ("a\u00e9b", [(0, 1), (1, 2), (1, 2), (2, 3)])
        assert write("a\u00e9b", "NFD", {}) == ("ae\u0301b", [(0, 1), (1, 3), (3, 4)])

    def test_what_the_data_prefer(self):
        assert write("\u0915\u093c", "NFC", {"\u0915\u093c": QA}) == (QA, [(0, 1), (0, 1)])
        assert write("\u00c5", "NFC", {"\u00c5": ANGSTROM}) == (ANGSTROM, [(0, 1)])
        assert write("A\u030a", "NFD", {"\u00c5": ANGSTROM})[0] == ANGSTROM

    @given(st.text(st.sampled_from(["a", "\u00e9", "e", "\u0301", "\uac01", "\u1100", "\u1161", "\u11a8", " ", QA])))
    def test_places_follow_the_text(self, text):
        for form in ("NFC", "NFD"):
            result, spans = write(text, form, {})
            assert normalize("NFC", result) == normalize("NFC", text)
            if spans is None:
                assert result == text
                continue
            assert len(spans) == len(text)
            assert spans == sorted(spans)
            assert all(0 <= start < stop <= len(result) for start, stop in spans)
