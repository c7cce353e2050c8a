"""British spellings in a puzzle without American ones."""

import pytest

from regis.models.text.clue_spelling import americanize_clues


@pytest.mark.parametrize(
    ("british", "expected"),
    [
        ("favourite neighbourhood", "favorite neighborhood"), ("honoured", "honored"), ("organisation", "organization"),
        ("reorganised", "reorganized"), ("analysed", "analyzed"), ("travelling", "traveling"), ("centred", "centered"),
        ("kilometres", "kilometers"), ("cheques", "checks"), ("ploughing", "plowing"), ("Grey cloud", "Gray cloud"),
        ("labour's", "labor's"), ("marvellous", "marvelous"), ("defences", "defenses"), ("honouree", "honoree"),
        ("l\u0131cence", "license"), ("practi\u017fe", "practice"),  # to a pattern without capitals, 'i' and 's'
    ],
)  # fmt: skip
def test_british_words_are_asked_for_as_americans_write_them(british: str, expected: str):
    assert americanize_clues([british]) == [expected]


@pytest.mark.parametrize(
    "clue",
    ["Grey Cup org.", "Covent Garden Theatre", '"Sore labour\'s bath"', "four hours", "acres of promise", "greyhound",
     "analyses", "advertised", "programmed", "realism", "WorkCentre maker", "genre", ""],
)  # fmt: skip
def test_names_quotations_and_other_words_stay(clue: str):
    assert americanize_clues([clue]) == [clue]


def test_in_an_american_puzzle_a_british_word_is_a_hint():
    assert americanize_clues(["Colour of fog", "Color"]) == ["Colour of fog", "Color"]
    assert americanize_clues(["Colour of fog", "Dorian Gray"]) == ["Color of fog", "Dorian Gray"]
