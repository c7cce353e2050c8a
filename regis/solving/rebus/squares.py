"""Rebus squares by their contents: what each adds to the answers through it, and what stands for it in one cell.

A content is the same across and down, or what it is across, CONTENT_SEPARATOR, and what it is down. Each content has a
token, the letter that stands for it where a cell holds one letter. A digit or a sign is read as words, perhaps another
across than down: 2 is TOO in ME2 and TWO in 2TONE.

What the person wrote is taken at its word. Most files have no sign for a square that is one thing across and another
down: C/I is written CI. So where the grid does not come out, all such squares are also read in both directions, in the
same way (measured: docs/experiments/rebus-given.md).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from regis.puzzle import Cell, Direction, Puzzle, Slot
from regis.puzzle.alphabet import is_letters_only
from regis.solving.filler import Fill

CONTENT_SEPARATOR = "/"
"""Stands between what a square holds across and what it holds down, or between two letters that are both right."""

RebusSquares = Mapping[Cell, str]
"""The content of each rebus square: several letters A-Z; or those across, CONTENT_SEPARATOR, those down."""

NO_SQUARES: RebusSquares = MappingProxyType({})

MAX_TWO_WAY_LETTERS = 6  # letters of contents that are read in two directions; a guess

_SIGN_LINES = {
    "0": "ZERO OH NIL", "1": "ONE WON", "2": "TWO TOO TO", "3": "THREE", "4": "FOUR FOR FORE", "5": "FIVE", "6": "SIX",
    "7": "SEVEN", "8": "EIGHT ATE", "9": "NINE", "10": "TEN", "&": "AND", "+": "PLUS AND",
    "@": "AT", "*": "STAR", "#": "POUND SHARP HASH", "$": "MONEY CASH BUCK", "!": "BANG", "/": "SLASH",
    "=": "EQUAL", "♥": "HEART LOVE", "Π": "PI",
}  # fmt: skip

SIGN_WORDS = {sign: tuple(words.split()) for sign, words in _SIGN_LINES.items()}
"""Signs, as puzzle files have them when read, and the words that each may stand for."""

TWO_WAY_SIGN_CONTENTS = tuple(
    CONTENT_SEPARATOR.join(two_words) for words in SIGN_WORDS.values() for two_words in itertools.permutations(words, 2)
)
"""The contents that a sign may have where it is one word across and another down."""


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
    return list(itertools.accumulate(map(len, contents), initial=0))


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


@functools.lru_cache(1 << 14)
def find_signs(content: str) -> frozenset[str]:
    """Find the signs that may be read as this content in both directions."""
    words = set(content.split(CONTENT_SEPARATOR))
    return frozenset(sign for sign, sign_words in SIGN_WORDS.items() if words <= set(sign_words))


def is_right_content(content: str, true_content: str) -> bool:
    """Return whether a content is the true one, or the true sign read; of one with others down, in whatever order.

    A sign that has several readings is right with any of them: the file does not say which is whose.
    """
    ways = {content, swap_directions(content)} if CONTENT_SEPARATOR in content else {content}
    return true_content in ways | {way.replace(CONTENT_SEPARATOR, "") for way in ways} | find_signs(content)


def find_given_squares(puzzle: Puzzle) -> RebusSquares:
    """Find the squares of entries in which the person wrote several letters."""
    several = {cell: x for cell, x in puzzle.given.items() if len(x) > 1 and is_letters_only(x, len(x))}
    return {cell: x for cell, x in several.items() if cell in puzzle.grid.slots_through}


def two_way_readings(squares: RebusSquares) -> Iterator[RebusSquares]:
    """Read the letters of all squares as one thing across and another down: split at each place, either part first."""
    if max(map(len, squares.values())) > MAX_TWO_WAY_LETTERS:
        return
    for split in range(1, min(map(len, squares.values()))):
        two_way = {cell: content[:split] + CONTENT_SEPARATOR + content[split:] for cell, content in squares.items()}
        yield two_way
        yield {cell: swap_directions(content) for cell, content in two_way.items()}
