"""Parts of quips and quotations are seldom listed, and lists show it."""

import numpy as np
import pytest

from regis.candidates.ranking.scoring import MIN_PART_LETTERS, min_missing
from regis.index import Index
from regis.solving.retrieval import retrieve_clue_candidates


@pytest.mark.parametrize(
    "clue",
    ["Start of a quip", "Quip, part 2", "QUIP: PART 2", "Quote: Pt. II", "Quip (part 2)", "Quip -- Part 2",
     "More of quip", "End of the Twain quote", "Part 2 of today's riddle", "2nd part of verse", "First half of a quote",
     "Joke, part two", "Still more of the quip", "Verse continued", "With 3-Down, end of the quip",
     "was ___, End of the quip"],
)  # fmt: skip
def test_clues_for_parts(clue: str):
    assert (
        0
        < min_missing(clue, MIN_PART_LETTERS)
        < min_missing(clue, 9)
        < min_missing(clue, 15)
        == min_missing(clue, 25)
        < 1
    )
    assert min_missing(clue, MIN_PART_LETTERS - 1) == 0, "short parts are words, nearly always"


@pytest.mark.parametrize(
    "clue",
    ["", "Quip", "Author of the quip", "Riddle's answer", "Start of the day", "Part 2", "Verse part", "Poet's end"],
)
def test_other_clues(clue: str):
    assert min_missing(clue, 15) == 0


def test_lists_say_so_and_stay_probabilities(whole: Index):
    for length in (5, 7, 9):
        among = retrieve_clue_candidates("Quip, part 2", "?" * length, whole)
        assert float(np.exp(among.logp).sum()) + among.missing == pytest.approx(1, abs=1e-5)
        assert among.missing > min_missing("Quip, part 2", length) - 1e-6
