"""Learning helps if there is something to learn, and changes nothing if there isn't."""

import shutil
from collections.abc import Callable
from pathlib import Path

import corpus
import numpy as np
import pytest
import shared

from regis.building.training import hidden_year
from regis.building.training import ranking_weights as learn
from regis.building.training.hidden_year import PastIndex
from regis.candidates.finder import Query
from regis.candidates.ranking.ranker import Ranker
from regis.candidates.ranking.weights import DEFAULT_WEIGHTS, Weights
from regis.corpora.entry import Entry
from regis.errors import IndexError_, IndexUnreadable
from regis.index import Index
from regis.index.storage import manifest
from regis.index.tables import schema
from regis.system.parallel.workers import Workers


def log_loss(index: Index, weights: Weights, year: int) -> float:
    """Return the mean of -log P(right answer) over the newest year's clues, queried without that year."""
    before, losses = index.before_newest_year(), []
    asked = [e for e in corpus.rows() if isinstance(e, Entry) and e.clue and e.year == year and "NEWIN" not in e.answer]
    for entry in asked[::5]:
        (among,) = Ranker(before, weights, year).rank_queries([Query(entry.clue, "?" * len(entry.answer))])
        place = among.find_answer(entry.answer)
        assert place is not None
        losses.append(-among.logp[place])
    return float(np.mean(losses))


@pytest.fixture(scope="module")
def fitted(whole: Index) -> Weights:
    return learn.fit_weights(whole)


def test_fitted_weights_beat_the_default(whole: Index, fitted: Weights):
    assert fitted.fit_record["year"] == corpus.YEARS[-1] and fitted.fit_record["clues"] >= learn.MIN_CLUES // 2
    year = corpus.YEARS[-1]
    assert log_loss(whole, fitted, year) < log_loss(whole, DEFAULT_WEIGHTS, year)


def test_what_was_learned_is_what_is_used(whole: Index, fitted: Weights):
    assert Weights.read_weights(whole).feature_weights == pytest.approx(fitted.feature_weights, abs=1e-4)


def test_missing_is_measured(fitted: Weights):
    """Six-letter answers: one of the newest year's is new, and all the others are known."""
    missing = fitted.missing_by_length
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
        [
            corpus.entry(word, f"{hint} {i}", year)
            for answer, hint in corpus.HINTS.items()
            for word, year in ((answer, 2001), (answer[::-1] + "Q", 2002))
            for i in range(5)
        ],
    ],
    ids=["one year", "no clues", "no years", "few in the newest year", "new answers only in the newest year"],
)
def test_too_little_to_learn_from_keeps_the_default(rows: list[corpus.Row], tmp_path):
    assert learn.fit_weights(corpus.index(tmp_path, rows)) == DEFAULT_WEIGHTS


def test_weights_are_the_same_whoever_asks(strong_index: Index, monkeypatch: pytest.MonkeyPatch):
    """Even if this process has read the clues before, one by one."""
    few_clues(monkeypatch)
    before = strong_index.before_newest_year()
    assert before.transformer is not None
    for clue, _ in learn.newest_year_clues(strong_index):
        before.transformer.encode([clue])
    alone, together = (learn.fit_weights(strong_index, before, Workers(jobs)) for jobs in (1, 2))
    assert alone.reranker is not None and same(alone, together)


def few_clues(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fit weights on a few clues, in several tasks."""
    for module, name, count in (
        (learn, "MIN_CLUES", 50),
        (learn, "SAMPLE_CLUES", 150),
        (hidden_year, "CLUES_PER_TASK", 40),
    ):
        monkeypatch.setattr(module, name, count)


def same(one: Weights, other: Weights) -> bool:
    """Return whether two weights are exactly the same numbers."""
    return np.array_equal(one.feature_weights, other.feature_weights) and one.to_json() == other.to_json()


def test_a_worker_opens_the_same_index_or_says_that_it_lacks_it(whole: Index, tmp_path: Path):
    before = whole.before_newest_year()
    for index in (whole, before):
        opened = PastIndex.from_index(index).open_index()
        assert opened.hides_newest_year == index.hides_newest_year
        assert np.array_equal(opened[5].use_counts, index[5].use_counts)
    copied = shared.copy_index(whole, tmp_path / "copy").folder
    then = PastIndex.from_index(Index.open(copied))
    table = schema.part_path(copied, schema.LETTERS)
    changes: list[tuple[type[IndexError_], Callable[[], object]]] = [
        (IndexError_, lambda: table.write_bytes(table.read_bytes()[:-1])),
        (IndexUnreadable, lambda: (copied / manifest.MANIFEST_NAME).write_bytes(b"another")),
        (IndexUnreadable, lambda: shutil.rmtree(copied)),
    ]
    then.open_index()
    for error, change in changes:
        change()
        with pytest.raises(error, match=r"damaged|the new file isn't at .*must share the index's disk"):
            then.open_index()
