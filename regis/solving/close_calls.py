"""Close calls: squares where one letter or another was a matter of little, decided once more by who reads.

Most grids that are not whole lack one square: two entries cross there, and each of them could be another with one
letter changed. Lists and messages have said what they can, and what they think of strings in no list is how letters and
pieces mostly go, which is not much. So all four entries are read with their clues: what the reader says counts as much
as the lists as they were before any reading, and once more where one of two entries is in no list. Other letters stay.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, spelled
from regis.solving.local_search import LocalSearch
from regis.solving.solution import Candidates, Solution
from regis.system.deadline import FOREVER, passed

POSSIBLE = 0.002  # probability that a letter must have in its square to be tried there; a guess, as are
MOST, LETTERS = 40, 2  # how many are tried, at most: in the grid, and in one square

ENOUGH, UNLISTED = 1.0, 2
"""By how much, in natural log, must the entries be likelier for another letter to be written, and how often does the
reader count where one is in no list? (Measured: docs/measured.md.)"""


class _Call(NamedTuple):
    """Another letter for a square, and what it makes of the entries there."""

    cell: Cell
    letter: str
    entries: Mapping[Slot, tuple[str, str]]  # as they stand, and with that letter
    p: float  # how likely it is by the messages


def settled(puzzle: Puzzle, known: Candidates, solution: Solution, deadline: float = FOREVER) -> Solution:
    """`solution` with another letter where the entries there are likelier so: by the lists that were `known`, and read.

    It is the same where nobody reads, or at the `deadline` (time.monotonic). Of a letter that is written Regis is as
    sure as it was of the one that stood.
    """
    if known.read is None or passed(deadline):
        return solution
    calls = sorted(_calls(puzzle, solution), key=lambda call: (-call.p, call.cell))[:MOST]
    if not calls:
        return solution
    gains = zip(_gains(puzzle, known, calls), calls, strict=True)
    cells, ranked, changed = dict(solution.cells), dict(solution.ranked), set[Slot]()
    for gain, call in sorted(gains, key=lambda one: (-one[0], one[1].cell)):
        if gain > ENOUGH and not changed & call.entries.keys():
            cells[call.cell] = call.letter
            changed |= call.entries.keys()
            for slot, (stood, stands) in call.entries.items():
                turned = {stood: stands, stands: stood}
                ranked[slot] = tuple((turned.get(other, other), p) for other, p in ranked.get(slot, ()))
    return replace(solution, cells=cells, ranked=ranked) if changed else solution


def _gains(puzzle: Puzzle, known: Candidates, calls: Sequence[_Call]) -> Iterator[float]:
    """How much likelier the other letter of each call makes the entries there, in natural log, all read together."""
    assert known.read is not None, "or nothing is read"
    search, place = LocalSearch(puzzle, known), {slot: i for i, slot in enumerate(puzzle.grid.slots)}
    strings: dict[Slot, dict[str, None]] = {}
    for call in calls:
        for slot, both in call.entries.items():
            strings.setdefault(slot, {}).update(dict.fromkeys(both))
    read = known.read({slot: list(its) for slot, its in strings.items()})
    odds = {slot: dict(zip(its, (one.alone for one in read[slot]), strict=True)) for slot, its in strings.items()}
    for call in calls:
        gain = 0.0
        for slot, (stands, other) in call.entries.items():
            listed = all(known.lists[slot].find(entry) is not None for entry in (stands, other))
            gain += search.entry(place[slot], other) - search.entry(place[slot], stands)
            gain += (odds[slot][other] - odds[slot][stands]) * (1 if listed else UNLISTED)
        yield gain


def _calls(puzzle: Puzzle, solution: Solution) -> Iterator[_Call]:
    """What else may stand in each open square through which all entries have clues and are filled.

    No answer that stands elsewhere in the grid: setters do not use one twice.
    """
    through = puzzle.grid.through
    stands = {slot: solution.answer(slot) for slot in puzzle.grid.slots if puzzle.clued(slot)}
    fit = {slot for slot, its in stands.items() if spelled(its, len(slot))}
    twice = set(stands.values())
    for cell, p in solution.beliefs.letters.items() if solution.beliefs else ():
        if cell in puzzle.given or not fit.issuperset(slot for slot, _ in through[cell]):
            continue
        likely = (number for number in np.argsort(-p, kind="stable").tolist() if p[number] >= POSSIBLE)
        others = (ALPHABET[number] for number in likely if ALPHABET[number] != solution.cells[cell])
        for letter in itertools.islice(others, LETTERS):
            entries = {s: (stands[s], stands[s][:i] + letter + stands[s][i + 1 :]) for s, i in through[cell]}
            if not any(other in twice for _, other in entries.values()):
                yield _Call(cell, letter, entries, float(p[ALPHABET.index(letter)]))
