"""`belief`: the likeliest letter of each cell by loopy belief propagation, then a local search over the grid.

Nothing is written and taken back: letters are read off when the messages have settled (solving.inference.propagation).
The likeliest letters of an entry's cells may not make a word: B-E-A-N-A-A-L. So `LocalSearch` makes the grid likelier
as a whole, by its evidence (solving.inference.evidence). It tries the best answers of doubtful slots, the letters of
their crossings, and, for an unlisted entry, the listed answers that differ in a letter or two. It keeps the best change
until none gains (iterated conditional modes, Besag 1986; as in Dr.Fill).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, is_letters_only, letter_codes
from regis.solving.filler import Beliefs, Fill, NamedFiller, SolverInput, StopReason, Watch, no_watch
from regis.solving.inference.evidence import REPEAT_PENALTY, GridEvidence
from regis.solving.inference.propagation import propagate
from regis.system.progress import is_past

MIN_LETTER_P = 0.05
"""Least probability of a letter that is tried in its cell; lower values solve fewer letters. (Measured:
docs/experiments/local-search.md.)"""

MIN_GAIN = 0.1  # nats that a change must gain
MAX_STEPS = 100  # changes that are made

Cells = dict[Cell, str]


def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Fill the grid with the likeliest letters, improved by local search; confidences are marginal probabilities."""
    beliefs = propagate(puzzle, inputs, deadline, watch=watch)
    likeliest = {cell: ALPHABET[int(p.argmax())] for cell, p in beliefs.letter_probs.items()} | dict(puzzle.given)
    cells = likeliest
    if beliefs.stop_reason is not StopReason.GIVEN_UP:
        cells = LocalSearch(puzzle, beliefs.final_inputs(inputs)).improve(likeliest, beliefs, deadline)
    confidence = {
        cell: 1.0 if cell in puzzle.given else float(beliefs.letter_probs[cell][ALPHABET.index(letter)])
        for cell, letter in cells.items()
    }
    unlisted_slots = frozenset(slot for slot, p_in_list in beliefs.p_in_list.items() if p_in_list < 0.5)
    counts = beliefs.rounds, beliefs.stop_reason
    return Fill(cells, confidence, beliefs.ranked_answers, unlisted_slots, *counts, beliefs)


BELIEF = NamedFiller("belief", fill)
"""The only filler that finds rebus squares, because the search needs its beliefs."""


class LocalSearch:
    def __init__(self, puzzle: Puzzle, inputs: SolverInput) -> None:
        self.puzzle = puzzle
        self.inputs = inputs
        self.evidence = GridEvidence(puzzle, inputs)
        self.slots = puzzle.grid.slots
        self._near_answers: list[dict[str, list[str]]] = [{} for _ in self.slots]  # of each slot, by its entry
        self._entries: list[str] = []  # of the searched grid
        self._entry_counts: Counter[str] = Counter()  # how often each entry is in the grid
        self._slots_through: dict[Cell, list[int]] = defaultdict(list)
        for i, slot in enumerate(self.slots):
            for cell in slot.cells:
                self._slots_through[cell].append(i)

    def improve(self, cells: Mapping[Cell, str], beliefs: Beliefs, deadline: float) -> Cells:
        """Return `cells` with all changes that make the grid likelier, until the deadline (time.monotonic)."""
        grid: Cells = dict(cells)
        fixed = self.puzzle.given
        doubtful = beliefs.doubtful_cells(0.98, fixed)
        ranked = {
            i: [answer for answer, _ in beliefs.ranked_answers[slot]]
            for i, slot in enumerate(self.slots)
            if doubtful.intersection(slot.cells)
        }
        possible = {
            cell: "".join(ALPHABET[letter] for letter in np.flatnonzero(p >= MIN_LETTER_P)) if cell not in fixed else ""
            for cell, p in beliefs.letter_probs.items()
        }
        n_tries = 0
        for _ in range(MAX_STEPS):
            best_change, best_gain = {}, MIN_GAIN
            self._entries = ["".join([grid[c] for c in slot.cells]) for slot in self.slots]
            self._entry_counts = Counter(self._entries)
            for change in self._changes(grid, ranked, sorted(doubtful), possible):
                n_tries += 1
                if n_tries > 20_000 or is_past(deadline):
                    return grid
                if (gain := self._gain(grid, change)) > best_gain:
                    best_change, best_gain = change, gain
            if not best_change:
                break
            grid |= best_change
        return grid

    def _changes(
        self, grid: Cells, ranked: Mapping[int, list[str]], doubtful: Sequence[Cell], possible: Mapping[Cell, str]
    ) -> Iterator[Cells]:
        """Yield the changes to try: the `ranked` answers of doubtful slots, then the letters of doubtful cells."""
        for i, answers in ranked.items():
            slot = self.slots[i]
            for answer in dict.fromkeys(answers + self._find_near_answers(i, self._entries[i])):
                change = {c: x for c, x in zip(slot.cells, answer, strict=True) if grid[c] != x}
                if change and all(x in possible[c] for c, x in change.items()):
                    yield change
        for cell in doubtful:
            for letter in possible[cell]:
                if letter != grid[cell]:
                    yield {cell: letter}

    def _gain(self, grid: Cells, change: Cells) -> float:
        gain = 0.0  # nats
        added: dict[str, int] = {}  # change in each entry's count
        for i in dict.fromkeys([i for cell in change for i in self._slots_through[cell]]):
            old = self._entries[i]
            new = "".join([change.get(c) or grid[c] for c in self.slots[i].cells])
            gain += self.evidence.entry_logp(i, new) - self.evidence.entry_logp(i, old)
            added[old] = added.get(old, 0) - 1
            added[new] = added.get(new, 0) + 1
        counts = self._entry_counts
        n_repeated = sum(max(counts[entry] + n - 1, 0) - max(counts[entry] - 1, 0) for entry, n in added.items())
        return gain - REPEAT_PENALTY * n_repeated

    def _find_near_answers(self, slot_index: int, entry: str) -> list[str]:
        """Return the likeliest listed answers near an unlisted entry; none for a listed entry."""
        near_answers = self._near_answers[slot_index]
        if entry not in near_answers:
            near_answers[entry] = self._compare_list(self.slots[slot_index], entry)
        return near_answers[entry]

    def _compare_list(self, slot: Slot, entry: str) -> list[str]:
        candidates = self.inputs.lists[slot]
        if not is_letters_only(entry, len(slot)) or not len(candidates) or candidates.find_answer(entry) is not None:
            return []
        n_apart = (candidates.letters != letter_codes(entry)).sum(axis=1)
        return [candidates.answer(i) for i in np.flatnonzero(n_apart <= 2)[:20].tolist()]
