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

from regis.ancestors.board import guess_letters
from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.filler import N_REPORTED_ANSWERS, OUT_OF_TIME, Fill, SolverInput, Watch, no_watch
from regis.system.deadline import is_past

MIN_CERTAINTY = 0.9  # share of what is left of a list, missing included, from which the best counts as the only one
MIN_LONG_SLOT = 8  # length from which answers are held back in the first pass: of these a fifth and more are in no list


def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Write what is certain, again and again, and in the end all; confidence is how sure the writer was."""
    grid = _GridState(puzzle, inputs)
    stopped = "nothing left to write"
    for step in _steps(grid):
        watch(step, grid.cells.copy)
        if is_past(deadline):
            stopped = OUT_OF_TIME
            break
    else:
        grid.guess_open_cells()
    return grid.make_fill(stopped)


def _steps(grid: _GridState) -> Iterator[str]:
    """Fill the grid in the ancestor's order, one write at a time; yield what was done."""
    while True:
        certain = grid.surest_slot(MIN_CERTAINTY, MIN_LONG_SLOT) or grid.surest_slot(MIN_CERTAINTY)
        if certain is not None:
            grid.write_answer(certain)
            yield f"{certain} {grid.pattern(certain)}"
        elif (slot := grid.find_orphan()) is not None:
            grid.ask_pattern(slot)
            yield f"{slot} asked for {grid.pattern(slot)}"
        elif (slot := grid.surest_slot(0.0)) is not None:
            grid.write_answer(slot)
            yield f"{slot} {grid.pattern(slot)}, as the best that is left"
        else:
            return


class _GridState:
    """The grid at work: letters written, candidates still alive, slots done."""

    def __init__(self, puzzle: Puzzle, inputs: SolverInput) -> None:
        self.puzzle = puzzle
        self.inputs = inputs
        self.cells: dict[Cell, str] = dict(puzzle.given)
        self.confidence: dict[Cell, float] = dict.fromkeys(puzzle.given, 1.0)
        self.open_slots = set(puzzle.grid.slots)
        self.asked_patterns: set[tuple[Slot, str]] = set()
        self.neglected_slots: set[Slot] = set()
        self.written_slots: dict[Slot, float] = {}  # with the certainty of the answer when it was written
        self.lists: dict[Slot, CandidateList] = {}
        self.certainty: dict[Slot, float] = {}
        for slot in puzzle.grid.slots:
            candidates = inputs.lists[slot]
            self.set_candidates(slot, candidates.keep_rows(candidates.from_clue))

    def pattern(self, slot: Slot) -> str:
        return self.puzzle.pattern(slot, self.cells)

    def set_candidates(self, slot: Slot, candidates: CandidateList) -> None:
        """Give a slot those of the candidates that agree with the letters that stand."""
        candidates = candidates.keep_rows(candidates.matching(self.pattern(slot)))
        self.lists[slot] = candidates
        total = float(np.exp(candidates.logp).sum()) + candidates.missing
        self.certainty[slot] = float(np.exp(candidates.logp[0])) / total if len(candidates) else -1.0
        if len(candidates) == 1 and candidates.missing < 0.5:
            self.certainty[slot] = max(self.certainty[slot], MIN_CERTAINTY)

    def surest_slot(self, min_certainty: float, shorter_than: float = np.inf) -> Slot | None:
        """Return the open slot whose best candidate stands out most; None if there is none that certain."""
        able = [s for s in self.open_slots if self.certainty[s] >= min_certainty and len(s) < shorter_than]
        return max(able, key=lambda s: (self.certainty[s], -s.number, s.direction), default=None)

    def write_answer(self, slot: Slot) -> None:
        """Write the best candidate of a slot and cull the lists that cross it."""
        self.open_slots.discard(slot)
        certainty = self.written_slots[slot] = max(self.certainty[slot], 0.0)
        candidates = self.lists[slot]
        for i, letter in enumerate(candidates.answer(int(candidates.top_k(1)[0]))):
            cell = slot.cells[i]
            self.confidence[cell] = max(certainty, self.confidence.get(cell, 0.0))
            if cell in self.cells:
                continue
            self.cells[cell] = letter
            crossing = self.puzzle.grid.crossings[slot][i]
            if crossing is not None and crossing.slot in self.open_slots:
                self.set_candidates(crossing.slot, self.lists[crossing.slot])

    def find_orphan(self) -> Slot | None:
        """Return the fullest open slot without candidates whose pattern the pattern finder was not yet asked for."""
        empty = [slot for slot in self.open_slots if not len(self.lists[slot])]
        orphans = [slot for slot in empty if (slot, self.pattern(slot)) not in self.asked_patterns]
        return min(orphans, key=lambda s: (self.pattern(s).count("?") / len(s), s.number, s.direction), default=None)

    def ask_pattern(self, slot: Slot) -> None:
        """Let the pattern finder look for words and titles that fit the letters in a slot."""
        pattern = self.pattern(slot)
        self.asked_patterns.add((slot, pattern))
        if "?" not in pattern:
            self.open_slots.discard(slot)
            if self.inputs.lists[slot].find_answer(pattern) is None:
                self.neglected_slots.add(slot)
        elif pattern.count("?") < len(pattern):
            self.set_candidates(slot, self.inputs.match_pattern(slot, pattern))

    def guess_open_cells(self) -> None:
        """Fill what is open, slot by slot and the fullest first, with the letter model's most likely letters."""
        self.neglected_slots |= {slot for slot in self.puzzle.grid.slots if "?" in self.pattern(slot)}
        for cell, (letter, p) in guess_letters(self.puzzle, self.inputs, self.cells).items():
            self.cells[cell], self.confidence[cell] = letter, p

    def make_fill(self, stopped: str) -> Fill:
        """Make a fill of what stands, and say why there was no more."""
        ranked_answers = {slot: self.rank_answers(slot) for slot in self.puzzle.grid.slots}
        statistics: dict[str, float | str] = {
            "states": len(self.written_slots),
            "questions": len(self.asked_patterns),
            "stopped": stopped,
        }
        return Fill(self.cells, self.confidence, ranked_answers, frozenset(self.neglected_slots), statistics)

    def rank_answers(self, slot: Slot) -> tuple[tuple[str, float], ...]:
        """Rank the best of a slot's whole list; the written answer counts as it did when it was written."""
        candidates = self.inputs.lists[slot]
        probabilities = {
            candidates.answer(i): float(np.exp(candidates.logp[i])) for i in candidates.top_k(N_REPORTED_ANSWERS)
        }
        answer = self.pattern(slot)
        p = probabilities.pop(answer, 0.0)
        certainty = self.written_slots.get(slot)
        scale = 1.0 if certainty is None else (1 - certainty) / max(1 - p, 1e-9)
        best = [] if certainty is None else [(answer, certainty)]
        return (*best, *((other, p_other * scale) for other, p_other in probabilities.items()))
