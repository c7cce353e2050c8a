"""A clue's form, and that no wording breaks the functions that read it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis.models.text import clue_form, clue_style
from regis.models.text.clue_form import classify_clue, find_references, insert_answers, list_signs, strip_references
from regis.text import MAX_CLUE_LENGTH


@pytest.mark.parametrize(
    ("clue", "expected"),
    [
        ("See 17-Across", "reference"), ("With 23 Down, start of a line", "reference"), ("___ Beta Kappa", "blank"),
        ('"___ out!"', "blank"), ('"Get out!"', "quotation"), ("Plant with a lot of energy?", "question"),
        ("Mins. and mins.", "abbreviation"), ("Med. specialist", "abbreviation"), ("Friend in Paris", "foreign"),
        ("Señor's house", "foreign"), ("Siamese, e.g.", "example"), ("Siamese, for one", "example"),
        ("Striped hunter", "plain"), ("B-17, for short", "abbreviation"), ("Wait ...", "plain"), ("", "plain"),
        ("東京", "plain"),
    ],
)  # fmt: skip
def test_the_class_of_a_clue(clue: str, expected: str):
    assert classify_clue(clue) == expected and expected in clue_form.CLUE_KINDS


@pytest.mark.parametrize(
    ("clue", "expected"),
    [
        ("Tied the knot?", {"question", "3 words", "first -ied", "first -ed", "first -d", "last -ot", "last -t"}),
        ("Fr. city with 3-Down", {"foreign", "abbreviation", "reference", "5 words", "first -fr", "first -r",
                                  "last -wn", "last -n", "name"}),
        ("a b c d e f g h", {"6 words", "first -a", "last -h"}),
        ("___", {"blank"}),
    ],
)  # fmt: skip
def test_signs_are_forms_and_how_words_begin_and_end(clue: str, expected: set[str]):
    assert set(list_signs(clue)) == expected


@given(st.text(alphabet=st.sampled_from("Se 0123456789-,/&andorACROSSDWNacrosdwn.?_\"'é東"), max_size=60))
def test_no_wording_breaks_it(clue: str):
    assert classify_clue(clue) in clue_form.CLUE_KINDS
    assert bool(clue_style.normalize_style(clue, 9)) is bool(clue)
    assert all(isinstance(sign, str) for sign in list_signs(clue))
    assert all(0 <= r.number < 1000 for r in find_references(clue))
    rest = strip_references(clue)
    assert len(rest) <= len(clue)
    if not find_references(clue) and any(c.isalnum() for c in clue):
        assert rest == " ".join(clue.split()).strip(" ,;:-")


def test_very_long_clues_take_little_time():
    """The time doesn't grow with the square of the length."""
    for clue in (
        "1-, " * 3000,
        "1 " * 5000 + "x",
        "1, " * 4000,
        "1 and " * 3000,
        "_" * 10_000,
        "12-" * 4000 + "Across",
        "ab." * 100_000 + " x",
        "1 " * 200_000,
    ):
        start = time.process_time()
        (
            classify_clue(clue), list_signs(clue[:MAX_CLUE_LENGTH]), find_references(clue), strip_references(clue),
            insert_answers(clue, {}),
        )  # fmt: skip
        assert time.process_time() - start < 2
