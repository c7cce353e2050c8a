"""Rebus squares by their contents: what each adds to its answers, and the letter that stands for it.

A content is the same both ways, or the one across, CONTENT_SEPARATOR, and the one down. Its token stands for it if
cells hold single letters. A digit or sign is read as words, maybe two: 2 is TOO in ME2 and TWO in 2TONE. Most files
can't say that a square is two-way: CI stands for C/I. So if a grid isn't solved, such given squares are also read both
ways (measured: docs/experiments/rebus-given.md).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from regis.puzzle import Cell, Direction, Puzzle, Slot
from regis.puzzle.alphabet import is_letters_only
from regis.solving.filler import Fill

CONTENT_SEPARATOR = "/"
"""Separates the contents across and down, or two letters that are both right."""

REBUS_MOVE = "rebus squares"  # name of the search in the plan of moves and in assumptions

RebusSquares = Mapping[Cell, str]
"""The content of each rebus square: letters A-Z, or two contents with CONTENT_SEPARATOR between."""

MAX_TWO_WAY_LETTERS = 6  # longest content that is read in two directions; a guess


_SIGN_LINES = {
    "0": "ZERO OH NIL", "1": "ONE WON", "2": "TWO TOO TO", "3": "THREE", "4": "FOUR FOR FORE", "5": "FIVE", "6": "SIX",
    "7": "SEVEN", "8": "EIGHT ATE", "9": "NINE", "10": "TEN", "&": "AND", "+": "PLUS AND",
    "@": "AT", "*": "STAR", "#": "POUND SHARP HASH", "$": "MONEY CASH BUCK", "!": "BANG", "/": "SLASH",
    "=": "EQUAL", "♥": "HEART LOVE", "Π": "PI",
}  # fmt: skip

SIGN_WORDS = {sign: tuple(words.split()) for sign, words in _SIGN_LINES.items()}
"""Signs in puzzle files, and the words that each may stand for."""

TWO_WAY_SIGN_CONTENTS = tuple(
    CONTENT_SEPARATOR.join(two_words) for words in SIGN_WORDS.values() for two_words in itertools.permutations(words, 2)
)
"""The contents of a sign that is one word across and another down."""


def content_along(content: str, direction: Direction) -> str:
    """Return the letters that the content adds to an answer in this direction."""
    return content.split(CONTENT_SEPARATOR)[-1 if direction is Direction.DOWN else 0]


def swap_directions(content: str) -> str:
    return CONTENT_SEPARATOR.join(reversed(content.split(CONTENT_SEPARATOR)))


def canonical_content(content: str) -> str:
    """Return one name for a content and its swapped twin."""
    return min(content, swap_directions(content))


def token_letter(content: str) -> str:
    """Return the letter that stands for the content: its first."""
    return content.replace(CONTENT_SEPARATOR, "")[0]


def cell_contents(slot: Slot, squares: RebusSquares) -> list[str]:
    """List what each cell adds to the slot's answer, `?` unless it is a rebus square."""
    return [content_along(squares[cell], slot.direction) if cell in squares else "?" for cell in slot.cells]


def token_pattern(slot: Slot, squares: RebusSquares) -> str:
    """Return the slot's pattern: each rebus square's token, `?` for other cells."""
    return "".join(token_letter(squares[cell]) if cell in squares else "?" for cell in slot.cells)


def cell_offsets(contents: Sequence[str]) -> list[int]:
    """List the offset of each cell in the whole answer, and the answer's length."""
    return list(itertools.accumulate(map(len, contents), initial=0))


def expand_answer(slot: Slot, squares: RebusSquares, answer: Sequence[str]) -> str:
    """Insert the contents of rebus squares into an answer with one item per cell."""
    contents = zip(cell_contents(slot, squares), answer, strict=True)
    return "".join(letter if content == "?" else content for content, letter in contents)


def entry_text(slot: Slot, squares: RebusSquares, fill: Fill) -> str:
    """Return all letters of the slot's entry; a given square may have several without being a rebus square."""
    return expand_answer(slot, squares, [fill.cells.get(cell, "?") for cell in slot.cells])


def expand_fill(fill: Fill, squares: RebusSquares) -> Fill:
    """Insert the contents of rebus squares into a fill with one letter per cell."""
    if not squares:
        return fill
    ranked_answers = {
        slot: tuple((expand_answer(slot, squares, answer), p) for answer, p in ranked)
        for slot, ranked in fill.ranked_answers.items()
    }
    return replace(fill, cells={**fill.cells, **squares}, ranked_answers=ranked_answers)


def with_tokens(puzzle: Puzzle, squares: RebusSquares) -> Puzzle:
    return replace(puzzle, given={**puzzle.given, **{cell: token_letter(content) for cell, content in squares.items()}})


@functools.lru_cache(1 << 14)
def find_signs(content: str) -> frozenset[str]:
    """Find the signs that this content may stand for, both ways."""
    words = set(content.split(CONTENT_SEPARATOR))
    return frozenset(sign for sign, sign_words in SIGN_WORDS.items() if words <= set(sign_words))


def is_right_content(content: str, true_content: str) -> bool:
    """Return whether a content is the true one, or a reading of the true sign; two-way contents in either order."""
    ways = {content, swap_directions(content)} if CONTENT_SEPARATOR in content else {content}
    return true_content in ways | {way.replace(CONTENT_SEPARATOR, "") for way in ways} | find_signs(content)


def find_given_squares(puzzle: Puzzle) -> RebusSquares:
    """Find the squares of entries in which the person wrote several letters."""
    several = {cell: x for cell, x in puzzle.given.items() if len(x) > 1 and is_letters_only(x, len(x))}
    return {cell: x for cell, x in several.items() if cell in puzzle.grid.slots_through}


def two_way_readings(squares: RebusSquares) -> Iterator[RebusSquares]:
    """Yield two-way readings of all squares: every split, with either part first."""
    if max(map(len, squares.values())) > MAX_TWO_WAY_LETTERS:
        return
    for split in range(1, min(map(len, squares.values()))):
        two_way = {cell: content[:split] + CONTENT_SEPARATOR + content[split:] for cell, content in squares.items()}
        yield two_way
        yield {cell: swap_directions(content) for cell, content in two_way.items()}
