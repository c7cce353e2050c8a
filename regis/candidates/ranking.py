"""Weighing: what the finders found for a slot, made into one list of probabilities.

A conditional logit: each answer of the length gets a score linear in some twenty features, and the softmax over all of
them is its probability (McFadden 1974). `missing` is the probability that the answer is in no list, which depends on
the length and on the class of the clue. The best answers are then looked at again, and `missing` with them (`rerank`).
All of it is fitted on the newest year of the index itself, with that year hidden (`learn`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from regis.candidates import similar
from regis.candidates.candidate_list import CandidateList, Evidence, Found, unlisted
from regis.index import Partition
from regis.models.reranker import BEST, LEAST_MISSING, Reranker, outlook

COVERED = ("clue covered", "past clue covered", "clue covered together")
"""What `keywords` says of an answer besides score and support."""

FEATURES = (
    "log count",
    "never used",
    "list score",
    "years unused",
    "nearby",
    "nearby squared",
    "same clue",
    "share of same clue",
    "keywords",
    "keywords squared",
    "keywords sum",
    "keywords per use",
    *COVERED,
    "meaning",
    "meaning, never used",
    "transformer",
    "transformer, never used",
    "reference",
    "reference, alone",
    "definition",
    "definition, alone",
    "blanks",
    "blanks squared",
)

LOOKED_AT = (*FEATURES, *similar.FEATURES)
"""What the reranker sees of each answer: past clues that mean the same are only looked for once the best are known."""

LIMIT = 100_000
"""How many candidates a list keeps. Cutting at 2,000 cost a published system a sixth of its words (design 6)."""

MOST_MISSING = 0.98
"""However long an answer and odd its clue, it may be in a list."""

BESIDES = 0.3
"""Share of the clue as it stands once answers of other entries have joined it: those may be wrong, or say little. On
clues of 2014 that name entries it brings 4 to 6 % more right answers into the first hundred, and costs 0.1 nats."""

ENCODERS = ("meaning", "transformer")
"""Finders that have an opinion of every answer."""

MEANT = 0.001
"""Probability from which an encoder's opinion is named as a reason; it has one of every answer."""

ALIKE = 0.8
"""Cosine from which a past clue that means the same is named as a reason; a guess."""

Some = NDArray[np.int64] | slice
"""Which elements of an array; a slice is faster by far where that is all."""

Gist = NDArray[np.float32] | None
"""What a clue means (Index.gist); None without a transformer."""


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
        reranker = Reranker.from_text(raw["reranker"], len(LOOKED_AT)) if "reranker" in raw else None
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


_BY_HAND = {
    "log count": 0.75, "list score": 0.5, "years unused": -0.3, "nearby squared": 5.0, "same clue": 1.0,
    "share of same clue": 3.0, "keywords": 4.0, "keywords squared": 3.0, "keywords sum": 0.5, "meaning": 0.7,
    "reference": 0.5, "reference, alone": 5.0, "definition": 0.05, "definition, alone": 0.2, "blanks": 3.0,
    "blanks squared": 2.0,
}  # fmt: skip

DEFAULT = Weights(
    np.array([_BY_HAND.get(name, 0.0) for name in FEATURES]),
    {2: 0.02, 3: 0.003, 4: 0.006, 5: 0.014, 6: 0.05, 7: 0.13, 8: 0.28, 9: 0.45, 10: 0.5, 11: 0.68, 12: 0.8},
    {"how": "set by hand, for corpora too small to fit on; missing as measured on NYT 2013"},
)


def features(part: Partition, rows: NDArray[np.int32], found: Sequence[Found], newest: int) -> NDArray[np.float64]:
    """The (len(rows), len(FEATURES)) matrix of answers `rows`, ascending; `newest` is the year to count back from."""
    table = np.zeros((len(rows), len(FEATURES)), order="F")
    column = dict(zip(FEATURES, table.T, strict=True))
    count = part.count[rows]
    column["log count"][:] = np.log1p(count)
    column["never used"][:] = count == 0
    column["list score"][:] = np.where(count == 0, part.score[rows], 0)
    last = part.last[rows].astype(np.int64)
    column["years unused"][:] = np.where(last > 0, np.log1p(np.clip(newest - last, 0, 60)), 0)
    for one in found:
        if one.finder == "pattern" or not len(one.answers):
            continue
        place, which = _common(rows, one.answers)
        score, support = one.score[which], one.support[which]
        column[one.finder][place] = score
        if one.finder in ENCODERS:
            column[f"{one.finder}, never used"][place] = np.where(count[place] == 0, score, 0)
            continue
        if one.finder == "reference":
            column["definition"][place] = support
            continue
        column[f"{one.finder} squared"][place] = score**2
        if one.finder == "nearby":
            column["same clue"][place] = support > 0
            column["share of same clue"][place] = support
        elif one.finder == "keywords":
            if one.covered is not None:
                for name, share in zip(COVERED, one.covered[which].T, strict=True):
                    column[name][place] = share
            column["keywords sum"][place] = np.log1p(support)
            column["keywords per use"][place] = support / (count[place] + 5)
    alone = (column["nearby"] == 0) & (column["keywords"] == 0)
    for name in ("reference", "definition"):
        column[f"{name}, alone"][:] = np.where(alone, column[name], 0)
    return table


def scores(
    part: Partition, rows: NDArray[np.int32], found: Sequence[Found], weights: Weights, newest: int
) -> NDArray[np.float64]:
    """`features` @ weights, (len(rows),), in a fifth of the time: most answers have few features that are not 0."""
    weight = dict(zip(FEATURES, weights.features.tolist(), strict=True))
    score: NDArray[np.float64] = _prior(part, weights, newest)[rows]
    for one in found:
        if one.finder in ENCODERS and len(one.answers):
            place, which = _common(rows, one.answers)
            opinion = one.score[which]
            unused = weight[f"{one.finder}, never used"] * (part.count[rows[place]] == 0)
            score[place] += opinion * (weight[one.finder] + unused)
    few = [one.answers for one in found if one.finder not in (*ENCODERS, "pattern")]
    place, _ = _common(rows, np.unique(np.concatenate([*few, rows[:0]])))
    score[place] = features(part, rows[place], found, newest) @ weights.features
    return score


_PRIORS: WeakKeyDictionary[Partition, tuple[NDArray[np.float64], int, NDArray[np.float64]]] = WeakKeyDictionary()
"""By partition: weights and year that were asked with last, and the scores that they gave."""


def _prior(part: Partition, weights: Weights, newest: int) -> NDArray[np.float64]:
    """The score of every answer of `part` before any clue is asked; made once."""
    known = _PRIORS.get(part)
    if known is None or known[1] != newest or not np.array_equal(known[0], weights.features):
        everything = np.arange(len(part.letters), dtype=np.int32)
        known = weights.features, newest, features(part, everything, (), newest) @ weights.features
        _PRIORS[part] = known
    return known[2]


def _common(rows: NDArray[np.int32], answers: NDArray[np.int32]) -> tuple[Some, Some]:
    """Where in `rows`, which ascend, those of `answers` stand that are among them, and which of `answers` those are."""
    if len(rows) == len(answers) and np.array_equal(rows, answers):
        return slice(None), slice(None)
    if len(answers) > len(rows) and bool((np.diff(answers) > 0).all()):
        which, place = _common(answers, rows)
        return place, which
    place = np.searchsorted(rows, answers)
    there = np.minimum(place, len(rows) - 1)
    inside = np.flatnonzero(rows[there] == answers)
    return there[inside], inside


def weigh(
    part: Partition,
    found: Sequence[Found],
    weights: Weights,
    newest: int,
    kind: str = "",
    gist: Gist = None,
    besides: tuple[Sequence[Found], Gist] | None = None,
) -> CandidateList:
    """One list for a slot and a clue of class `kind`: all that `pattern` found, with what the other finders say.

    `gist` is what the clue means (Index.gist). `besides` is what was found for another wording of the clue, and the
    gist of that; it has a share of `BESIDES` in each probability.
    """
    rows = next(one.answers for one in found if one.finder == "pattern")
    if not len(rows):
        return unlisted(part.length)
    logp, missing = _probable(part, rows, found, weights, newest, kind, gist)
    if besides is not None:
        other, other_missing = _probable(part, rows, besides[0], weights, newest, kind, besides[1])
        logp = np.logaddexp(logp + np.log1p(-BESIDES), other + np.log(BESIDES))
        missing += BESIDES * (other_missing - missing)
    best = _descending(logp)[:LIMIT]
    rows = rows[best]
    spoken = np.zeros(len(part.letters), bool)
    spoken[spoken_for(found)] = True
    explain = _explainer(part, rows, found, gist)
    return CandidateList(part.letters.take(rows, axis=0), logp[best], missing, spoken[rows], explain)


def _probable(
    part: Partition,
    rows: NDArray[np.int32],
    found: Sequence[Found],
    weights: Weights,
    newest: int,
    kind: str,
    gist: Gist,
) -> tuple[NDArray[np.float64], float]:
    """Log probabilities of the answers `rows`, and P(in no list): together 1.

    Where only `pattern` found anything, as for a clue without a word, the weights set by hand hold, and nothing is
    looked at again: those that are fitted leave it to the encoders how common an answer is. (On 2013's index, they were
    worse by 0.9 to 1.4 nats an answer than those set by hand.)
    """
    missing = weights.missing_at(part.length, kind)
    if not any(len(one.answers) for one in found if one.finder != "pattern"):
        return softmax(scores(part, rows, found, DEFAULT, newest)) + np.log1p(-missing), missing
    logp = softmax(scores(part, rows, found, weights, newest))
    if weights.reranker is None:
        return logp + np.log1p(-missing), missing
    best, *seen = viewed(part, rows, found, logp, newest, kind, missing, gist)
    add, add_missing = weights.reranker.look(*seen)
    listed, unlisted = np.log1p(-missing), float(np.log(max(missing, LEAST_MISSING))) + add_missing
    others = max(1 - float(np.exp(logp[best]).sum()), 0.0)
    logp[best] += add
    total = np.logaddexp(np.log(others + np.exp(logp[best]).sum()) + listed, unlisted)
    return logp + (listed - total), float(np.exp(unlisted - total))


class View(NamedTuple):
    """A list as the reranker sees it, when it is learned and when it is used."""

    best: NDArray[np.int64]  # which answers are looked at, ascending
    logp: NDArray[np.float32]  # (best,)
    features: NDArray[np.float32]  # (best, len(LOOKED_AT))
    outlook: NDArray[np.float32]


def viewed(
    part: Partition,
    rows: NDArray[np.int32],
    found: Sequence[Found],
    logp: NDArray[np.float64],
    newest: int,
    kind: str,
    missing: float,
    gist: Gist,
) -> View:
    """What the reranker is shown of the answers `rows` with log probabilities `logp` among themselves."""
    best, table = looked_at(part, rows, found, logp, newest, gist)
    short = logp[best].astype(np.float32)
    return View(best, short, table, outlook(part.length, kind, missing, short, table))


def looked_at(
    part: Partition, rows: NDArray[np.int32], found: Sequence[Found], logp: NDArray[np.float64], newest: int, gist: Gist
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Which answers of `rows` are looked at again, ascending, and what is seen of them, (best, len(LOOKED_AT)).

    Without a gist all that `similar` says is 0.
    """
    best = np.sort(np.argpartition(-logp, BEST)[:BEST]) if len(logp) > BEST else np.arange(len(logp))
    table = np.zeros((len(best), len(LOOKED_AT)), np.float32)
    table[:, : len(FEATURES)] = features(part, rows[best], found, newest)
    if gist is not None:
        table[:, len(FEATURES) :] = similar.similar(part, rows[best], gist)
    return best, table


def softmax(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logs of the probabilities."""
    score = score - score.max()
    logp: NDArray[np.float64] = score - np.log(np.exp(score).sum())
    return logp


def _descending(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The order of `values`, largest first, equal ones as they come: a stable sort in a fifth of its time.

    16-bit numbers are sorted by their digits, and what is almost sorted sorts quickly.
    """
    coarse = np.argsort(np.minimum((values.max() - values) * 2000, 65535).astype(np.uint16), kind="stable")
    order: NDArray[np.int64] = coarse[np.argsort(-values[coarse], kind="stable")]
    return order


def spoken_for(found: Sequence[Found]) -> NDArray[np.int32]:
    """The answers that some past clue speaks for, ascending."""
    return np.unique(np.concatenate([one.answers[(one.clues >= 0) | (one.finder == "nearby")] for one in found]))


def _explainer(
    part: Partition, rows: NDArray[np.int32], found: Sequence[Found], gist: Gist
) -> Callable[[int], tuple[Evidence, ...]]:
    """The evidence for the i-th candidate, looked up only when somebody asks."""

    def past_clue(finder: str, kind: str, clue: int, score: float) -> Evidence:
        seen = int(part.clue_count[clue]), int(part.clue_last[clue]) or None
        return Evidence(finder, kind, part.clue_column[clue].as_py(), score, *seen)

    def explain(i: int) -> tuple[Evidence, ...]:
        row = int(rows[i])
        reasons, named = [], set()
        for one in found:
            for at in np.flatnonzero(one.answers == row):
                past = int(one.clues[at])
                if past >= 0:
                    named.add(past)
                    reasons.append(past_clue(one.finder, "clue", past, float(one.score[at])))
                elif one.reasons is not None:
                    reasons += one.reasons(row)
                elif one.finder in ENCODERS:
                    chance = float(np.exp(one.score[at]))
                    if chance >= MEANT:
                        reasons.append(Evidence(one.finder, "meaning", "", chance, 0, None))
                else:
                    written = part.texts[row].as_py()
                    used, last = int(part.count[row]), int(part.last[row]) or None
                    kind = "title" if written else "answer" if used else "word"
                    reasons.append(Evidence(one.finder, kind, written or "", float(one.score[at]), used, last))
        near = None if gist is None else similar.nearest(part, row, gist)
        if near is not None and near[1] >= ALIKE and near[0] not in named:
            reasons.append(past_clue("similar", "paraphrase", *near))
        return tuple(reasons)

    return explain
