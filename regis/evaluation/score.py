"""A solution against the answers in the puzzle's file, of which no solver ever knows.

Every white cell counts, also those left empty; a word is right if all its cells are, a grid if all its words and
cells are. A cell with several letters is right only if all of them are there; files write those that are others across
than down one behind the other, in either order, or as the sign that is read so (2 for TO and TWO). `marks` looks
closer: entry by entry, how far down its list the right answer stood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from regis import text
from regis.puzzle import Cell, Puzzle, Slot, formats
from regis.puzzle.formats import PuzzleFile
from regis.solving.rebus.signs import signs
from regis.solving.rebus.squares import turned
from regis.solving.solution import Solution
from regis.solving.solved import BOTH, Solved


class Score(NamedTuple):
    letters_right: int
    letters: int  # white cells
    words_right: int
    words: int  # slots
    whole: bool


class Mark(NamedTuple):
    """One entry beside its right answer."""

    slot: Slot
    rank: int | None  # of the right answer in the list that the filler had at first, 1 the best; None if not in it
    wrong: frozenset[Cell]  # cells with a wrong letter or none; the entry is right if there are none
    confidence: float  # how sure the filler was of the whole entry, 0 to 1


def truth(file: PuzzleFile) -> Mapping[Cell, str] | None:
    """The solution that `file` holds; None if it holds none that can be used (absent, all X, scrambled)."""
    return formats.solution(file)


def score(solution: Solution, puzzle: Puzzle, truth: Mapping[Cell, str]) -> Score:
    """How much of `solution` is right."""
    right = right_cells(solution, puzzle, truth)
    words = puzzle.grid.slots
    return Score(
        letters_right=len(right),
        letters=len(puzzle.grid.cells),
        words_right=sum(right.issuperset(slot.cells) for slot in words),
        words=len(words),
        whole=len(right) == len(puzzle.grid.cells),
    )


def right_cells(solution: Solution, puzzle: Puzzle, truth: Mapping[Cell, str]) -> set[Cell]:
    """The white cells that hold what they should."""
    filled = solution.cells
    return {cell for cell in puzzle.grid.cells if cell in truth and cell in filled and same(filled[cell], truth[cell])}


def same(content: str, true: str) -> bool:
    """Whether a cell's content is the true one, or the true sign read; of one with others down, in whatever order.

    A sign that has several readings is right with any of them: the file does not say which is whose.
    """
    ways = {content, turned(content)} if BOTH in content else {content}
    return true in ways | {way.replace(BOTH, "") for way in ways} | signs(content)


def graded(solved: Solved, truth: Mapping[Cell, str]) -> Solved:
    """`solved` with the filled squares that are wrong, for a person who asks for them."""
    filled = solved.solution.cells.keys()
    return replace(solved, wrong=frozenset(filled - right_cells(solved.solution, solved.puzzle, truth)))


def marks(solved: Solved, truth: Mapping[Cell, str]) -> list[Mark]:
    """Every entry, in clue order."""
    right = right_cells(solved.solution, solved.puzzle, truth)
    known = solved.known or solved.candidates
    assert known is not None, "it was solved"
    found = []
    for entry in solved.answers:
        cells = entry.slot.cells
        place = known.lists[entry.slot].find("".join(truth.get(cell, "?") for cell in cells))
        rank = None if place is None else place + 1
        found.append(Mark(entry.slot, rank, frozenset(cells) - right, entry.confidence))
    return found


def irregular(truth: Mapping[Cell, str]) -> bool:
    """Whether any cell holds something other than one letter A-Z (a rebus, a digit, a symbol)."""
    return any(len(content) != 1 or not "A" <= content <= "Z" for content in truth.values())


def pairs(puzzle: Puzzle, truth: Mapping[Cell, str]) -> list[tuple[str, str]]:
    """The puzzle's own clues, each with its answer A-Z; a slot without a clue or such an answer is left out."""
    whole = [slot for slot in puzzle.grid.slots if puzzle.clues.get(slot) and truth.keys() >= set(slot.cells)]
    found = [(puzzle.clues[slot], "".join(truth[cell] for cell in slot.cells)) for slot in whole]
    return [(clue, answer) for clue, answer in found if text.answer(answer) == answer]
