"""What past clues say for their answers: the best of each, and all of them together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finder import Evidence, EvidenceKind, ExplainRow
from regis.index import Partition
from regis.models.numeric.sorted_search import find_sorted, run_starts


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
