"""The clues of the newest year, asked of the index as it was before: many tasks that a crew shares (regis.system.crew).

What travels is where that index lies and the checksum of its manifest, in which those of all its files stand; the clues
travel themselves. What comes back are the features of some hundred answers for each clue. Each task is asked by itself,
and what is drawn by lot for a clue depends on its place alone, so that who asks makes no difference to any byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.training import reranker
from regis.building.training.fresh import Fresh
from regis.candidates.finders import FINDERS, search
from regis.candidates.found import Findings, Found
from regis.candidates.query import Query, encoded
from regis.candidates.ranking import Ranker, log_softmax
from regis.candidates.weights import Weights, table
from regis.index import Index, manifest
from regis.system import crew
from regis.system.crew import Crew

TOGETHER = 100  # how many clues are one task; the transformer reads them together, and each takes a megabyte or two
RIVALS = 300  # answers drawn for each clue from those that nothing speaks for; the softmax weighs them up to all

MEANT = 300
"""How many answers of each encoder must the fit see? Left to the draw, it takes too few of the strong rivals for all
there are, and comes out too sure (measured: docs/measured.md)."""

SEED = 2014

Pair = tuple[str, str]  # clue and answer


class Some(NamedTuple):
    """Clues that are asked together."""

    start: int  # place of the first among all that are asked
    pairs: Sequence[Pair]


class Case(NamedTuple):
    """One clue of the newest year, as a solver would have asked it."""

    place: int  # among all that are asked
    findings: Findings
    right: int | None  # row of its answer; None where that was in no list then


class Question(NamedTuple):
    """One clue of the newest year: features of the rivals for it, and which of them is right."""

    table: NDArray[np.float64]  # (rivals, len(FEATURES))
    offset: NDArray[np.float64]  # (rivals,): log of how many answers each stands for
    right: int


@dataclass(frozen=True)
class Then:
    """The index as it was, for a worker to open."""

    manifest: Fresh
    hidden: bool

    @classmethod
    def of(cls, before: Index) -> Then:
        """Raises OSError where it has no manifest yet."""
        return cls(Fresh.of(before.folder / manifest.NAME), before.hidden)

    def opened(self) -> Index:
        """Raises IndexUnreadable where it is not there, or what `Index.open` raises."""
        self.manifest.check()
        index = Index.open(self.manifest.file.parent)
        return index.as_it_was() if self.hidden else index


@dataclass(frozen=True)
class Comparing:
    """How right answers are compared with their rivals: all that goes to the workers."""

    before: Then
    year: int  # the newest

    def __call__(self) -> Callable[[Some], list[Question]]:
        return partial(_questions, self.before.opened(), self.year)


@dataclass(frozen=True)
class Looking:
    """How lists are seen by the reranker: all that goes to the workers."""

    before: Then
    year: int  # the newest
    weights: str  # as JSON

    def __call__(self) -> Callable[[Some], list[reranker.Seen]]:
        return partial(_seen, _ranker(self.before.opened(), self.year, self.weights))


def questions(before: Index, year: int, asked: Sequence[Pair], workers: Crew) -> list[Question]:
    """The clues `asked` whose answers were in a list, with their rivals. `year` is the newest.

    Several workers need `before` finished, with its manifest.
    """
    tasks = _tasks(asked)
    make = (lambda: partial(_questions, before, year)) if workers.alone(tasks) else Comparing(Then.of(before), year)
    return [one for some in crew.in_turn(crew.results(make, tasks, workers)) for one in some]


def seen(before: Index, year: int, asked: Sequence[Pair], weights: Weights, workers: Crew) -> list[reranker.Seen]:
    """The lists for the clues `asked`, weighed by `weights` as an index will have them. Otherwise as above."""
    tasks, written = _tasks(asked), json.dumps(weights.to_json())
    make = (
        (lambda: partial(_seen, _ranker(before, year, written)))
        if workers.alone(tasks)
        else Looking(Then.of(before), year, written)
    )
    return [one for some in crew.in_turn(crew.results(make, tasks, workers)) for one in some]


def row(before: Index, answer: str) -> int | None:
    """The row of `answer` in the table of its length, None if it was in no list."""
    part = before[len(answer)]
    row = part.answer_row(answer)
    return row if row >= 0 and part.exists[row] else None


def _tasks(asked: Sequence[Pair]) -> list[Some]:
    return [Some(start, asked[start : start + TOGETHER]) for start in range(0, len(asked), TOGETHER)]


def _ranker(before: Index, year: int, weights: str) -> Ranker:
    return Ranker(before, Weights.from_json(json.loads(weights)), year)


def _questions(before: Index, year: int, some: Some) -> list[Question]:
    return [_question(case, year) for case in _cases(before, some) if case.right is not None]


def _seen(ranker: Ranker, some: Some) -> list[reranker.Seen]:
    return [_look(case, ranker) for case in _cases(ranker.index, some) if len(case.findings.rows)]


def _cases(before: Index, some: Some) -> Iterator[Case]:
    """What a solver would have found for each clue."""
    if before.transformer is not None:
        before.transformer.begin(clue for clue, _ in some.pairs)
    queries = encoded([Query(clue, "?" * len(answer)) for clue, answer in some.pairs], before)
    for place, findings in search(queries, before, FINDERS):
        if len(findings.part.letters):
            yield Case(some.start + place, findings, row(before, some.pairs[place][1]))


def _question(case: Case, year: int) -> Question:
    """A clue whose answer was in a list, with its rivals."""
    _, part, everything, found = case.findings
    assert case.right is not None
    generator = np.random.default_rng((SEED, case.place))
    named = np.concatenate([_named(name, one) for name, one in found.items()])
    rest = np.setdiff1d(everything, np.append(named, case.right), assume_unique=False)
    drawn = generator.choice(rest, min(RIVALS, len(rest)), replace=False) if len(rest) else rest
    rivals = np.unique(np.concatenate([named, drawn, [case.right]])).astype(np.int32)
    offset = np.where(np.isin(rivals, drawn), np.log(max(len(rest), 1) / max(len(drawn), 1)), 0.0)
    return Question(table(part, rivals, found, year), offset, int(np.searchsorted(rivals, case.right)))


def _named(name: str, found: Found) -> NDArray[np.int32]:
    """The answers that a finder speaks for: all that it found; the likeliest, where it has an opinion of all."""
    if not found.features:
        return found.answers[:0]
    if not FINDERS[name].dense or len(found.answers) <= MEANT:
        return found.answers
    return found.answers[np.argpartition(-found.features[FINDERS[name].features[0]], MEANT)[:MEANT]]


def _look(case: Case, ranker: Ranker) -> reranker.Seen:
    """One clue's list, which is not empty, as the reranker will see it."""
    query, part, rows, _ = case.findings
    front = ranker.front(case.findings, log_softmax(ranker.scores(case.findings)))
    missing = ranker.weights.missing_at(part.length, query.kind)
    place = np.flatnonzero(rows[front.best] == case.right)
    right = reranker.NOWHERE if case.right is None else int(place[0]) if len(place) else reranker.BEYOND
    return reranker.Seen(front.features, front.logp, front.outlook, missing, right)
