"""A hint: one letter, or a few answers to one entry.

The best letter is sure, but the least likely by the clues through its square and the letters so far, so it says the
most (its surprisal, Shannon 1948). If no letter is sure, the hint is a few answers to one entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from regis.candidates.candidate_list import LETTER_MATCH_PROBABILITY
from regis.models.arrays import MIN_PROBABILITY, first_largest
from regis.puzzle import DOUBTFUL_BELOW, Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, is_letters_only
from regis.solving.solved_puzzle import SolvedPuzzle

MAX_HINT_ANSWERS = 5  # more answers don't help


class Hint(NamedTuple):
    """A letter in a square of `slot`, or, if `cell` is None, answers to it in alphabetical order."""

    slot: Slot
    cell: Cell | None
    letter: str
    answers: tuple[str, ...]
    probability: float  # P(the letter, or one of the answers, is right)


def find_hint(solved: SolvedPuzzle) -> Hint | None:
    """Find the most helpful hint for the entries in `solved`; None if they are full or too little is sure."""
    puzzle = solved.puzzle.without_letters(solved.doubted_letters)
    open_slots = [a.slot for a in solved.answers if any(cell not in solved.puzzle.given for cell in a.slot.cells)]
    return _find_letter(solved, puzzle, open_slots) or _find_answers(solved, open_slots)


def _find_letter(solved: SolvedPuzzle, puzzle: Puzzle, slots: Sequence[Slot]) -> Hint | None:
    slot_of = {cell: slot for slot in reversed(slots) for cell in slot.cells if _is_letter_sure(solved, cell)}
    if not slot_of:
        return None
    surprisal: dict[Cell, float] = dict.fromkeys(slot_of, 0.0)
    for slot in puzzle.grid.slots:
        for cell, nats in _surprisals(solved, puzzle, slot, surprisal):
            surprisal[cell] += nats
    cells = sorted(surprisal)
    best = cells[first_largest(np.array([surprisal[cell] for cell in cells]))]
    return Hint(slot_of[best], best, solved.fill.cells[best], (), solved.fill.confidence[best])


def _is_letter_sure(solved: SolvedPuzzle, cell: Cell) -> bool:
    """Return whether the cell may be a hint: open, with a sure and single letter."""
    is_sure = solved.fill.confidence.get(cell, 0.0) >= DOUBTFUL_BELOW
    return cell not in solved.puzzle.given and is_sure and is_letters_only(solved.fill.cells.get(cell, ""), 1)


def _surprisals(
    solved: SolvedPuzzle, puzzle: Puzzle, slot: Slot, wanted: Mapping[Cell, float]
) -> Iterator[tuple[Cell, float]]:
    """Yield the surprisal, in nats, of each wanted cell's letter, given the slot's clue and the letters so far."""
    cells = [(i, cell) for i, cell in enumerate(slot.cells) if cell in wanted]
    if not cells:
        return
    candidates = solved.lists[slot]
    if (pattern := puzzle.pattern(slot)).strip("?"):
        candidates = candidates.condition_on(pattern)
    p = np.exp(candidates.logp)
    for i, cell in cells:
        has_letter = candidates.letters[:, i] == ALPHABET.index(solved.fill.cells[cell])
        p_missing = candidates.missing * LETTER_MATCH_PROBABILITY
        yield cell, -float(np.log(p[has_letter].sum() + p_missing + MIN_PROBABILITY))


def _find_answers(solved: SolvedPuzzle, slots: Sequence[Slot]) -> Hint | None:
    """Find the entry for which the fewest answers suffice; skip entries that cross one with two right answers."""
    hints = []
    ambiguous = solved.ambiguous_cells
    for slot in slots:
        if solved.find_two_answers(slot) or ambiguous.isdisjoint(slot.cells):
            answers, p = _likeliest_answers(solved, slot)
            if p >= DOUBTFUL_BELOW:
                hints.append(Hint(slot, None, "", tuple(sorted(answers)), p))
    return min(hints, key=lambda hint: len(hint.answers), default=None)


def _likeliest_answers(solved: SolvedPuzzle, slot: Slot) -> tuple[Sequence[str], float]:
    """Return as few of the likeliest answers as suffice, or both right ones, and P(one of them is right)."""
    if pair := solved.find_two_answers(slot):
        confidence = next(answer.confidence for answer in solved.answers if answer.slot == slot)
        return (pair.first_answer, pair.second_answer), confidence
    answers, probability = list[str](), 0.0
    for answer, p in solved.fill.ranked_answers.get(slot, ())[:MAX_HINT_ANSWERS]:
        if probability >= DOUBTFUL_BELOW:
            break
        answers.append(answer)
        probability += p
    return answers, probability
