"""Squares in which either of two letters is right: an entry with two answers, both of which its crossings allow.

Setters call them Schroedinger squares: CAT or DOG is a house pet, and the clues down are good for CAME and DAME alike.
In other grids a second answer hardly ever differs from the first in three squares or more, since some crossing has no
answer with its letter. So a grid that is filled is looked through for entries whose list has a second answer, such that
the list of every crossing has one, too, and all of them together are nearly as likely as those that stand.
"""

from __future__ import annotations

import math

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Puzzle
from regis.puzzle.alphabet import spelled
from regis.solving.solution import Candidates, Solution
from regis.solving.solved import Either

LEAST = 3  # squares in which the two answers differ
RARE = -8.0  # natural log of how improbable, by its list, no crossing's other answer may be
EACH = -3.2
"""How much likelier, in natural log, the other answers must be for each square, with RARE. (docs/measured.md)"""


def either(puzzle: Puzzle, among: Candidates, solution: Solution) -> tuple[Either, ...]:
    """The entries with two answers, in clue order; where two of them share such a square, the first."""
    found: list[Either] = []
    for slot in puzzle.grid.slots if solution.beliefs else ():
        taken = {cell for known in found for cell in known.squares} | puzzle.given.keys()
        stands = solution.answer(slot)
        if puzzle.clued(slot) and spelled(stands, len(slot)):
            several = (Either(slot, stands, other) for other, _ in solution.propagated.ranked[slot])
            fitting = (one for one in several if len(one.squares) >= LEAST and not taken & one.squares.keys())
            found += [one for one in fitting if _likely(puzzle, among, solution, one)][:1]
    return tuple(found)


def _likely(puzzle: Puzzle, among: Candidates, solution: Solution, one: Either) -> bool:
    """Whether the other answer, and those of its crossings, are nearly as likely as what stands."""
    gain = _gain(among.lists[one.slot], one.first, one.other)
    for i, crossing in enumerate(puzzle.grid.crossings[one.slot]):
        if one.first[i] != one.other[i]:
            if crossing is None or not puzzle.clued(crossing.slot):
                return False
            stands, at = solution.answer(crossing.slot), crossing.position
            gain += _gain(among.lists[crossing.slot], stands, stands[:at] + one.other[i] + stands[at + 1 :])
            if gain == -math.inf:
                return False
    return gain >= EACH * len(one.squares)


def _gain(listed: CandidateList, first: str, other: str) -> float:
    """How much likelier `other` is than `first`, in natural log; -inf if one of them is not listed, or too rare."""
    places = [listed.find(first), listed.find(other)]
    logp = [-math.inf if place is None else float(listed.logp[place]) for place in places]
    return logp[1] - logp[0] if min(logp) >= RARE else -math.inf
