"""What is fitted of a ranking: a weight for each feature column, P(answer in no list), and the reranker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.candidates import similar
from regis.candidates.feature_table import FEATURES
from regis.candidates.finders import FINDERS
from regis.index import Index, manifest, schema
from regis.models.reranker import Reranker

RERANKED = (*FEATURES, *similar.FEATURES)  # past clues that mean the same are only looked for once the best are known
MOST_MISSING = 0.98  # however long an answer and odd its clue, it may be in a list


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
            raise manifest.damaged(index.folder, schema.LEARNED) from cause


_BY_HAND = {"log count": 0.75, "list score": 0.5, "years unused": -0.3} | {
    name: weight for finder in FINDERS.values() for name, weight in finder.by_hand.items()
}

DEFAULT = Weights(
    np.array([_BY_HAND.get(name, 0.0) for name in FEATURES]),
    {2: 0.02, 3: 0.003, 4: 0.006, 5: 0.014, 6: 0.05, 7: 0.13, 8: 0.28, 9: 0.45, 10: 0.5, 11: 0.68, 12: 0.8},
    {"how": "set by hand, for corpora too small to fit on; missing as measured on NYT 2013"},
)
