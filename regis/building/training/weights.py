"""Learning from an index what weighs how much: the weights of ranking, and how often an answer is in no list.

The index is read as it was before its newest year; clues of that year are then asked as a solver would ask them
(`asking`), and the weights are those that make the true answers most likely. So every index is calibrated to its own
corpus, and nothing but the corpus is needed. An index without enough dated clues keeps `weights.DEFAULT` of candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from regis.building.training import asking, reranker
from regis.building.training.asking import Pair, Question, row
from regis.candidates.weights import DEFAULT, FEATURES, Weights
from regis.index import Index
from regis.models import clue_form
from regis.system.crew import Crew

SAMPLE = 4000  # clues that the weights are fitted on; asking them takes most of the time
ENOUGH = 300  # fewer clues than this in the newest year, or before it, and nothing is fitted
RIDGE = 1e-3  # pull of each weight towards its default; matters only for features that hardly ever occur

SHORTEST, LEAST = 0.005, 1e-4  # P(in no list) before any clue is looked at, of the shortest; and the least; a guess
FEW, FEW_MISSING = 10, 5  # clues of a length, and missing answers of a class, that what is supposed counts as; a guess

LOOKS = 20_000
"""How many other clues is the reranker learned from? (Measured: docs/measured.md.)"""

SEED = 2014


def fit(index: Index, before: Index | None = None, workers: Crew | None = None, *, rerank: bool = True) -> Weights:
    """The weights that suit the newest year of `index` best, where `before` (or all years before) is what is known.

    The clues are asked by `workers`, this process if None; others need `before` finished, with its manifest. Without
    `rerank` there is no reranker among them, which takes most of the time.
    """
    before = index.as_it_was() if before is None else before
    workers = workers or Crew()
    newest, sample = index.manifest.newest_year, newest_clues(index)
    known = sum(int(part.count.sum()) for part in before.parts())
    if newest is None or min(len(sample), known) < ENOUGH:
        return DEFAULT
    missing = _missing(before, sample)
    times = _times(before, sample, missing)
    order = np.random.default_rng(SEED).permutation(len(sample))
    questions = asking.questions(before, newest, [sample[i] for i in order[:SAMPLE]], workers)
    if len(questions) < ENOUGH:
        return DEFAULT
    best, loss = _fitted(questions)
    fitted = {"how": "newest year, hidden", "year": newest, "clues": len(questions), "log loss": round(loss, 4)}
    found = Weights(best, missing, fitted, times)
    others = [sample[i] for i in order[SAMPLE : SAMPLE + LOOKS]]  # whose lists a network learns to look at again
    if len(others) < ENOUGH or not rerank:
        return found
    seen = asking.seen(before, newest, others, found, workers)
    return replace(found, reranker=reranker.fit(seen), fitted=fitted | {"reranked": len(seen)})


def newest_clues(index: Index) -> list[Pair]:
    """Every clue that was used in the newest year of `index`, with its answer."""
    found: list[Pair] = []
    for part in index.parts():
        rows = np.flatnonzero(part.clue_latest > 0)
        answers = part.names[part.clue_answer[rows]].astype(str).tolist()
        found += zip(part.clue_column.of(rows), answers, strict=True)
    return found


def _missing(before: Index, sample: list[Pair]) -> Mapping[int, float]:
    """P(answer in no list) by length, pulled towards the shorter length's where there are few clues."""
    total = Counter(len(answer) for _, answer in sample)
    gone = Counter(len(answer) for _, answer in sample if row(before, answer) is None)
    guess, missing = SHORTEST, {}
    for length in sorted(total):
        guess = max((gone[length] + FEW * guess) / (total[length] + FEW), LEAST)
        missing[length] = round(guess, 5)
    return missing


def _times(before: Index, sample: list[Pair], missing: Mapping[int, float]) -> Mapping[str, float]:
    """How many times as often as clues of their length the clues of each class have an answer in no list.

    Pulled towards 1 where there are few.
    """
    seen, expected = dict.fromkeys(clue_form.KINDS, float(FEW_MISSING)), dict.fromkeys(clue_form.KINDS, 0.0)
    for clue, answer in sample:
        kind = clue_form.kind(clue)
        seen[kind] += row(before, answer) is None
        expected[kind] += missing[len(answer)]
    return {kind: round(seen[kind] / (expected[kind] + FEW_MISSING), 3) for kind in clue_form.KINDS}


def _fitted(questions: Sequence[Question]) -> tuple[NDArray[np.float64], float]:
    """The weights with the highest likelihood (L-BFGS), and the log loss per clue."""
    from scipy.optimize import minimize

    table = np.concatenate([q.table for q in questions])
    offset = np.concatenate([q.offset for q in questions])
    starts = np.cumsum([0] + [len(q.table) for q in questions[:-1]])
    sizes = np.diff(np.append(starts, len(table)))
    right = starts + [q.right for q in questions]
    scale = np.maximum(table.std(axis=0), 1e-9)

    def loss(scaled: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        score = table @ (scaled / scale) + offset
        score -= np.repeat(np.maximum.reduceat(score, starts), sizes)
        p = np.exp(score)
        whole = np.add.reduceat(p, starts)
        pull = scaled - DEFAULT.features * scale
        value = np.log(whole).sum() - score[right].sum() + RIDGE * len(right) * pull @ pull
        p /= np.repeat(whole, sizes)
        slope = (p @ table - table[right].sum(axis=0)) / scale + 2 * RIDGE * len(right) * pull
        return value / len(right), slope / len(right)

    best = minimize(loss, DEFAULT.features * scale, jac=True, method="L-BFGS-B")
    assert len(best.x) == len(FEATURES)
    return best.x / scale, float(best.fun)
