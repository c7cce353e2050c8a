"""Puzzles of other years and publishers have more short answers that nobody has listed."""

import datetime as dt
from dataclasses import replace

import numpy as np
import papers
import pytest
import tiny

from regis.index import Index
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile
from regis.solving import retrieval
from regis.solving.retrieval import missing_odds_factor
from regis.solving.settings import CONFIDENCE

HOME = "NY Times, Fri, Apr 18, 2014"


@pytest.mark.parametrize(
    ("title", "year", "odds"),
    [
        (HOME, 2014, 1.0),
        (HOME, 1990, 1.0),
        (HOME, None, 1.0),
        (HOME, 2016, 1 + 2 * CONFIDENCE.odds_per_year),
        ("Empty Endings", 2014, 1 + CONFIDENCE.other_publisher_odds),
        ("Empty Endings", 2016, 1 + CONFIDENCE.other_publisher_odds + 2 * CONFIDENCE.odds_per_year),
        ("Empty Endings", None, 1 + CONFIDENCE.other_publisher_odds + 2 * CONFIDENCE.odds_per_year),
        ("Empty Endings", 9999, CONFIDENCE.max_odds_factor),
    ],
)
def test_later_years_and_other_publishers_have_more_unlisted_answers(title: str, year: int | None, odds: float):
    date = year and dt.date(year, 4, 18)
    assert missing_odds_factor(replace(tiny.puzzle(title=title), date=date or None), 2013) == pytest.approx(odds)


@pytest.mark.parametrize("where", ["title", "author", "copyright", "publisher"])
def test_the_publisher_may_stand_anywhere(where: str):
    puzzle = replace(tiny.puzzle(), **{where: "© 2014, The New York Times"}, date=dt.date(2014, 1, 1))
    assert missing_odds_factor(puzzle, 2013) == 1


@pytest.mark.parametrize("name", ["publisher", "publication"])
def test_a_file_may_have_a_field_for_it(name: str):
    data = papers.FILES["sampler.xd"].replace(b"Title:", f"{name.title()}: The New York Times\nTitle:".encode(), 1)
    puzzle, _ = formats.read_puzzle(PuzzleFile("x.xd", data))
    assert puzzle.publisher == "The New York Times" and missing_odds_factor(replace(puzzle, date=None), 2013) == 1


def test_short_answers_are_in_no_list_as_much_oftener(whole: Index):
    newest = whole.manifest.newest_year
    home, other = (
        retrieval.retrieve_candidates(tiny.puzzle(title=title), whole).lists for title in (HOME, "Elsewhere")
    )
    odds = missing_odds_factor(tiny.puzzle(title="Elsewhere"), newest) / missing_odds_factor(
        tiny.puzzle(title=HOME), newest
    )
    for slot, fitted in home.items():
        assert len(slot) in retrieval.AFFECTED_LENGTHS
        more = other[slot]
        assert more.missing / (1 - more.missing) == pytest.approx(odds * fitted.missing / (1 - fitted.missing))
        assert np.exp(more.logp).sum() + more.missing == pytest.approx(1)
        assert np.diff(more.logp) == pytest.approx(np.diff(fitted.logp), abs=1e-6)


def test_longer_answers_are_as_often_as_was_fitted(whole: Index):
    rows = ("......",)
    lists = [
        retrieval.retrieve_candidates(tiny.puzzle(rows, {"1A": "Striped hunter"}, title), whole).lists
        for title in (HOME, "Elsewhere")
    ]
    ((home,), (other,)) = (its.values() for its in lists)
    assert home.missing == other.missing
