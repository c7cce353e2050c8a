"""What each move costs and gains: `python benchmarks/bench_moves.py ARCHIVE --index DIR --per-weekday 6`.

Solves the puzzles of an archive and adds up, for each move, its processor seconds, those that changed no right letter,
and the letters it made right. For each size of grid, it prints the median, the slow ones and the slowest in medians,
and the most memory. `--clues own shuffled nonsense spanish` also solves the same grids with their own clues shuffled,
with words that nobody knows, or with Spanish ones. Then no move can gain anything.
"""

from __future__ import annotations

import functools
import random
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import cli_options
import numpy as np
import plain_puzzles

from regis.evaluation import score
from regis.index import Index
from regis.puzzle import Puzzle
from regis.puzzle.formats import PuzzleFile
from regis.solving.filler import Filler
from regis.solving.moves import PLAN, Move
from regis.solving.pipeline import solve
from regis.solving.state import State
from regis.system import process

SPANISH_WORDS = (
    "ciudad",
    "antigua",
    "que",
    "nombre",
    "de",
    "mujer",
    "rey",
    "para",
    "el",
    "pescado",
    "verbo",
    "sin",
    "fin",
)
NONSENSE_WORDS = ("glorp", "frindle", "quax", "blivet", "snorf", "zimwort", "vexil", "thrab", "wuggle", "morfle")


def shuffle_clues(puzzle: Puzzle) -> Puzzle:
    """Deal the clues to random slots."""
    clues = list(puzzle.clues.values())
    random.Random(1).shuffle(clues)
    return replace(puzzle, clues=dict(zip(puzzle.clues, clues, strict=True)))


def draw_clues(puzzle: Puzzle, words: Sequence[str]) -> Puzzle:
    """Replace each clue with a few random words."""
    lot = random.Random(1)
    return replace(puzzle, clues={slot: " ".join(lot.choices(words, k=4)) for slot in puzzle.clues})


CLUES: Mapping[str, Callable[[Puzzle], Puzzle]] = {
    "own": lambda puzzle: puzzle,
    "shuffled": shuffle_clues,
    "nonsense": functools.partial(draw_clues, words=NONSENSE_WORDS),
    "spanish": functools.partial(draw_clues, words=SPANISH_WORDS),
}


class MoveTimer:
    """Solves puzzles, and adds up the cost and gain of each move."""

    def __init__(self, index: Index, make: Callable[[Puzzle], Puzzle]) -> None:
        self.index, self.make = index, make
        self.seconds, self.vain_seconds, self.gains = Counter[str](), Counter[str](), Counter[str]()
        self.totals: dict[str, dict[str, float]] = defaultdict(dict)  # seconds by size and file

    def solve_file(self, file: PuzzleFile) -> None:
        """Solve a puzzle without the letters that somebody wrote in."""
        puzzle, truth = plain_puzzles.read_solved(file)
        puzzle = self.make(puzzle)

        def timed(name: str, move: Move) -> Move:
            def run(state: State, filler: Filler, deadline: float) -> State:
                start = time.process_time()
                after = move(state, filler, deadline)
                seconds = time.process_time() - start
                right = [len(score.find_right_cells(grid.fill, puzzle, truth)) for grid in (state, after)]
                self.seconds[name] += seconds
                self.vain_seconds[name] += seconds if right[0] == right[1] else 0.0
                self.gains[name] += right[1] - right[0]
                return after

            return run

        start = time.process_time()
        solve(puzzle, self.index, plan={name: timed(name, move) for name, move in PLAN.items()})
        size = f"{puzzle.grid.height}x{puzzle.grid.width}"
        self.totals[size][file.name] = time.process_time() - start


def print_sizes(timers: Mapping[str, MoveTimer]) -> None:
    """Print the seconds of each size of grid with each kind of clues, slow ones in medians of the first kind."""
    print(f"{'size':<8} {'clues':<9} {'puzzles':>7} {'median s':>9} {'median':>7} {'p90':>5} {'p99':>5} {'slowest':>8}")
    first = next(iter(timers.values()))
    for size in sorted(first.totals):
        unit = np.median([*first.totals[size].values()])
        for name, timer in timers.items():
            totals = np.array([*timer.totals[size].values()])
            median, p90, p99, most = np.percentile(totals, (50, 90, 99, 100)) / unit
            slowest = max(timer.totals[size], key=timer.totals[size].__getitem__)
            row = f"{size:<8} {name:<9} {len(totals):>7} {np.median(totals):9.2f}"
            print(f"{row} {median:7.1f} {p90:5.1f} {p99:5.1f} {most:8.1f}   {slowest}")


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True)
    parser.add_argument("--clues", choices=CLUES, nargs="+", default=["own"])
    arguments = parser.parse_args()
    process.use_one_thread()
    index, items = Index.open(arguments.index), plain_puzzles.read_items(arguments)
    MoveTimer(index, CLUES["own"]).solve_file(items[0].file)  # so that one-time loading doesn't count
    timers = {name: MoveTimer(index, CLUES[name]) for name in arguments.clues}
    for item in items:
        for timer in timers.values():
            timer.solve_file(item.file)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(items)} puzzles, index {index.fingerprint}; at most {peak:.0f} MB\n")
    print_sizes(timers)
    for name, timer in timers.items():
        print(f"\n{name + ' clues':<16} {'seconds':>8} {'in vain':>8} {'letters':>8}")
        for move in PLAN:
            seconds, vain = timer.seconds[move], timer.vain_seconds[move]
            print(f"{move:<16} {seconds:8.1f} {vain:8.1f} {timer.gains[move]:+8}")


if __name__ == "__main__":
    main()
