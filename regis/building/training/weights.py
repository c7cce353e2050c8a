"""Learning from an index what weighs how much: the weights of ranking, and how often an answer is in no list.

The index is read as it was before its newest year; clues of that year are then asked as a solver would ask them, and
the weights are those that make the true answers most likely. So every index is calibrated to its own corpus, and
nothing but the corpus is needed. An index without enough dated clues keeps `weigh.DEFAULT`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.training import reranker
from regis.candidates.candidate_list import Found
from regis.candidates.finders import FINDERS, PAST_CLUES, ahead
from regis.candidates.ranking import DEFAULT, ENCODERS, FEATURES, Gist, Weights, features, scores, softmax, viewed
from regis.index import Index, Partition
from regis.models import clue_form

SAMPLE = 4000
"""Clues that the weights are fitted on; asking them takes most of the time."""

ENOUGH = 300
"""Fewer clues than this in the newest year, or before it, and nothing is fitted."""

RIVALS = 300
"""Answers drawn for each clue from those that nothing speaks for; the softmax weighs them up to all of them."""

MEANT = 300
"""How many answers of each encoder must the fit see? Left to the draw, it takes too few of the strong rivals for all
there are, and comes out too sure (measured: docs/measured.md)."""

RIDGE = 1e-3
"""Pull of each weight towards its default; matters only for features that hardly ever occur."""

LOOKS = 20_000
"""How many other clues is the reranker learned from? (Measured: docs/measured.md.)"""

SEED = 2014

TOGETHER = 100
"""How many clues are asked at once: the transformer reads them together, and each takes a megabyte or two."""


class Said(NamedTuple):
    clue: str
    answer: str


class Asked(NamedTuple):
    """One clue of the newest year, as a solver would have asked it."""

    part: Partition
    kind: str
    right: int | None  # row of its answer; None where that was in no list then
    found: Sequence[Found]
    gist: Gist


class Question(NamedTuple):
    """One clue of the newest year: features of the rivals for it, and which of them is right."""

    table: NDArray[np.float64]  # (rivals, len(FEATURES))
    offset: NDArray[np.float64]  # (rivals,): log of how many answers each stands for
    right: int


def fit(index: Index) -> Weights:
    """The weights that suit the newest year of `index` best."""
    return fit_on(index.as_it_was(), index)


def fit_on(before: Index, index: Index) -> Weights:
    """The weights that suit the newest year of `index` best, where `before` is all that is known."""
    newest, sample = index.manifest.newest_year, newest_clues(index)
    known = sum(int(part.count.sum()) for part in before.parts())
    if newest is None or min(len(sample), known) < ENOUGH:
        return DEFAULT
    missing = _missing(before, sample)
    times = _times(before, sample, missing)
    generator = np.random.default_rng(SEED)
    order = generator.permutation(len(sample))
    asked = chain.from_iterable(_ask(before, [sample[i] for i in order[:SAMPLE]]))
    questions = [_question(one, newest, generator) for one in asked if one.right is not None]
    if len(questions) < ENOUGH:
        return DEFAULT
    best, loss = _fitted(questions)
    fitted = {"how": "newest year, hidden", "year": newest, "clues": len(questions), "log loss": round(loss, 4)}
    found = Weights(best, missing, fitted, times)
    others = [sample[i] for i in order[SAMPLE : SAMPLE + LOOKS]]
    return _with_reranker(found, before, others, newest) if len(others) >= ENOUGH else found


def _with_reranker(weights: Weights, before: Index, sample: list[Said], newest: int) -> Weights:
    """The weights with a network that looks at their lists again, learned from the clues `sample`."""
    looks = (_look(one, weights, newest) for some in _ask(before, sample) for one in some)
    seen = [look for look in looks if look is not None]
    return replace(weights, reranker=reranker.fit(seen), fitted=dict(weights.fitted) | {"reranked": len(seen)})


def _look(one: Asked, weights: Weights, newest: int) -> reranker.Seen | None:
    """One clue's list as the reranker will see it; None where it is empty."""
    rows = next(found.answers for found in one.found if found.finder == "pattern")
    if not len(rows):
        return None
    logp = softmax(scores(one.part, rows, one.found, weights, newest))
    missing = weights.missing_at(one.part.length, one.kind)
    view = viewed(one.part, rows, one.found, logp, newest, one.kind, missing, one.gist)
    place = np.flatnonzero(rows[view.best] == one.right)
    right = reranker.NOWHERE if one.right is None else int(place[0]) if len(place) else reranker.BEYOND
    return reranker.Seen(view.features, view.logp, view.outlook, missing, right)


def newest_clues(index: Index) -> list[Said]:
    """Every clue that was used in the newest year of `index`, with its answer."""
    found = []
    for part in index.parts():
        rows = np.flatnonzero(part.clue_latest > 0)
        answers = part.names[part.clue_answer[rows]].astype(str).tolist()
        found += [
            Said(clue, answer) for clue, answer in zip(part.clue_column.take(rows).to_pylist(), answers, strict=True)
        ]
    return found


def _missing(before: Index, sample: list[Said]) -> Mapping[int, float]:
    """P(answer in no list) by length, pulled towards the shorter length's where there are few clues."""
    total: dict[int, list[float]] = {}
    for _, answer in sample:
        entry = total.setdefault(len(answer), [0.0, 0.0])
        entry[0] += 1
        entry[1] += _row(before, answer) is None
    guess, missing = 0.005, {}
    for length in sorted(total):
        asked, gone = total[length]
        guess = max((gone + 10 * guess) / (asked + 10), 1e-4)
        missing[length] = round(guess, 5)
    return missing


def _times(before: Index, sample: list[Said], missing: Mapping[int, float]) -> Mapping[str, float]:
    """How many times as often as clues of their length the clues of each class have an answer in no list."""
    seen = dict.fromkeys(clue_form.KINDS, 0.0)
    expected = dict.fromkeys(clue_form.KINDS, 0.0)
    for clue, answer in sample:
        kind = clue_form.kind(clue)
        seen[kind] += _row(before, answer) is None
        expected[kind] += missing[len(answer)]
    return {kind: round((seen[kind] + 5) / (expected[kind] + 5), 3) for kind in clue_form.KINDS}


def _ask(before: Index, sample: list[Said]) -> Iterator[list[Asked]]:
    """What a solver would have found for the clues `sample`, TOGETHER at a time."""
    for i in range(0, len(sample), TOGETHER):
        some = sample[i : i + TOGETHER]
        ahead(((clue, len(answer)) for clue, answer in some), before)
        asked = []
        for clue, answer in some:
            part = before[len(answer)]
            if part is not None:
                found = [find(clue, "?" * len(answer), before, PAST_CLUES) for find in FINDERS.values()]
                asked.append(Asked(part, clue_form.kind(clue), _row(before, answer), found, before.gist(clue)))
        yield asked


def _row(before: Index, answer: str) -> int | None:
    """The row of `answer` in the table of its length, None if it was in no list."""
    part = before[len(answer)]
    row = -1 if part is None else part.answer_row(answer)
    return row if part is not None and row >= 0 and part.exists[row] else None


def _question(one: Asked, newest: int, generator: np.random.Generator) -> Question:
    """A clue whose answer was in a list, with its rivals."""
    answer = one.right
    assert answer is not None
    spoken = np.concatenate([_named(found) for found in one.found])
    everything = next(found.answers for found in one.found if found.finder == "pattern")
    rest = np.setdiff1d(everything, np.append(spoken, answer), assume_unique=False)
    drawn = generator.choice(rest, min(RIVALS, len(rest)), replace=False) if len(rest) else rest
    rivals = np.unique(np.concatenate([spoken, drawn, [answer]])).astype(np.int32)
    offset = np.where(np.isin(rivals, drawn), np.log(max(len(rest), 1) / max(len(drawn), 1)), 0.0)
    return Question(features(one.part, rivals, one.found, newest), offset, int(np.searchsorted(rivals, answer)))


def _named(found: Found) -> NDArray[np.int32]:
    """The answers that a finder speaks for: all that it found; the likeliest, where it has an opinion of all."""
    if found.finder == "pattern":
        return found.answers[:0]
    if found.finder not in ENCODERS or len(found.answers) <= MEANT:
        return found.answers
    return found.answers[np.argpartition(-found.score, MEANT)[:MEANT]]


def _fitted(questions: list[Question]) -> tuple[NDArray[np.float64], float]:
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
