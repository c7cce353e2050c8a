"""The contract of a finder, and its results.

A finder gives its answers feature columns and evidence. Its `Finder` names the columns and says whether they come from
past clues. Finders of past clues share `group_past_clues`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.index import Index, Partition
from regis.models.arrays import find_sorted, run_starts
from regis.models.text.clue_features import extract_features
from regis.models.text.clue_form import classify_clue

MAX_PAST_CLUES = 400  # past clues that each finder looks at closely

ClueVector = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Query:
    """One query. `clue` is cut to text.MAX_CLUE_LENGTH; `encode_queries` adds vectors and embedding."""

    clue: str
    pattern: str  # as long as the answer: known letters, `?` for the others
    original_clue: str | None = None  # the puzzle's clue, if `clue` is another wording; it decides the form
    oov_odds_factor: float = 1.0  # factor on the fitted odds that the answer is unlisted
    clue_vectors: Mapping[str, ClueVector] = field(default_factory=dict)  # (DIMENSIONS,) each, by the encoder's folder
    clue_embedding: ClueVector | None = None  # the clue's meaning, to compare with past clues (Index.embed_clues)

    def __post_init__(self) -> None:
        object.__setattr__(self, "clue", self.clue[: text.MAX_CLUE_LENGTH])

    @property
    def length(self) -> int:
        return len(self.pattern)

    @cached_property
    def clue_kind(self) -> str:
        """Return the clue's class (clue_form); '' without a clue."""
        clue = self.clue if self.original_clue is None else self.original_clue
        return "" if self.original_clue is None and not clue else classify_clue(clue)

    @cached_property
    def clue_key(self) -> str:
        """Return the clue's key (text.clue_key); '' without a word."""
        return text.clue_key(self.clue)

    @cached_property
    def clue_features(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """Return codes and kinds of the clue's distinct features, (features,) each."""
        _, codes, kinds = extract_features([self.clue_key])
        codes, firsts = np.unique(codes, return_index=True)
        return codes, kinds[firsts]


def encode_queries(queries: Sequence[Query], index: Index) -> list[Query]:
    """Add the encoders' vectors and embeddings; encoding clues together is faster."""
    clues = [query.clue for query in queries if query.clue_key]
    vectors = {home: iter(encoder.encode(clues)) for home, encoder in index.encoders.items()}
    embeddings = index.embed_clues(clues)
    next_embedding = itertools.repeat(None) if embeddings is None else iter(embeddings)

    def encode(query: Query) -> Query:
        own_vectors = {home: next(each) for home, each in vectors.items()}
        return replace(query, clue_vectors=own_vectors, clue_embedding=next(next_embedding))

    return [encode(query) if query.clue_key else query for query in queries]


EvidenceKind = Literal[
    "clue", "paraphrase", "words", "meaning", "reading", "relation", "phrase", "answer", "title", "word"
]
"""What supports a candidate: a past clue by words or meaning, an encoder, a reader, a dictionary, the words around a
gap, or the answer itself. `render.reasons` has words for each."""

FeatureColumn = NDArray[np.floating[Any]]


class Evidence(NamedTuple):
    finder: str
    kind: EvidenceKind
    text: str  # the past clue, shared words, the relation in words, a phrase or title as written; '' for a word
    score: float  # similarity of the past clue, or the list's own score, 0 to 1
    use_count: int  # how often the pair (or the answer) occurred
    last_year: int | None  # the last year in which it occurred


ExplainRow = Callable[[int], tuple[Evidence, ...]]
"""Returns the evidence for an answer, given its row, on demand."""


@dataclass(frozen=True, slots=True)
class FinderResult:
    """One finder's answers to one query, each once, with feature columns."""

    answer_rows: NDArray[np.int32]  # (answers,) rows of the answer table of this length
    feature_columns: Mapping[str, FeatureColumn]  # (answers,) each, by name
    explain: ExplainRow = lambda row: ()

    @classmethod
    def empty(cls) -> FinderResult:
        return cls(np.empty(0, np.int32), {})

    def keep_marked(self, is_kept: NDArray[np.bool_]) -> FinderResult:
        columns = {name: column[is_kept] for name, column in self.feature_columns.items()}
        return FinderResult(self.answer_rows[is_kept], columns, self.explain)


@dataclass(frozen=True)
class Finder:
    """One route from a clue to candidates.

    `find_answers` takes encoded queries of one length and the index, and returns a result for each; it may ignore known
    letters. A feature 'NAME, CONDITION' is derived from NAME (weights.CONDITIONAL_FEATURES). `default_weights`, in nats
    per unit, count if none were fitted. `is_dense` means that the first column scores every answer. Raises ValueError
    for an unknown condition.
    """

    find_answers: Callable[[Sequence[Query], Index], list[FinderResult]]
    feature_names: tuple[str, ...]
    default_weights: Mapping[str, float] = field(default_factory=dict)
    uses_past_clues: bool = False
    is_dense: bool = False

    def __post_init__(self) -> None:
        conditions = {name.partition(", ")[2] for name in self.feature_names}
        if not conditions <= {"", "never used", *(() if self.is_dense else ("alone",))}:
            raise ValueError(f"unknown column conditions: {conditions}")


def ask_one_by_one(
    find_for_query: Callable[[Query, Index], FinderResult],
) -> Callable[[Sequence[Query], Index], list[FinderResult]]:
    """Turn a function of one query into a function of several."""
    return lambda queries, index: [find_for_query(query, index) for query in queries]


class QueryResults(NamedTuple):
    query: Query
    partition: Partition
    answer_rows: NDArray[np.int32]  # (answers,) the answers that fit the pattern, ascending
    results: Mapping[str, FinderResult]  # by finder name


class BestPastClues(NamedTuple):
    """Answers with their best past clues: parallel arrays."""

    answer_rows: NDArray[np.int32]  # (answers,) ascending
    best_score: NDArray[np.float32]  # (answers,)
    total_score: NDArray[np.float32]  # (answers,) sum over all clues of an answer
    explain: ExplainRow


def group_past_clues(
    finder_name: str, partition: Partition, clue_rows: NDArray[np.int64], scores: NDArray[np.float32]
) -> BestPastClues:
    """Group scored past clues, (clues,) rows of the clue table, by their answers."""
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
    times, last_year = int(partition.clue_counts[clue_row]), int(partition.clue_last_years[clue_row]) or None
    return Evidence(finder_name, kind, partition.clue_texts[clue_row], score, times, last_year)
