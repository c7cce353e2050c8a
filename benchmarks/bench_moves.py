"""What each move costs and gains: `python benchmarks/bench_moves.py ARCHIVE --index DIR --per-weekday 6`.

The puzzles of an archive are solved, and for each move of the plan the seconds of processor time and the letters that
it makes right are added up, and who took longest is named. With `--clues shuffled` each puzzle's clues are dealt out
among its slots by lot, with `nonsense` each is a few words that nobody knows: then no move can gain anything.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

import cli_options
import numpy as np
import plain_puzzles

from regis.evaluation import score
from regis.index import Index
from regis.puzzle import Puzzle
from regis.puzzle.formats import PuzzleFile
from regis.solving.moves.plan import PLAN, Move, Task
from regis.solving.pipeline import solve
from regis.solving.state import State
from regis.system import threads

NONSENSE_WORDS = ("glorp", "frindle", "quax", "blivet", "snorf", "zimwort", "vexil", "thrab", "wuggle", "morfle")


def shuffle_clues(puzzle: Puzzle) -> Puzzle:
    """Deal the clues out among the slots by lot."""
    clues = list(puzzle.clues.values())
    random.Random(1).shuffle(clues)
    return replace(puzzle, clues=dict(zip(puzzle.clues, clues, strict=True)))


def make_nonsense(puzzle: Puzzle) -> Puzzle:
    """Replace each clue by a few words that nobody knows."""
    lot = random.Random(1)
    return replace(puzzle, clues={slot: " ".join(lot.choices(NONSENSE_WORDS, k=4)) for slot in puzzle.clues})


CLUES: Mapping[str, Callable[[Puzzle], Puzzle]] = {
    "own": lambda puzzle: puzzle,
    "shuffled": shuffle_clues,
    "nonsense": make_nonsense,
}


class MoveTimer:
    """Solves puzzles, and adds up what each move costs and gains."""

    def __init__(self, index: Index, make: Callable[[Puzzle], Puzzle]) -> None:
        self.index, self.make = index, make
        self.seconds, self.gains = Counter[str](), Counter[str]()
        self.totals: dict[str, float] = {}  # seconds by file

    def solve_file(self, file: PuzzleFile) -> None:
        """Solve a puzzle without what its person wrote."""
        puzzle, truth = plain_puzzles.read_solved(file)
        puzzle = self.make(puzzle)

        def timed(name: str, move: Move) -> Move:
            def run(state: State, task: Task) -> State:
                start = time.process_time()
                after = move(state, task)
                self.seconds[name] += time.process_time() - start
                right = [len(score.find_right_cells(grid.fill, puzzle, truth)) for grid in (state, after)]
                self.gains[name] += right[1] - right[0]
                return after

            return run

        start = time.process_time()
        solve(puzzle, self.index, plan={name: timed(name, move) for name, move in PLAN.items()})
        self.totals[file.name] = time.process_time() - start


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True)
    parser.add_argument("--clues", choices=CLUES, default="own")
    arguments = parser.parse_args()
    threads.use_one_thread()
    timer = MoveTimer(Index.open(arguments.index), CLUES[arguments.clues])
    items = plain_puzzles.read_items(arguments)
    timer.solve_file(items[0].file)  # what is read once does not count
    for counted in (timer.seconds, timer.gains):
        counted.clear()
    for item in items:
        timer.solve_file(item.file)
    totals = np.array(list(timer.totals.values()))
    shares = np.percentile(totals, (50, 90, 99, 100)) / np.median(totals)
    print(f"{len(items)} puzzles, index {timer.index.fingerprint}, clues {arguments.clues}")
    print(f"seconds of processor time, in medians ({np.median(totals):.2f}): p90 {shares[1]:.1f}, p99 {shares[2]:.1f}, "
          f"slowest {shares[3]:.1f} ({max(timer.totals, key=timer.totals.__getitem__)})")  # fmt: skip
    print(f"{'move':<16} {'seconds':>8} {'letters':>8}")
    for name in PLAN:
        print(f"{name:<16} {timer.seconds[name]:8.1f} {timer.gains[name]:+8}")


if __name__ == "__main__":
    main()
