"""A clue's features and form, the entries that it names, and how such a clue is queried; no wording breaks it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis import text
from regis.models.text import clue_features, clue_form, clue_style
from regis.models.text.clue_form import (
    EntryReference,
    classify_clue,
    find_references,
    insert_answers,
    list_signs,
    strip_references,
)
from regis.puzzle import Grid, Puzzle
from regis.solving.retrieval import resolve_references
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


A, D = True, False


@pytest.mark.parametrize(
    ("clue", "expected", "rest"),
    [
        ("See 6 Down", [(6, D)], ""),
        ("see 1-across", [(1, A)], ""),
        ("With 3- and 23-Down, a hope", [(3, D), (23, D)], "a hope"),
        ("Hint to 17-, 24-. 57- & 65-Across", [(17, A), (24, A), (57, A), (65, A)], "Hint"),
        ("21-/40-Down on the air", [(21, D), (40, D)], "on the air"),
        ("3D, at a meal", [(3, D)], "at a meal"),
        ("Founder of 6-Down", [(6, D)], "Founder"),
        ("5-Down or 7-Across", [(5, D), (7, A)], ""),
        ("Twice 9-Down and 9-Down", [(9, D)], "Twice"),
        ("See 17\u201323\u2013Down", [(17, D), (23, D)], ""),  # en dashes
        ("With 3\u2011 and 23\u2011Down, a hope", [(3, D), (23, D)], "a hope"),  # non-breaking hyphens
        ("See 7a and 23d", [(7, A), (23, D)], ""),
        ("With 7-d, a hope", [(7, D)], "a hope"),
        ("1 Across/5 Down", [(1, A), (5, D)], ""),
        ("Clue for 17-Across", [(17, A)], "Clue"),
        ("More 17-Across", [(17, A)], "More"),
        ("Along with 17-Across, a hope", [(17, A)], "a hope"),
        ("[With 17-Across] A hope", [(17, A)], "A hope"),
        ("A hope (with 17-Across)", [(17, A)], "A hope"),
        ("A hope (with 17-Across, at sea)", [(17, A)], "A hope (at sea)"),
    ],
)
def test_the_entries_that_a_clue_names(clue: str, expected: list[tuple[int, bool]], rest: str):
    assert find_references(clue) == [EntryReference(*one) for one in expected]
    assert strip_references(clue) == rest


@pytest.mark.parametrize(
    "clue",
    ["See 17-Across", "[See 17-Across.]", "See 17-A", "17 ac.", "See #17 Across", "See No. 17 Across",
     "See also 17-Across", "17-Across, cont'd", "Part 2 of 17-Across", "See the clue at 17-Across",
     "See clue for 17-Across", "See 17-Across's clue"],
)  # fmt: skip
def test_a_clue_may_say_nothing_but_an_entry(clue: str):
    assert find_references(clue) == [EntryReference(17, A)] and strip_references(clue) == ""


@pytest.mark.parametrize(
    "clue", ["", "B-17 crew", "Down 1000 feet", "Like some 3-D films", "1984 Across", "The 23d, or 42d"]
)
def test_other_numbers_name_no_entry(clue: str):
    assert find_references(clue) == [] and strip_references(clue) == clue


def test_answers_take_the_place_of_names():
    clue = "Founder of 6-Down or 8-Across"
    assert insert_answers(clue, {EntryReference(6, D): "cnn", EntryReference(8, A): "tbs"}) == "Founder of cnn or tbs"
    assert insert_answers(clue, {EntryReference(8, A): "tbs"}) == "Founder of or tbs"


def puzzle(**said: str) -> Puzzle:
    """Return a white 3 x 3 grid; `said` are clues by slot name, '1A'."""
    grid = Grid(("...", "...", "..."))
    return Puzzle(grid, {slot: said.get(f"_{slot}", f"Clue {slot}") for slot in grid.slots})


def asked(believed: dict[str, str] | None = None, **said: str) -> dict[str, str]:
    p = puzzle(**said)
    names = {str(slot): slot for slot in p.grid.slots}
    found = resolve_references(p, {names[name]: answer for name, answer in (believed or {}).items()})
    return {str(slot): question for slot, question in found.items()}


def test_clues_that_name_nothing_are_asked_as_they_are_and_a_believed_answer_joins():
    assert asked() == {name: f"Clue {name}" for name in asked()}
    assert asked({"5A": "CNN"}, _1D="Founder of 5-Across")["1D"] == "Founder of cnn"


def test_see_asks_the_other_clue_and_then_the_other_answer():
    said = {"_4A": "With 2-Down, a start", "_2D": "See 4-Across"}
    assert asked(**said)["2D"] == "a start"
    assert asked({"4A": "NEW"}, **said)["2D"] == "new ___, a start"
    assert asked({"2D": "DAY"}, **said)["4A"] == "___ day, a start"
    assert asked(**said)["4A"] == "With 2-Down, a start"


@pytest.mark.parametrize(
    "clue",
    ["With 2-Down: a start", "[With 2-Down] a start", "Along with 2-Down, a start", "With 2d, a start",
     "a start, with 2-Down", "a start (with 2-Down)", "a start, when combined with 2-Down"],
)  # fmt: skip
def test_entries_that_go_together_however_a_clue_says_so(clue: str):
    assert asked({"2D": "DAY"}, _4A=clue)["4A"] == "___ day, a start"
    assert asked({"4A": "NEW"}, _4A=clue, _2D="4-Across, continued")["2D"] == "new ___, a start"


@pytest.mark.parametrize("clue", ["See 99-Across", "See 1-Across", "See 0-Down", "Like 77-Down, say"])
def test_entries_that_are_not_there_or_name_themselves(clue: str):
    assert asked({"1A": "ABC"}, _1A=clue)["1A"] == clue


KEYS = st.lists(st.text("ab _", max_size=9).map(text.clue_key), max_size=6)


def of(key: str) -> set[tuple[int, int]]:
    found = clue_features.extract_features([key])
    return set(zip(found.codes.tolist(), found.kinds.tolist(), strict=True))


@given(KEYS)
def test_features_do_not_depend_on_the_company(keys: list[str]):
    found = clue_features.extract_features(keys)
    for i, key in enumerate(keys):
        mine = found.rows == i
        assert set(zip(found.codes[mine].tolist(), found.kinds[mine].tolist(), strict=True)) == of(key)


def test_codes_are_the_same_on_every_machine_and_day():
    assert clue_features.extract_features(["oslo"]).codes.tolist() == [8079082606332175587, 17161480307866409206]
