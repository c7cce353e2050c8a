"""What a finder is, and what it answers with.

A finder says of each answer that it finds some numbers, its feature columns, and what speaks for it. What the columns
are called and whether they come from past clues stands in its `Finder`; nobody else has to know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.query import Query
from regis.index import Index, Partition
from regis.models import lookup

Kind = Literal[
    "clue", "paraphrase", "words", "meaning", "reading", "relation", "edit", "phrase", "answer", "title", "word"
]
"""What speaks for a candidate: a past clue by its words or its meaning, an encoder, a reader, a dictionary, a theme's
edit, the words around a gap, or what is known of the answer itself. `render.evidence` puts each into words."""


class Evidence(NamedTuple):
    """One reason for a candidate, for people and programs to read."""

    finder: str
    kind: Kind
    text: str  # the past clue, shared words, the relation in words, a phrase or title as written; '' for a word
    score: float  # similarity of the past clue, or the list's own score, 0 to 1
    times: int  # how often the pair (or the answer) was seen
    last: int | None  # the last year it was seen in


Explain = Callable[[int], tuple[Evidence, ...]]
"""What speaks for an answer, given by its row; worked out only when somebody asks."""

Column = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Found:
    """What one finder found for one query: each answer once, in any order, with its feature columns."""

    answers: NDArray[np.int32]  # rows of the answer table of this length
    features: Mapping[str, Column]  # (answers,) each, by name
    explain: Explain = lambda row: ()

    @classmethod
    def nothing(cls) -> Found:
        """A finder's word for 'I know of none'."""
        return cls(np.empty(0, np.int32), {})

    def keep(self, which: NDArray[np.bool_]) -> Found:
        """The same without the others."""
        columns = {name: column[which] for name, column in self.features.items()}
        return Found(self.answers[which], columns, self.explain)


@dataclass(frozen=True)
class Finder:
    """One road from a clue to candidate answers.

    `find` takes queries of one length, encoded (query.encoded), and the index; it answers each, in their order, with
    `Found.nothing()` where it knows nothing. It may leave the known letters of the patterns to `finders.search`.
    """

    find: Callable[[Sequence[Query], Index], list[Found]]
    features: tuple[str, ...]  # its columns; 'NAME, CONDITION' is worked out of NAME (weights.CONDITIONAL)
    by_hand: Mapping[str, float] = field(default_factory=dict)  # weights, for corpora too small to fit on
    past_clues: bool = False  # whether past clues speak for what it finds
    dense: bool = False  # whether it has an opinion of every answer: its first column

    def __post_init__(self) -> None:
        conditions = {name.partition(", ")[2] for name in self.features}
        if not conditions <= {"", "never used", *(() if self.dense else ("alone",))}:
            raise ValueError(f"columns under conditions that nobody works out: {conditions}")


def one_by_one(find: Callable[[Query, Index], Found]) -> Callable[[Sequence[Query], Index], list[Found]]:
    """The same for several queries, to which nothing is gained by being asked together."""
    return lambda queries, index: [find(query, index) for query in queries]


class Findings(NamedTuple):
    """One query with all that was found for it."""

    query: Query
    part: Partition
    rows: NDArray[np.int32]  # the answers that fit the pattern, ascending
    found: Mapping[str, Found]  # by the finder's name


def from_past_clues(name: str, part: Partition, clues: NDArray[np.int64], score: NDArray[np.float32]) -> BestClues:
    """The answers of scored past `clues`, ascending, each with its best one and the sum of all their scores."""
    answers = part.clue_answer[clues].astype(np.int32)
    order = np.lexsort((clues, -score, answers))
    answers, score, clues = answers[order], score[order], clues[order]
    first = lookup.begins(answers)
    total = np.add.reduceat(score, first)
    answers, best, clues = answers[first], score[first], clues[first]

    def explain(row: int) -> tuple[Evidence, ...]:
        place, known = lookup.place(answers, row)
        if not known:
            return ()
        return (past_clue(name, "clue", part, int(clues[place]), float(best[place])),)

    return BestClues(answers, best, total.astype(np.float32), explain)


class BestClues(NamedTuple):
    """Answers with their best past clues, parallel arrays."""

    answers: NDArray[np.int32]
    best: NDArray[np.float32]
    total: NDArray[np.float32]
    explain: Explain


def past_clue(finder: str, kind: Kind, part: Partition, clue: int, score: float) -> Evidence:
    """A past clue, given by its row of the clue table, as evidence."""
    seen = int(part.clue_count[clue]), int(part.clue_last[clue]) or None
    return Evidence(finder, kind, part.clue_column[clue], score, *seen)
