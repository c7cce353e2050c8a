"""Rebus squares by their contents: what each adds to the answers through it, and what stands for it in one cell.

A content is the same across and down, or what it is across, BOTH, and what it is down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from regis.puzzle import Cell, Direction, Puzzle, Slot
from regis.solving.solution import Solution
from regis.solving.solved import BOTH

Squares = Mapping[Cell, str]  # what rebus squares hold: several letters, A-Z; or those across, BOTH, those down


def part(content: str, direction: Direction) -> str:
    """What a square with this `content` adds to an answer: no letter at all, one, or several."""
    return content.split(BOTH)[-1 if direction is Direction.DOWN else 0]


def turned(content: str) -> str:
    """The content with what it is across and what it is down exchanged."""
    return BOTH.join(reversed(content.split(BOTH)))


def kind(content: str) -> str:
    """What squares have in common that hold the same, whichever of two it is across."""
    return min(content, turned(content))


def token(content: str) -> str:
    """The letter that stands for this `content` where each cell has one: its first."""
    return content.replace(BOTH, "")[0]


def parts(slot: Slot, squares: Squares) -> list[str]:
    """What each cell of the slot adds to its answer: the content of a rebus square, `?` of any other cell."""
    return [part(squares[cell], slot.direction) if cell in squares else "?" for cell in slot.cells]


def tokens(slot: Slot, squares: Squares) -> str:
    """The letter that stands for each rebus square of the slot, `?` for any other cell."""
    return "".join(token(squares[cell]) if cell in squares else "?" for cell in slot.cells)


def starts(parts: Sequence[str]) -> list[int]:
    """Where in the whole answer each cell begins, and at last how long the answer is."""
    return list(accumulate(map(len, parts), initial=0))


def whole(slot: Slot, squares: Squares, answer: Sequence[str]) -> str:
    """`answer`, what stands in each cell, with the contents of the rebus squares in their places."""
    return "".join(x if x != "?" else letter for x, letter in zip(parts(slot, squares), answer, strict=True))


def standing(slot: Slot, squares: Squares, solution: Solution) -> str:
    """What stands in the slot, whole; the person may have written several letters into a square that is no rebus."""
    return whole(slot, squares, [solution.cells.get(cell, "?") for cell in slot.cells])


def shown(solution: Solution, squares: Squares) -> Solution:
    """`solution`, one letter a cell, with the contents of the rebus squares in their places."""
    if not squares:
        return solution
    ranked = {slot: tuple((whole(slot, squares, x), p) for x, p in best) for slot, best in solution.ranked.items()}
    return replace(solution, cells={**solution.cells, **squares}, ranked=ranked)


def begun(puzzle: Puzzle, squares: Squares) -> Puzzle:
    """`puzzle` with the squares' letters written in, one each."""
    return replace(puzzle, given={**puzzle.given, **{cell: token(content) for cell, content in squares.items()}})
