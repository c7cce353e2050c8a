"""Weights and reranker: learning helps if there is something to learn, and changes nothing if there isn't; gradients
are right, and the result is still a list of probabilities."""

import base64
from dataclasses import replace

import corpus
import numpy as np
import pytest

from regis.building.training import hidden_year
from regis.building.training import ranking_weights as learn
from regis.building.training import reranker as learning
from regis.candidates.finder import Query
from regis.candidates.ranking.ranker import Ranker
from regis.candidates.ranking.weights import DEFAULT_WEIGHTS, RERANKER_FEATURES, Weights
from regis.corpora.entry import Entry
from regis.index import Index
from regis.models.neural import reranker
from regis.models.neural.reranker import Reranker, summarize_list
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


WIDE = 3
"""Features of an answer in these tests."""


def lot(count: int, seed: int = 0) -> list[learning.RerankExample]:
    """Return lists of ten answers whose right one has the largest first feature, which their log probabilities ignore.

    If the second feature is always 1, the answer is in no list.
    """
    generator, found = np.random.default_rng(seed), []
    for i in range(count):
        table = generator.random((10, WIDE)).astype(np.float32)
        nowhere = i % 5 == 0
        table[:, 1] = nowhere
        logp = np.log(np.full(10, 0.09, np.float32))
        right = learning.NOT_LISTED if nowhere else learning.NOT_AMONG_BEST if i % 7 == 0 else int(table[:, 0].argmax())
        about = summarize_list(5, "plain", 0.1, logp, table)
        found.append(learning.RerankExample(table, logp, about, 0.1, right))
    return found


def fit(examples: list[learning.RerankExample]) -> Reranker:
    return learning.fit_reranker(learning.stack_examples(examples))


def loss(network: Reranker | None, seen: list[learning.RerankExample]) -> float:
    """Return the mean of -log P(right), in any position."""
    losses = []
    for one in seen:
        add, missing = network.adjust(one.log_probs, one.features, one.list_summary) if network else (np.zeros(10), 0.0)
        rest = 1 - float(np.exp(one.log_probs).sum())
        weights = [
            *np.exp(one.log_probs + add) * (1 - one.p_missing),
            rest * (1 - one.p_missing),
            one.p_missing * np.exp(missing),
        ]
        place = {learning.NOT_LISTED: 11, learning.NOT_AMONG_BEST: 10}.get(one.right_place, one.right_place)
        losses.append(-np.log(weights[place] / sum(weights)))
    return float(np.mean(losses))


@pytest.mark.slow
def test_what_is_learned_helps_on_clues_not_seen():
    network = fit(lot(4000))
    assert loss(network, lot(300, seed=1)) < 0.6 * loss(None, lot(300, seed=1))


def test_slopes_are_slopes():
    seen = lot(30)
    batch = learning.stack_examples(seen)
    generator = np.random.default_rng(2)
    network = {
        name: generator.normal(0, 0.3, shape).astype(np.float32) for name, shape in Reranker.array_shapes(WIDE).items()
    }
    plain, unit = np.float32(0), np.float32(1)
    slopes = learning._loss_gradients(network, batch, plain, unit)
    for name, values in network.items():
        assert slopes[name].shape == values.shape
        for _ in range(5):
            at = tuple(int(generator.integers(size)) for size in values.shape)
            either = []
            for step in (0.01, -0.01):
                moved = {other: array.copy() for other, array in network.items()}
                moved[name][at] += step
                either.append(loss(Reranker(**moved), seen))
            slope = (either[0] - either[1]) / 0.02
            assert slopes[name][at] == pytest.approx(slope, abs=2e-3), name


def test_what_is_no_network_is_refused():
    """Numbers may be finite, but with infinite products: one wrong byte in learned.json."""
    network = fit(lot(200))
    broken = [
        replace(network, output_bias=np.array([np.nan], np.float32)),
        replace(network, output_weights=network.output_weights + np.float32(1e30)),
    ]
    texts = ["", "AAAA", "not base 64", base64.b64encode(b"\xff" * 4000).decode()]
    for text in (*texts, *(one.to_text() for one in broken)):
        with pytest.raises(ValueError):
            Reranker.from_text(text, WIDE)


@pytest.fixture(scope="module")
def reranked(whole: Index) -> Weights:
    """Return the weights of the test corpus, with a reranker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learn, "MIN_CLUES", 100)
        patch.setattr(learn, "SAMPLE_CLUES", 200)
        return learn.fit_weights(whole)


def test_an_index_learns_to_rerank(reranked: Weights):
    assert reranked.reranker is not None and reranked.fit_record["reranked"] >= 100
    assert reranked.reranker.answer_weights.shape == (len(RERANKER_FEATURES) + 1, reranker.HIDDEN_WIDTH)
    assert Weights.from_json(reranked.to_json()).to_json() == reranked.to_json()


@pytest.mark.parametrize("clue", ["Striped hunter", "", "___ city", "word of the year?"])
def test_a_reranked_list_is_one_of_probabilities(clue: str, whole: Index, reranked: Weights):
    queries = [Query(clue, "?" * length) for length in whole.lengths]
    for among, other in zip(
        Ranker(whole, reranked).rank_queries(queries), Ranker(whole).rank_queries(queries), strict=True
    ):
        assert np.exp(among.logp).sum() + among.missing == pytest.approx(1)
        assert (np.diff(among.logp) <= 1e-12).all() and 0 < among.missing < 1
        assert {among.answer(i) for i in range(len(among))} == {other.answer(i) for i in range(len(other))}


@pytest.mark.parametrize("louder", [1, -1e8, 1e8])
@pytest.mark.parametrize("missing", [0.0, 1e-4])
def test_probabilities_whatever_the_network_says(louder: float, missing: float, whole: Index, reranked: Weights):
    assert reranked.reranker is not None
    weights = replace(
        reranked, missing_by_length=dict.fromkeys(reranked.missing_by_length, missing),
        reranker=replace(reranked.reranker, output_weights=reranked.reranker.output_weights * np.float32(louder)),
    )  # fmt: skip
    (free,) = Ranker(whole, weights).rank_queries([Query("Striped hunter", "?????")])
    for among in (free, free.condition_on("TIGER")):
        assert np.exp(among.logp).sum() + among.missing == pytest.approx(1)
