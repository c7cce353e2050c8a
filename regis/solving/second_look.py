"""A second look at what is in doubt: clue and answer are read together, and their lists weighed again.

Lists know answers by name, the phrase model knows strings of pieces; neither sees that this phrase fits that clue.
Where squares are doubtful, a reader (regis.models.reader) is asked about the best answers of the slots there, and about
the strings that the doubtful squares can make of what stands, in a list or not (Berkeley's second pass, 2022, is of the
kind). It says how much likelier each is than those in the list are on average, since what was not read may be right,
too. The lists take that over, those strings join them, and the grid is filled again, its messages going on from where
they were; where that changed it, what is still in doubt is looked at once more.

Where lists hardly know a puzzle's clues, a grid collapses: many squares are in doubt, and what crossings say of a slot
is mostly wrong. Then the best answers of the lists there are read, whatever the crossings say, and the grid is begun
again; not where the first that are read show that the clues mean nothing. Where that does not help, either, a way out
is looked for (solving.ways_out), and what is then still in doubt is looked at.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot, alphabet
from regis.puzzle.alphabet import codes, spelled
from regis.solving.propagation import ALL_DOUBTED, SURE
from regis.solving.readings import Readings
from regis.solving.solution import Beliefs, Candidates, Fill, Solution
from regis.solving.ways_out import WaysOut
from regis.system.deadline import FOREVER, passed

POSSIBLE = 0.01  # probability that a letter must have to be tried in its square
LIKELY, STRINGS = 1e-5, 30
"""Which probability must a listed answer have to be read, and how many strings of a slot are read each time, at most?
(Measured: docs/measured.md.)"""

SLOTS = 60  # that are looked at each time, at most: those with the fewest doubtful squares
ROUNDS = 2
"""How often is what is in doubt looked at? Once more only where that changed a letter. (Measured: docs/measured.md.)"""

COLLAPSED = 0.1
"""Of how many squares, as a share of all, is none sure in a grid that has collapsed? (Measured: docs/measured.md.)"""

FOREMOST, FEWER = 30, 15
"""How many answers of each list, the likeliest whatever crosses there, are read before such a grid is begun again, and
how many strings of a slot each time after that, at most, instead of STRINGS? (Measured: docs/measured.md.)"""

UNSETTLED, STUCK = 0.04, 0.1
"""From how many doubtful squares on, as a share of all, is a grid filled anew after all of that, and from how many are
other ways out looked for (solving.ways_out)? (Measured: docs/measured.md.)"""

CLUED = 0.9
"""Of how many entries, as a share of all, must there be a clue for that? Of others nobody knows more than letters, and
much stays in doubt whatever is tried. (Measured: docs/measured.md.)"""

PROBED, MEANT = 16, 1.0
"""Where nearly all is in doubt: of how many slots are the answers read first, and how far must the reader's odds of a
slot's, in natural log, lie apart (standard deviation) for more to be read? Clues that mean nothing to the lists nor to
the reader are nonsense, or of another language. (Measured: docs/measured.md.)"""


def look(
    puzzle: Puzzle, among: Candidates, solution: Solution, fill: Fill, deadline: float = FOREVER
) -> tuple[Candidates, Solution]:
    """What was known and filled, and known and filled again where that left doubts.

    Without a reader, and where all is in doubt and clues mean nothing to the reader, it is the same as before.

    What clues name (Candidates.knowing) stays as it was believed. `fill` fills the puzzle from what is known. What is
    not done at the `deadline` (time.monotonic) is as if it had not begun.
    """
    if solution.beliefs is None or passed(deadline):
        return among, solution
    known = solution.beliefs.candidates(among)
    if known.read is None:
        return among, solution
    looking = _Looking(puzzle, known, among, solution, fill, deadline)
    if looking.collapsed and not looking.meant():
        return among, solution
    if not looking.collapsed or looking.begun_anew():
        looking.reread()
    looking.find_ways_out()
    return looking.among, looking.solution


class _Looking:
    """A grid that is looked at: what is known of it by now, `among`, and how it is filled with that, `solution`."""

    def __init__(
        self, puzzle: Puzzle, known: Candidates, among: Candidates, solution: Solution, fill: Fill, deadline: float
    ) -> None:
        """`known` is what was `among`, with what is believed of clues that name others; the rest is as for `look`."""
        self.among, self.solution = among, solution
        self.collapsed = _doubts(puzzle, solution) > COLLAPSED
        self._puzzle, self._fill, self._deadline = puzzle, fill, deadline
        self._readings = Readings(known, deadline, self.collapsed)
        self._known = replace(known, knowing=lambda believed, deadline: None, read=None)

    def meant(self) -> bool:
        """Whether clues mean something, which is asked where nearly all is in doubt; and there was time to tell."""
        if _doubts(self._puzzle, self.solution) <= ALL_DOUBTED or len(self._foremost) <= PROBED:
            return True
        first = dict(self._foremost[:PROBED])
        return self._readings.more(first) and self._readings.spread(first) > MEANT

    def begun_anew(self) -> bool:
        """Reads the best answers of all lists and begins again; whether that changed a letter."""
        return self._refilled(dict(self._foremost), None)

    def reread(self) -> None:
        """Looks at what is in doubt, and once more where that changed a letter."""
        strings = FEWER if self.collapsed else STRINGS
        for _ in range(ROUNDS):
            some = dict(_doubtful(self._puzzle, self.solution, SLOTS, strings))
            if not self._refilled(some, self.solution.beliefs):
                break

    def find_ways_out(self) -> None:
        """Goes on to likelier grids while much is in doubt, each looked at in its turn."""
        slots = self._puzzle.grid.slots
        if sum(map(self._puzzle.clued, slots)) < CLUED * len(slots):
            return
        ways = WaysOut(self._puzzle, self._fill, self._deadline)
        while self._readings.lists and (doubts := _doubts(self._puzzle, self.solution)) > UNSETTLED:
            if (other := ways.better(self.among, self.solution, doubts > STUCK)) is self.solution:
                break
            self.solution = other
            self.reread()

    @cached_property
    def _foremost(self) -> list[tuple[Slot, list[str]]]:
        """The slots in doubt, each with what stands there and the best answers of its list, whatever crosses there."""
        found = []
        for slot in _slots(self._puzzle, _squares(self._puzzle, self.solution.propagated)):
            stands, listed = self.solution.answer(slot), self._known.lists[slot]
            if spelled(stands, len(slot)):
                best = [listed.answer(i) for i in range(min(FOREMOST, len(listed)))]
                found.append((slot, list(dict.fromkeys([stands, *best]))))
        return found

    def _refilled(self, strings: Mapping[Slot, Sequence[str]], believed: Beliefs | None) -> bool:
        """Reads what is new of some strings and fills again with that; whether it changed a letter."""
        before = self._readings.count
        if not self._readings.more(strings) or self._readings.count == before:
            return False
        lists = {**self._known.lists, **self._readings.lists}
        weighed = replace(self._known, lists=lists, believed=believed)
        filled = self._fill(weighed)
        if passed(self._deadline):
            return False
        changed = filled.cells != self.solution.cells
        self.among, self.solution = weighed, filled
        return changed


def _doubts(puzzle: Puzzle, solution: Solution) -> float:
    """The share of the squares that are doubtful."""
    return len(_squares(puzzle, solution.propagated)) / max(len(solution.propagated.letters), 1)


def _squares(puzzle: Puzzle, beliefs: Beliefs) -> set[Cell]:
    """The doubtful squares."""
    return beliefs.doubtful(SURE, puzzle.given)


def _slots(puzzle: Puzzle, doubtful: set[Cell]) -> list[Slot]:
    """The slots with a clue and doubtful squares, those with the fewest first."""
    slots = {slot: len(doubtful.intersection(slot.cells)) for slot in puzzle.grid.slots if puzzle.clued(slot)}
    return sorted((slot for slot, count in slots.items() if count), key=lambda slot: slots[slot])


def _doubtful(puzzle: Puzzle, solution: Solution, slots: int, strings: int) -> Iterator[tuple[Slot, list[str]]]:
    """The slots with a clue that are looked at, each with what may stand there; so many of both at most.

    What stands there comes first, then what the squares make of it and what is listed, by turns.
    """
    beliefs = solution.propagated
    doubtful = _squares(puzzle, beliefs)
    for slot in _slots(puzzle, doubtful)[:slots]:
        stands = solution.answer(slot)
        if spelled(stands, len(slot)):
            listed = [answer for answer, p in beliefs.ranked[slot] if p > LIKELY]
            made = _made(slot, stands, doubtful, beliefs, strings)
            both = itertools.chain.from_iterable(itertools.zip_longest(made, listed, fillvalue=stands))
            yield slot, list(dict.fromkeys([stands, *both]))[:strings]


def _made(slot: Slot, stands: str, doubtful: set[Cell], beliefs: Beliefs, most: int) -> list[str]:
    """What one or two doubtful squares of `slot` can make of what stands, the likeliest first, so many at most."""
    stood, squares = codes(stands), np.arange(len(slot))
    p = np.stack([beliefs.letters[cell] for cell in slot.cells])
    other = (p > POSSIBLE) & np.array([[cell in doubtful] for cell in slot.cells])
    other[squares, stood] = False
    square, letter = np.nonzero(other)
    odds = p[square, letter] / p[square, stood[square]]
    first, second = np.nonzero(square[:, None] < square)
    alone = np.arange(len(square))
    worth = np.concatenate([odds, odds[first] * odds[second]])
    best = np.argsort(-worth, kind="stable")[:most]
    made = np.tile(stood, (len(best), 1))
    for changed in (np.append(alone, first)[best], np.append(alone, second)[best]):
        made[np.arange(len(best)), square[changed]] = letter[changed]
    return [alphabet.word(row) for row in made]
