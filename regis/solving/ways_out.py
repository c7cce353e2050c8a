"""Ways out of a wrong corner: the grid filled again as if one of its entries were another.

Where little is known of the clues, belief propagation swings among letters that go together and are all wrong. No entry
or letter alone then makes the grid likelier, and beginning again ends there, too. But the list of one slot mostly has
something else to say than what stands there, were it not for the crossings. So that is taken for all but certain, the
messages go on from where they were, and then it is let go again. What leaves the grid likelier as a whole is kept
(iterated local search, Lourenco, Martin and Stutzle 2003; each descent is belief propagation's). First of all the grid
is filled anew, by what was read since it was begun.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.models.lookup import foremost
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import codes
from regis.solving.local_search import LocalSearch
from regis.solving.propagation import SURE
from regis.solving.solution import Candidates, Fill, Solution
from regis.solving.surprise import by_crossings
from regis.system.deadline import passed

LEAN, EACH = 0.1, 2  # how much does it count what crosses there, and how many answers of a slot are tried?
GAIN = 1.0  # natural log by which a grid must be likelier

TRIES, MOST = 16, 48
"""How many answers are tried in vain, in a row, and how many of a puzzle's at all? (Measured:
docs/measured.md.)"""


class WaysOut:
    """The search for likelier grids, in which nothing is tried twice; `fill` fills the puzzle from candidates."""

    def __init__(self, puzzle: Puzzle, fill: Fill, deadline: float) -> None:
        self.puzzle = puzzle
        self.fill = fill
        self.deadline = deadline
        self._tried: set[tuple[Slot, str]] = set()

    def better(self, among: Candidates, solution: Solution, stuck: bool = True) -> Solution:
        """A likelier grid by these candidates; `solution` itself where none was found, or there was no time.

        Until an entry was tried it is begun anew, and only if it is `stuck` are entries tried after that.
        """
        if passed(self.deadline):
            return solution
        search = LocalSearch(self.puzzle, among)
        least = search.worth(solution) + GAIN
        if not self._tried:
            anew = self.fill(replace(among, believed=None))
            if search.worth(anew) >= least and not passed(self.deadline):
                return anew
        if not stuck:
            return solution
        others = (one for one in self._others(search, solution) if one not in self._tried)
        for tries, (slot, answer) in enumerate(others):
            if tries == TRIES or len(self._tried) == MOST or passed(self.deadline):
                break
            self._tried.add((slot, answer))
            as_if = replace(among, lists={**among.lists, slot: _alone(answer)}, believed=solution.beliefs)
            forced = self.fill(as_if)
            if search.worth(forced) < least or passed(self.deadline):
                continue
            freed = self.fill(replace(among, believed=forced.beliefs))
            if search.worth(freed) >= least and not passed(self.deadline):
                return freed
        return solution

    def _others(self, search: LocalSearch, solution: Solution) -> list[tuple[Slot, str]]:
        """What else may stand in doubtful slots: the first of each, then the second; what gains most there first."""
        doubtful = solution.propagated.doubtful(SURE, self.puzzle.given)
        found: list[tuple[int, float, Slot, str]] = []
        for i, slot in enumerate(search.slots):
            if not doubtful.intersection(slot.cells):
                continue
            listed, stands = search.candidates.lists[slot], solution.answer(slot)
            listed = listed.keep(listed.matching(self.puzzle.pattern(slot)))
            score = listed.logp + LEAN * by_crossings(listed.letters, np.log(solution.propagated.messages[slot]))
            best = [j for j in foremost(listed.letters, score, EACH + 1).tolist() if listed.answer(j) != stands]
            loss = search.entry(i, stands) - score
            found += [(place, float(loss[j]), slot, listed.answer(j)) for place, j in enumerate(best[:EACH])]
        return [(slot, answer) for _, _, slot, answer in sorted(found, key=lambda one: one[:2])]


def _alone(answer: str) -> CandidateList:
    """A list in which nothing but `answer` is likely at all."""
    return CandidateList(codes(answer)[None], np.zeros(1), 0.0, np.ones(1, bool), lambda i: ())
