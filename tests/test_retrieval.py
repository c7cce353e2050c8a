"""What a puzzle adds to its lists: the odds of unlisted answers by year and publisher, and answers that go together."""

import datetime as dt
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import tiny

from regis.index import Index
from regis.models.neural.vector_table import AnswerVectors, Int8Rows
from regis.solving import retrieval
from regis.solving.retrieval import AnswerSimilarity, missing_odds_factor
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


VECTORS = {
    "MEG": (1.0, 0.1), "JO": (2.0, 0.2), "AMY": (0.8, 0.2), "OWL": (-0.2, 1.0), "EMU": (-0.1, 0.9), "NEW": (9.0, 0.9),
    "BETH": (0.5, 0.1), "WREN": (0.0, 1.0),
}  # fmt: skip
UNUSED = "NEW"  # in a list, but never an answer to a clue


class Part(SimpleNamespace):
    """The answers of one length, with their vectors."""

    def __init__(self, length: int) -> None:
        words = sorted(word for word in VECTORS if len(word) == length)
        vectors = np.array([[*VECTORS[word], *[0.0] * 254] for word in words], np.float32).reshape(-1, 256)
        signs = np.array([-1.0 if word == "EMU" else 1.0 for word in words], np.float32).reshape(-1, 1)
        table, other = Int8Rows.from_vectors(vectors), Int8Rows.from_vectors(3 * vectors * signs)
        bias = np.array([100.0 if word == "EMU" else 0.0 for word in words], np.float32)
        super().__init__(
            answer_letters=np.zeros((len(words), length)),
            use_counts=np.array([word != UNUSED for word in words], np.int64),
            answer_row=lambda word: words.index(word) if word in words else -1,
            answer_vectors=lambda home: AnswerVectors(table if home == "one" else other, bias),
        )


def kin(*encoders: str) -> AnswerSimilarity:
    parts = {length: Part(length) for length in range(1, 9)}
    index: Any = SimpleNamespace(encoders=dict.fromkeys(encoders))
    index_with = type("Index", (SimpleNamespace,), {"__getitem__": lambda self, length: parts[length]})
    return AnswerSimilarity(cast(Index, index_with(**vars(index))))


def test_what_lies_near_comes_first():
    known = kin("one")
    assert known.rank_answer("AMY", ["MEG", "JO"]) == 1, "neither MEG itself nor what no clue asked for"
    assert known.rank_answer("BETH", ["MEG", "JO"]) == 1 and known.rank_answer("WREN", ["MEG", "JO"]) == 2
    assert known.rank_answer("OWL", ["MEG", "JO"]) == 3 and known.rank_answer("AMY", ["WREN"]) == 3
    assert known.rank_answer("NEW", ["MEG"]) == 1, "though no clue asked for it"
    assert known.rank_answer("OWL", ["WREN", "NOBODY"]) == known.rank_answer("OWL", ["WREN"]) == 1
    assert known.rank_answer("OWL", ["WREN", "NEW"]) == 3, "a long vector counts no more than a short one"


def test_nothing_is_said_of_what_nobody_knows():
    known = kin("one")
    assert (
        known.rank_answer("ZZZ", ["MEG"]) is known.rank_answer("OWL", ["ZZZ"]) is known.rank_answer("OWL", []) is None
    )
    assert known.rank_answer("MEG", ["MEG", "AMY"]) is None, "it is one of them"
    assert kin().rank_answer("AMY", ["MEG"]) is None, "no encoder"
