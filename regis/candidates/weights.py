"""What ranking weighs, and what is fitted of it: a weight for each feature column, P(in no list), and the reranker.

The columns of all finders stand side by side, a row for each answer; one that no finder fills is 0. 'NAME, CONDITION'
is column NAME where the condition holds, else 0: the same opinion may mean more of an answer that no past clue speaks
for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.candidates import similar
from regis.candidates.finders import FINDERS
from regis.candidates.found import Found
from regis.index import Index, Partition, opening, schema
from regis.models import lookup
from regis.models.reranker import Reranker
from regis.models.tensors import Table

PRIOR = ("log count", "never used", "list score", "years unused")  # what is known of an answer before any clue is asked

FEATURES = (*PRIOR, *(name for finder in FINDERS.values() for name in finder.features))
"""The columns, in the order in which the reranker has them."""

CONDITIONAL = tuple((name, *name.split(", ")) for name in FEATURES if ", " in name)
"""(column, the column that it repeats, the condition): 'never used', or 'alone' where no past clue speaks for it."""

RERANKED = (*FEATURES, *similar.FEATURES)  # past clues that mean the same are only looked for once the best are known
YEARS = 60  # years unused that count; more count as so many
MOST_MISSING = 0.98  # however long an answer and odd its clue, it may be in a list

Rows = NDArray[np.int32]
Some = NDArray[np.int64] | slice  # which elements of an array; a slice is faster by far where that is all


@dataclass(frozen=True)
class Weights:
    """What is fitted: one weight per feature, and P(answer in no list) by length and by the clue's class."""

    features: NDArray[np.float64]  # (len(FEATURES),)
    missing: Mapping[int, float]
    fitted: Mapping[str, Any]  # how: year, rows, log loss
    times: Mapping[str, float] = field(default_factory=dict)  # what multiplies `missing`, by class; 1 if not named
    reranker: Reranker | None = None

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Weights:
        """Raises KeyError, TypeError or ValueError if `raw` is not what `to_json` wrote."""
        features = np.array([float(raw["features"][name]) for name in FEATURES])
        missing = {int(n): float(p) for n, p in raw["missing"].items()}
        times = {str(kind): float(factor) for kind, factor in raw["times"].items()}
        if not np.isfinite(features).all() or not missing or not all(0 <= p < 1 for p in missing.values()):
            raise ValueError("weights that are no numbers, or probabilities that are none")
        if not all(0 < factor < 1e6 for factor in times.values()):
            raise ValueError("factors that are none")
        reranker = Reranker.from_text(raw["reranker"], len(RERANKED)) if "reranker" in raw else None
        return cls(features, missing, raw["fitted"], times, reranker)

    def to_json(self) -> dict[str, Any]:
        features = {name: round(float(w), 4) for name, w in zip(FEATURES, self.features, strict=True)}
        missing = {str(n): p for n, p in self.missing.items()}
        raw = {"features": features, "missing": missing, "times": dict(self.times), "fitted": self.fitted}
        return raw | ({"reranker": self.reranker.to_text()} if self.reranker else {})

    def missing_at(self, length: int, kind: str = "") -> float:
        """P(answer in no list) for clues of class `kind`; lengths never seen count as the longest that was."""
        p = self.missing.get(length, self.missing[max(self.missing)])
        return min(p * self.times.get(kind, 1.0), MOST_MISSING)

    @classmethod
    def of(cls, index: Index) -> Weights:
        """The weights that were fitted when `index` was built. Raises IndexDamaged."""
        try:
            return cls.from_json(index.learned[schema.WEIGHTS])
        except (KeyError, TypeError, ValueError, AttributeError) as cause:
            raise opening.damaged(index.folder, schema.LEARNED) from cause


_BY_HAND = {"log count": 0.75, "list score": 0.5, "years unused": -0.3} | {
    name: weight for finder in FINDERS.values() for name, weight in finder.by_hand.items()
}

DEFAULT = Weights(
    np.array([_BY_HAND.get(name, 0.0) for name in FEATURES]),
    {2: 0.02, 3: 0.003, 4: 0.006, 5: 0.014, 6: 0.05, 7: 0.13, 8: 0.28, 9: 0.45, 10: 0.5, 11: 0.68, 12: 0.8},
    {"how": "set by hand, for corpora too small to fit on; missing as measured on NYT 2013"},
)
"""Where nothing was fitted, and where no finder with a column found anything. (Measured: docs/measured.md.)"""


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
    place, there = lookup.place(rows, answers)
    inside = np.flatnonzero(there)
    return place[inside], inside
