"""Learning from an index what weighs how much: the weights of ranking, and how often an answer is in no list.

The index is read as it was before its newest year; clues of that year are then asked as a solver would ask them, and
the weights are those that make the true answers most likely. So every index is calibrated to its own corpus, and
nothing but the corpus is needed. An index without enough dated clues keeps `weights.DEFAULT` of candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.training import reranker
from regis.candidates.finders import FINDERS, search
from regis.candidates.found import Findings, Found
from regis.candidates.query import Query, encoded
from regis.candidates.ranking import Ranker, softmax
from regis.candidates.weights import DEFAULT, FEATURES, Weights, table
from regis.index import Index
from regis.models import clue_form

SAMPLE = 4000  # clues that the weights are fitted on; asking them takes most of the time
ENOUGH = 300  # fewer clues than this in the newest year, or before it, and nothing is fitted
RIVALS = 300  # answers drawn for each clue from those that nothing speaks for; the softmax weighs them up to all

MEANT = 300
"""How many answers of each encoder must the fit see? Left to the draw, it takes too few of the strong rivals for all
there are, and comes out too sure (measured: docs/measured.md)."""

RIDGE = 1e-3  # pull of each weight towards its default; matters only for features that hardly ever occur

LOOKS = 20_000
"""How many other clues is the reranker learned from? (Measured: docs/measured.md.)"""

SEED = 2014
TOGETHER = 100  # clues asked at once: the transformer reads them together, and each takes a megabyte or two


Pair = tuple[str, str]  # clue and answer


class Case(NamedTuple):
    """One clue of the newest year, as a solver would have asked it."""

    findings: Findings
    right: int | None  # row of its answer; None where that was in no list then


class Question(NamedTuple):
    """One clue of the newest year: features of the rivals for it, and which of them is right."""

    table: NDArray[np.float64]  # (rivals, len(FEATURES))
    offset: NDArray[np.float64]  # (rivals,): log of how many answers each stands for
    right: int


def fit(index: Index, before: Index | None = None) -> Weights:
    """The weights that suit the newest year of `index` best, where `before` (or all years before) is what is known."""
    before = index.as_it_was() if before is None else before
    newest, sample = index.manifest.newest_year, newest_clues(index)
    known = sum(int(part.count.sum()) for part in before.parts())
    if newest is None or min(len(sample), known) < ENOUGH:
        return DEFAULT
    missing = _missing(before, sample)
    times = _times(before, sample, missing)
    generator = np.random.default_rng(SEED)
    order = generator.permutation(len(sample))
    cases = _cases(before, [sample[i] for i in order[:SAMPLE]])
    questions = [_question(case, newest, generator) for case in cases if case.right is not None]
    if len(questions) < ENOUGH:
        return DEFAULT
    best, loss = _fitted(questions)
    fitted = {"how": "newest year, hidden", "year": newest, "clues": len(questions), "log loss": round(loss, 4)}
    found = Weights(best, missing, fitted, times)
    others = [sample[i] for i in order[SAMPLE : SAMPLE + LOOKS]]  # whose lists a network learns to look at again
    if len(others) < ENOUGH:
        return found
    ranker = Ranker(before, found, newest)
    seen = [look for case in _cases(before, others) if (look := _look(case, ranker)) is not None]
    return replace(found, reranker=reranker.fit(seen), fitted=fitted | {"reranked": len(seen)})


def _look(case: Case, ranker: Ranker) -> reranker.Seen | None:
    """One clue's list as the reranker will see it; None where it is empty."""
    query, part, rows, _ = case.findings
    if not len(rows):
        return None
    view = ranker.view(case.findings, softmax(ranker.scores(case.findings)))
    missing = ranker.weights.missing_at(part.length, query.kind)
    place = np.flatnonzero(rows[view.best] == case.right)
    right = reranker.NOWHERE if case.right is None else int(place[0]) if len(place) else reranker.BEYOND
    return reranker.Seen(view.features, view.logp, view.outlook, missing, right)


def newest_clues(index: Index) -> list[Pair]:
    """Every clue that was used in the newest year of `index`, with its answer."""
    found: list[Pair] = []
    for part in index.parts():
        rows = np.flatnonzero(part.clue_latest > 0)
        answers = part.names[part.clue_answer[rows]].astype(str).tolist()
        found += zip(part.clue_column.take(rows).to_pylist(), answers, strict=True)
    return found


def _missing(before: Index, sample: list[Pair]) -> Mapping[int, float]:
    """P(answer in no list) by length, pulled towards the shorter length's where there are few clues."""
    total = Counter(len(answer) for _, answer in sample)
    gone = Counter(len(answer) for _, answer in sample if _row(before, answer) is None)
    guess, missing = 0.005, {}
    for length in sorted(total):
        guess = max((gone[length] + 10 * guess) / (total[length] + 10), 1e-4)
        missing[length] = round(guess, 5)
    return missing


def _times(before: Index, sample: list[Pair], missing: Mapping[int, float]) -> Mapping[str, float]:
    """How many times as often as clues of their length the clues of each class have an answer in no list."""
    seen, expected = dict.fromkeys(clue_form.KINDS, 5.0), dict.fromkeys(clue_form.KINDS, 0.0)
    for clue, answer in sample:
        kind = clue_form.kind(clue)
        seen[kind] += _row(before, answer) is None
        expected[kind] += missing[len(answer)]
    return {kind: round(seen[kind] / (expected[kind] + 5), 3) for kind in clue_form.KINDS}


def _cases(before: Index, sample: list[Pair]) -> Iterator[Case]:
    """What a solver would have found for the clues `sample`, TOGETHER of them asked at a time."""
    for i in range(0, len(sample), TOGETHER):
        some = sample[i : i + TOGETHER]
        queries = encoded([Query(clue, "?" * len(answer)) for clue, answer in some], before)
        found = dict(search(queries, before, FINDERS))
        for place, (_, answer) in enumerate(some):
            if len(found[place].part.letters):
                yield Case(found[place], _row(before, answer))


def _row(before: Index, answer: str) -> int | None:
    """The row of `answer` in the table of its length, None if it was in no list."""
    part = before[len(answer)]
    row = part.answer_row(answer)
    return row if row >= 0 and part.exists[row] else None


def _question(case: Case, newest: int, generator: np.random.Generator) -> Question:
    """A clue whose answer was in a list, with its rivals."""
    _, part, everything, found = case.findings
    assert case.right is not None
    named = np.concatenate([_named(name, one) for name, one in found.items()])
    rest = np.setdiff1d(everything, np.append(named, case.right), assume_unique=False)
    drawn = generator.choice(rest, min(RIVALS, len(rest)), replace=False) if len(rest) else rest
    rivals = np.unique(np.concatenate([named, drawn, [case.right]])).astype(np.int32)
    offset = np.where(np.isin(rivals, drawn), np.log(max(len(rest), 1) / max(len(drawn), 1)), 0.0)
    return Question(table(part, rivals, found, newest), offset, int(np.searchsorted(rivals, case.right)))


def _named(name: str, found: Found) -> NDArray[np.int32]:
    """The answers that a finder speaks for: all that it found; the likeliest, where it has an opinion of all."""
    if not found.features:
        return found.answers[:0]
    if not FINDERS[name].dense or len(found.answers) <= MEANT:
        return found.answers
    return found.answers[np.argpartition(-found.features[FINDERS[name].features[0]], MEANT)[:MEANT]]


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
