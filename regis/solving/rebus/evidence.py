"""What speaks for rebus squares: each cell's contents, weighed by the lists of longer answers and by its crossings.

A content's odds are those of its two slots, each beside all that it may be with single letters. Where a square may hold
another content across than down, the lists of answers as long as the slot are asked, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from regis.candidates.candidate_list import MIN_PROBABILITY
from regis.models.numeric.arrays import Float64Array
from regis.models.numeric.log_space import logsumexp
from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.filler import Fill
from regis.solving.inference.evidence import SlotEvidence, crossing_loglik
from regis.solving.rebus.collapsed import CollapsedLists, collapsed_string_model
from regis.solving.rebus.content_scores import (
    MAX_CONTENT_LETTERS,
    ContentNumbers,
    ContentScores,
    cell_loglik,
    encode_content,
    encode_contents,
    sum_by_content,
)
from regis.solving.rebus.longer_lists import LongerListCache
from regis.solving.rebus.squares import CONTENT_SEPARATOR, RebusSquares, cell_contents, cell_offsets, with_tokens

EXTRA_LETTERS = range(1, MAX_CONTENT_LETTERS)  # letters more than one that a square may hold
NO_EXTRA_LETTERS = (0,)  # and in one direction where it holds more in the other

MIN_SURPRISE = 12.0
MIN_SLOT_SURPRISE = 4.0
"""Surprise of a square's two slots together, and of each of them, from which on it is looked at: minus the natural log
probability of all that the slot may be with single letters. No content can gain more than the surprise. A guess."""

MAX_NATS_BEHIND = 12.0
LIST_DEPTH = 3000
"""By how many nats longer answers may be less likely than all that the slot may be with single letters, and how many of
the likeliest of a slot are looked at. Once there are squares, all of them are, one square at a time, in slots as odd as
MIN_SURPRISE. (Measured: docs/experiments/rebus-search.md.)"""

MAX_ODD_CELLS = 40
"""How many squares are looked at, those of the most surprising slots? (Measured: docs/experiments/rebus-search.md.)"""


class RebusEvidence:
    """The evidence for more rebus squares in a grid of which some are known."""

    def __init__(
        self,
        longer_lists: LongerListCache,
        collapsed_lists: CollapsedLists,
        puzzle: Puzzle,
        squares: RebusSquares,
        fill: Fill,
    ) -> None:
        self.longer_lists = longer_lists
        self.collapsed_lists = collapsed_lists
        self.puzzle = with_tokens(puzzle, squares)
        self.inputs = collapsed_lists.collapse_inputs(squares)
        self.squares = squares
        self.beliefs = fill.propagated_beliefs
        self.log_messages = {slot: np.log(message) for slot, message in self.beliefs.messages.items()}
        self.slots_through = puzzle.grid.slots_through
        self._slot_scores: dict[Slot, Mapping[Cell, ContentScores]] = {}  # of each slot's odd cells

    def best_longer_log_odds(self, slots: Sequence[Slot]) -> list[float]:
        """Return the log odds of the best content of an odd cell in each slot, by the lists of longer answers."""
        assert not self.squares, "where there are some, more of the lists is looked at"
        self.longer_lists.get_lists(
            [(slot, len(slot) + extra) for slot in slots for extra in EXTRA_LETTERS], LIST_DEPTH
        )
        by_slot = [self._listed_contents(slot, EXTRA_LETTERS).values() for slot in slots]
        return [max((float(logp.max()) for _, logp in found if len(logp)), default=-np.inf) for found in by_slot]

    def log_odds_fast(self, cell: Cell, content: str) -> float:
        """Return the log odds of a content in an odd cell against single letters, by its slots' `ContentScores`."""
        by_slot = self.content_scores[cell].items()
        log_odds = [float(scores.log_odds(encode_content(content, slot))[0]) for slot, scores in by_slot]
        return self.log_p_same_letter[cell] + sum(log_odds)

    @cached_property
    def content_scores(self) -> Mapping[Cell, Mapping[Slot, ContentScores]]:
        """Score the contents of each odd cell by both its slots, across before down; empty where the time is up."""
        by_slot = self.score_slots(self.odd_slots)
        cells = self.log_p_same_letter if by_slot else ()
        return {cell: {slot: by_slot[slot][cell] for slot, _ in self.slots_through[cell]} for cell in cells}

    def score_slots(self, slots: Collection[Slot]) -> Mapping[Slot, Mapping[Cell, ContentScores]]:
        """Score the contents of the odd cells of each slot, once; empty where the time is up."""
        new = [slot for slot in self.odd_slots if slot in slots and slot not in self._slot_scores]
        has_single = any(len(x) == 1 for content in self.squares.values() for x in content.split(CONTENT_SEPARATOR))
        extra_letters = (*NO_EXTRA_LETTERS, *EXTRA_LETTERS) if has_single or not self.squares else EXTRA_LETTERS
        for depth in (LIST_DEPTH, None):
            if self.longer_lists.is_late:
                return {}
            of_depth = [slot for slot in new if self._list_depth(slot) == depth]
            lengths = [(slot, cell_offsets(cell_contents(slot, self.squares))[-1]) for slot in of_depth]
            self.longer_lists.get_lists([(slot, n + extra) for slot, n in lengths for extra in extra_letters], depth)
        for slot in new:
            if self.longer_lists.is_late:
                return {}
            unlisted = self.unlisted_log_odds(slot)
            self._slot_scores[slot] = {
                cell: ContentScores(numbers, logp, unlisted - self.log_p_same_letter[cell])
                for cell, (numbers, logp) in self._listed_contents(slot, extra_letters).items()
            }
        return self._slot_scores

    @cached_property
    def odd_slots(self) -> list[Slot]:
        """List the slots with odd cells, across before down."""
        slots = sorted(self.puzzle.grid.slots, key=lambda slot: slot.direction)
        return [slot for slot in slots if any(cell in self.log_p_same_letter for cell in slot.cells)]

    @cached_property
    def slot_evidence(self) -> dict[Slot, float]:
        """Return the natural log probability of all that each slot may be with single letters in its open cells."""
        evidence = SlotEvidence(self.inputs, self.beliefs)
        return {slot: evidence.slot_log_evidence(slot) for slot in self.puzzle.grid.slots}

    @cached_property
    def log_p_same_letter(self) -> dict[Cell, float]:
        """Return the oddest cells, with the natural log probability that both slots have the same letter there."""
        log_p_same, oddness = {}, {}
        crossed = ((cell, places) for cell, places in self.slots_through.items() if len(places) == 2)
        for cell, ((across, i), (down, j)) in crossed:
            log_p = float(np.log((self.beliefs.messages[across][i] * self.beliefs.messages[down][j]).sum()))
            surprise = -self.slot_evidence[across], -self.slot_evidence[down]
            is_odd = min(surprise) > MIN_SLOT_SURPRISE and sum(surprise) + log_p > MIN_SURPRISE
            if cell not in self.puzzle.given and is_odd:
                log_p_same[cell], oddness[cell] = log_p, -sum(surprise)
        oddest = sorted(log_p_same, key=lambda cell: (oddness[cell], cell))[:MAX_ODD_CELLS]
        return {cell: log_p_same[cell] for cell in oddest}

    def _list_depth(self, slot: Slot) -> int | None:
        """Return how many of a slot's longer answers are looked at; None for all."""
        return None if self.squares and -self.slot_evidence[slot] > MIN_SURPRISE else LIST_DEPTH

    def unlisted_log_odds(self, slot: Slot) -> float:
        """Return the log odds of the slot's unlisted answers, before it is known how rare they are."""
        p_unlisted = max(1 - self.beliefs.p_in_list[slot], MIN_PROBABILITY)
        return float(np.log(p_unlisted)) - self.inputs.lists[slot].log_missing

    def _listed_contents(
        self, slot: Slot, extra_letters: Sequence[int]
    ) -> dict[Cell, tuple[ContentNumbers, Float64Array]]:
        """Return the contents that longer answers have in each odd cell of a slot, and their log odds, (contents,)."""
        contents = cell_contents(slot, self.squares)
        offsets = cell_offsets(contents)
        messages = self.log_messages[slot]
        found: dict[Cell, list[tuple[ContentNumbers, Float64Array]]]
        found = {cell: [] for cell in slot.cells if cell in self.log_p_same_letter}
        for extra in extra_letters:
            letters, logp = self.longer_lists.get_list((slot, offsets[-1] + extra), self._list_depth(slot))
            logliks = [cell_loglik(letters, offsets[i], messages[i], x) for i, x in enumerate(contents[:-1])]
            before = np.cumsum([logp - self.slot_evidence[slot], *logliks], axis=0)
            after = np.zeros(len(logp))
            for i in reversed(range(len(slot))):
                if slot.cells[i] in found:
                    total = before[i] + after
                    rows = np.flatnonzero(total > -MAX_NATS_BEHIND)
                    numbers = encode_contents(letters[rows, offsets[i] : offsets[i] + extra + 1])
                    found[slot.cells[i]].append((numbers, total[rows]))
                after = after + cell_loglik(letters, offsets[i] + extra, messages[i], contents[i])
        return {cell: sum_by_content(parts) for cell, parts in found.items()}

    def cell_log_odds(self, cell: Cell, content: str) -> float:
        """Return the log odds of a content in an odd cell against single letters, by all answers and all strings."""
        slots = [slot for slot, _ in self.slots_through[cell]]
        return self.log_p_same_letter[cell] + sum(self.slot_log_odds(slot, cell, content) for slot in slots)

    def slot_log_odds(self, slot: Slot, cell: Cell, content: str) -> float:
        """Return the log odds of a content in a cell of one slot, by all longer answers and all strings of words."""
        squares = {**self.squares, cell: content}
        candidates, messages = self.collapsed_lists.collapse_list(slot, squares), self.beliefs.messages[slot].copy()
        messages[slot.cells.index(cell)] = 1.0
        listed = candidates.logp + crossing_loglik(candidates.letters, np.log(messages))
        string_model = collapsed_string_model(self.collapsed_lists.inputs, slot, squares)
        unlisted = string_model.mix_phrases(messages, 0.0, messages)[0] + candidates.log_missing
        return logsumexp(listed, unlisted) - self.slot_evidence[slot]
