"""The columns of all finders side by side, a row for each answer; one that no finder fills is 0.

'NAME, CONDITION' is column NAME where the condition holds, else 0: the same opinion may mean more of an answer that no
past clue speaks for.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finder import FinderResult
from regis.candidates.finders import FINDERS
from regis.candidates.ranking import clue_similarity
from regis.index import Partition
from regis.models.numeric.arrays import Float64Array
from regis.models.numeric.sorted_search import find_sorted

PRIOR_FEATURES = ("log count", "never used", "list score", "years unused", "log recent count")
"""What is known of an answer before any clue is asked."""

RANKING_FEATURES = (*PRIOR_FEATURES, *(name for finder in FINDERS.values() for name in finder.feature_names))
"""The columns, in the order in which the reranker has them."""

CONDITIONAL_FEATURES = tuple((name, *name.split(", ")) for name in RANKING_FEATURES if ", " in name)
"""(column, the column that it repeats, the condition): 'never used', or 'alone' where no past clue speaks for it."""

RERANKER_FEATURES = (*RANKING_FEATURES, *clue_similarity.SIMILARITY_FEATURES)
"""Past clues that mean the same are only looked for once the best are known."""

RECENT_USES_FLOOR = 13  # from here on uses of late count, in DECAY_UNIT: a twentieth of one; a guess
MAX_YEARS_UNUSED = 60  # years unused that count; more count as so many

AnswerRows = NDArray[np.int32]
ArrayIndex = NDArray[np.int64] | slice  # which elements of an array; a slice is faster by far where that is all


def build_feature_table(
    partition: Partition, answer_rows: AnswerRows, results: Mapping[str, FinderResult], year: int
) -> Float64Array:
    """Put the columns of all finders side by side.

    Parameters
    ----------
    partition : the answers of one length.
    answer_rows : (answers,) rows of its answer table, ascending.
    results : by the finder's name.
    year : the one to count years unused from.

    Returns
    -------
    (answers, len(RANKING_FEATURES)) float64, column by column in memory.
    """
    table = np.zeros((len(answer_rows), len(RANKING_FEATURES)), order="F")
    columns = dict(zip(RANKING_FEATURES, table.T, strict=True))
    use_counts, last_years = partition.use_counts[answer_rows], partition.last_years[answer_rows].astype(np.int64)
    columns["log count"][:] = np.log1p(use_counts)
    columns["never used"][:] = use_counts == 0
    columns["list score"][:] = np.where(use_counts == 0, partition.list_scores[answer_rows], 0)
    years_unused = np.clip(year - last_years, 0, MAX_YEARS_UNUSED)
    columns["years unused"][:] = np.where(last_years > 0, np.log1p(years_unused), 0)
    columns["log recent count"][:] = np.log1p(partition.decayed_uses[answer_rows] / RECENT_USES_FLOOR)
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


def match_rows(answer_rows: AnswerRows, found_rows: AnswerRows) -> tuple[ArrayIndex, ArrayIndex]:
    """Find the rows that two lists share.

    Parameters
    ----------
    answer_rows : (answers,) ascending.
    found_rows : (found,) each once, in any order.

    Returns
    -------
    Where the shared rows stand in `answer_rows`, and where in `found_rows`; a slice where that is all.
    """
    if len(answer_rows) == len(found_rows) and np.array_equal(answer_rows, found_rows):
        return slice(None), slice(None)
    if len(found_rows) > len(answer_rows) and bool((np.diff(found_rows) > 0).all()):
        which, places = match_rows(found_rows, answer_rows)
        return places, which
    places, is_there = find_sorted(answer_rows, found_rows)
    inside = np.flatnonzero(is_there)
    return places[inside], inside
