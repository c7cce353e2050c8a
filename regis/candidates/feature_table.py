"""The feature columns of all finders side by side, a row for each answer: what `ranking` weighs.

A column that no finder fills is 0. 'NAME, CONDITION' is column NAME where the condition holds, else 0: the same opinion
may mean more of an answer that no past clue speaks for.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finders import FINDERS
from regis.candidates.found import Found
from regis.index import Partition

PRIOR = ("log count", "never used", "list score", "years unused")  # what is known of an answer before any clue is asked

FEATURES = (*PRIOR, *(name for finder in FINDERS.values() for name in finder.features))
"""The columns, in the order in which the reranker has them."""

CONDITIONAL = tuple((name, *name.split(", ")) for name in FEATURES if ", " in name)
"""(column, the column that it repeats, the condition): 'never used', or 'alone' where no past clue speaks for it."""

YEARS = 60  # years unused that count; more count as so many

Rows = NDArray[np.int32]
Table = NDArray[np.float64]
Some = NDArray[np.int64] | slice  # which elements of an array; a slice is faster by far where that is all


def table(part: Partition, rows: Rows, found: Mapping[str, Found], year: int) -> Table:
    """The (len(rows), len(FEATURES)) matrix of answers `rows`, ascending.

    `found` is by the finder's name; `year` is the one to count years unused from.
    """
    made = np.zeros((len(rows), len(FEATURES)), order="F")
    column = dict(zip(FEATURES, made.T, strict=True))
    count, last = part.count[rows], part.last[rows].astype(np.int64)
    column["log count"][:] = np.log1p(count)
    column["never used"][:] = count == 0
    column["list score"][:] = np.where(count == 0, part.score[rows], 0)
    column["years unused"][:] = np.where(last > 0, np.log1p(np.clip(year - last, 0, YEARS)), 0)
    alone = np.ones(len(rows), bool)
    for name, one in found.items():
        if one.features and len(one.answers):
            place, which = common(rows, one.answers)
            for feature, values in one.features.items():
                column[feature][place] = values[which]
            alone[place] &= not FINDERS[name].past_clues
    holds = {"never used": count == 0, "alone": alone}
    for name, feature, condition in CONDITIONAL:
        column[name][:] = np.where(holds[condition], column[feature], 0)
    return made


def common(rows: Rows, answers: Rows) -> tuple[Some, Some]:
    """Where in `rows`, which ascend, those of `answers` stand that are among them, and which of `answers` those are."""
    if len(rows) == len(answers) and np.array_equal(rows, answers):
        return slice(None), slice(None)
    if len(answers) > len(rows) and bool((np.diff(answers) > 0).all()):
        which, place = common(answers, rows)
        return place, which
    place = np.searchsorted(rows, answers)
    there = np.minimum(place, len(rows) - 1)
    inside = np.flatnonzero(rows[there] == answers)
    return there[inside], inside
