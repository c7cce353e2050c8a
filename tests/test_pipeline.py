"""Solving as a whole: find, weigh, fill, and report each answer, in limited time and memory."""

import itertools
import math
import time
from dataclasses import replace

import corpus
import numpy as np
import pytest
import tiny

from regis.ancestors import FILLERS, find_filler
from regis.candidates.finder import Query
from regis.candidates.ranking import ranker
from regis.candidates.ranking.ranker import Ranker
from regis.corpora.entry import Entry
from regis.index import Index
from regis.models.strings.string_model import StringModel
from regis.puzzle import Grid, Puzzle
from regis.solving import pipeline, retrieval
from regis.solving.filler import StopReason, StopSolving
from regis.solving.inference import propagation
from regis.solving.pipeline import solve
from regis.solving.retrieval import retrieve_candidates, retrieve_clue_candidates
from regis.solving.solved_puzzle import SolvedPuzzle

EACH = pytest.mark.parametrize("name", FILLERS)
ROWS = ("LION#", "I###O", "M###T", "ASHES", "####R")
CLUES = {"1A": "Proud roarer", "1D": "City with a bean", "2D": "River player", "3A": "Word of the year"}


def puzzle(**more: object) -> Puzzle:
    """LION and LIMA cross at the L; the other slots cross where they can."""
    grid = tiny.grid(ROWS)
    return Puzzle(grid, {slot: CLUES.get(str(slot), "") for slot in grid.slots}, **more)  # type: ignore[arg-type]


def answers(solved: SolvedPuzzle) -> dict[str, str]:
    return {str(answer.slot): answer.answer for answer in solved.answers}


@EACH
def test_known_clues_are_solved(name: str, whole: Index):
    solved = solve(puzzle(), whole, find_filler(name))
    assert answers(solved)["1A"] == "LION" and answers(solved)["1D"] == "LIMA"
    assert (solved.filler, solved.index_fingerprint) == (name, whole.fingerprint) and solved.seconds > 0
    assert [answer.slot for answer in solved.answers] == list(solved.puzzle.grid.slots)
    for answer in solved.answers:
        letters = [solved.fill.confidence.get(cell, 0.0) for cell in answer.slot.cells]
        assert 1 - sum(1 - p for p in letters) - 1e-9 <= answer.confidence <= min(letters) + 1e-9
    lion = solved.answers[0]
    assert (str(lion.slot), lion.clue, lion.answer) == ("1A", "Proud roarer", "LION")
    assert 0.5 < lion.confidence <= 1
    assert {reason.finder for reason in lion.evidence} >= {"nearby", "keywords", "pattern"}
    assert len(lion.alternatives) == 5 and lion.answer not in dict(lion.alternatives)
    chances = [p for _, p in lion.alternatives]
    assert chances == sorted(chances, reverse=True) and lion.confidence + sum(chances) <= 1 + 1e-6
    for index in (whole, Index.open(whole.folder)):
        again = solve(puzzle(), index, find_filler(name))
        assert (solved.fill, solved.answers) == (again.fill, again.answers), "the same each time"


@EACH
def test_given_letters_are_used(name: str, whole: Index):
    grid = Grid(("....",))
    letters = {(0, 0): "S", (0, 2): "A"}
    solved = solve(Puzzle(grid, {grid.slots[0]: "An animal"}, given=letters), whole, find_filler(name))
    assert answers(solved)["1A"] in ("SEAL", "SWAN")


@pytest.mark.parametrize("content", ["HEART", "7", "É", "Ω", "/", "a"])
def test_odd_contents_of_a_given_cell_stay_and_do_no_harm(content: str, whole: Index):
    solved = solve(puzzle(given={(0, 0): content}), whole)
    assert solved.fill.cells[0, 0] == content
    assert answers(solved)["1A"].startswith(content)


@pytest.mark.parametrize("rows", [(), ("#",), (".",), (".#", "#."), ("." * 30, "." * 30), tiny.ROWS])
@pytest.mark.parametrize("clue", ["", "x" * 10_000, "word " * 2_000, "東京", "\0\ud800", "See 1-Across", "___"])
def test_any_text_can_be_a_clue_in_any_grid(clue: str, rows: tuple[str, ...], whole: Index):
    grid = tiny.grid(rows)
    solved = solve(Puzzle(grid, dict.fromkeys(grid.slots, clue)), whole)
    assert list(map(len, grid.slots)) == [len(answer.answer) for answer in solved.answers]


@pytest.mark.parametrize("step", [1, 2, 5])
def test_stopping_the_solving_gives_a_grid(step: int, whole: Index):
    steps = itertools.count(1)

    def stop(*_: object) -> None:
        if next(steps) == step:
            raise StopSolving

    solved = solve(puzzle(), whole, watch=stop)
    assert solved.fill.cells.keys() == set(solved.puzzle.grid.cells)


def test_most_of_the_newest_year_is_known_from_the_years_before(whole: Index):
    """The corpus says the same about the same animals each year, so finders must find them; chance would be 5 %."""
    before = whole.before_newest_year()
    asked = [e for e in corpus.rows() if isinstance(e, Entry) and e.clue and e.year == corpus.YEARS[-1]][::7]
    first = [retrieve_clue_candidates(e.clue, "?" * len(e.answer), before)[0].answer == e.answer for e in asked]
    assert np.mean(first) > 0.8


def test_a_note_on_how_the_answer_is_written_is_queried_only_if_the_index_has_it(tmp_path):
    noted = [corpus.entry("OTTER", "Fussy type (2 wds.)", year) for year in corpus.YEARS]
    plain = [corpus.entry("TIGER", "Fussy type", year) for year in corpus.YEARS]
    index = corpus.index(tmp_path, [*corpus.rows(), *noted, *plain])
    assert retrieve_clue_candidates("Fussy type (2 wds.)", "?????", index).answer(0) == "OTTER"
    for clue in ("Fussy type", "Fussy type (3 wds.)", "Fussy type, hyph.", "Fussy type (2,3)", "*Fussy type (5)"):
        assert retrieve_clue_candidates(clue, "?????", index).answer(0) == "TIGER", clue


@pytest.mark.parametrize("end", [".", " (2 wds.).", ". 2 words."])
def test_a_publisher_that_ends_all_clues_with_a_full_stop_gets_the_same_lists(whole: Index, end: str):
    plain = replace(tiny.puzzle(), clues={slot: clue or "Word" for slot, clue in tiny.puzzle().clues.items()})
    stopped = replace(plain, clues={slot: clue + end for slot, clue in plain.clues.items()})
    others = retrieve_candidates(stopped, whole).lists
    for slot, among in retrieve_candidates(plain, whole).lists.items():
        other = others[slot]
        assert np.array_equal(among.letters, other.letters) and np.array_equal(among.logp, other.logp)


GRID = tiny.grid(("LION#", "I###O", "M###T", "ASHES", "####R"))
QUERIES = [Query("Proud roarer", "????"), Query("City with a bean", "????"), Query("Word of the year", "?????")]


def test_all_lists_together_have_a_bound(whole: Index, monkeypatch: pytest.MonkeyPatch):
    free = Ranker(whole).rank_queries(QUERIES)
    assert min(map(len, free)) > 4
    monkeypatch.setattr(ranker, "MAX_TOTAL_CANDIDATES", 4 * len(QUERIES) + 1)
    for short, long in zip(Ranker(whole).rank_queries(QUERIES), free, strict=True):
        assert [short.answer(i) for i in range(len(short))] == [long.answer(i) for i in range(4)]
        assert (short.logp == long.logp[:4]).all() and short.explain(0) == long.explain(0)


def test_queries_after_the_deadline_give_empty_lists(whole: Index, monkeypatch: pytest.MonkeyPatch):
    now = iter([0.0, 0.0, 2.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(now, 2.0))
    first, second, third = Ranker(whole).rank_queries(QUERIES, 1.0)
    assert len(first) and len(second)
    assert (len(third), third.missing, third.letters.shape[1]) == (0, 1, 5)


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
