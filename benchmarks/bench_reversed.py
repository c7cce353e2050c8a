"""Puzzles whose answers across all run backwards: `python benchmarks/bench_reversed.py ARCHIVE --index DIR`.

Left and right of each plain puzzle are exchanged, so that the answers down are what they were, and every answer across
stands in reverse order: a theme of all answers of one direction. Two rows say what Regis makes of the puzzles as they
are and of the turned ones, and of how many of them it says that all letters are in reverse order.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import cli_options
import numpy as np
import plain_puzzles
from tqdm import tqdm

from regis.evaluation import score
from regis.index import Index
from regis.puzzle import Cell, Grid, Puzzle
from regis.solving import pipeline
from regis.solving.themes.edit_kinds import KIND_DESCRIPTIONS, EditKind

CellContents = Mapping[Cell, str]


def mirror_puzzle(puzzle: Puzzle, truth: CellContents) -> tuple[Puzzle, CellContents]:
    """Exchange left and right of the puzzle and of its solution."""
    grid = Grid(tuple(row[::-1] for row in puzzle.grid.rows))

    def mirror_cell(cell: Cell) -> Cell:
        return cell[0], len(grid.rows[0]) - 1 - cell[1]

    slots = {(slot.direction, frozenset(map(mirror_cell, slot.cells))): slot for slot in puzzle.grid.slots}
    was = {slot: slots[slot.direction, frozenset(slot.cells)] for slot in grid.slots}
    clues = {slot: puzzle.clues[its] for slot, its in was.items() if its in puzzle.clues}
    return Puzzle(grid, clues), {cell: truth[mirror_cell(cell)] for cell in grid.cells}


def main() -> None:
    arguments = cli_options.archive_parser(__doc__, with_sample=True).parse_args()
    index, items = Index.open(arguments.index), plain_puzzles.read_items(arguments)
    print(f"{len(items)} puzzles, index {index.fingerprint}\n")
    print(f"{'':12}{'letters':>8} {'words':>7} {'whole':>7} {'named':>7} {'seconds':>8}")
    for label, turn in (("as they are", False), ("turned", True)):
        scores, seconds, named = [], [], 0
        for item in tqdm(items, desc=label, leave=False, disable=None):
            puzzle, truth = plain_puzzles.read_solved(item.file)
            puzzle, truth = mirror_puzzle(puzzle, truth) if turn else (puzzle, truth)
            start = time.process_time()
            solved = pipeline.solve(puzzle, index)
            seconds.append(time.process_time() - start)
            named += solved.theme is not None and solved.theme.description == KIND_DESCRIPTIONS[EditKind.REVERSED]
            scores.append(score.score_fill(solved.fill, puzzle, truth))
        letters = 100 * sum(one.letters_right for one in scores) / sum(one.letter_count for one in scores)
        words = 100 * sum(one.words_right for one in scores) / sum(one.word_count for one in scores)
        whole = sum(one.is_whole for one in scores)
        print(f"{label:12}{letters:8.2f} {words:7.2f} {whole:7} {named:7} {np.median(seconds):8.1f}", flush=True)


if __name__ == "__main__":
    main()
