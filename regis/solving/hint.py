"""A hint: one letter, or a few answers to one entry.

It is the letter that helps most: among those that are sure and not written yet the one that the two clues through
its square, given the letters written so far, make the least likely, so that it tells the person the most (its
surprisal, Shannon 1948). Where no letter is sure, the hint is a few answers to one entry, one of them probably right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from regis.candidates.candidate_list import KNOWN_LETTER, LEAST
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, spelled
from regis.solving.solved import DOUBTFUL, Solved

FEW = 5  # more answers than this are no hint


class Hint(NamedTuple):
    """A letter in a square of `slot`, or, where `cell` is None, answers to it in alphabetical order."""

    slot: Slot
    cell: Cell | None
    letter: str
    answers: tuple[str, ...]
    probability: float  # that the letter, or one of the answers, is right


def hint(solved: Solved) -> Hint | None:
    """The hint that helps most with the entries in `solved`; None if all is written or too little is sure."""
    puzzle = solved.puzzle.without(solved.doubts)
    open_slots = [a.slot for a in solved.answers if any(cell not in solved.puzzle.given for cell in a.slot.cells)]
    return _letter(solved, puzzle, open_slots) or _narrowed(solved, open_slots)


def _letter(solved: Solved, puzzle: Puzzle, slots: Sequence[Slot]) -> Hint | None:
    """The most telling letter among the sure ones."""
    able = {cell: slot for slot in reversed(slots) for cell in slot.cells if _to_give(solved, cell)}
    if not able:
        return None
    surprise: dict[Cell, float] = dict.fromkeys(able, 0.0)
    for slot in puzzle.grid.slots:
        for cell, more in _surprises(solved, puzzle, slot, surprise):
            surprise[cell] += more
    best = max(sorted(surprise), key=lambda cell: surprise[cell])
    return Hint(able[best], best, solved.solution.cells[best], (), solved.solution.confidence[best])


def _to_give(solved: Solved, cell: Cell) -> bool:
    """Whether the cell has a letter that may be a hint: open, sure, and a single one."""
    content = solved.solution.cells.get(cell, "")
    sure = solved.solution.confidence.get(cell, 0.0) >= DOUBTFUL
    return cell not in solved.puzzle.given and sure and spelled(content, 1)


def _surprises(
    solved: Solved, puzzle: Puzzle, slot: Slot, wanted: Mapping[Cell, float]
) -> Iterator[tuple[Cell, float]]:
    """How surprising each wanted cell's letter is to who knows the slot's clue and the letters written so far."""
    cells = [(i, cell) for i, cell in enumerate(slot.cells) if cell in wanted]
    if not cells:
        return
    among = solved.lists[slot]
    if (pattern := puzzle.pattern(slot)).strip("?"):
        among = among.given(pattern)
    p = np.exp(among.logp)
    for i, cell in cells:
        has = among.letters[:, i] == ALPHABET.index(solved.solution.cells[cell])
        yield cell, -float(np.log(p[has].sum() + among.missing * KNOWN_LETTER + LEAST))


def _narrowed(solved: Solved, slots: Sequence[Slot]) -> Hint | None:
    """The entry for which the fewest answers are enough; none across one with two right answers."""
    found = []
    twofold = solved.twofold
    for slot in slots:
        if solved.two_answers(slot) or twofold.isdisjoint(slot.cells):
            answers, p = _fewest(solved, slot)
            if p >= DOUBTFUL:
                found.append(Hint(slot, None, "", tuple(sorted(answers)), p))
    return min(found, key=lambda hint: len(hint.answers), default=None)


def _fewest(solved: Solved, slot: Slot) -> tuple[Sequence[str], float]:
    """As few of the likeliest answers as are enough, FEW at most, or both right ones; how sure it is one of them."""
    if two := solved.two_answers(slot):
        return (two.first, two.other), next(one.confidence for one in solved.answers if one.slot == slot)
    answers, sure = list[str](), 0.0
    for answer, p in solved.solution.ranked.get(slot, ())[:FEW]:
        if sure >= DOUBTFUL:
            break
        answers.append(answer)
        sure += p
    return answers, sure
