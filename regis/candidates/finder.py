"""What a finder is, and what it answers with.

A finder says of each answer that it finds some numbers, its feature columns, and what speaks for it. What the columns
are called and whether they come from past clues stands in its `Finder`; nobody else has to know. Those that look past
clues up share `group_past_clues`: the best clue of each answer, and all of them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.query import Query
from regis.index import Index, Partition
from regis.models.numeric.sorted_search import find_sorted, run_starts

EvidenceKind = Literal[
    "clue", "paraphrase", "words", "meaning", "reading", "relation", "phrase", "answer", "title", "word"
]
"""What speaks for a candidate: a past clue by its words or its meaning, an encoder, a reader, a dictionary, the
words around a gap, or what is known of the answer itself. `render.reasons` puts each into words."""

FeatureColumn = NDArray[np.floating[Any]]


class Evidence(NamedTuple):
    """One reason for a candidate, for people and programs to read."""

    finder: str
    kind: EvidenceKind
    text: str  # the past clue, shared words, the relation in words, a phrase or title as written; '' for a word
    score: float  # similarity of the past clue, or the list's own score, 0 to 1
    use_count: int  # how often the pair (or the answer) was seen
    last_year: int | None  # the last year it was seen in


ExplainRow = Callable[[int], tuple[Evidence, ...]]
"""What speaks for an answer, given by its row; worked out only when somebody asks."""


@dataclass(frozen=True, slots=True)
class FinderResult:
    """What one finder found for one query: each answer once, in any order, with its feature columns."""

    answer_rows: NDArray[np.int32]  # (answers,) rows of the answer table of this length
    feature_columns: Mapping[str, FeatureColumn]  # (answers,) each, by name
    explain: ExplainRow = lambda row: ()

    @classmethod
    def empty(cls) -> FinderResult:
        """Return a finder's word for 'I know of none'."""
        return cls(np.empty(0, np.int32), {})

    def keep_marked(self, is_kept: NDArray[np.bool_]) -> FinderResult:
        """Leave out the answers that are not marked.

        Parameters
        ----------
        is_kept : (answers,).
        """
        columns = {name: column[is_kept] for name, column in self.feature_columns.items()}
        return FinderResult(self.answer_rows[is_kept], columns, self.explain)


@dataclass(frozen=True)
class Finder:
    """One road from a clue to candidate answers.

    Parameters
    ----------
    find_answers : takes queries of one length, encoded (query.encode_queries), and the index. It answers each, in their
        order, with `FinderResult.empty()` where it knows nothing, and may leave the known letters of the patterns to
        `finders.ask_finders`.
    feature_names : its columns; 'NAME, CONDITION' is worked out of NAME (weights.CONDITIONAL_FEATURES).
    default_weights : set by hand, in nats per unit, by column; 0 if not named. They hold where nothing was fitted: for
        corpora too small to fit on, and in an index that was made before there was this finder.
    uses_past_clues : whether past clues speak for what it finds.
    is_dense : whether it has an opinion of every answer: its first column.

    Raises
    ------
    ValueError : a column's condition is none that is worked out.
    """

    find_answers: Callable[[Sequence[Query], Index], list[FinderResult]]
    feature_names: tuple[str, ...]
    default_weights: Mapping[str, float] = field(default_factory=dict)
    uses_past_clues: bool = False
    is_dense: bool = False

    def __post_init__(self) -> None:
        conditions = {name.partition(", ")[2] for name in self.feature_names}
        if not conditions <= {"", "never used", *(() if self.is_dense else ("alone",))}:
            raise ValueError(f"columns under conditions that nobody works out: {conditions}")


def ask_one_by_one(
    find_for_query: Callable[[Query, Index], FinderResult],
) -> Callable[[Sequence[Query], Index], list[FinderResult]]:
    """Make a function for several queries of one for a single query, where asking together gains nothing."""
    return lambda queries, index: [find_for_query(query, index) for query in queries]


class QueryResults(NamedTuple):
    """One query with all that was found for it."""

    query: Query
    partition: Partition
    answer_rows: NDArray[np.int32]  # (answers,) the answers that fit the pattern, ascending
    results: Mapping[str, FinderResult]  # by the finder's name


class BestPastClues(NamedTuple):
    """Answers with their best past clues, parallel arrays."""

    answer_rows: NDArray[np.int32]  # (answers,) ascending
    best_score: NDArray[np.float32]  # (answers,)
    total_score: NDArray[np.float32]  # (answers,) the sum over all of an answer's clues
    explain: ExplainRow


def group_past_clues(
    finder_name: str, partition: Partition, clue_rows: NDArray[np.int64], scores: NDArray[np.float32]
) -> BestPastClues:
    """Group scored past clues by their answers.

    Parameters
    ----------
    finder_name : who scored them.
    partition : the answers and clues of one length.
    clue_rows : (clues,) rows of its clue table, in any order.
    scores : (clues,) similarity, 0 to 1.
    """
    answers = partition.clue_answer_rows[clue_rows].astype(np.int32)
    order = np.lexsort((clue_rows, -scores, answers))
    answers, scores, clue_rows = answers[order], scores[order], clue_rows[order]
    firsts = run_starts(answers)
    total_scores = np.add.reduceat(scores, firsts).astype(np.float32)
    answers, best_scores, best_clues = answers[firsts], scores[firsts], clue_rows[firsts]

    def explain(row: int) -> tuple[Evidence, ...]:
        place, is_there = find_sorted(answers, row)
        if not is_there:
            return ()
        best = int(best_clues[place]), float(best_scores[place])
        return (past_clue_evidence(finder_name, "clue", partition, *best),)

    return BestPastClues(answers, best_scores, total_scores, explain)


def past_clue_evidence(
    finder_name: str, kind: EvidenceKind, partition: Partition, clue_row: int, score: float
) -> Evidence:
    """Make evidence of a past clue, given by its row of the clue table; `score` is 0 to 1."""
    times, last_year = int(partition.clue_counts[clue_row]), int(partition.clue_last_years[clue_row]) or None
    return Evidence(finder_name, kind, partition.clue_texts[clue_row], score, times, last_year)
