"""Solving: find, weigh, fill. The whole program in one page.

Every clue is asked for all answers of its slot's length, whatever letters are known, so that the probabilities mean
the same everywhere; the filler then brings letters and lists together. Letters of the person's that are probably wrong
are kept from the filler, and written back when it is done. Where the grid does not come out, rebus squares are looked
for.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Mapping

import numpy as np

from regis.candidates.candidate_list import CandidateList, Found, unlisted
from regis.candidates.finders import FINDERS, PAST_CLUES, ahead
from regis.candidates.ranking import Weights, weigh
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.errors import unknown
from regis.index import Index, manifest, schema
from regis.models import clue_form
from regis.puzzle import Puzzle, Slot
from regis.solving import rebus
from regis.solving.cross_references import questions
from regis.solving.fillers import FILLERS
from regis.solving.letter_check import doubted
from regis.solving.rebus_candidates import Squares, collapsed, shown, whole
from regis.solving.solution import Answer, Budget, Candidates, Solution, Solved, Watch, unwatched

SEARCHED = "belief"
"""The filler after which rebus squares are looked for: the search asks belief propagation for its beliefs."""

ALTERNATIVES = 5
"""How many of the best answers are kept for each slot."""


def candidates(clue: str, pattern: str, index: Index) -> CandidateList:
    """All answers for `clue` of the length of `pattern`, given its letters ('P?I'), with probabilities."""
    clue = clue[: clue_form.LONGEST]
    return _asked(clue, len(pattern), index, weights_of(index), clue_form.kind(clue)).given(pattern)


def solve(
    puzzle: Puzzle,
    index: Index,
    filler: str = "belief",
    budget: Budget = Budget(),  # noqa: B008
    reveal: bool = False,
    watch: Watch = unwatched,
) -> Solved:
    """Solves `puzzle` with what `index` knows; with `reveal` also where the person's letters are probably wrong.

    Raises UsageError for a filler that is not there.
    """
    if filler not in FILLERS:
        raise unknown("filler", filler, FILLERS)
    start = time.perf_counter()
    solved = complete(puzzle, known(puzzle, index), index, filler, budget, reveal, watch)
    return dataclasses.replace(solved, seconds=time.perf_counter() - start)


def complete(
    puzzle: Puzzle,
    among: Candidates,
    index: Index,
    filler: str,
    budget: Budget,
    reveal: bool = False,
    watch: Watch = unwatched,
) -> Solved:
    """Fills what the person left open, from what is `known`; `seconds` stays 0."""
    deadline = budget.deadline()
    doubts = doubted(puzzle, among, budget)
    begun = puzzle.without(doubts)
    if budget.seconds is not None:
        budget = dataclasses.replace(budget, seconds=max(deadline - time.monotonic(), 0.0))
    solution = FILLERS[filler](begun, among, budget, watch)
    squares: Squares = {}
    if filler == SEARCHED:
        squares, solution = rebus.find(begun, among, solution, deadline)
        among = collapsed(among, squares)
    if not reveal:
        kept = {cell: puzzle.given[cell] for cell in doubts}
        sure = {**solution.confidence, **doubts}
        solution = dataclasses.replace(solution, cells={**solution.cells, **kept}, confidence=sure)
    answers = tuple(_answer(slot, puzzle, solution, among.lists[slot], squares) for slot in puzzle.grid.slots)
    solution = shown(solution, squares)
    return Solved(puzzle, solution, answers, filler, 0.0, index.fingerprint, among.lists, doubts, squares=squares)


def known(puzzle: Puzzle, index: Index) -> Candidates:
    """What `index` has to say of the puzzle, clue by clue, before any letter is looked at."""
    puzzle = dataclasses.replace(puzzle, clues={slot: clue[: clue_form.LONGEST] for slot, clue in puzzle.clues.items()})
    weights = weights_of(index)
    kinds = {slot: clue_form.kind(puzzle.clues.get(slot, "")) for slot in puzzle.grid.slots}
    about = functools.cache(index.derived(UnlistedPrior).about)

    @functools.cache
    def ask(slot: Slot, question: str) -> CandidateList:
        besides = first[slot] if question != first[slot] else ""
        return _asked(question, len(slot), index, weights, kinds[slot], besides)

    def matching(slot: Slot, pattern: str) -> CandidateList:
        return _weighed(("pattern",), "", pattern, index, weights)

    def candidates(asked: Mapping[Slot, str]) -> Candidates:
        def knowing(believed: Mapping[Slot, str]) -> Candidates | None:
            again = questions(puzzle, believed)
            return candidates(again) if again != asked else None

        def longer(slot: Slot, length: int) -> CandidateList:
            return _asked(asked[slot], length, index, weights, kinds[slot])

        lists = {slot: ask(slot, question) for slot, question in asked.items()}
        return Candidates(lists, matching, index.strings, lambda slot: about(asked[slot]), knowing, longer)

    first = questions(puzzle, {})
    ahead(((question, len(slot)) for slot, question in first.items()), index)
    return candidates(first)


def weights_of(index: Index) -> Weights:
    """The weights that were fitted when the index was built."""
    try:
        return Weights.from_json(index.learned[schema.WEIGHTS])
    except (KeyError, TypeError, ValueError, AttributeError) as cause:
        raise manifest.damaged(index.folder, "learned.json") from cause


def _asked(clue: str, length: int, index: Index, weights: Weights, kind: str, besides: str = "") -> CandidateList:
    return _weighed(tuple(FINDERS), clue, "?" * length, index, weights, kind, besides)


def _weighed(
    finders: tuple[str, ...],
    clue: str,
    pattern: str,
    index: Index,
    weights: Weights,
    kind: str = "",
    besides: str = "",
) -> CandidateList:
    part = index[len(pattern)]
    if part is None:
        return unlisted(len(pattern))

    def find(clue: str) -> list[Found]:
        return [FINDERS[name](clue, pattern, index, PAST_CLUES) for name in finders]

    newest = (index.manifest.newest_year or 0) + 1
    other = (find(besides), index.gist(besides)) if besides else None
    return weigh(part, find(clue), weights, newest, kind, index.gist(clue), other)


def _answer(slot: Slot, puzzle: Puzzle, solution: Solution, among: CandidateList, squares: Squares) -> Answer:
    """What the solution, one letter a cell, says of one slot, and why."""
    answer = solution.answer(slot)
    ranked = dict(solution.ranked.get(slot, ()))
    sure = [solution.confidence.get(cell, 0.0) for cell in slot.cells]
    confidence = ranked.pop(answer, float(np.prod(sure)))
    place = among.find(answer) if "?" not in answer else None
    evidence = among.explain(place) if place is not None else ()
    best = tuple((whole(slot, squares, other), p) for other, p in tuple(ranked.items())[:ALTERNATIVES])
    if any(cell in squares for cell in slot.cells):
        answer = whole(slot, squares, answer)
    return Answer(slot, puzzle.clues.get(slot, ""), answer, confidence, evidence, best)
