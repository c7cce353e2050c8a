"""Comparison of a grid with the solution in the puzzle's file, which no solver sees.

Every white cell counts, empty or not; a word or grid is right if all its cells are. A cell with several letters is
right only with all of them. Files write two-way contents one after the other, in either order, or as a sign (2 for TO
and TWO).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from regis import text
from regis.puzzle import Cell, Puzzle, Slot, formats
from regis.puzzle.formats import PuzzleFile
from regis.solving.filler import Fill
from regis.solving.rebus.squares import is_right_content
from regis.solving.solved_puzzle import SolvedPuzzle


class Score(NamedTuple):
    letters_right: int
    letter_count: int  # white cells
    words_right: int
    word_count: int  # slots
    is_whole: bool


class EntryMark(NamedTuple):
    slot: Slot
    rank: int | None  # of the right answer in the filler's first list, 1 the best; None if not in it
    wrong_cells: frozenset[Cell]  # cells with a wrong letter or none; the entry is right if there are none
    confidence: float  # how sure the filler was of the whole entry, 0 to 1


def read_truth(file: PuzzleFile) -> Mapping[Cell, str] | None:
    """Read the solution in `file`; None if it is unusable (absent, all X, scrambled)."""
    return formats.read_solution(file)


def score_fill(fill: Fill, puzzle: Puzzle, truth: Mapping[Cell, str]) -> Score:
    right = find_right_cells(fill, puzzle, truth)
    slots = puzzle.grid.slots
    return Score(
        letters_right=len(right),
        letter_count=len(puzzle.grid.cells),
        words_right=sum(right.issuperset(slot.cells) for slot in slots),
        word_count=len(slots),
        is_whole=len(right) == len(puzzle.grid.cells),
    )


def find_right_cells(fill: Fill, puzzle: Puzzle, truth: Mapping[Cell, str]) -> set[Cell]:
    common = [cell for cell in puzzle.grid.cells if cell in truth and cell in fill.cells]
    return {cell for cell in common if is_right_content(fill.cells[cell], truth[cell])}


def mark_wrong_cells(solved: SolvedPuzzle, truth: Mapping[Cell, str]) -> SolvedPuzzle:
    filled = solved.fill.cells.keys()
    return replace(solved, wrong_cells=frozenset(filled - find_right_cells(solved.fill, solved.puzzle, truth)))


def mark_entries(solved: SolvedPuzzle, truth: Mapping[Cell, str]) -> list[EntryMark]:
    """Compare every entry with its right answer, in clue order."""
    right = find_right_cells(solved.fill, solved.puzzle, truth)
    inputs = solved.first_inputs or solved.inputs
    assert inputs is not None, "it was solved"
    marks = []
    for answer in solved.answers:
        cells = answer.slot.cells
        place = inputs.lists[answer.slot].find_answer("".join(truth.get(cell, "?") for cell in cells))
        rank = None if place is None else place + 1
        marks.append(EntryMark(answer.slot, rank, frozenset(cells) - right, answer.confidence))
    return marks


def has_irregular_content(truth: Mapping[Cell, str]) -> bool:
    """Return whether any cell holds something other than one letter A-Z."""
    return any(len(content) != 1 or not "A" <= content <= "Z" for content in truth.values())


def clue_answer_pairs(puzzle: Puzzle, truth: Mapping[Cell, str]) -> list[tuple[str, str]]:
    """Pair clues with their answers A-Z, if both exist."""
    slots = [slot for slot in puzzle.grid.slots if puzzle.clues.get(slot) and truth.keys() >= set(slot.cells)]
    pairs = [(puzzle.clues[slot], "".join(truth[cell] for cell in slot.cells)) for slot in slots]
    return [(clue, answer) for clue, answer in pairs if text.normalize_answer(answer) == answer]
