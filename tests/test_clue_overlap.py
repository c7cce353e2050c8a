"""An answer isn't a word of its own clue, and doesn't begin or end with a long one, unless the clue has a gap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis import text
from regis.candidates.ranking.scoring import clue_words, overlap_penalty
from regis.candidates.settings import CANDIDATES
from regis.index import Index
from regis.puzzle.alphabet import letter_codes
from regis.solving.retrieval import retrieve_clue_candidates

REPEATED, PARTIAL = CANDIDATES.repeated_factor, CANDIDATES.partial_factor


def factors(clue: str, *answers: str) -> list[float]:
    return overlap_penalty(clue, np.array([letter_codes(answer) for answer in answers])).tolist()


@pytest.mark.parametrize(
    ("clue", "answer", "factor"),
    [
        ("Sushi offering", "SUSHI", REPEATED), ("Sushi offering", "UNAGI", 1),
        ("Offerings of a bar", "OFFERING", REPEATED),
        ("Offer", "OFFERS", REPEATED), ("Swear off", "SWEAROFF", PARTIAL),
        ("Get along", "ALONG", REPEATED),
        ("Small bird", "REDBIRD", PARTIAL), ("Bird", "BIRDS", REPEATED), ("Some pie", "MAGPIE", 1),
        ("A to Z", "ATOZ", 1),
        ("Tora! Tora! ___!", "TORA", 1), ("___ Tora! Tora!", "TORATORA", 1), ("", "ANY", 1),
        ("Über alles", "UBER", REPEATED),
        ("Cards", "CARDSHARP", PARTIAL), ("I, for one", "I", 1), ("It's an art", "ART", REPEATED),
        ("Starting", "START", REPEATED),
        ("1990's style", "NINETIES", 1), ("No. 1 hit", "HIT", REPEATED),
    ],
)  # fmt: skip
def test_what_a_clue_says_counts_for_little(clue: str, answer: str, factor: float):
    assert factors(clue, answer) == [factor]


@pytest.mark.parametrize("order", [("BOOKCASE", "CASE"), ("CASE", "BOOKCASE")])
def test_a_repeated_answer_loses_more_than_a_partial_one_in_any_order_of_words(order: tuple[str, str], monkeypatch):
    monkeypatch.setattr("regis.candidates.ranking.scoring.clue_words", lambda clue: order)
    assert factors("Bookcase or case", "BOOKCASE", "FISHCASE") == [REPEATED, PARTIAL]


@given(st.text("abcde _'-", max_size=30), st.lists(st.text("ABCDE", min_size=5, max_size=5), min_size=1, max_size=20))
def test_it_is_what_a_slow_look_says(clue: str, answers: list[str]):
    said = clue_words(clue)
    stems = {text.stem_word(one.lower()) for one in said}

    def slow(answer: str) -> float:
        alike = any(answer[:3] == one[:3] for one in said)  # words with the same stem begin alike
        if answer in said or (alike and text.stem_word(answer.lower()) in stems):
            return REPEATED
        parts = [one for one in said if CANDIDATES.min_part_letters <= len(one) < len(answer) - 1]
        return PARTIAL if any(answer.startswith(one) or answer.endswith(one) for one in parts) else 1.0

    assert factors(clue, *answers) == [slow(answer) for answer in answers]


def test_lists_adopt_the_adjustment_and_stay_probabilities(whole: Index):
    part = whole[5]
    answer = part.answers[int(np.argmax(part.use_counts))].decode()
    plain, said = (
        retrieve_clue_candidates("Something for someone", "?????", whole),
        retrieve_clue_candidates(f"{answer} for someone", "?????", whole),
    )
    for found in (plain, said):
        assert np.isclose(np.exp(found.logp).sum() + found.missing, 1) and (np.diff(found.logp) <= 1e-12).all()
    before, after = plain.find_answer(answer), said.find_answer(answer)
    assert before is not None and after is not None
    assert said.logp[after] < plain.logp[before] + np.log(REPEATED) + 3
