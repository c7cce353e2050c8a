"""Rebus squares by their contents: what each adds to the answers through it, and what stands for it in one cell.

A content is the same across and down, or what it is across, CONTENT_SEPARATOR, and what it is down. Each content has a
token, the letter that stands for it where a cell holds one letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from types import MappingProxyType

from regis.puzzle import Cell, Direction, Puzzle, Slot
from regis.solving.filler import Fill

CONTENT_SEPARATOR = "/"
"""Stands between what a square holds across and what it holds down, or between two letters that are both right."""

RebusSquares = Mapping[Cell, str]
"""The content of each rebus square: several letters A-Z; or those across, CONTENT_SEPARATOR, those down."""

NO_SQUARES: RebusSquares = MappingProxyType({})


def content_along(content: str, direction: Direction) -> str:
    """Return the letters that the content adds to an answer in this direction: none, one or several."""
    return content.split(CONTENT_SEPARATOR)[-1 if direction is Direction.DOWN else 0]


def swap_directions(content: str) -> str:
    """Exchange what the content is across and what it is down."""
    return CONTENT_SEPARATOR.join(reversed(content.split(CONTENT_SEPARATOR)))


def canonical_content(content: str) -> str:
    """Return one name for a content and its swapped twin."""
    return min(content, swap_directions(content))


def token_letter(content: str) -> str:
    """Return the letter that stands for the content where each cell has one: its first."""
    return content.replace(CONTENT_SEPARATOR, "")[0]


def cell_contents(slot: Slot, squares: RebusSquares) -> list[str]:
    """List what each cell adds to the slot's answer: the content of a rebus square, `?` for any other cell."""
    return [content_along(squares[cell], slot.direction) if cell in squares else "?" for cell in slot.cells]


def token_pattern(slot: Slot, squares: RebusSquares) -> str:
    """Return the slot's pattern: the token of each rebus square, `?` for any other cell."""
    return "".join(token_letter(squares[cell]) if cell in squares else "?" for cell in slot.cells)


def cell_offsets(contents: Sequence[str]) -> list[int]:
    """List where each cell begins in the whole answer, and last the length of that answer."""
    return list(accumulate(map(len, contents), initial=0))


def expand_answer(slot: Slot, squares: RebusSquares, answer: Sequence[str]) -> str:
    """Put the contents of rebus squares into an answer that has one entry a cell."""
    contents = zip(cell_contents(slot, squares), answer, strict=True)
    return "".join(letter if content == "?" else content for content, letter in contents)


def entry_text(slot: Slot, squares: RebusSquares, fill: Fill) -> str:
    """Return all letters of the slot's entry; a given square may hold several letters and be no rebus square."""
    return expand_answer(slot, squares, [fill.cells.get(cell, "?") for cell in slot.cells])


def expand_fill(fill: Fill, squares: RebusSquares) -> Fill:
    """Put the contents of rebus squares into a fill that has one letter a cell."""
    if not squares:
        return fill
    ranked_answers = {
        slot: tuple((expand_answer(slot, squares, answer), p) for answer, p in ranked)
        for slot, ranked in fill.ranked_answers.items()
    }
    return replace(fill, cells={**fill.cells, **squares}, ranked_answers=ranked_answers)


def with_tokens(puzzle: Puzzle, squares: RebusSquares) -> Puzzle:
    """Write the token of each rebus square into the puzzle."""
    return replace(puzzle, given={**puzzle.given, **{cell: token_letter(content) for cell, content in squares.items()}})
