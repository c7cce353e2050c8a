"""More rebus puzzles than there are: `python benchmarks/bench_synthetic.py CLUES ARCHIVE --index DIR`.

Real rebus puzzles are few, and tuning would overfit them. So this fills grids of an archive with answers of a clue
table (as for `regis build --source xd-clues=CLUES`), with rebus squares that hold a set (months, notes, drinks) or all
the same, and gives each answer one of its clues at random. It makes `--unheard` percent of the clues new
(bench_shift.py). One line per puzzle: wrong letters, squares found of how many, wrong squares, and processor seconds.
The same table, archive, and seed give the same puzzles, which are written nowhere.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import cli_options
import synthetic_grids
from bench_shift import silence_past_clues

from regis.corpora.entry import Entry
from regis.corpora.readers import READERS
from regis.evaluation import archive
from regis.index import Index
from regis.puzzle import Cell, Grid, Puzzle, Slot, formats
from regis.solving.pipeline import solve
from regis.solving.rebus.squares import RebusSquares, cell_contents, cell_offsets
from regis.system.progress import show_nothing

CONTENT_SETS = (
    "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", "COW PIG HEN GOAT EWE RAM HOG", "PI CHI ETA PHI PSI RHO TAU NU",
    "RED TAN BLUE PINK GRAY", "ARM LEG EAR EYE TOE CHIN HIP LIP", "DO RE MI FA LA TI", "ONE TWO TEN SIX FOUR",
    "TIN GOLD IRON LEAD", "CAT DOG RAT BAT ANT APE", "ALE GIN RUM RYE TEA PORT", "MOM DAD SIS SON BRO",
    "OAK ELM ASH FIR PINE", "TIM DAN ED TED STAN RON AL", "ANN EVE UMA PAM SUE IDA", "MON TUE WED THU FRI SAT SUN",
)  # fmt: skip
SINGLE_CONTENTS = (
    "STAR ONE TEN ACE ICE AND CAT PIN BOX RED EYE TON MAN END ALL PER INK ANT BAR CAN HAND KEY TIE OIL EGG"
)
SQUARE_COUNTS = {"set": (3, 4, 5), "same": (3, 4, 5, 6, 8)}  # rebus squares in a puzzle
MAX_GRIDS_TRIED = 40  # for the same contents
MAX_CONTENTS_DRAWN = 50  # for each puzzle
MIN_CLUES = 2  # least clues of an answer
MIN_LONG_LENGTH = 7  # unless it has this many letters


def read_clues(table: Path) -> dict[str, list[str]]:
    """Read the answers of a clue table, each with its clues."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in READERS["xd-clues"](table):
        if isinstance(entry, Entry):
            found[entry.answer].append(entry.clue)
    return {
        answer: clues for answer, clues in found.items() if len(clues) >= MIN_CLUES or len(answer) >= MIN_LONG_LENGTH
    }


def make_puzzles(
    clues_by_answer: dict[str, list[str]], grids: Sequence[Grid], kind: str, n_puzzles: int, seed: int
) -> Iterator[tuple[Puzzle, RebusSquares, dict[Slot, str]]]:
    """Make `n_puzzles` of a kind of SQUARE_COUNTS, each with its squares and answers."""
    rng = random.Random(f"{kind} {seed}")
    answer_table = synthetic_grids.words_by_length(rng.sample(sorted(clues_by_answer), len(clues_by_answer)))
    for _ in range(MAX_CONTENTS_DRAWN * n_puzzles):
        if kind == "set":
            names = rng.choice(CONTENT_SETS).split()
        else:
            names = [rng.choice(SINGLE_CONTENTS.split())] * max(SQUARE_COUNTS[kind])
        contents = rng.sample(names, min(rng.choice(SQUARE_COUNTS[kind]), len(names)))
        for _ in range(MAX_GRIDS_TRIED):
            grid = rng.choice(grids)
            squares = synthetic_grids.place_contents(grid, contents, answer_table, rng)
            answers = squares and synthetic_grids.GridFiller(grid, squares, answer_table).find_fill()
            if squares and answers:
                clued = {slot: rng.choice(clues_by_answer[answer]) for slot, answer in answers.items()}
                yield Puzzle(grid, clued), squares, answers
                n_puzzles -= 1
                break
        if not n_puzzles:
            return
    raise SystemExit(
        f"too few answers or grids for {n_puzzles} more puzzles of the kind {kind!r}; take a larger clue table"
    )


def solution_contents(squares: RebusSquares, answers: dict[Slot, str]) -> dict[Cell, str]:
    cells: dict[Cell, str] = {}
    for slot, answer in answers.items():
        contents = cell_contents(slot, squares)
        for cell, x, at in zip(slot.cells, contents, cell_offsets(contents), strict=False):
            cells[cell] = answer[at : at + len(x)]
    return cells


def main() -> None:
    parser = cli_options.make_parser(__doc__)
    parser.add_argument("clues", type=Path)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--puzzles", type=int, default=24, help="of each kind (default: 24)")
    parser.add_argument("--unheard", type=int, default=60, metavar="PERCENT", help="(default: 60)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    index, clues_by_answer = Index.open(arguments.index), read_clues(arguments.clues)
    items, _ = archive.read_archive(arguments.archive, show_nothing)
    grids = [formats.read_puzzle(item.file)[0].grid for item in items]
    daily = [grid for grid in grids if len(grid.rows) == len(grid.rows[0]) == 15]
    if not daily:
        raise SystemExit(f"{arguments.archive} has no puzzle of 15 by 15, whose grids are filled")
    for kind in SQUARE_COUNTS:
        total: dict[str, float] = defaultdict(float)
        for puzzle, squares, answers in make_puzzles(clues_by_answer, daily, kind, arguments.puzzles, arguments.seed):
            start = time.process_time()
            with silence_past_clues(arguments.unheard / 100):
                solved = solve(puzzle, index)
            true = solution_contents(squares, answers)
            right = sum(squares.get(cell) == content for cell, content in solved.rebus_squares.items())
            wrong = sum(solved.fill.cells.get(cell) != content for cell, content in true.items())
            row = {
                "letters wrong": wrong, "whole": not wrong, "squares": len(squares), "right": right,
                "wrong": len(solved.rebus_squares) - right, "seconds": time.process_time() - start,
            }  # fmt: skip
            for name, one in row.items():
                total[name] += one
            print(f"{' '.join(sorted(squares.values())):40}", format_counts(row), flush=True)
        print(f"{arguments.puzzles} {kind:37}", format_counts(total), flush=True)


def format_counts(row: dict[str, float]) -> str:
    """Format numbers with their names."""
    return ", ".join(f"{name} {one:.0f}" for name, one in row.items())


if __name__ == "__main__":
    main()
