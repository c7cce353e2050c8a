"""Queries of the newest year's clues against the index before that year, shared among workers (regis.system.parallel).

Workers get the index's path and the clues; they return features of a few hundred answers
for each clue. Random draws for a clue depend only on its position, so results don't depend on the workers.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.settings import RANKING
from regis.building.training import reranker
from regis.candidates.finder import FinderResult, Query, QueryResults, encode_queries
from regis.candidates.finders import FINDERS, ask_finders
from regis.candidates.ranking.scoring import Scorer
from regis.candidates.ranking.weights import Weights, build_feature_table
from regis.index import Index
from regis.models.arrays import log_softmax
from regis.system.parallel.workers import Workers, map_tasks, results_in_order

CLUES_PER_TASK = 100  # the transformer reads them together, and each takes a megabyte or two
RANDOM_RIVALS = 300  # answers drawn for each clue from those without evidence; the softmax weighs them as all of these


ClueAnswer = tuple[str, str]  # clue and answer


class ClueBatch(NamedTuple):
    first_place: int  # of the first clue among all queries
    clue_answers: Sequence[ClueAnswer]


class RetrievedClue(NamedTuple):
    place: int  # among all queries
    findings: QueryResults
    answer_row: int | None  # row of its answer; None if no list had it then


class RivalSet(NamedTuple):
    """One clue of the newest year: features of its right answer and of rivals."""

    rival_features: Any  # csc_matrix (rivals, len(RANKING_FEATURES)): most are 0, and dense ones would fill a gigabyte
    log_multiplicity: NDArray[np.float64]  # (rivals,): log of the number of answers that each stands for
    right_place: int


@dataclass(frozen=True)
class YearTask:
    """A worker's task: right answers with rivals; or, given weights, lists as the reranker will see them."""

    folder: Path  # of the past index; the machines of a cluster must share its disk
    hides_newest_year: bool
    newest_year: int
    weights_json: str

    def __call__(self) -> Callable[[ClueBatch], list[Any]]:
        index = Index.open(self.folder)
        past_index = index.before_newest_year() if self.hides_newest_year else index
        return _bind_index(past_index, self.newest_year, self.weights_json)


def find_listed_row(past_index: Index, answer: str) -> int | None:
    part = past_index[len(answer)]
    row = part.answer_row(answer)
    return row if row >= 0 and part.is_live[row] else None


def query_clues(
    past_index: Index, newest_year: int, clue_answers: Sequence[ClueAnswer], workers: Workers, weights: Weights | None
) -> Iterator[Any]:
    """Query the newest year's clues; yield a RivalSet for each with a listed answer, or with `weights` a RerankExample.

    For several workers, `past_index` must be finished, with its manifest.
    """
    weights_json = "" if weights is None else json.dumps(weights.to_json())
    starts = range(0, len(clue_answers), CLUES_PER_TASK)
    batches = [ClueBatch(start, clue_answers[start : start + CLUES_PER_TASK]) for start in starts]
    make_task = (
        (lambda: _bind_index(past_index, newest_year, weights_json))
        if workers.work_in_process(batches)
        else YearTask(past_index.files.path.absolute(), past_index.hides_newest_year, newest_year, weights_json)
    )
    return itertools.chain.from_iterable(results_in_order(map_tasks(make_task, batches, workers)))


def _bind_index(past_index: Index, newest_year: int, weights_json: str) -> Callable[[ClueBatch], list[Any]]:
    if not weights_json:
        return partial(_batch_rival_sets, past_index, newest_year)
    return partial(_batch_rerank_examples, Scorer(past_index, Weights.from_json(json.loads(weights_json)), newest_year))


def _batch_rival_sets(past_index: Index, newest_year: int, batch: ClueBatch) -> list[RivalSet]:
    retrieved = _retrieve_batch(past_index, batch)
    return [_draw_rivals(clue, newest_year) for clue in retrieved if clue.answer_row is not None]


def _batch_rerank_examples(scorer: Scorer, batch: ClueBatch) -> list[reranker.RerankExample]:
    retrieved = _retrieve_batch(scorer.index, batch)
    return [_rerank_example(clue, scorer) for clue in retrieved if len(clue.findings.answer_rows)]


def _retrieve_batch(past_index: Index, batch: ClueBatch) -> Iterator[RetrievedClue]:
    """Find what a solver would have found for each clue."""
    if past_index.transformer is not None:
        past_index.transformer.begin_puzzle(clue for clue, _ in batch.clue_answers)
    queries = encode_queries([Query(clue, "?" * len(answer)) for clue, answer in batch.clue_answers], past_index)
    for place, findings in ask_finders(queries, past_index, FINDERS):
        if len(findings.partition.answer_letters):
            answer_row = find_listed_row(past_index, batch.clue_answers[place][1])
            yield RetrievedClue(batch.first_place + place, findings, answer_row)


def _draw_rivals(retrieved: RetrievedClue, newest_year: int) -> RivalSet:
    from scipy.sparse import csc_matrix

    _, part, answer_rows, results = retrieved.findings
    assert retrieved.answer_row is not None
    generator = np.random.default_rng((2014, retrieved.place))
    found_rivals = np.concatenate([_finder_rivals(name, one) for name, one in results.items()])
    rest = np.setdiff1d(answer_rows, np.append(found_rivals, retrieved.answer_row), assume_unique=False)
    drawn_rivals = generator.choice(rest, min(RANDOM_RIVALS, len(rest)), replace=False) if len(rest) else rest
    rivals = np.unique(np.concatenate([found_rivals, drawn_rivals, [retrieved.answer_row]])).astype(np.int32)
    stands_for = np.log(max(len(rest), 1) / max(len(drawn_rivals), 1))
    log_multiplicity = np.where(np.isin(rivals, drawn_rivals), stands_for, 0.0)
    features = build_feature_table(part, rivals, results, newest_year)
    return RivalSet(csc_matrix(features), log_multiplicity, int(np.searchsorted(rivals, retrieved.answer_row)))


def _finder_rivals(finder_name: str, result: FinderResult) -> NDArray[np.int32]:
    """Return the rows that a finder found; if it scores all answers, only the likeliest."""
    if not result.feature_columns:
        return result.answer_rows[:0]
    finder = FINDERS[finder_name]
    if not finder.is_dense or len(result.answer_rows) <= RANKING.encoder_rivals:
        return result.answer_rows
    score = result.feature_columns[finder.feature_names[0]]
    return result.answer_rows[np.argpartition(-score, RANKING.encoder_rivals)[: RANKING.encoder_rivals]]


def _rerank_example(retrieved: RetrievedClue, scorer: Scorer) -> reranker.RerankExample:
    """Return one clue's nonempty list as the reranker will see it."""
    query, part, rows, _ = retrieved.findings
    front = scorer.reranker_input(retrieved.findings, log_softmax(scorer.score_answers(retrieved.findings)))
    p_missing = scorer.weights.missing_at(part.length, query.clue_kind)
    place = np.flatnonzero(rows[front.best_places] == retrieved.answer_row)
    right_place = int(place[0]) if len(place) else reranker.NOT_AMONG_BEST
    right_place = reranker.NOT_LISTED if retrieved.answer_row is None else right_place
    return reranker.RerankExample(front.features, front.logp, front.list_summary, p_missing, right_place)
