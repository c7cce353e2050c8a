"""Fitting the weights of ranking, and how often an answer is in no list.

The clues of the newest year are queried against the index without that year (`hidden_year`), and the weights make their
answers likeliest. So every index is calibrated to its own corpus. Without enough dated clues it keeps the
`DEFAULT_WEIGHTS` of candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from regis.building.settings import RANKING
from regis.building.training import hidden_year, reranker
from regis.building.training.hidden_year import ClueAnswer, RivalSet, find_listed_row
from regis.candidates.ranking.weights import DEFAULT_WEIGHTS, RANKING_FEATURES, Weights
from regis.index import Index
from regis.models.text import clue_form
from regis.system.parallel.workers import Workers

SAMPLE_CLUES = 4000  # clues for fitting the weights; querying them takes most of the time
MIN_CLUES = 300  # with fewer clues in the newest year, or before it, nothing is fitted


def fit_weights(
    index: Index, past_index: Index | None = None, workers: Workers | None = None, *, with_reranker: bool = True
) -> Weights:
    """Fit the weights that make the newest year's answers likeliest; DEFAULT_WEIGHTS with too few clues.

    `past_index` is queried, by default the index without its newest year; for several workers it must be finished, with
    its manifest. The reranker takes most of the time.
    """
    past_index = index.before_newest_year() if past_index is None else past_index
    workers = workers or Workers()
    newest_year, clue_answers = index.manifest.newest_year, newest_year_clues(index)
    past_uses = sum(int(part.use_counts.sum()) for part in past_index.partitions())
    if newest_year is None or min(len(clue_answers), past_uses) < MIN_CLUES:
        return DEFAULT_WEIGHTS
    missing = _missing_by_length(past_index, clue_answers)
    missing_factors = _missing_factors(past_index, clue_answers, missing)
    order = np.random.default_rng(2014).permutation(len(clue_answers))
    sample = [clue_answers[i] for i in order[:SAMPLE_CLUES]]
    rival_sets: list[RivalSet] = list(hidden_year.query_clues(past_index, newest_year, sample, workers, None))
    if len(rival_sets) < MIN_CLUES:
        return DEFAULT_WEIGHTS
    coefficients, log_loss = _fit_logit(rival_sets)
    fitted = {"how": "newest year, hidden", "year": newest_year, "clues": len(rival_sets)}
    del rival_sets  # a few hundred megabytes
    fitted["log loss"] = round(log_loss, 4)
    weights = Weights(coefficients, missing, fitted, missing_factors)
    # for the reranker
    other_clues = [clue_answers[i] for i in order[SAMPLE_CLUES : SAMPLE_CLUES + RANKING.rerank_clues]]
    if len(other_clues) < MIN_CLUES or not with_reranker:
        return weights
    lists = hidden_year.query_clues(past_index, newest_year, other_clues, workers, weights)
    examples = reranker.stack_examples(lists)
    fitted = fitted | {"reranked": len(examples.features)}
    return replace(weights, reranker=reranker.fit_reranker(examples), fit_record=fitted)


def newest_year_clues(index: Index) -> list[ClueAnswer]:
    clue_answers: list[ClueAnswer] = []
    for part in index.partitions():
        rows = np.flatnonzero(part.clue_newest_counts > 0)
        answers = part.answers[part.clue_answer_rows[rows]].astype(str).tolist()
        clue_answers += zip(part.clue_texts.take_texts(rows), answers, strict=True)
    return clue_answers


def _missing_by_length(past_index: Index, clue_answers: list[ClueAnswer]) -> Mapping[int, float]:
    """Estimate P(unlisted) by length, with the shorter length's as prior."""
    clue_count = Counter(len(answer) for _, answer in clue_answers)
    missing_count = Counter(len(answer) for _, answer in clue_answers if find_listed_row(past_index, answer) is None)
    p_missing, missing = RANKING.prior_missing, {}
    for length in sorted(clue_count):
        expected = missing_count[length] + RANKING.length_prior_clues * p_missing
        p_missing = max(expected / (clue_count[length] + RANKING.length_prior_clues), RANKING.min_missing)
        missing[length] = round(p_missing, 5)
    return missing


def _missing_factors(
    past_index: Index, clue_answers: list[ClueAnswer], missing: Mapping[int, float]
) -> Mapping[str, float]:
    """Estimate how many times as often as usual each class of clues has an unlisted answer, with prior 1."""
    missing_count = dict.fromkeys(clue_form.CLUE_KINDS, float(RANKING.kind_prior_missing))
    expected = dict.fromkeys(clue_form.CLUE_KINDS, 0.0)
    for clue, answer in clue_answers:
        kind = clue_form.classify_clue(clue)
        missing_count[kind] += find_listed_row(past_index, answer) is None
        expected[kind] += missing[len(answer)]
    ratios = {kind: count / (expected[kind] + RANKING.kind_prior_missing) for kind, count in missing_count.items()}
    return {kind: round(ratio, 3) for kind, ratio in ratios.items()}


def _fit_logit(rival_sets: Sequence[RivalSet]) -> tuple[NDArray[np.float64], float]:
    """Fit a conditional logit by L-BFGS; return its weights, (features,), and the log loss per clue in nats."""
    from scipy.optimize import minimize

    offset = np.concatenate([q.log_multiplicity for q in rival_sets])
    sizes = np.array([len(q.log_multiplicity) for q in rival_sets])
    starts = np.cumsum(sizes) - sizes
    right_rows = starts + [q.right_place for q in rival_sets]
    features = np.empty((len(offset), len(RANKING_FEATURES)), order="F")
    for q, start, size in zip(rival_sets, starts, sizes, strict=True):
        features[start : start + size] = q.rival_features.toarray()
    scale = np.maximum([column.std() for column in features.T], 1e-9)

    def loss(scaled: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        score = features @ (scaled / scale) + offset
        score -= np.repeat(np.maximum.reduceat(score, starts), sizes)
        p = np.exp(score)
        whole = np.add.reduceat(p, starts)
        pull = scaled - DEFAULT_WEIGHTS.feature_weights * scale
        value = np.log(whole).sum() - score[right_rows].sum() + RANKING.ridge_penalty * len(right_rows) * pull @ pull
        p /= np.repeat(whole, sizes)
        slope = (p @ features - features[right_rows].sum(axis=0)) / scale
        slope += 2 * RANKING.ridge_penalty * len(right_rows) * pull
        return value / len(right_rows), slope / len(right_rows)

    best = minimize(loss, DEFAULT_WEIGHTS.feature_weights * scale, jac=True, method="L-BFGS-B")
    assert len(best.x) == len(RANKING_FEATURES)
    return best.x / scale, float(best.fun)
