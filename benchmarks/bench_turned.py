"""Puzzles whose answers across all run backwards: `python benchmarks/bench_turned.py ARCHIVE --index DIR`.

Left and right of each plain puzzle are exchanged, so that the answers down are what they were, and every answer across
stands in reverse order: a theme of all answers of one direction. Two rows say what Regis makes of the puzzles as they
are and of the turned ones, and of how many of them it says that all letters are in reverse order.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

os.environ.setdefault("OMP_NUM_THREADS", "1")

import asked
import installed  # noqa: F401
import numpy as np
import plain
from tqdm import tqdm

from regis.evaluation import score
from regis.index import Index
from regis.puzzle import Cell, Grid, Puzzle, formats
from regis.solving import pipeline
from regis.solving.themes.edits import REVERSED, SAID

Truth = Mapping[Cell, str]


def turned(puzzle: Puzzle, truth: Truth) -> tuple[Puzzle, Truth]:
    """The puzzle and its solution with left and right exchanged."""
    grid = Grid(tuple(row[::-1] for row in puzzle.grid.rows))

    def other(cell: Cell) -> Cell:
        return cell[0], len(grid.rows[0]) - 1 - cell[1]

    slots = {(slot.direction, frozenset(map(other, slot.cells))): slot for slot in puzzle.grid.slots}
    was = {slot: slots[slot.direction, frozenset(slot.cells)] for slot in grid.slots}
    clues = {slot: puzzle.clues[its] for slot, its in was.items() if its in puzzle.clues}
    return Puzzle(grid, clues), {cell: truth[other(cell)] for cell in grid.cells}


def main() -> None:
    arguments = asked.parser(__doc__, sample=True).parse_args()
    index, items = Index.open(arguments.index), plain.puzzles(arguments)
    print(f"{len(items)} puzzles, index {index.fingerprint}\n")
    print(f"{'':12}{'letters':>8} {'words':>7} {'whole':>7} {'named':>7} {'seconds':>8}")
    for label, turn in (("as they are", False), ("turned", True)):
        scores, seconds, named = [], [], 0
        for item in tqdm(items, desc=label, leave=False, disable=None):
            puzzle, truth = formats.read(item.file)[0], score.truth(item.file)
            assert truth is not None, "as plain.puzzles says"
            puzzle, truth = turned(puzzle, truth) if turn else (puzzle.without(puzzle.given), truth)
            start = time.process_time()
            solved = pipeline.solve(puzzle, index)
            seconds.append(time.process_time() - start)
            named += solved.theme is not None and solved.theme.said == SAID[REVERSED]
            scores.append(score.score(solved.solution, puzzle, truth))
        letters = 100 * sum(one.letters_right for one in scores) / sum(one.letters for one in scores)
        words = 100 * sum(one.words_right for one in scores) / sum(one.words for one in scores)
        whole = sum(one.whole for one in scores)
        print(f"{label:12}{letters:8.2f} {words:7.2f} {whole:7} {named:7} {np.median(seconds):8.1f}", flush=True)


if __name__ == "__main__":
    main()
