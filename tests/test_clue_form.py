"""What a clue's form says, which entries it names, and what is asked when it names some."""

import time

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from regis.models import clue_form
from regis.models.clue_form import LONGEST, Reference, kind, references, signs, with_answers, without_references
from regis.puzzle import Grid, Puzzle
from regis.solving.cross_references import wordings

A, D = True, False


@pytest.mark.parametrize(
    ("clue", "expected"),
    [
        ("See 17-Across", "reference"),
        ("With 23 Down, start of a line", "reference"),
        ("___ Beta Kappa", "blank"),
        ('"___ out!"', "blank"),
        ('"Get out!"', "quotation"),
        ("Plant with a lot of energy?", "question"),
        ("Mins. and mins.", "abbreviation"),
        ("Med. specialist", "abbreviation"),
        ("Friend in Paris", "foreign"),
        ("Señor's house", "foreign"),
        ("Siamese, e.g.", "example"),
        ("Siamese, for one", "example"),
        ("Striped hunter", "plain"),
        ("B-17, for short", "abbreviation"),
        ("Wait ...", "plain"),
        ("", "plain"),
        ("東京", "plain"),
    ],
)
def test_the_class_of_a_clue(clue: str, expected: str):
    assert kind(clue) == expected and expected in clue_form.KINDS


@pytest.mark.parametrize(
    ("clue", "expected", "rest"),
    [
        ("See 17-Across", [(17, A)], ""),
        ("See 6 Down", [(6, D)], ""),
        ("see 1-across", [(1, A)], ""),
        ("With 3- and 23-Down, a hope", [(3, D), (23, D)], "a hope"),
        ("Hint to 17-, 24-. 57- & 65-Across", [(17, A), (24, A), (57, A), (65, A)], "Hint"),
        ("21-/40-Down on the air", [(21, D), (40, D)], "on the air"),
        ("3D, at a meal", [(3, D)], "at a meal"),
        ("Founder of 6-Down", [(6, D)], "Founder"),
        ("5-Down or 7-Across", [(5, D), (7, A)], ""),
        ("Twice 9-Down and 9-Down", [(9, D)], "Twice"),
        ("B-17 crew", [], "B-17 crew"),
        ("Down 1000 feet", [], "Down 1000 feet"),
        ("Like some 3-D films", [], "Like some 3-D films"),
        ("[See 17-Across.]", [(17, A)], ""),
        ("See 17\u201323\u2013Down", [(17, D), (23, D)], ""),  # en dashes
        ("With 3\u2011 and 23\u2011Down, a hope", [(3, D), (23, D)], "a hope"),  # hyphens that do not break
        ("1984 Across", [], "1984 Across"),
        ("See 17-A", [(17, A)], ""),
        ("See 7a and 23d", [(7, A), (23, D)], ""),
        ("With 7-d, a hope", [(7, D)], "a hope"),
        ("The 23d, or 42d", [], "The 23d, or 42d"),
        ("17 ac.", [(17, A)], ""),
        ("See #17 Across", [(17, A)], ""),
        ("See No. 17 Across", [(17, A)], ""),
        ("1 Across/5 Down", [(1, A), (5, D)], ""),
        ("See also 17-Across", [(17, A)], ""),
        ("17-Across, cont'd", [(17, A)], ""),
        ("Part 2 of 17-Across", [(17, A)], ""),
        ("See the clue at 17-Across", [(17, A)], ""),
        ("See clue for 17-Across", [(17, A)], ""),
        ("See 17-Across's clue", [(17, A)], ""),
        ("Clue for 17-Across", [(17, A)], "Clue"),
        ("More 17-Across", [(17, A)], "More"),
        ("Along with 17-Across, a hope", [(17, A)], "a hope"),
        ("[With 17-Across] A hope", [(17, A)], "A hope"),
        ("A hope (with 17-Across)", [(17, A)], "A hope"),
        ("A hope (with 17-Across, at sea)", [(17, A)], "A hope (at sea)"),
        ("", [], ""),
    ],
)
def test_the_entries_that_a_clue_names(clue: str, expected: list[tuple[int, bool]], rest: str):
    assert references(clue) == [Reference(*one) for one in expected]
    assert without_references(clue) == rest


@pytest.mark.parametrize(
    ("clue", "expected"),
    [
        ("Wide-open spaces (2 wds.)", "Wide-open spaces"),
        ("Small house: 2 wds.", "Small house"),
        ("Small house [Two words]", "Small house"),
        ("Very cold (2 wds., hyph.)", "Very cold"),
        ("Very cold, hyph.", "Very cold"),
        ("___ (three words)", "___"),
        ("Very cold (2 wds.) (hyph).", "Very cold"),
        ("Letters from the govt. 2 wds.", "Letters from the govt."),
        ('"Stop it!" 2 words', '"Stop it!"'),
        ("Very cold. 2 words.", "Very cold."),
        ("Vows: two words", "Vows: two words"),
        ("Not one, two words", "Not one, two words"),
        ("Last two words", "Last two words"),
        ("(2 wds.)", "(2 wds.)"),
        ("Org. (abbr.)", "Org.: Abbr."),
        ("Start: in 2 words", "Start: in 2 words"),
        ("[ ]", "[ ]"),
        ("", ""),
    ],
)
def test_how_the_answer_is_written_is_not_asked_for(clue: str, expected: str):
    assert clue_form.asked(clue, 9) == expected


@pytest.mark.parametrize("note", ["(7)", "(4,3)", "(3-4)", "[2, 5]", "(1-2,4).", "(2 wds.) (4,3)", "(7 letters)"])
def test_how_long_its_words_are_is_not_asked_for(note: str):
    assert clue_form.asked(f"Wide {note}", 7) == "Wide"


@pytest.mark.parametrize("clue", ["Winner of most Grammys (31)", "Rose (1)", "Years (19,20)", "(7)", "(4,3)", "At 4,3"])
def test_other_numbers_are_asked_for(clue: str):
    assert clue_form.asked(clue, 7) == clue


@pytest.mark.parametrize(
    "clue", ["*Red", "* Red", "**Red", "Red*", "(*) Red", "Red (*)", "\u2605Red", "\u2b50\ufe0f Red"]
)
def test_a_star_is_not_asked_for(clue: str):
    assert clue_form.asked(clue, 4) == clue_form.unstarred(clue) == "Red"


@pytest.mark.parametrize("clue", ["*", "**** review", "M*A*S*H role", "Key next to a *", "Bad review: ***"])
def test_other_stars_are_asked_for(clue: str):
    assert clue_form.asked(clue, 4) == clue


@pytest.mark.parametrize(
    "blank",
    [
        "[blank]",
        "(Blank)",
        "[___]",
        "_ _ _",
        "- - -",
        "- - - - -",
        "\u2013\u2013",
        "\u2015\u2015\u2015",
        "\u2013",
        "\u2015",
    ],
)
def test_a_blank_is_asked_for_as_most_write_it(blank: str):
    for said, asked in (("{} Maria", "___ Maria"), ('"{} Maria"', '"___ Maria"')):
        assert clue_form.asked(said.format(blank), 3) == asked
        assert clue_form.asked("Fill in the blank: " + said.format(blank), 3) == asked
        assert clue_form.asked("*Fill in the blank: " + said.format(blank), 3) == asked


@pytest.mark.parametrize(
    "clue",
    ["- - - -", ". . . _ _ _ . . .", "___ ___ Boys", "1914\u201318 event", "+ or \u2013", "A \u2013 or B", "No - not",
     "Blank", "Fill in the blank: bar exam"],
)  # fmt: skip
def test_what_is_no_blank_is_asked_for(clue: str):
    assert clue_form.asked(clue, 3) == clue


SENTENCES = ["Sky over Paris.", 'Said "no".', '"I give up."', "Street: Abbr.", "Washington, D.C.", "Well..", "Well..."]


def test_full_stops_at_the_end_of_all_clues_say_nothing():
    plain = ["Sky over Paris", 'Said "no"', '"I give up"', "Street: Abbr.", "Washington, D.C.", "Well..", "Well..."]
    assert clue_form.unstopped(SENTENCES) == plain
    assert clue_form.unstopped([*SENTENCES, "Why?", "___ Jima."]) == [*plain, "Why?", "___ Jima"]


def test_abbreviations_keep_their_full_stops():
    short = ["Doctorate: Ph.D.", "Opposed: two wds.", "Rude, hyph.", "Noon: Abbr.", "And so on, etc."]
    assert clue_form.unstopped(short) == short
    assert [clue_form.asked(clue, 9) for clue in short[1:3]] == ["Opposed", "Rude"]


def test_a_few_full_stops_are_abbreviations():
    few = SENTENCES[: clue_form.FEW - 1]
    rare = [*SENTENCES, *(f"Clue {i}" for i in range(len(SENTENCES)))]
    for clues in ([], few, rare):
        assert clue_form.unstopped(clues) == clues


def test_a_clue_is_asked_up_to_a_bound():
    assert clue_form.asked("a" * 2 * clue_form.LONGEST, 9) == "a" * clue_form.LONGEST


def test_answers_take_the_place_of_names():
    clue = "Founder of 6-Down or 8-Across"
    assert with_answers(clue, {Reference(6, D): "cnn", Reference(8, A): "tbs"}) == "Founder of cnn or tbs"
    assert with_answers(clue, {Reference(8, A): "tbs"}) == "Founder of or tbs"


@given(st.text(alphabet=st.sampled_from("Se 0123456789-,/&andorACROSSDWNacrosdwn.?_\"'é東"), max_size=60))
def test_no_wording_breaks_it(clue: str):
    assert kind(clue) in clue_form.KINDS
    assert clue_form.with_blank(clue).startswith(clue_form.asked(clue, 9))
    assert all(isinstance(sign, str) for sign in signs(clue))
    assert all(0 <= r.number < 1000 for r in references(clue))
    rest = without_references(clue)
    assert len(rest) <= len(clue)
    if not references(clue) and any(c.isalnum() for c in clue):
        assert rest == " ".join(clue.split()).strip(" ,;:-")


def test_very_long_clues_take_little_time():
    """Not the square of their length."""
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
        kind(clue), signs(clue[:LONGEST]), references(clue), without_references(clue), with_answers(clue, {})
        assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("clue", "expected"),
    [
        ("Street (2 wds., abbr.)", "Street: Abbr."), ("Street [Abbrev., hyph.]", "Street: Abbr."),
        ("Street (abbreviation)", "Street: Abbr."), ("Street -- Abbr.", "Street: Abbr."),
        ("Rue \u2013 Fr.", "Rue: Fr."), ("Rue (2 wds., Fr.)", "Rue: Fr."), ("Before (pref.)", "Before: Prefix"),
        ("Before: Pref.", "Before: Prefix"), ("Little (suff.)", "Little: Suffix"),
        ("Far (comb. fm.)", "Far: Comb. form"), ("Pref. with center", "Prefix with center"),
        ("Suff. for Japan", "Suffix for Japan"), ("Tsar (var.)", "Tsar: Var."),
        ("Tsar (variant spelling)", "Tsar: Var."), ("Spies (init.)", "Spies: Inits."), ("Cash (sl.)", "Cash: Slang"),
        ("Cash, for example", "Cash, e.g."), ("Cash (for instance)", "Cash, e.g."),
        ("'Not so fast!'", '"Not so fast!"'), ("\u2018No\u2019?", '"No"?'), ("``Don't''", '"Don\'t"'),
        ("'I don't!'", '"I don\'t!"'), ("_Emma_ novelist", '"Emma" novelist'), ("*Emma* novelist", '"Emma" novelist'),
        ("**Emma** novelist", '"Emma" novelist'), ("_Emma_", "Emma"), ('"I _so_ did!"', '"I so did!"'),
    ],
)  # fmt: skip
def test_what_publishers_write_in_another_way_is_asked_for_as_most_write_it(clue: str, expected: str):
    assert clue_form.asked(clue, 9) == expected


@pytest.mark.parametrize(
    "clue",
    ["Prefix", "Rock, paper, slang", "Anti-slang", "Kind of slang", "'Tis I, doin'", "'Now' or 'then'", "M*A*S*H",
     "Var.", "___ and ___", "Some (of these, of those)", "Virus variant", "For example"],
)  # fmt: skip
def test_what_only_looks_so_is_asked_for(clue: str):
    assert clue_form.asked(clue, 9) == clue


# what is asked


def puzzle(**said: str) -> Puzzle:
    """A 3 x 3 grid, all white; `said` are clues by slot name, '1A'."""
    grid = Grid(("...", "...", "..."))
    return Puzzle(grid, {slot: said.get(f"_{slot}", f"Clue {slot}") for slot in grid.slots})


def asked(believed: dict[str, str] | None = None, **said: str) -> dict[str, str]:
    p = puzzle(**said)
    names = {str(slot): slot for slot in p.grid.slots}
    found = wordings(p, {names[name]: answer for name, answer in (believed or {}).items()})
    return {str(slot): question for slot, question in found.items()}


def test_clues_that_name_nothing_are_asked_as_they_are():
    assert asked() == {name: f"Clue {name}" for name in asked()}


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


@pytest.mark.parametrize("clue", ["Deal with 2-Down", "Dine, sleep, and 2-Down"])
def test_not_every_clue_with_with_is_for_both(clue: str):
    assert asked({"2D": "DAY"}, _4A=clue)["4A"] == clue.replace("2-Down", "day")


def test_a_believed_answer_joins():
    assert asked({"5A": "CNN"}, _1D="Founder of 5-Across")["1D"] == "Founder of cnn"


@pytest.mark.parametrize("clue", ["See 99-Across", "See 1-Across", "See 0-Down", "Like 77-Down, say"])
def test_entries_that_are_not_there_or_name_themselves(clue: str):
    assert asked({"1A": "ABC"}, _1A=clue)["1A"] == clue


def test_two_that_name_each_other():
    said = {"_1A": "See 1-Down", "_1D": "See 1-Across"}
    assert asked(**said)["1A"] == "See 1-Down"
    assert asked({"1D": "YES"}, **said)["1A"] == "yes ___, "


def test_a_real_puzzle_is_asked_its_own_clues():
    p = tiny.puzzle()
    assert wordings(p, {}) == {slot: p.clues[slot] for slot in p.grid.slots}
