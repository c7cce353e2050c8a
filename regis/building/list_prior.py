"""How likely a listed string is to become an answer, learned from the newest years.

Lists have millions of names and titles; most never become answers. Among strings that weren't answers before, a
logistic regression separates those that became answers in the newest years from the others, by a string's lists, ranks,
words, and letters. Scores are on the scale of `list_scores`; strings with low ones stay out of the tables. If too few
strings became answers, the lists count as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.building import inheritance, list_features, list_scores
from regis.building.list_features import FeatureMaker, ListedStrings
from regis.building.settings import LISTS
from regis.index import Index
from regis.index.storage.spill import Spill
from regis.index.tables.writer import LIST_SCHEMA
from regis.models.strings.letter_model import count_trigrams

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

LISTED_SCHEMA = LIST_SCHEMA.append(pa.field("list", pa.int32()))
"""What one source says about an answer, and the source's number, null if coined."""


MIN_NEW_ANSWERS = 200  # new answers in lists; with fewer, the lists count as they are; a guess

USUAL_SHARE = 1e-6
"""Share of all new answers that a string of the usual score gets. Of 10,000 coined strings of that score, 20 were among
some 2,000 new answers of a year."""


class _AnswerHistory(NamedTuple):
    """What is known of the answers of one length without lists."""

    used_answers: pa.StringArray
    first_years: NDArray[np.int64]  # (used,) 0 for unknown
    other_answers: pa.StringArray  # answers in the index that no list has: coined, or the starter's
    used_elsewhere: pa.StringArray  # answers that only the starter knows as used

    @classmethod
    def read_length(cls, length: int, used_spill: Spill, listed_spill: Spill, starter: Index | None) -> _AnswerHistory:
        used_rows, listed_rows = used_spill.read_rows(length), listed_spill.read_rows(length)
        first = used_rows.group_by("answer", use_threads=False).aggregate([("year", "min")]).combine_chunks()
        others = listed_rows["answer"].filter(pc.is_null(listed_rows["list"]))
        used_elsewhere = np.empty(0, str)
        if starter is not None and len(starter[length].answers):
            part = starter[length]
            names = part.answers.astype(str)
            others = pa.chunked_array([*others.chunks, pa.array(names[part.is_live], pa.string())], pa.string())
            used_elsewhere = names[inheritance.count_extra_uses(starter, length, used_rows) > 0]
        first_years = first["year_min"].to_numpy().astype(np.int64)
        used_answers = first["answer"].combine_chunks()
        return cls(used_answers, first_years, others.unique(), pa.array(used_elsewhere, pa.string()))

    def look_up_years(self, answers: pa.StringArray) -> NDArray[np.float64]:
        """Return the first year of each answer, (answers,): -inf if before all years, inf if never."""
        place = pc.fill_null(pc.index_in(answers, value_set=self.used_answers), -1).to_numpy()
        years: NDArray[np.float64] = np.append(np.where(self.first_years > 0, self.first_years, -np.inf), np.inf)[place]
        years[pc.is_in(answers, value_set=self.used_elsewhere).to_numpy(zero_copy_only=False)] = -np.inf
        return years

    def is_known(self, answers: pa.StringArray) -> NDArray[np.bool_]:
        """Return whether each answer is in the index without a list, (answers,)."""
        is_known = pc.or_(*(pc.is_in(answers, value_set=some) for some in (self.used_answers, self.other_answers)))
        known: NDArray[np.bool_] = is_known.to_numpy(zero_copy_only=False)
        return known


class ListPrior(NamedTuple):
    """Scores of all listed strings, and the least score for strings that only lists have."""

    scores: Mapping[int, NDArray[np.float32]]  # by length, (strings,) in order of arrival
    lowest_score: float
    histories: Mapping[int, _AnswerHistory]

    def score_rows(self, length: int, listed_rows: pa.Table) -> tuple[pa.Table, NDArray[np.int64]]:
        """Score rows of LISTED_SCHEMA of one length, and leave out unlikely strings.

        Returns rows of LIST_SCHEMA, and the list's number for each rejected row. Answers that are also known without
        lists keep their text.
        """
        is_listed = pc.is_valid(listed_rows["list"])
        list_rows, coined_rows = listed_rows.filter(is_listed), listed_rows.filter(pc.invert(is_listed))
        if not len(list_rows):
            return listed_rows.select(LIST_SCHEMA.names), np.empty(0, np.int64)
        string_index, answers = list_features.distinct_answers(list_rows)
        scores = self.scores[length]
        is_good = scores >= self.lowest_score
        stays = (is_good | self.histories[length].is_known(answers))[string_index]
        rounded_scores = pa.array(list_scores.round_scores(scores).astype(np.float32), mask=~is_good)
        scored = rounded_scores.take(pa.array(string_index))
        column = LIST_SCHEMA.get_field_index("score")
        list_rows = list_rows.select(LIST_SCHEMA.names).set_column(column, LIST_SCHEMA.field(column), scored)
        rejected = listed_rows.filter(is_listed)["list"].to_numpy().astype(np.int64)[~stays]
        return pa.concat_tables([list_rows.filter(pa.array(stays)), coined_rows.select(LIST_SCHEMA.names)]), rejected


def first_label_year(uses_by_year: Mapping[int, int], starter_year: int | None, min_uses: int) -> int | None:
    """Find the first year whose new answers are learned; None if nothing is known before it.

    A year needs `min_uses` uses, since mistyped years have few. `starter_year` is the starter's last year, if any.
    """
    years = sorted(year for year, uses in uses_by_year.items() if year and uses >= min_uses)
    beyond_starter = 0 if starter_year is None else sum(year > starter_year for year in years)
    count = min(LISTS.max_label_years, max(len(years) // 2, beyond_starter))
    return years[-count] if count else None


def fit_list_prior(
    used_spill: Spill, listed_spill: Spill, label_year: int, starter: Index | None, max_listed: int = LISTS.max_listed
) -> ListPrior | None:
    """Learn which listed strings become answers from the uses since `label_year`; None if too few did.

    The spills, of USE_SCHEMA and LISTED_SCHEMA, are closed. Of the strings that only lists have, the best `max_listed`
    are kept.
    """
    lengths = sorted(listed_spill.answer_lengths() | used_spill.answer_lengths())
    histories = {n: _AnswerHistory.read_length(n, used_spill, listed_spill, starter) for n in lengths}
    new_count = sum(int((history.first_years >= label_year).sum()) for history in histories.values())
    list_lengths = [length for length in lengths if len(_read_list_rows(listed_spill, length))]
    if new_count < MIN_NEW_ANSWERS or not list_lengths:
        return None
    list_count = 1 + max(int(pc.max(_read_list_rows(listed_spill, n)["list"]).as_py()) for n in list_lengths)
    maker = FeatureMaker(list_count, _count_letters(histories.values(), label_year, starter))
    for length in list_lengths:
        maker.count_rows(_read_list_rows(listed_spill, length))
    sampled_share = min(1.0, 600_000 / float(maker.list_sizes.sum()))  # of strings that became no answer
    feature_blocks, labels = [], []
    for length in list_lengths:
        strings = ListedStrings.from_rows(_read_list_rows(listed_spill, length))
        first_years = histories[length].look_up_years(strings.answers)
        became_answer = (first_years >= label_year) & np.isfinite(first_years)
        is_drawn = np.random.default_rng((57, length)).random(len(first_years)) < sampled_share
        rows = np.flatnonzero(became_answer | (is_drawn & (first_years == np.inf)))
        feature_blocks.append(maker.make_features(strings.take(rows)))
        labels.append(became_answer[rows])
    if np.concatenate(labels).sum() < MIN_NEW_ANSWERS:
        return None
    weights = _fit_logistic(feature_blocks, np.concatenate(labels), sampled_share)
    del feature_blocks
    scores, new_scores = {}, []
    for length in list_lengths:
        strings = ListedStrings.from_rows(_read_list_rows(listed_spill, length))
        batches = (maker.make_features(batch) @ weights[:-1] + weights[-1] for batch in strings.split_batches())
        log_share = -np.logaddexp(0, -np.concatenate(list(batches))) - np.log(new_count * USUAL_SHARE)
        scores[length] = (LISTS.usual_score + log_share / LISTS.nats_per_score).astype(np.float32)
        is_candidate = ~histories[length].is_known(strings.answers) & (scores[length] >= LISTS.min_listed_score)
        new_scores.append(scores[length][is_candidate])
    ordered = np.sort(np.concatenate(new_scores))[::-1]
    is_crowded = len(ordered) > max_listed
    lowest_score = LISTS.min_listed_score
    if is_crowded:
        lowest_score = float(np.nextafter(ordered[max_listed], np.float32(np.inf)))
    return ListPrior(scores, lowest_score, histories)


def _count_letters(histories: Iterable[_AnswerHistory], label_year: int, starter: Index | None) -> NDArray[np.float64]:
    """Count the trigrams of answers used before `label_year`, (27, 27, 27), or take the starter's if it has more."""
    trigram_counts = np.zeros((27, 27, 27))
    for history in histories:
        if len(history.used_answers):
            is_old = (history.first_years < label_year).astype(np.float64)
            trigram_counts += count_trigrams(list_features.letter_table(history.used_answers), is_old)
    is_less = starter is not None and starter.trigram_counts.sum() > trigram_counts.sum()
    return starter.trigram_counts if starter is not None and is_less else trigram_counts


def _fit_logistic(
    feature_blocks: list[csr_matrix], became_answer: NDArray[np.bool_], sampled_share: float
) -> NDArray[np.float64]:
    """Fit a logistic regression by L-BFGS; return a weight for each feature and the intercept."""
    from scipy.optimize import minimize
    from scipy.sparse import vstack
    from scipy.special import expit

    features = vstack(feature_blocks, format="csr")
    transposed = features.T.tocsr()
    importance = np.where(became_answer, 1.0, 1.0 / sampled_share)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_odds = features @ weights[:-1] + weights[-1]
        value = importance @ (np.logaddexp(0, log_odds) - became_answer * log_odds)
        slope = importance * (expit(log_odds) - became_answer)
        penalty = LISTS.ridge_penalty * weights[:-1]
        return float(value + penalty @ weights[:-1] / 2), np.append(transposed @ slope + penalty, slope.sum())

    start = np.zeros(features.shape[1] + 1)
    start[-1] = np.log(became_answer.sum() / importance[~became_answer].sum()) if not became_answer.all() else 0.0
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 120})
    weights: NDArray[np.float64] = best.x
    return weights


def _read_list_rows(listed_spill: Spill, length: int) -> pa.Table:
    """Read the listed rows of one length, without coined ones."""
    listed_rows = listed_spill.read_rows(length)
    return listed_rows.filter(pc.is_valid(listed_rows["list"]))
