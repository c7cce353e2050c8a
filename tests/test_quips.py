"""Parts of quips and quotations are seldom listed, and lists say so."""

from __future__ import annotations

import numpy as np
import pytest

from regis.candidates.quips import FIRST, least_missing
from regis.index import Index
from regis.solving.asking import candidates


@pytest.mark.parametrize(
    "clue",
    ["Start of a quip", "Quip, part 2", "QUIP: PART 2", "Quote: Pt. II", "Quip (part 2)", "Quip -- Part 2",
     "More of quip", "End of the Twain quote", "Part 2 of today's riddle", "2nd part of verse", "First half of a quote",
     "Joke, part two", "Still more of the quip", "Verse continued", "With 3-Down, end of the quip",
     "was ___, End of the quip"],
)  # fmt: skip
def test_clues_for_parts(clue: str):
    assert (
        0 < least_missing(clue, FIRST) < least_missing(clue, 9) < least_missing(clue, 15) == least_missing(clue, 25) < 1
    )
    assert least_missing(clue, FIRST - 1) == 0, "short parts are words, nearly always"


@pytest.mark.parametrize(
    "clue",
    ["", "Quip", "Author of the quip", "Riddle's answer", "Start of the day", "Part 2", "Verse part", "Poet's end"],
)
def test_other_clues(clue: str):
    assert least_missing(clue, 15) == 0


def test_lists_say_so_and_stay_probabilities(whole: Index):
    for length in (5, 7, 9):
        among = candidates("Quip, part 2", "?" * length, whole)
        assert float(np.exp(among.logp).sum()) + among.missing == pytest.approx(1)
        assert among.missing >= least_missing("Quip, part 2", length)
