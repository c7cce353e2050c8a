"""Solving: find, weigh, fill. The whole program in one page.

Every clue is asked for all answers of its slot's length, whatever letters are known, so that the probabilities mean
the same everywhere; the filler then brings letters and lists together.
"""

from __future__ import annotations

import functools
import time

import numpy as np

from regis.candidates import CandidateList, unlisted
from regis.errors import IndexDamaged, unknown
from regis.fill import Answer, Budget, Candidates, Solution, Solved, Watch, unwatched
from regis.fillers import FILLERS
from regis.finders import FINDERS, PAST_CLUES
from regis.index import Index, manifest
from regis.puzzle import Puzzle, Slot
from regis.strings import StringModel
from regis.weigh import Weights, weigh

ALTERNATIVES = 5
"""How many of the best answers are kept for each slot."""


def candidates(clue: str, pattern: str, index: Index) -> CandidateList:
    """All answers for `clue` of the length of `pattern`, given its letters ('P?I'), with probabilities."""
    return _asked(clue, len(pattern), index, weights_of(index)).given(pattern)


def solve(
    puzzle: Puzzle,
    index: Index,
    filler: str = "belief",
    budget: Budget = Budget(),  # noqa: B008
    watch: Watch = unwatched,
) -> Solved:
    """Solves `puzzle` with what `index` knows. Raises UsageError for a filler that is not there."""
    if filler not in FILLERS:
        raise unknown("filler", filler, FILLERS)
    start = time.perf_counter()
    found = known(puzzle, index)
    solution = FILLERS[filler](puzzle, found, budget, watch)
    answers = tuple(_answer(slot, puzzle, solution, found.lists[slot]) for slot in puzzle.grid.slots)
    return Solved(puzzle, solution, answers, filler, time.perf_counter() - start, index.fingerprint, found.lists)


def known(puzzle: Puzzle, index: Index) -> Candidates:
    """All that a filler may know of `puzzle`: its clues asked, the pattern finder, what unlisted answers look like."""
    weights = weights_of(index)
    lists = {slot: _asked(puzzle.clues.get(slot, ""), len(slot), index, weights) for slot in puzzle.grid.slots}

    def matching(slot: Slot, pattern: str) -> CandidateList:
        return _weighed(("pattern",), "", pattern, index, weights)

    @functools.cache
    def clued(slot: Slot) -> StringModel:
        return index.strings_about(puzzle.clues.get(slot, ""))

    return Candidates(lists, matching, index.strings, clued)


def weights_of(index: Index) -> Weights:
    """The weights that were fitted when the index was built."""
    try:
        return Weights.from_json(index.learned["weigh"])
    except (KeyError, TypeError, ValueError, AttributeError) as cause:
        raise IndexDamaged(f"the index at {index.folder} is damaged (learned.json); {manifest.REBUILD}") from cause


def _asked(clue: str, length: int, index: Index, weights: Weights) -> CandidateList:
    return _weighed(tuple(FINDERS), clue, "?" * length, index, weights)


def _weighed(finders: tuple[str, ...], clue: str, pattern: str, index: Index, weights: Weights) -> CandidateList:
    part = index[len(pattern)]
    if part is None:
        return unlisted(len(pattern))
    found = [FINDERS[name](clue, pattern, index, PAST_CLUES) for name in finders]
    return weigh(part, found, weights, index.manifest.latest_year or 0)


def _answer(slot: Slot, puzzle: Puzzle, solution: Solution, among: CandidateList) -> Answer:
    """What the solution says of one slot, and why."""
    answer = solution.answer(slot)
    ranked = dict(solution.ranked.get(slot, ()))
    sure = [solution.confidence.get(cell, 0.0) for cell in slot.cells]
    confidence = ranked.pop(answer, float(np.prod(sure)))
    place = among.find(answer) if "?" not in answer else None
    evidence = among.explain(place) if place is not None else ()
    best = tuple(ranked.items())[:ALTERNATIVES]
    return Answer(slot, puzzle.clues.get(slot, ""), answer, confidence, evidence, best)
