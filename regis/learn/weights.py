"""Learning from an index what weighs how much: the weights of `weigh`, and how often an answer is in no list.

The index is read as it was before its newest year; clues of that year are then asked as a solver would ask them, and
the weights are those that make the true answers most likely. So every index is calibrated to its own corpus, and
nothing but the corpus is needed. An index without enough dated clues keeps `weigh.DEFAULT`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import clues
from regis.candidates import Found
from regis.finders import FINDERS, PAST_CLUES
from regis.index import Index
from regis.weigh import BASE, DEFAULT, ENCODERS, FEATURES, STRONG, Weights, features

SAMPLE = 4000
"""Clues that the weights are fitted on; asking them takes most of the time."""

ENOUGH = 300
"""Fewer clues than this in the newest year, or before it, and nothing is fitted."""

RIVALS = 300
"""Answers drawn for each clue from those that nothing speaks for; the softmax weighs them up to all of them."""

MEANT = 300
"""How many answers each encoder speaks for. When they were left to the draw, the fit took too few of the strong rivals
for all there are, and came out too sure (expected calibration error on clues of 2014: 3.5 %)."""

RIDGE = 1e-3
"""Pull of each weight towards its default; matters only for features that hardly ever occur."""

SEED = 2014


class Question(NamedTuple):
    """One clue of the newest year: features of the rivals for it, and which of them is right."""

    table: NDArray[np.float64]  # (rivals, len(FEATURES))
    offset: NDArray[np.float64]  # (rivals,): log of how many answers each stands for
    right: int


def fit(index: Index) -> dict[str, Weights]:
    """The weights that suit the newest year of `index` best, by name (weigh.BASE, weigh.STRONG).

    An index with a transformer gets both: where that cannot run, the others must be right without it.
    """
    default = {BASE: DEFAULT}
    newest = index.manifest.newest_year
    if newest is None:
        return default
    before = index.as_it_was()
    sample = _newest_clues(index)
    known = sum(int(part.count.sum()) for n in index.lengths if (part := before[n]) is not None)
    if min(len(sample), known) < ENOUGH:
        return default
    missing = _missing(before, sample)
    times = _times(before, sample, missing)
    generator = np.random.default_rng(SEED)
    chosen = generator.permutation(len(sample))[:SAMPLE]
    asked = [_question(before, sample[i], newest, generator) for i in chosen]
    questions = [question for question in asked if question is not None]
    if len(questions) < ENOUGH:
        return default
    found = {}
    for name in (BASE, STRONG) if before.transformer else (BASE,):
        weights, loss = _fitted(questions, name)
        fitted = {"how": "newest year, hidden", "year": newest, "clues": len(questions), "log loss": round(loss, 4)}
        found[name] = Weights(weights, missing, fitted, times)
    return found


def _newest_clues(index: Index) -> list[tuple[int, int, int]]:
    """(length, clue row, answer row) of every clue that was used in the newest year."""
    found = []
    for length in index.lengths:
        part = index[length]
        assert part is not None
        rows = np.flatnonzero(part.clue_latest > 0)
        found += [(length, int(row), int(part.clue_answer[row])) for row in rows]
    return found


def _missing(before: Index, sample: list[tuple[int, int, int]]) -> Mapping[int, float]:
    """P(answer in no list) by length, pulled towards the shorter length's where there are few clues."""
    total: dict[int, list[float]] = {}
    for length, _, answer in sample:
        part = before[length]
        assert part is not None
        entry = total.setdefault(length, [0.0, 0.0])
        entry[0] += 1
        entry[1] += not part.exists[answer]
    guess, missing = 0.005, {}
    for length in sorted(total):
        asked, gone = total[length]
        guess = max((gone + 10 * guess) / (asked + 10), 1e-4)
        missing[length] = round(guess, 5)
    return missing


def _times(before: Index, sample: list[tuple[int, int, int]], missing: Mapping[int, float]) -> Mapping[str, float]:
    """How many times as often as clues of their length the clues of each class have an answer in no list."""
    seen = dict.fromkeys(clues.KINDS, 0.0)
    expected = dict.fromkeys(clues.KINDS, 0.0)
    for length, clue, answer in sample:
        part = before[length]
        assert part is not None
        kind = clues.kind(part.clue_column[clue].as_py())
        seen[kind] += not part.exists[answer]
        expected[kind] += missing[length]
    return {kind: round((seen[kind] + 5) / (expected[kind] + 5), 3) for kind in clues.KINDS}


def _question(
    before: Index, sampled: tuple[int, int, int], newest: int, generator: np.random.Generator
) -> Question | None:
    """What a solver would have known of this clue, or None where the answer was in no list then."""
    length, clue, answer = sampled
    part = before[length]
    assert part is not None
    if not part.exists[answer]:
        return None
    said = part.clue_column[clue].as_py()
    found = [find(said, "?" * length, before, PAST_CLUES) for find in FINDERS.values()]
    spoken = np.concatenate([_named(one) for one in found])
    everything = next(f.answers for f in found if f.finder == "pattern")
    rest = np.setdiff1d(everything, np.append(spoken, answer), assume_unique=False)
    drawn = generator.choice(rest, min(RIVALS, len(rest)), replace=False) if len(rest) else rest
    rivals = np.unique(np.concatenate([spoken, drawn, [answer]])).astype(np.int32)
    offset = np.where(np.isin(rivals, drawn), np.log(max(len(rest), 1) / max(len(drawn), 1)), 0.0)
    return Question(features(part, rivals, found, newest), offset, int(np.searchsorted(rivals, answer)))


def _named(found: Found) -> NDArray[np.int32]:
    """The answers that a finder speaks for: all that it found; the likeliest, where it has an opinion of all."""
    if found.finder == "pattern":
        return found.answers[:0]
    if found.finder not in ENCODERS or len(found.answers) <= MEANT:
        return found.answers
    return found.answers[np.argpartition(-found.score, MEANT)[:MEANT]]


def _fitted(questions: list[Question], name: str) -> tuple[NDArray[np.float64], float]:
    """The weights with the highest likelihood (L-BFGS), and the log loss per clue; BASE sees no transformer."""
    from scipy.optimize import minimize

    table = np.concatenate([q.table for q in questions])
    if name == BASE:
        table[:, [feature.startswith("transformer") for feature in FEATURES]] = 0
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
