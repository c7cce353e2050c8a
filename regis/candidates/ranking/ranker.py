"""Ranking: one list of candidates per query, the likeliest first, with evidence for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.candidates.finder import Evidence, ExplainRow, Query, QueryResults, encode_queries, past_clue_evidence
from regis.candidates.finders import FINDERS, ask_finders
from regis.candidates.ranking.scoring import Scorer
from regis.candidates.ranking.weights import AnswerRows, Weights, find_nearest_clue
from regis.candidates.settings import CANDIDATES
from regis.index import Index
from regis.models.arrays import stable_top_k
from regis.system.progress import FOREVER, is_past

MAX_TOTAL_CANDIDATES = 10_000_000
"""Most candidates in all lists of a call: 200 MB; each of a Sunday's 140 lists may have 70,000."""


class Ranker:
    """Makes lists with `weights`, by default the index's own; ages count from `year`."""

    def __init__(self, index: Index, weights: Weights | None = None, year: int | None = None) -> None:
        """Raise IndexDamaged if the index's own weights are needed and unreadable."""
        self.index = index
        self.scorer = Scorer(index, weights, year)

    def rank_queries(
        self, queries: Sequence[Query], deadline: float = FOREVER, limit: int | None = None
    ) -> list[CandidateList]:
        """Make a list for each query, with at most `limit` candidates; faster together.

        Lists not reached by the deadline (time.monotonic) are empty.
        """
        lists = [unlisted(query.length) for query in queries]
        max_length = _max_list_length(len(queries))
        limit = min(limit or max_length, max_length)
        for place, query_results in self._ask(queries, deadline):
            lists[place] = self.rank_results(query_results, limit=limit)
        return lists

    def rank_rewordings(
        self, query_pairs: Sequence[tuple[Query, Query]], deadline: float = FOREVER
    ) -> Iterator[tuple[int, CandidateList]]:
        """Yield the place and list of each pair's first query, until the deadline.

        The second query, another wording of the same clue, has a share of the list, `original_clue_share`.
        """
        limit = _max_list_length(len(query_pairs))
        results = self._ask([query for pair in query_pairs for query in pair], deadline)
        for (place, first), (_, second) in zip(results, results, strict=False):  # one length: they follow each other
            yield place // 2, self.rank_results(first, second, limit)

    def _ask(self, queries: Sequence[Query], deadline: float) -> Iterator[tuple[int, QueryResults]]:
        """Yield each query's place and results, until the deadline."""
        batch_size = 256 if deadline == FOREVER else 32  # clues that are encoded together
        for start in range(0, len(queries), batch_size):
            if is_past(deadline):
                return
            batch = encode_queries(queries[start : start + batch_size], self.index)
            for place, query_results in ask_finders(batch, self.index, FINDERS):
                yield start + place, query_results
                if is_past(deadline):
                    return

    def rank_results(
        self,
        query_results: QueryResults,
        original_results: QueryResults | None = None,
        limit: int = CANDIDATES.max_list_length,
    ) -> CandidateList:
        """Make a list from the results, mixed with another wording's results if given."""
        partition, rows = query_results.partition, query_results.answer_rows
        if not len(rows):
            return unlisted(partition.length)
        logp, missing = self.scorer.log_probabilities(query_results)
        if original_results is not None:
            original_logp, original_missing = self.scorer.log_probabilities(original_results)
            share = CANDIDATES.original_clue_share
            logp = np.logaddexp(logp + np.log1p(-share), original_logp + np.log(share))
            missing += share * (original_missing - missing)
        best = stable_top_k(logp, limit)
        best_logp = logp[best].astype(np.float32)
        rows = rows[best]
        letters = partition.answer_letters.take(rows, axis=0)
        return CandidateList(letters, best_logp, missing, explain_rows(query_results, rows))


def explain_rows(query_results: QueryResults, answer_rows: AnswerRows) -> ExplainRow:
    """Return a function that collects evidence for the i-th of `answer_rows`, on demand."""
    partition, embedding = query_results.partition, query_results.query.clue_embedding
    finders_explain = [result.explain for result in query_results.results.values()]

    def explain(i: int) -> tuple[Evidence, ...]:
        row = int(answer_rows[i])
        reasons = [reason for explain_row in finders_explain for reason in explain_row(row)]
        nearest = None if embedding is None else find_nearest_clue(partition, row, embedding)
        if nearest is not None and nearest[1] >= CANDIDATES.min_paraphrase_cosine:
            paraphrase = past_clue_evidence("similar", "paraphrase", partition, *nearest)
            if all(reason.text != paraphrase.text for reason in reasons if reason.kind == "clue"):
                reasons.append(paraphrase)
        return tuple(reasons)

    return explain


def _max_list_length(n_lists: int) -> int:
    return min(CANDIDATES.max_list_length, MAX_TOTAL_CANDIDATES // max(n_lists, 1))
