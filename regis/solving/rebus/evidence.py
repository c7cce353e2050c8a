"""Evidence for rebus squares: contents of each cell, weighed by the lists of longer answers and by its crossings.

A content's odds are the odds of its two slots, each against all its possible entries with single letters. If a square
may hold another content across than down, lists as long as the slot count, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import LETTER_MATCH_PROBABILITY
from regis.models import arrays
from regis.models.arrays import MIN_PROBABILITY, Float64Array, logsumexp
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, letter_codes
from regis.solving.filler import Fill
from regis.solving.inference.evidence import crossing_loglik, slot_log_evidence
from regis.solving.rebus.collapsed import CollapsedLists, collapsed_string_model
from regis.solving.rebus.prices import RebusSettings
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    RebusSquares,
    cell_contents,
    cell_offsets,
    content_along,
    with_tokens,
)

MAX_CONTENT_LETTERS = 5
EXTRA_LETTERS = range(1, MAX_CONTENT_LETTERS)  # letters beyond one that a square may hold
NO_EXTRA_LETTERS = (0,)  # for one direction, if the other has more


class RebusEvidence:
    """The evidence for more rebus squares in a grid that has some."""

    def __init__(
        self,
        collapsed_lists: CollapsedLists,
        puzzle: Puzzle,
        squares: RebusSquares,
        fill: Fill,
        settings: RebusSettings,
    ) -> None:
        self.settings = settings
        self.collapsed_lists = collapsed_lists
        self.puzzle = with_tokens(puzzle, squares)
        self.inputs = collapsed_lists.collapse_inputs(squares)
        self.squares = squares
        self.beliefs = fill.propagated_beliefs
        self.log_messages = {slot: np.log(message) for slot, message in self.beliefs.messages.items()}
        self.slots_through = puzzle.grid.slots_through
        self._slot_scores: dict[Slot, Mapping[Cell, ContentScores]] = {}  # of each slot's odd cells

    def log_odds_fast(self, cell: Cell, content: str) -> float:
        """Return a content's log odds in an odd cell against single letters, from its slots' `ContentScores`."""
        by_slot = self.content_scores[cell].items()
        log_odds = [float(scores.log_odds(encode_content(content, slot))[0]) for slot, scores in by_slot]
        return self.log_p_same_letter[cell] + sum(log_odds)

    @cached_property
    def content_scores(self) -> Mapping[Cell, Mapping[Slot, ContentScores]]:
        """Score the contents of each odd cell by both slots, across before down; empty if late."""
        by_slot = self.score_slots(self.odd_slots)
        cells = self.log_p_same_letter if by_slot else ()
        return {cell: {slot: by_slot[slot][cell] for slot, _ in self.slots_through[cell]} for cell in cells}

    def score_slots(self, slots: Collection[Slot]) -> Mapping[Slot, Mapping[Cell, ContentScores]]:
        """Score the contents of each slot's odd cells, once; empty if late."""
        new = [slot for slot in self.odd_slots if slot in slots and slot not in self._slot_scores]
        has_single = any(len(x) == 1 for content in self.squares.values() for x in content.split(CONTENT_SEPARATOR))
        extra_letters = (*NO_EXTRA_LETTERS, *EXTRA_LETTERS) if has_single or not self.squares else EXTRA_LETTERS
        if self.collapsed_lists.is_late:
            return {}
        lengths = [(slot, cell_offsets(cell_contents(slot, self.squares))[-1]) for slot in new]
        self.collapsed_lists.make_likeliest([(slot, n + extra) for slot, n in lengths for extra in extra_letters])
        for slot in new:
            if self.collapsed_lists.is_late:
                return {}
            unlisted = self.unlisted_log_odds(slot)
            self._slot_scores[slot] = {
                cell: ContentScores(numbers, logp, unlisted - self.log_p_same_letter[cell])
                for cell, (numbers, logp) in self._listed_contents(slot, extra_letters).items()
            }
        return self._slot_scores

    @cached_property
    def odd_slots(self) -> list[Slot]:
        """Return the slots with odd cells, across before down."""
        slots = sorted(self.puzzle.grid.slots, key=lambda slot: slot.direction)
        return [slot for slot in slots if any(cell in self.log_p_same_letter for cell in slot.cells)]

    @cached_property
    def slot_evidence(self) -> dict[Slot, float]:
        """Return the log probability of all possible entries of each slot with single letters in its open cells."""
        return {slot: slot_log_evidence(slot, self.inputs, self.beliefs) for slot in self.puzzle.grid.slots}

    @cached_property
    def log_p_same_letter(self) -> dict[Cell, float]:
        """Return the oddest cells, each with the log probability that both slots have the same letter there."""
        log_p_same, oddness = {}, {}
        crossed = ((cell, places) for cell, places in self.slots_through.items() if len(places) == 2)
        for cell, ((across, i), (down, j)) in crossed:
            log_p = float(np.log((self.beliefs.messages[across][i] * self.beliefs.messages[down][j]).sum()))
            surprise = -self.slot_evidence[across], -self.slot_evidence[down]
            least = self.settings.min_surprise
            is_odd = min(surprise) > least / 3 and sum(surprise) + log_p > least
            if cell not in self.puzzle.given and is_odd:
                log_p_same[cell], oddness[cell] = log_p, -sum(surprise)
        oddest = sorted(log_p_same, key=lambda cell: (oddness[cell], cell))[: self.settings.max_odd_cells]
        return {cell: log_p_same[cell] for cell in oddest}

    def unlisted_log_odds(self, slot: Slot) -> float:
        """Return the log odds of the slot's unlisted answers, apart from the rarity of unlisted answers."""
        p_unlisted = max(1 - self.beliefs.p_in_list[slot], MIN_PROBABILITY)
        return float(np.log(p_unlisted)) - self.inputs.lists[slot].log_missing

    def _listed_contents(
        self, slot: Slot, extra_letters: Sequence[int]
    ) -> dict[Cell, tuple[ContentNumbers, Float64Array]]:
        """Return the contents of longer answers in each odd cell of a slot, and their log odds, (contents,)."""
        contents = cell_contents(slot, self.squares)
        offsets = cell_offsets(contents)
        messages = self.log_messages[slot]
        found: dict[Cell, list[tuple[ContentNumbers, Float64Array]]]
        found = {cell: [] for cell in slot.cells if cell in self.log_p_same_letter}
        for extra in extra_letters:
            letters, logp = self.collapsed_lists.likeliest((slot, offsets[-1] + extra))
            logliks = [cell_loglik(letters, offsets[i], messages[i], x) for i, x in enumerate(contents[:-1])]
            before = np.cumsum([logp - self.slot_evidence[slot], *logliks], axis=0)
            after = np.zeros(len(logp))
            for i in reversed(range(len(slot))):
                if slot.cells[i] in found:
                    total = before[i] + after
                    rows = np.flatnonzero(total > -self.settings.min_surprise)
                    numbers = encode_contents(letters[rows, offsets[i] : offsets[i] + extra + 1])
                    found[slot.cells[i]].append((numbers, total[rows]))
                after = after + cell_loglik(letters, offsets[i] + extra, messages[i], contents[i])
        return {cell: sum_by_content(parts) for cell, parts in found.items()}

    def cell_log_odds(self, cell: Cell, content: str) -> float:
        """Return a content's log odds in an odd cell against single letters, from all answers and strings."""
        slots = [slot for slot, _ in self.slots_through[cell]]
        return self.log_p_same_letter[cell] + sum(self.slot_log_odds(slot, cell, content) for slot in slots)

    def slot_log_odds(self, slot: Slot, cell: Cell, content: str) -> float:
        """Return a content's log odds in a cell of one slot, from all longer answers and strings of words."""
        squares = {**self.squares, cell: content}
        candidates, messages = self.collapsed_lists.collapse_list(slot, squares), self.beliefs.messages[slot].copy()
        messages[slot.cells.index(cell)] = 1.0
        listed = candidates.logp + crossing_loglik(candidates.letters, np.log(messages))
        string_model = collapsed_string_model(self.collapsed_lists.inputs, slot, squares)
        unlisted = string_model.mix_phrases(messages, 0.0, messages)[0] + candidates.log_missing
        return float(logsumexp(np.append(listed, unlisted))[0]) - self.slot_evidence[slot]


LOG_IMPOSSIBLE = -99.0  # stands for the log of the probability 0
LOG_UNLISTED_LETTER = float(np.log(LETTER_MATCH_PROBABILITY))  # of an unknown letter of an unlisted answer

_POWERS = 27 ** np.arange(MAX_CONTENT_LETTERS)

ContentNumbers = NDArray[np.int64]
"""Contents as numbers: their letters in base 27, none of them 0."""


class ContentScores(NamedTuple):
    """Log odds of contents for one cell, in nats, against all possible entries of the slot with single letters."""

    content_numbers: ContentNumbers  # of listed answers, ascending
    listed_logp: Float64Array  # of each of them
    unlisted_logp: float  # of any content, without its letters: each adds LOG_UNLISTED_LETTER

    def log_odds(self, content_numbers: ContentNumbers) -> Float64Array:
        """Return the log odds of contents, (contents,)."""
        places, is_listed = arrays.find_sorted(self.content_numbers, content_numbers)
        listed = (
            np.where(is_listed, self.listed_logp[places], LOG_IMPOSSIBLE) if len(self.listed_logp) else LOG_IMPOSSIBLE
        )
        unlisted = self.unlisted_logp + content_lengths(content_numbers) * LOG_UNLISTED_LETTER
        log_odds: Float64Array = np.maximum(listed, unlisted)
        return log_odds

    def best_contents(self, count: int) -> tuple[ContentNumbers, Float64Array]:
        """Return the `count` likeliest contents of listed answers, best first, and their log odds."""
        order = np.argsort(-self.listed_logp, kind="stable")[:count]
        return self.content_numbers[order], self.listed_logp[order]


def encode_contents(letters: NDArray[np.uint8]) -> ContentNumbers:
    """Encode contents, (contents, length) letters, as numbers, (contents,)."""
    numbers: ContentNumbers = (letters + 1) @ _POWERS[: letters.shape[1]]
    return numbers


def encode_content(content: str, slot: Slot) -> ContentNumbers:
    """Encode what a square with this content adds to the slot's answer, (1,)."""
    return encode_contents(letter_codes(content_along(content, slot.direction))[None])


def content_lengths(content_numbers: ContentNumbers) -> NDArray[np.intp]:
    return np.searchsorted(_POWERS, content_numbers, side="right")


def decode_content(number: int) -> str:
    content = ""
    while number:
        number, letter = divmod(number, 27)
        content += ALPHABET[letter - 1]
    return content


def sum_by_content(parts: Sequence[tuple[ContentNumbers, Float64Array]]) -> tuple[ContentNumbers, Float64Array]:
    """Add up probabilities, given as natural logs, by content number, ascending."""
    numbers, logp = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(numbers, kind="stable")
    numbers, logp = numbers[order], logp[order]
    starts = arrays.run_starts(numbers)
    return numbers[starts], np.logaddexp.reduceat(logp, starts)


def cell_loglik(letters: NDArray[np.uint8], column: int, message: Float64Array, content: str) -> Float64Array:
    """Return how well one cell of longer answers, (answers, length), fits: (answers,) natural logs.

    The cell begins at `column`; `message`, (26,) logs, comes from its crossing, and the cell must hold `content`, `?`
    for any letter.
    """
    if content != "?":
        has_content = (letters[:, column : column + len(content)] == letter_codes(content)).all(axis=1)
        return np.where(has_content, 0.0, LOG_IMPOSSIBLE)
    loglik: Float64Array = message[letters[:, column]]
    return loglik
