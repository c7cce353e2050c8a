"""The feature columns of ranking, and what is fitted: their weights, P(unlisted), and the reranker.

The table has the columns of all finders, and a row per answer; the default is 0. 'NAME, CONDITION' is column NAME if
the condition holds, else 0: a score may mean more for an answer without past clues. If a column is newer than the
index, its weight is the finder's default, and the reranker ignores it.

The reranker also sees how near a clue is in meaning to each answer's past clues, by the transformer. If an answer has
many meanings, comparing clues with clues says more than comparing them with answers. Embeddings of past clues are
stored as bytes in the order of their answers. In the same way, nearest neighbors supplement a language model
(Khandelwal 2020). Their worth: docs/experiments/ranking.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finder import FinderResult
from regis.candidates.finders import FINDERS
from regis.candidates.settings import CANDIDATES
from regis.index import Index, Partition
from regis.index.storage import validation
from regis.index.tables import schema
from regis.models.arrays import Float32Array, Float64Array, expand_ranges, find_sorted, first_largest
from regis.models.neural.reranker import Reranker
from regis.models.neural.transformer import INT8_UNIT

PRIOR_FEATURES = ("log count", "never used", "list score", "years unused", "log recent count")
"""Facts about an answer that don't depend on a clue."""

RANKING_FEATURES = (*PRIOR_FEATURES, *(name for finder in FINDERS.values() for name in finder.feature_names))
"""The columns, in the reranker's order."""

CONDITIONAL_FEATURES = tuple((name, *name.split(", ")) for name in RANKING_FEATURES if ", " in name)
"""(column, the column that it repeats, the condition): 'never used', or 'alone' for no past clues."""

SIMILARITY_FEATURES = ("similar", "similar together", "similar per clue")
RERANKER_FEATURES = (*RANKING_FEATURES, *SIMILARITY_FEATURES)
"""The reranker also sees similar past clues, which are compared only for the best answers."""


AnswerRows = NDArray[np.int32]
ArrayIndex = NDArray[np.int64] | slice  # elements of an array; a slice is much faster if it means all


_HAND_SET_WEIGHTS = {"log count": 0.75, "list score": 0.5, "years unused": -0.3} | {
    name: weight for finder in FINDERS.values() for name, weight in finder.default_weights.items()
}


def build_feature_table(
    partition: Partition, answer_rows: AnswerRows, results: Mapping[str, FinderResult], year: int
) -> Float64Array:
    """Build the columns of all finders for ascending `answer_rows`: (answers, len(RANKING_FEATURES)), by column in
    memory."""
    table = np.zeros((len(answer_rows), len(RANKING_FEATURES)), order="F")
    columns = dict(zip(RANKING_FEATURES, table.T, strict=True))
    use_counts, last_years = partition.use_counts[answer_rows], partition.last_years[answer_rows].astype(np.int64)
    columns["log count"][:] = np.log1p(use_counts)
    columns["never used"][:] = use_counts == 0
    columns["list score"][:] = np.where(use_counts == 0, partition.list_scores[answer_rows], 0)
    years_unused = np.clip(year - last_years, 0, 60)
    columns["years unused"][:] = np.where(last_years > 0, np.log1p(years_unused), 0)
    columns["log recent count"][:] = np.log1p(partition.decayed_uses[answer_rows] / CANDIDATES.recent_uses_floor)
    has_no_past_clue = np.ones(len(answer_rows), bool)
    for name, result in results.items():
        if result.feature_columns and len(result.answer_rows):
            places, which = match_rows(answer_rows, result.answer_rows)
            for feature, values in result.feature_columns.items():
                columns[feature][places] = values[which]
            has_no_past_clue[places] &= not FINDERS[name].uses_past_clues
    condition_holds = {"never used": use_counts == 0, "alone": has_no_past_clue}
    for name, feature, condition in CONDITIONAL_FEATURES:
        columns[name][:] = np.where(condition_holds[condition], columns[feature], 0)
    return table


def similarity_features(
    partition: Partition, answer_rows: NDArray[np.int32], clue_embedding: Float32Array
) -> Float32Array:
    """Compare a clue with the past clues of answers, (answers, len(SIMILARITY_FEATURES)).

    The columns: the largest cosine, -1 without clues; the log of all clues' votes, exp(vote_sharpness * (cosine - 1))
    each; and the log of the mean vote.
    """
    _, owners, cosines = _compare(partition, answer_rows, clue_embedding)
    best = np.full(len(answer_rows), -1, np.float32)
    np.maximum.at(best, owners, cosines)
    votes = (
        np.bincount(owners, np.exp(CANDIDATES.vote_sharpness * (cosines - 1)), minlength=len(answer_rows))
        + CANDIDATES.min_votes
    )
    clue_counts = np.bincount(owners, minlength=len(answer_rows))
    return np.stack([best, np.log(votes), np.log(votes / (clue_counts + CANDIDATES.prior_clues))], axis=1).astype(
        np.float32
    )


def find_nearest_clue(partition: Partition, answer_row: int, clue_embedding: Float32Array) -> tuple[int, float] | None:
    """Find the past clue of an answer that is nearest in meaning; return its row and cosine, None without clues."""
    clue_rows, _, cosines = _compare(partition, np.array([answer_row], np.int32), clue_embedding)
    if not len(clue_rows):
        return None
    best = first_largest(cosines)
    return int(clue_rows[best]), float(cosines[best])


def _compare(
    partition: Partition, answer_rows: NDArray[np.int32], clue_embedding: Float32Array
) -> tuple[NDArray[np.int64], NDArray[np.int64], Float32Array]:
    """Return the live past clues of answers: their rows, their answers (ascending), and cosines."""
    starts = partition.answer_clue_starts
    owners, places = expand_ranges(starts[answer_rows], starts[answer_rows + 1])
    clue_rows = partition.clues_by_answer[places].astype(np.int64)
    is_live = partition.clue_counts[clue_rows] > 0
    embeddings = partition.clue_embeddings[places[is_live]].astype(np.float32)
    return clue_rows[is_live], owners[is_live], embeddings @ (clue_embedding / np.float32(INT8_UNIT))


def match_rows(answer_rows: AnswerRows, found_rows: AnswerRows) -> tuple[ArrayIndex, ArrayIndex]:
    """Find the rows in both ascending `answer_rows` and distinct `found_rows`: their positions in each, or slices if
    all."""
    if len(answer_rows) == len(found_rows) and np.array_equal(answer_rows, found_rows):
        return slice(None), slice(None)
    if len(found_rows) > len(answer_rows) and bool((np.diff(found_rows) > 0).all()):
        which, places = match_rows(found_rows, answer_rows)
        return places, which
    places, is_there = find_sorted(answer_rows, found_rows)
    inside = np.flatnonzero(is_there)
    return places[inside], inside


@dataclass(frozen=True)
class Weights:
    """Weights of features, and P(unlisted) by length and class of clue."""

    feature_weights: NDArray[np.float64]  # (len(RANKING_FEATURES),) nats per unit
    missing_by_length: Mapping[int, float]
    fit_record: Mapping[str, Any]  # how they were fitted: year, rows, log loss
    missing_factors: Mapping[str, float] = field(default_factory=dict)  # by class, on P(in no list); 1 for others
    reranker: Reranker | None = None

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Weights:
        """Read the result of `to_json`, for these columns or others; raises KeyError, TypeError, or ValueError."""
        fitted_features = raw["features"]
        by_name = _HAND_SET_WEIGHTS | fitted_features
        feature_weights = np.array([float(by_name.get(name, 0.0)) for name in RANKING_FEATURES])
        missing_by_length = {int(length): float(p) for length, p in raw["missing"].items()}
        missing_factors = {str(clue_kind): float(factor) for clue_kind, factor in raw["times"].items()}
        probabilities = missing_by_length.values()
        if not fitted_features or not np.isfinite(feature_weights).all():
            raise ValueError("weights that aren't numbers")
        if not probabilities or not all(0 <= p < 1 for p in probabilities):
            raise ValueError("invalid probabilities")
        if not all(0 < factor < 1e6 for factor in missing_factors.values()):
            raise ValueError("invalid factors")
        reranker = None
        if "reranker" in raw:
            fitted_columns = (*fitted_features, *SIMILARITY_FEATURES)
            reranker = Reranker.from_text(raw["reranker"], len(fitted_columns))
            reranker = reranker.with_columns(fitted_columns, RERANKER_FEATURES)
        return cls(feature_weights, missing_by_length, raw["fitted"], missing_factors, reranker)

    def to_json(self) -> dict[str, Any]:
        """Return the weights as learned.json stores them."""
        weights = zip(RANKING_FEATURES, self.feature_weights, strict=True)
        raw: dict[str, Any] = {
            "features": {name: round(float(weight), 4) for name, weight in weights},
            "missing": {str(length): p for length, p in self.missing_by_length.items()},
            "times": dict(self.missing_factors),
            "fitted": self.fit_record,
        }
        return raw | ({"reranker": self.reranker.to_text()} if self.reranker else {})

    def missing_at(self, answer_length: int, clue_kind: str = "") -> float:
        """Return P(unlisted) for clues of a class; other lengths count as the longest."""
        probability = self.missing_by_length.get(answer_length, self.missing_by_length[max(self.missing_by_length)])
        return min(probability * self.missing_factors.get(clue_kind, 1.0), 0.98)

    @classmethod
    def read_weights(cls, index: Index) -> Weights:
        """Read the weights of an index; raises IndexDamaged."""
        try:
            return cls.from_json(index.fitted_values[schema.WEIGHTS_KEY])
        except (KeyError, TypeError, ValueError, AttributeError) as cause:
            raise validation.damaged_error(index.folder, schema.LEARNED_FILE) from cause


DEFAULT_WEIGHTS = Weights(
    np.array([_HAND_SET_WEIGHTS.get(name, 0.0) for name in RANKING_FEATURES]),
    {2: 0.02, 3: 0.003, 4: 0.006, 5: 0.014, 6: 0.05, 7: 0.13, 8: 0.28, 9: 0.45, 10: 0.5, 11: 0.68, 12: 0.8},
    {"how": "set by hand, for corpora too small to fit on; missing as measured on NYT 2013"},
)
"""Weights for an index without fitted ones, and for queries without columns. (Measured:
docs/experiments/ranking.md.)"""
