"""Learning: it must help where there is something to learn, and keep its hands off where there is not."""

import corpus
import numpy as np
import pytest

from regis.building.training import weights as learn
from regis.candidates.query import Query
from regis.candidates.ranking import Ranker
from regis.candidates.weights import DEFAULT, Weights
from regis.corpora.entry import Entry
from regis.index import Index


def log_loss(index: Index, weights: Weights, year: int) -> float:
    """Mean of -log P(right answer) over the newest year's clues, each asked of the index as it was before."""
    before, losses = index.as_it_was(), []
    asked = [e for e in corpus.rows() if isinstance(e, Entry) and e.clue and e.year == year and "NEWIN" not in e.answer]
    for entry in asked[::5]:
        (among,) = Ranker(before, weights, year).lists([Query(entry.clue, "?" * len(entry.answer))])
        place = among.find(entry.answer)
        assert place is not None
        losses.append(-among.logp[place])
    return float(np.mean(losses))


@pytest.fixture
def misled(monkeypatch: pytest.MonkeyPatch) -> Weights:
    """A default that is all wrong for this corpus: it believes in counts only."""
    wrong = Weights(np.where(np.arange(len(DEFAULT.features)) == 0, 2.0, 0.0), DEFAULT.missing, DEFAULT.fitted)
    monkeypatch.setattr(learn, "DEFAULT", wrong)
    return wrong


def test_fitted_weights_beat_the_default(whole: Index):
    fitted = learn.fit(whole)
    assert fitted.fitted["year"] == corpus.YEARS[-1] and fitted.fitted["clues"] >= learn.ENOUGH // 2
    year = corpus.YEARS[-1]
    assert log_loss(whole, fitted, year) < log_loss(whole, DEFAULT, year)


def test_a_bad_start_is_left_behind(whole: Index, misled: Weights):
    year = corpus.YEARS[-1]
    assert log_loss(whole, learn.fit(whole), year) < 0.7 * log_loss(whole, misled, year)


def test_what_was_learned_is_what_is_used(whole: Index):
    assert Weights.of(whole).features == pytest.approx(learn.fit(whole).features, abs=1e-4)


def test_missing_is_measured(whole: Index):
    """Six-letter answers: one of the newest year's is new, all the others were there."""
    missing = learn.fit(whole).missing
    fresh = {
        (e.answer, e.clue) for e in corpus.rows() if isinstance(e, Entry) and e.clue and e.year == corpus.YEARS[-1]
    }
    six = [answer for answer, _ in fresh if len(answer) == 6]
    assert missing[6] == pytest.approx((1 + 10 * missing[5]) / (len(six) + 10), abs=1e-3)
    assert missing[5] < missing[6]


@pytest.mark.parametrize(
    "rows",
    [
        corpus.rows((2001,)),
        [r for r in corpus.rows() if isinstance(r, Entry) and not r.clue],
        [r._replace(year=None) for r in corpus.rows() if isinstance(r, Entry)],
        corpus.rows((2001, 2002))[:600],
    ],
    ids=["one year", "no clues", "no years", "few in the newest year"],
)
def test_too_little_to_learn_from_keeps_the_default(rows: list[corpus.Row], tmp_path):
    assert learn.fit(corpus.index(tmp_path, rows)) == DEFAULT


def test_a_newest_year_with_new_answers_only_keeps_the_default(tmp_path):
    old = [corpus.entry(answer, f"{hint} {i}", 2001) for answer, hint in corpus.HINTS.items() for i in range(5)]
    new = [
        corpus.entry(answer[::-1] + "Q", f"{hint} {i}", 2002) for answer, hint in corpus.HINTS.items() for i in range(5)
    ]
    assert learn.fit(corpus.index(tmp_path, old + new)) == DEFAULT
