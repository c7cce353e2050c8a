"""Scoring: from the finders' results to probabilities.

A conditional logit: each answer's score is linear in its feature columns, and a softmax gives its probability (McFadden
1974). `missing` is P(unlisted), by length and class of clue. A reranker then adjusts the best answers and `missing`
(models.neural.reranker). Nearly all numbers are fitted on the index's hidden newest year.

One rule is set by hand. Parts of quips and quotations ("Start of a quip", "Quip, part 2") break where the grid wants
it. So a longer part is unlisted, and past clues with the same words had other answers (`min_missing`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.finder import QueryResults
from regis.candidates.finders import FINDERS
from regis.candidates.ranking.weights import (
    DEFAULT_WEIGHTS,
    RANKING_FEATURES,
    RERANKER_FEATURES,
    Weights,
    build_feature_table,
    match_rows,
    similarity_features,
)
from regis.candidates.settings import CANDIDATES
from regis.index import Index, Partition
from regis.models.arrays import MIN_PROBABILITY, Float64Array, Positions, log_softmax, top_k_indices, unique_sorted
from regis.models.neural.reranker import RERANK_DEPTH, summarize_list
from regis.puzzle.alphabet import ALPHABET, codes_to_word, letter_codes

_NUMBER = r"(?:\d\d?|[ivx]+|one|two|three|four|five|six|seven|eight)\b"
_NUMBERED = rf"(?:part|pt\.?|line|half) {_NUMBER}"
_WHICH = (
    r"(?:still )?more|start|beginning|middle|end|ending|conclusion|rest|remainder|continuation"
    rf"|(?:first|second|third|fourth|fifth|[1-9](?:st|nd|rd|th)|last|final) (?:part|line|half)|{_NUMBERED}"
)
_WHOLE = (
    r"(?:adage|advice|aphorism|comment|definition|epigram|joke|limerick|maxim|message|observation|poem|proverb|question"
    r"|quip|quotation|quote|remark|riddle|saying|statement|thought|verse|wisecrack|witticism)"
)
_PART = re.compile(
    rf"(?i)^(?:[^,]{{1,80}}, )?(?:the )?(?:{_WHICH}) (?:of|to|in) (?:[\w'’.-]+ ){{0,4}}?{_WHOLE}\b"
    rf"|^(?:[\w'’.-]+ ){{0,2}}{_WHOLE}[,:;]?(?: -+| [–—])? [(\[]?(?:{_NUMBERED}|(?:continued|concluded|cont)\b)"
)
_NEW_SHARES = (0.13, 0.47, 0.73, 0.77, 0.89, 0.94, 0.96)
"""Share of parts that answer no other clue, by length from MIN_PART_LETTERS. (Measured: docs/experiments/quips.md.)"""

MIN_PART_LETTERS = 6  # letters; hardly any shorter part is new

LIST_SCORE_COLUMN = RANKING_FEATURES.index("list score")


def min_missing(clue: str, answer_length: int) -> float:
    """Return the least P(unlisted) for `clue`; 0.0 unless it is for part of a quip."""
    if answer_length < MIN_PART_LETTERS or not _PART.search(clue):
        return 0.0
    return _NEW_SHARES[min(answer_length - MIN_PART_LETTERS, len(_NEW_SHARES) - 1)]


class RerankerInput(NamedTuple):
    """The best answers of a list, as the reranker sees them."""

    best_places: Positions  # (best,) positions of the answers, ascending
    logp: NDArray[np.float32]  # (best,) natural logs
    features: NDArray[np.float32]  # (best, len(RERANKER_FEATURES))
    list_summary: NDArray[np.float32]  # (reranker.SUMMARY_SIZE + len(RERANKER_FEATURES),)


class Scorer:
    """Scores answers with `weights`, by default the index's own; ages count from `year`."""

    def __init__(self, index: Index, weights: Weights | None = None, year: int | None = None) -> None:
        """Raise IndexDamaged if the index's own weights are needed and unreadable."""
        self.index = index
        self.weights = weights or Weights.read_weights(index)
        self.year = (index.manifest.newest_year or 0) + 1 if year is None else year
        is_default = self.weights is DEFAULT_WEIGHTS
        self._with_default_weights = self if is_default else Scorer(index, DEFAULT_WEIGHTS, self.year)
        self._weight_of = dict(zip(RANKING_FEATURES, self.weights.feature_weights.tolist(), strict=True))
        self._prior_scores: dict[int, Float64Array] = {}

    def log_probabilities(self, query_results: QueryResults) -> tuple[Float64Array, float]:
        """Return natural log probabilities, (answers,), and P(unlisted); together they sum to 1.

        If no finder has a column, as for a clue without words, the default weights count, without reranking: fitted
        weights leave an answer's frequency to the encoders.
        """
        logp, fitted = self._fitted_log_probabilities(query_results)
        query = query_results.query
        missing = fitted * query.oov_odds_factor / (1 + fitted * (query.oov_odds_factor - 1))
        missing = max(missing, min_missing(query.clue, query_results.partition.length))
        if missing > fitted:
            logp = logp + (np.log1p(-missing) - np.log1p(-fitted))
        return logp, missing

    def _fitted_log_probabilities(self, query_results: QueryResults) -> tuple[Float64Array, float]:
        """Return probabilities from the weights, the reranker, and the overlap with the clue."""
        missing = self.weights.missing_at(query_results.partition.length, query_results.query.clue_kind)
        results = query_results.results.values()
        if not any(len(result.answer_rows) for result in results if result.feature_columns):
            scores = self._with_default_weights.score_answers(query_results)
            return log_softmax(scores) + np.log1p(-missing), missing
        logp = log_softmax(self.score_answers(query_results))
        if self.weights.reranker is None:
            best = top_k_indices(logp, RERANK_DEPTH, keep_ties=False)
            return _discount_overlap(query_results, best, logp + np.log1p(-missing), missing)
        best, *reranker_input = self.reranker_input(query_results, logp)
        adjustments, missing_adjustment = self.weights.reranker.adjust(*reranker_input)
        log_in_list, log_missing = np.log1p(-missing), float(np.log(max(missing, MIN_PROBABILITY))) + missing_adjustment
        p_others = max(1 - float(np.exp(logp[best]).sum()), 0.0) if len(best) < len(logp) else 0.0
        logp[best] += adjustments
        log_total = np.logaddexp(np.log(p_others + np.exp(logp[best]).sum()) + log_in_list, log_missing)
        logp = logp + (log_in_list - log_total)
        return _discount_overlap(query_results, best, logp, float(np.exp(log_missing - log_total)))

    def score_answers(self, query_results: QueryResults) -> Float64Array:
        """Multiply the feature table by the weights, (answers,) nats, in a fifth of the time: most columns are 0."""
        _, partition, answer_rows, results = query_results
        scores: Float64Array = self._score_priors(partition)[answer_rows]
        sparse_rows = [answer_rows[:0]]
        for name, result in results.items():
            if not FINDERS[name].is_dense:
                sparse_rows.append(result.answer_rows if result.feature_columns else answer_rows[:0])
            elif len(result.answer_rows):
                places, which = match_rows(answer_rows, result.answer_rows)
                is_unused = partition.use_counts[answer_rows[places]] == 0
                for feature, values in result.feature_columns.items():
                    unused_weight = self._weight_of.get(f"{feature}, never used", 0.0)
                    scores[places] += values[which] * (self._weight_of[feature] + unused_weight * is_unused)
        places, _ = match_rows(answer_rows, unique_sorted(np.concatenate(sparse_rows)))
        table = build_feature_table(partition, answer_rows[places], results, self.year)
        scores[places] = table @ self.weights.feature_weights
        return scores

    def reranker_input(self, query_results: QueryResults, logp: Float64Array) -> RerankerInput:
        """Collect the reranker's input for the best of `logp`, (answers,) logs among listed answers."""
        query, partition, answer_rows, results = query_results
        best = top_k_indices(logp, RERANK_DEPTH, keep_ties=False)
        features = np.zeros((len(best), len(RERANKER_FEATURES)), np.float32)
        ranking_features = features[:, : len(RANKING_FEATURES)]
        ranking_features[:] = build_feature_table(partition, answer_rows[best], results, self.year)
        list_scores = features[:, LIST_SCORE_COLUMN]
        np.maximum(list_scores, 0.0, out=list_scores)  # the networks were trained on scores from 0 to 1
        if query.clue_embedding is not None:
            similarities = similarity_features(partition, answer_rows[best], query.clue_embedding)
            features[:, len(RANKING_FEATURES) :] = similarities
        best_logp = logp[best].astype(np.float32)
        missing = self.weights.missing_at(partition.length, query.clue_kind)
        list_summary = summarize_list(partition.length, query.clue_kind, missing, best_logp, features)
        return RerankerInput(best, best_logp, features, list_summary)

    def _score_priors(self, partition: Partition) -> Float64Array:
        """Score every answer without any clue, (answers,); cached."""
        if partition.length not in self._prior_scores:
            all_rows = np.arange(len(partition.answer_letters), dtype=np.int32)
            table = build_feature_table(partition, all_rows, {}, self.year)
            self._prior_scores[partition.length] = table @ self.weights.feature_weights
        return self._prior_scores[partition.length]


def _discount_overlap(
    query_results: QueryResults, best: Positions, logp: Float64Array, missing: float
) -> tuple[Float64Array, float]:
    """Discount the best answers that repeat a word of their clue, and raise all others."""
    letters = query_results.partition.answer_letters.take(query_results.answer_rows[best], axis=0)
    penalties = overlap_penalty(query_results.query.clue, letters)
    if (penalties < 1).any():
        left = 1 - float(np.exp(logp[best]) @ (1 - penalties))
        logp[best] += np.log(penalties)
        logp, missing = logp - np.log(left), missing / left
    return logp, missing


def clue_words(clue: str) -> set[str]:
    """Return the words of `clue`, in capitals, that fit a grid; none if the clue has a gap."""
    words = text.clue_key(clue).upper().split()
    has_gap = text.BLANK_TOKEN in words
    return set() if has_gap else {word for word in words if len(word) > 1 and set(word) <= set(ALPHABET)}


def overlap_penalty(clue: str, letters: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return factors in (0, 1] for answers, (answers, length), that repeat a word of their clue, which constructors
    avoid.

    Encoders find nothing nearer to "Sushi offering" than SUSHI. Clues with a gap are exempt (TORA TORA TORA).
    (Measured: docs/experiments/clue-overlap.md.)
    """
    factors, length = np.ones(len(letters)), letters.shape[1]
    words = clue_words(clue)
    stems = {text.stem_word(word.lower()) for word in words}
    for word in words:
        codes, size = letter_codes(word), len(word)
        n_alike = min(size, length, 3)
        is_part = CANDIDATES.min_part_letters <= size < length - 1
        for row in np.flatnonzero((letters[:, :n_alike] == codes[:n_alike]).all(axis=1)).tolist():
            answer = codes_to_word(letters[row])
            if answer == word or (length >= 3 and text.stem_word(answer.lower()) in stems):
                factors[row] = CANDIDATES.repeated_factor
            elif is_part and answer.startswith(word):
                factors[row] = min(factors[row], CANDIDATES.partial_factor)
        if is_part:
            factors[(letters[:, -size:] == codes).all(axis=1) & (factors == 1)] = CANDIDATES.partial_factor
    return factors
