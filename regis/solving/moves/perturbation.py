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
from regis.models.numeric.top_k import top_k_rows
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import letter_codes
from regis.solving.filler import Fill, FillFunction, SolverInput
from regis.solving.inference.evidence import GridEvidence, crossing_loglik
from regis.solving.inference.messages import SURE_LETTER_P
from regis.system.deadline import is_past

CROSSING_WEIGHT = 0.1  # how much do messages from crossings count in ranking the answers that are tried?
ANSWERS_PER_SLOT = 2  # how many answers of a slot are tried?
MIN_GAIN = 1.0  # nats by which a grid must be likelier

MAX_FAILED_TRIES = 16
MAX_TRIES = 48
"""How many answers are tried in vain, in a row, and how many of a puzzle's at all? (Measured:
docs/measured.md.)"""


class Perturbation:
    """The search for likelier grids of one puzzle by forced entries, none of which is tried twice."""

    def __init__(self, puzzle: Puzzle, refill: FillFunction, deadline: float) -> None:
        self.puzzle = puzzle
        self.refill = refill
        self.deadline = deadline
        self._tried: set[tuple[Slot, str]] = set()

    def escape(self, inputs: SolverInput, fill: Fill, is_stuck: bool = True) -> Fill:
        """Return a likelier grid by these inputs; `fill` itself where none was found, or there was no time.

        Until an entry was forced, the grid is filled anew first; entries are forced only if it is stuck.
        """
        if is_past(self.deadline):
            return fill
        evidence = GridEvidence(self.puzzle, inputs)
        min_evidence = evidence.log_evidence(fill) + MIN_GAIN

        def is_better(other: Fill) -> bool:
            return evidence.log_evidence(other) >= min_evidence and not is_past(self.deadline)

        if not self._tried:
            restarted = self.refill(replace(inputs, warm_start=None))
            if is_better(restarted):
                return restarted
        if not is_stuck:
            return fill
        forced_entries = (pair for pair in self._rank_entries(evidence, fill) if pair not in self._tried)
        for n_failed, (slot, answer) in enumerate(forced_entries):
            if n_failed == MAX_FAILED_TRIES or len(self._tried) == MAX_TRIES or is_past(self.deadline):
                break
            self._tried.add((slot, answer))
            lists = {**inputs.lists, slot: _certain_list(answer)}
            forced = self.refill(replace(inputs, lists=lists, warm_start=fill.beliefs))
            if is_better(forced):
                freed = self.refill(replace(inputs, warm_start=forced.beliefs))
                if is_better(freed):
                    return freed
        return fill

    def _rank_entries(self, evidence: GridEvidence, fill: Fill) -> list[tuple[Slot, str]]:
        """Rank the answers to force into doubtful slots: the best of each slot, most gain first; then the second."""
        beliefs = fill.propagated_beliefs
        doubtful = beliefs.doubtful_cells(SURE_LETTER_P, self.puzzle.given)
        ranked: list[tuple[int, float, Slot, str]] = []
        for i, slot in enumerate(evidence.slots):
            if not doubtful.intersection(slot.cells):
                continue
            candidates, entry = evidence.inputs.lists[slot], fill.answer(slot)
            candidates = candidates.keep_rows(candidates.matching(self.puzzle.pattern(slot)))
            loglik = crossing_loglik(candidates.letters, np.log(beliefs.messages[slot]))
            logp = candidates.logp + CROSSING_WEIGHT * loglik
            best = top_k_rows(candidates.letters, logp, ANSWERS_PER_SLOT + 1).tolist()
            others = [row for row in best if candidates.answer(row) != entry][:ANSWERS_PER_SLOT]
            loss = evidence.entry_logp(i, entry) - logp
            ranked += [(rank, float(loss[row]), slot, candidates.answer(row)) for rank, row in enumerate(others)]
        return [(slot, answer) for _, _, slot, answer in sorted(ranked, key=lambda item: item[:2])]


def _certain_list(answer: str) -> CandidateList:
    """Return a list in which nothing but `answer` is likely at all."""
    return CandidateList(letter_codes(answer)[None], np.zeros(1), 0.0, np.ones(1, bool), lambda i: ())
