"""No puzzle takes unlimited time or memory."""

import math
import time
from dataclasses import replace

import numpy as np
import pytest
import tiny

from regis.ancestors import FILLERS, find_filler
from regis.candidates.finder import Query
from regis.candidates.ranking import ranker
from regis.candidates.ranking.ranker import Ranker
from regis.index import Index
from regis.models.strings.string_model import StringModel
from regis.puzzle import Puzzle
from regis.solving import pipeline, retrieval
from regis.solving.filler import StopReason
from regis.solving.inference import propagation

GRID = tiny.grid(("LION#", "I###O", "M###T", "ASHES", "####R"))
QUERIES = [Query("Proud roarer", "????"), Query("City with a bean", "????"), Query("Word of the year", "?????")]


def test_all_lists_together_have_a_bound(whole: Index, monkeypatch: pytest.MonkeyPatch):
    free = Ranker(whole).rank_queries(QUERIES)
    assert min(map(len, free)) > 4
    monkeypatch.setattr(ranker, "MAX_TOTAL_CANDIDATES", 4 * len(QUERIES) + 1)
    for short, long in zip(Ranker(whole).rank_queries(QUERIES), free, strict=True):
        assert [short.answer(i) for i in range(len(short))] == [long.answer(i) for i in range(4)]
        assert (short.logp == long.logp[:4]).all() and short.explain(0) == long.explain(0)


def test_many_clues_are_read_in_parts(whole: Index, monkeypatch: pytest.MonkeyPatch):
    together = Ranker(whole).rank_queries(QUERIES)
    monkeypatch.setattr(ranker, "QUERY_BATCH", 1)
    for one, other in zip(Ranker(whole).rank_queries(QUERIES), together, strict=True):
        np.testing.assert_allclose(one.logp, other.logp, atol=1e-5)
        assert one.answer(0) == other.answer(0)


def test_queries_after_the_deadline_give_empty_lists(whole: Index, monkeypatch: pytest.MonkeyPatch):
    now = iter([0.0, 0.0, 2.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(now, 2.0))
    first, second, third = Ranker(whole).rank_queries(QUERIES, 1.0)
    assert len(first) and len(second)
    assert (len(third), third.missing, third.letters.shape[1]) == (0, 1, 5)


def test_lists_in_two_wordings_have_a_bound_and_an_end(whole: Index, monkeypatch: pytest.MonkeyPatch):
    both, pairs = Ranker(whole), [(query, Query("Be without", query.pattern)) for query in QUERIES]
    free = dict(both.rank_rewordings(pairs))
    assert list(free) == [0, 1, 2] and min(map(len, free.values())) > 4
    assert not list(both.rank_rewordings(pairs, time.monotonic()))
    monkeypatch.setattr(ranker, "QUERY_BATCH", 2)
    monkeypatch.setattr(ranker, "MAX_TOTAL_CANDIDATES", 4 * len(pairs) + 1)
    for place, short in both.rank_rewordings(pairs):
        np.testing.assert_allclose(short.logp, free[place].logp[:4], atol=1e-6)  # equally likely answers change places
        assert short.missing == free[place].missing


def test_clues_stay_as_they_are_if_time_is_up_before_answers_are_inserted(whole: Index, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    puzzle = tiny.puzzle(clues=tiny.CLUES | {"6A": "Nothing but 1-Across", "7A": "See 1-Across"})
    sure = {puzzle.grid.slots[0]: "LACK"}
    for at, deadline in ((0.0, 5.0), (10.0, 5.0), (10.0, 15.0)):
        clock[0] = 0.0
        known = retrieval.retrieve_candidates(puzzle, whole, 5.0)
        clock[0] = at
        informed = known.reword(sure, deadline)
        assert informed is not None
        other = {str(slot) for slot, its in informed.lists.items() if its is not known.lists[slot]}
        assert other == (set() if at > deadline else {"6A", "7A"})


@pytest.mark.parametrize("name", FILLERS)
def test_the_seconds_count_from_the_first_clue(name: str, whole: Index, monkeypatch: pytest.MonkeyPatch):
    def slow(self: Ranker, queries: list[Query], deadline: float = math.inf) -> object:
        time.sleep(max(deadline - time.monotonic(), 0) + 0.001)
        return lists(self, queries)

    lists = Ranker.rank_queries
    monkeypatch.setattr(Ranker, "rank_queries", slow)
    puzzle = Puzzle(GRID, dict.fromkeys(GRID.slots, "Proud roarer"))
    solved = pipeline.solve(puzzle, whole, find_filler(name), 0.05)
    assert solved.is_out_of_time
    assert solved.seconds < 5 and len(solved.answers) == len(GRID.slots)


def test_no_phrases_are_tried_after_the_deadline(whole: Index, monkeypatch: pytest.MonkeyPatch):
    """Phrases of one slot may take long, and a round has those of all slots."""
    puzzle = Puzzle(GRID, dict.fromkeys(GRID.slots, "Proud roarer"))
    among, asked = retrieval.retrieve_candidates(puzzle, whole), []

    def slow(self: StringModel, evidence: object, *alone: object) -> object:
        asked.append(evidence)
        time.sleep(max(deadline - time.monotonic(), 0) + 0.001)
        return alone

    monkeypatch.setattr(propagation, "PROPAGATION", replace(propagation.PROPAGATION, warmup_rounds=0))
    monkeypatch.setattr(StringModel, "mix_phrases", slow)
    deadline = time.monotonic() + 0.5
    assert propagation.propagate(puzzle, among, deadline).stop_reason is StopReason.OUT_OF_TIME and len(asked) == 1
