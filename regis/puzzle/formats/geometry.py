"""Entries that a file lists itself, cell by cell, and bars: the geometry where it does not follow from the blocks.

In a barred puzzle entries end at thick lines. In others they bend, go diagonally or leap. As long as no square is in
more than two of them, they can be told apart as across and down, and are solved as any others.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from regis.errors import PuzzleError
from regis.puzzle import Bar, Cell, Direction, Grid, Slot

VARIETIES = {
    "acrostic": "an acrostic", "answer": "a quiz", "block": "a puzzle of blocks", "coded": "a coded crossword",
    "codeword": "a coded crossword", "fill": "a fill-in", "fillin": "a fill-in", "sudoku": "a sudoku",
    "word-search": "a word search", "wordsearch": "a word search",
}  # fmt: skip
"""What the formats call puzzles that are none of clues and crossings -> how people call them."""

SHORTEST = 2  # squares in an entry
_NUMBER = re.compile("[0-9]{1,4}")


class Word(NamedTuple):
    """An entry as a file lists it."""

    label: str  # '17', '1-5', 'A'; '' where it has none
    group: str  # the heading of its clue; '' where it has none
    cells: tuple[Cell, ...]  # () where the file does not say, or says what cannot be


def check_kind(names: Iterable[str], file: str) -> None:
    """Raises PuzzleError if one of the `names`, as formats give them to kinds of puzzles, is none for Regis."""
    if kind := next((VARIETIES[name] for name in names if name in VARIETIES), None):
        raise PuzzleError(f"{file} is {kind}, which Regis cannot solve; name a crossword with clues")


def first_number(label: str) -> str:
    """'1-5' -> '1'; '' for a label that begins with none."""
    return found[0] if (found := _NUMBER.match(label)) else ""


@functools.lru_cache(maxsize=16)
def direction(heading: str) -> Direction | None:
    """'Across:Linking' -> ACROSS; None for a heading that is neither."""
    return next((d for d in Direction if heading.strip().upper().startswith(d.name)), None)


def barred(grid: Grid, bars: Iterable[Bar], starts: Collection[tuple[Cell | None, Direction | None]] = ()) -> Grid:
    """`grid` with those `bars` that lie between white cells.

    They only adorn it where the clues, of which `starts` tells the first cells, fit the grid without them.
    """
    white = frozenset(grid.cells)
    parted = replace(grid, bars=frozenset(bar for bar in bars if white.issuperset(bar)))
    without, within = grid.by_start.keys(), parted.by_start.keys()
    return replace(parted, words=grid.slots) if parted.bars and starts == without != within else parted


def sides(cell: Cell, letters: Collection[str]) -> Iterable[Bar]:
    """The bars on the sides of a cell, which are named by the first letters of top, left, right and bottom."""
    (r, c), there = cell, {side.upper() for side in letters}
    beside = {"T": ((r - 1, c), cell), "L": ((r, c - 1), cell), "R": (cell, (r, c + 1)), "B": (cell, (r + 1, c))}
    return (bar for side, bar in beside.items() if side in there)


def taken(grid: Grid, words: Sequence[Word], file: str) -> tuple[Grid, tuple[str, ...]]:
    """`grid` with the slots that the `words` of a file are, and warnings; as it is where they are those that it has.

    Where a few words cross in more than pairs, they are left out. Raises PuzzleError where most do, or have no place.
    """
    if 2 * sum(not word.cells and not direction(word.group) for word in words) > len(words):
        raise PuzzleError(f"{file} does not say for which squares its clues are, so it cannot be solved; name another")
    listed = {word.cells: word for word in reversed(words) if word.cells}
    runs: dict[Cell, list[tuple[Cell, ...]]] = defaultdict(list)
    for slot in grid.slots:
        runs[slot.cells[0]].append(slot.cells)
    other = [word for word in listed.values() if word.cells not in runs.get(word.cells[0], ())]
    few = 2 * len(other) <= len(listed)
    if few and all(_linked(word.cells, runs) for word in other) and not _has_chance_runs(grid, listed, words):
        return grid, ()
    if own := _slots(list(reversed(listed.values()))):
        slots, renamed = own
        how = f"{file} names its entries in its own way; here they are called across and down"
        return replace(grid, words=slots), (how,) * renamed
    if not few:
        many = "squares in three entries or more, or in two that go the same way"
        raise PuzzleError(f"{file} has {many}, which Regis cannot solve; name another puzzle")
    return grid, ()


def _linked(cells: tuple[Cell, ...], runs: Mapping[Cell, Sequence[tuple[Cell, ...]]]) -> bool:
    """Whether a word is made of whole runs, here by their first cells, as the words of linked clues are."""
    while cells:
        run = next((run for run in runs.get(cells[0], ()) if cells[: len(run)] == run), None)
        if run is None:
            return False
        cells = cells[len(run) :]
    return True


def _has_chance_runs(grid: Grid, listed: Collection[tuple[Cell, ...]], words: Sequence[Word]) -> bool:
    """Whether all runs between bars are listed but some of two squares, which need not be entries."""
    left = [slot for slot in grid.slots if slot.cells not in listed]
    told = bool(words) and all(word.cells for word in words)
    return bool(grid.bars and left) and told and all(len(slot) == SHORTEST for slot in left)


def _slots(words: Sequence[Word]) -> tuple[tuple[Slot, ...], bool] | None:
    """The words as slots, and whether the file calls them otherwise; None if some square is in more than two."""
    directions = _directions(words)
    if directions is None:
        return None
    numbers = [int(first_number(word.label) or 0) for word in words]
    at = {(word.cells[0], number) for word, number in zip(words, numbers, strict=True)}
    own = all(numbers) and len(at) == len({start for start, _ in at})
    if not own or len(set(zip(numbers, directions, strict=True))) < len(words):
        row_by_row = {start: n for n, start in enumerate(sorted({word.cells[0] for word in words}), 1)}
        numbers = [row_by_row[word.cells[0]] for word in words]
        own = False
    slots = [Slot(n, d, word.cells) for word, n, d in zip(words, numbers, directions, strict=True)]
    named = own and all(direction(word.group) is d for word, d in zip(words, directions, strict=True) if word.group)
    return tuple(sorted(slots, key=lambda slot: (slot.number, slot.direction))), not named


def _directions(words: Sequence[Word]) -> list[Direction] | None:
    """A direction for each word, so that no two of one direction share a cell; None if there is no such choice.

    Of words that hang together the first goes as its heading says; of other headings the first is across.
    """
    through: dict[Cell, list[int]] = defaultdict(list)
    for i, word in enumerate(words):
        for cell in word.cells:
            through[cell].append(i)
    if any(len(among) > 2 or len(set(among)) < len(among) for among in through.values()):
        return None
    headings = dict.fromkeys(word.group for word in words if word.group and not direction(word.group))
    others = dict(zip(headings, itertools.cycle(Direction), strict=False))
    found: dict[int, Direction] = {}
    for first, word in enumerate(words):
        if first in found:
            continue
        found[first] = direction(word.group) or _by_order(others, word)
        reached = [first]
        for i in reached:
            for j in {j for cell in words[i].cells for j in through[cell]} - {i}:
                if j not in found:
                    found[j] = Direction.DOWN if found[i] is Direction.ACROSS else Direction.ACROSS
                    reached.append(j)
                elif found[j] is found[i]:
                    return None
    return [found[i] for i in range(len(words))]


def _by_order(others: Mapping[str, Direction], word: Word) -> Direction:
    if word.group in others and len(others) > 1:
        return others[word.group]
    return Direction.DOWN if len({c for _, c in word.cells}) == 1 else Direction.ACROSS
