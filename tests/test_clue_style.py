"""How clues are queried, whoever published them."""

import pytest

from regis import text
from regis.models.text import clue_style


def asked(clue: str, length: int) -> str:
    """Return a puzzle's clue as it is queried."""
    return clue_style.normalize_style(clue_style.normalize_typography(clue), length)


@pytest.mark.parametrize(
    ("expected", "clues"),
    [
        ("Small house", ["Small house: 2 wds.", "Small house [Two words]", "Small house (multiple words)",
                         "Small house [see blurb]", "Small house (9 lets.)"]),
        ("Very cold", ["Very cold (2 wds., hyph.)", "Very cold, hyph.", "Very cold (2 wds.) (hyph)."]),
        ("Very cold.", ["Very cold. 2 words."]),
        ("Wide-open spaces", ["Wide-open spaces (2 wds.)", "Wide-open spaces (4,5, 2 words)"]),
        ("Org.: Abbr.", ["Org. (abbr.)", "Org. (9, abbr.)", "Org. (Abbr.; 4,5)"]),
        ("___", ["___ (three words)"]),
        ("Letters from the govt.", ["Letters from the govt. 2 wds."]),
        ('"Stop it!"', ['"Stop it!" 2 words']),
    ],
)  # fmt: skip
def test_how_the_answer_is_written_is_not_asked_for(expected: str, clues: list[str]):
    assert {asked(clue, 9) for clue in clues} == {expected}


@pytest.mark.parametrize("note", ["(7)", "(4,3)", "(3-4)", "[2, 5]", "(1-2,4).", "(2 wds.) (4,3)", "(7 letters)",
                                  "(1'6)", "(4;3)", "(3\u20134)", "(4/3)", "(3 4)", "(1.1.5)", "(1.1.5.)"])  # fmt: skip
def test_how_long_its_words_are_is_not_asked_for(note: str):
    assert asked(f"Wide {note}", 7) == "Wide"


def test_if_most_clues_say_how_long_their_words_are_all_do():
    clues = [(f"Clue {i} ({i})", i) for i in range(3, 3 + clue_style.MIN_STYLED_CLUES)]
    linked = ("Game with Muses (6,4)", 6)
    assert clue_style.has_enumerations([*clues, linked]) and not clue_style.has_enumerations([*clues[1:], linked])
    assert not clue_style.has_enumerations([*clues, *[linked] * len(clues)])
    assert clue_style.normalize_style(*linked, is_enumerated=True) == "Game with Muses"
    assert clue_style.normalize_style(*linked) == linked[0]


@pytest.mark.parametrize(
    "clue", ["*Red", "* Red", "**Red", "Red*", "(*) Red", "Red (*)", "\u2605Red", "\u2b50\ufe0f Red"]
)
def test_a_star_is_not_asked_for(clue: str):
    assert asked(clue, 4) == clue_style.strip_star(clue) == "Red"


@pytest.mark.parametrize(
    "blank",
    [
        "[blank]", "(Blank)", "[___]", "_ _ _", "- - -", "- - - - -", "\u2013\u2013", "\u2014\u2014",
        "\u2015\u2015\u2015", "\u2013", "\u2015", "[...]", "(...)", "BLANK", "<blank>", "{blank}", r"\_\_\_",
        "\u2e3a", "\u2500\u2500", "\uff3f\uff3f",
    ],
)  # fmt: skip
def test_a_blank_is_asked_for_as_most_write_it(blank: str):
    for said, expected in (("{} Maria", "___ Maria"), ('"{} Maria"', '"___ Maria"')):
        assert asked(said.format(blank), 3) == expected
        assert asked("Fill in the blank: " + said.format(blank), 3) == expected
        assert asked("*Fill in the blank: " + said.format(blank), 3) == expected
        assert asked("FITB: " + said.format(blank), 3) == expected
        assert asked(said.format(blank) + " (fill in the blank)", 3) == expected


SENTENCES = ["Sky over Paris.", 'Said "no".', '"I give up."', "Street: Abbr.", "Washington, D.C.", "Well..", "Well..."]


def test_full_stops_at_the_end_of_all_clues_say_nothing_and_a_few_are_abbreviations():
    plain = ["Sky over Paris", 'Said "no"', '"I give up"', "Street: Abbr.", "Washington, D.C.", "Well..", "Well..."]
    assert clue_style.strip_full_stops(SENTENCES) == plain
    assert clue_style.strip_full_stops([*SENTENCES, "Why?", "___ Jima."]) == [*plain, "Why?", "___ Jima"]
    short = ["Doctorate: Ph.D.", "Opposed: two wds.", "Rude, hyph.", "Noon: Abbr.", "And so on, etc."]
    rare = [*SENTENCES, *(f"Clue {i}" for i in range(len(SENTENCES)))]
    for clues in ([], SENTENCES[: clue_style.MIN_STYLED_CLUES - 1], rare, short):
        assert clue_style.strip_full_stops(clues) == clues
    assert [asked(clue, 9) for clue in short[1:3]] == ["Opposed", "Rude"]


def test_a_clue_is_asked_up_to_a_bound():
    assert asked("a" * 2 * text.MAX_CLUE_LENGTH, 9) == "a" * text.MAX_CLUE_LENGTH


@pytest.mark.parametrize(
    ("clue", "expected"),
    [
        ("Street (2 wds., abbr.)", "Street: Abbr."), ("Street [Abbrev., hyph.]", "Street: Abbr."),
        ("Street (abbreviation)", "Street: Abbr."), ("Street -- Abbr.", "Street: Abbr."),
        ("Rue \u2013 Fr.", "Rue: Fr."), ("Rue (2 wds., Fr.)", "Rue: Fr."), ("Rue (fr.)", "Rue: Fr."),
        ("Rue: FR.", "Rue: Fr."), ("Before (pref.)", "Before: Prefix"),
        ("Before: Pref.", "Before: Prefix"), ("Little (suff.)", "Little: Suffix"),
        ("Far (comb. fm.)", "Far: Comb. form"), ("Pref. with center", "Prefix with center"),
        ("Suff. for Japan", "Suffix for Japan"), ("Tsar (var.)", "Tsar: Var."),
        ("Tsar (variant spelling)", "Tsar: Var."), ("Spies (init.)", "Spies: Inits."), ("Cash (sl.)", "Cash, slangily"),
        ("Cash, for example", "Cash, e.g."), ("Cash (for instance)", "Cash, e.g."),
        ("'Not so fast!'", '"Not so fast!"'), ("\u2018No\u2019?", '"No"?'), ("``Don't''", '"Don\'t"'),
        ("'I don't!'", '"I don\'t!"'), ("_Emma_ novelist", '"Emma" novelist'), ("*Emma* novelist", '"Emma" novelist'),
        ("**Emma** novelist", '"Emma" novelist'), ("_Emma_", "Emma"), ('"I _so_ did!"', '"I so did!"'),
    ],
)  # fmt: skip
def test_unusual_styles_of_publishers_are_queried_in_the_usual_style(clue: str, expected: str):
    assert asked(clue, 9) == expected


@pytest.mark.parametrize(
    "clue",
    ["E.g., e.g.", "Abbr. for the listless?", "2nd-story man", "Jackson 5 hit", "w/", "(theme)", "Score of 7 - 9",
     "VERSE IN BLANK FORM", "Prefix",
     "Rock, paper, slang", "Anti-slang", "Kind of slang", "'Tis I, doin'", "'Now' or 'then'", "M*A*S*H",
     "Var.", "___ and ___", "Some (of these, of those)", "Virus variant", "For example",
     "*", "**** review", "M*A*S*H role", "Key next to a *", "Bad review: ***", "* * * review", "Rating: * * *",
     "- - - -", ". . . _ _ _ . . .", "___ ___ Boys", "1914\u201318 event", "+ or \u2013", "A \u2013 or B", "No - not",
     "Blank", "Fill in the blank: bar exam", "Vows: two words", "Not one, two words", "Last two words", "(2 wds.)",
     "Org. (8, abbr.)", "Start: in 2 words", "[ ]", ""],
)  # fmt: skip
def test_what_only_looks_so_is_asked_for(clue: str):
    """So do stars that mean something, and dashes that aren't blanks."""
    for length in (3, 4, 9):
        assert asked(clue, length) == clue


@pytest.mark.parametrize("clue", ["Winner of most Grammys (31)", "Rose (1)", "Years (19,20)", "(7)", "(4,3)", "At 4,3"])
def test_other_numbers_are_asked_for(clue: str):
    assert asked(clue, 7) == clue
