"""`singletons`: write what is certain, cull what crosses it, again (Regis FILLbin 3.4).

A slot with one candidate left is a singleton: its answer is written and every crossing list loses what disagrees,
which makes new singletons. The order is the ancestor's:

1. the surest first, and long answers held back, since a wrong long answer spoils the most crossings;
2. then the long ones too;
3. slots whose list ran empty ask the pattern finder over words and titles, with the letters that stand by now;
   from there again at 1, until nothing changes;
4. then the best candidate that remains anywhere, and again from 1;
5. letters that are still open come from the letter model (the ancestor wrote E).

Letters once written are never overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.fillers.ancestors.board import guessed
from regis.solving.solution import OUT_OF_TIME, REPORTED, Candidates, Solution, Watch, unwatched
from regis.system.deadline import passed

SURE = 0.9  # share of what is left of a list, missing included, from which the best counts as the only one
LONG = 8  # length from which answers are held back in the first pass: of these a fifth and more are in no list


def fill(puzzle: Puzzle, candidates: Candidates, deadline: float, watch: Watch = unwatched) -> Solution:
    """A full grid, unless the time is up before; confidence is how sure the writer was of each letter."""
    state = _Fill(puzzle, candidates)
    stopped = "nothing left to write"
    for done in _steps(state):
        watch(done, state.cells.copy)
        if passed(deadline):
            stopped = OUT_OF_TIME
            break
    else:
        state.guess_letters()
    return state.solution(stopped)


def _steps(state: _Fill) -> Iterator[str]:
    """The ancestor's order, one write at a time."""
    while True:
        if (slot := state.surest(SURE, short=True) or state.surest(SURE, short=False)) is not None:
            state.write(slot)
            yield f"{slot} {state.pattern(slot)}"
        elif (slot := state.orphan()) is not None:
            state.ask(slot)
            yield f"{slot} asked for {state.pattern(slot)}"
        elif (slot := state.surest(0.0, short=False)) is not None:
            state.write(slot)
            yield f"{slot} {state.pattern(slot)}, as the best that is left"
        else:
            return


class _Fill:
    """The grid at work: letters written, candidates still alive, slots done."""

    def __init__(self, puzzle: Puzzle, candidates: Candidates) -> None:
        self.puzzle = puzzle
        self.candidates = candidates
        self.cells: dict[Cell, str] = dict(puzzle.given)
        self.confidence: dict[Cell, float] = dict.fromkeys(puzzle.given, 1.0)
        self.open = set(puzzle.grid.slots)
        self.asked: set[tuple[Slot, str]] = set()
        self.neglected: set[Slot] = set()
        self.written: dict[Slot, float] = {}  # how sure the answer was when it was written
        self.lists: dict[Slot, CandidateList] = {}
        self.sureness: dict[Slot, float] = {}
        for slot in puzzle.grid.slots:
            among = candidates.lists[slot]
            self.assign(slot, among.keep(among.from_clue))

    def pattern(self, slot: Slot) -> str:
        return self.puzzle.pattern(slot, self.cells)

    def assign(self, slot: Slot, among: CandidateList) -> None:
        """Gives a slot the candidates of `among` that agree with the letters that stand."""
        among = among.keep(among.matching(self.pattern(slot)))
        self.lists[slot] = among
        total = float(np.exp(among.logp).sum()) + among.missing
        self.sureness[slot] = float(np.exp(among.logp[0])) / total if len(among) else -1.0
        if len(among) == 1 and among.missing < 0.5:
            self.sureness[slot] = max(self.sureness[slot], SURE)

    def surest(self, least: float, short: bool) -> Slot | None:
        """The open slot whose best candidate stands out most, if by `least` or more; None if there is none."""
        able = [s for s in self.open if self.sureness[s] >= least and not (short and len(s) >= LONG)]
        return max(able, key=lambda s: (self.sureness[s], -s.number, s.direction), default=None)

    def write(self, slot: Slot) -> None:
        """Writes the best candidate of `slot` and culls the lists that cross it."""
        self.open.discard(slot)
        sure = self.written[slot] = max(self.sureness[slot], 0.0)
        among = self.lists[slot]
        for i, letter in enumerate(among.answer(int(among.foremost(1)[0]))):
            cell = slot.cells[i]
            self.confidence[cell] = max(sure, self.confidence.get(cell, 0.0))
            if cell in self.cells:
                continue
            self.cells[cell] = letter
            crossing = self.puzzle.grid.crossings[slot][i]
            if crossing is not None and crossing.slot in self.open:
                self.assign(crossing.slot, self.lists[crossing.slot])

    def orphan(self) -> Slot | None:
        """An open slot without candidates that has letters the pattern finder was not yet asked with; the fullest."""
        able = [s for s in self.open if not len(self.lists[s]) and (s, self.pattern(s)) not in self.asked]
        return min(able, key=lambda s: (self.pattern(s).count("?") / len(s), s.number, s.direction), default=None)

    def ask(self, slot: Slot) -> None:
        """Lets the pattern finder look for words and titles that fit the letters in `slot`."""
        pattern = self.pattern(slot)
        self.asked.add((slot, pattern))
        if "?" not in pattern:
            self.open.discard(slot)
            if self.candidates.lists[slot].find(pattern) is None:
                self.neglected.add(slot)
        elif pattern.count("?") < len(pattern):
            self.assign(slot, self.candidates.matching(slot, pattern))

    def guess_letters(self) -> None:
        """Fills what is open, slot by slot and the fullest first, with the letter model's most likely letters."""
        self.neglected |= {slot for slot in self.puzzle.grid.slots if "?" in self.pattern(slot)}
        for cell, (letter, sure) in guessed(self.puzzle, self.candidates, self.cells).items():
            self.cells[cell], self.confidence[cell] = letter, sure

    def solution(self, stopped: str) -> Solution:
        ranked = {slot: self.ranked(slot) for slot in self.puzzle.grid.slots}
        counted: dict[str, float | str] = {
            "states": len(self.written),
            "questions": len(self.asked),
            "stopped": stopped,
        }
        return Solution(self.cells, self.confidence, ranked, frozenset(self.neglected), counted)

    def ranked(self, slot: Slot) -> tuple[tuple[str, float], ...]:
        """The best of the slot's whole list; the answer that was written counts as it did when it was written."""
        among = self.candidates.lists[slot]
        listed = {among.answer(i): float(np.exp(among.logp[i])) for i in among.foremost(REPORTED)}
        answer = self.pattern(slot)
        p = listed.pop(answer, 0.0)
        sure = self.written.get(slot)
        rest = 1.0 if sure is None else (1 - sure) / max(1 - p, 1e-9)
        best = [] if sure is None else [(answer, sure)]
        return (*best, *((other, chance * rest) for other, chance in listed.items()))
