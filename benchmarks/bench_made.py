"""More rebus puzzles than there are: `python benchmarks/bench_made.py CLUES ARCHIVE --index DIR`.

Real rebus puzzles are few, and what is tuned on them shows. So grids of an archive are filled anew with answers of a
clue table (as `regis build --source xd-clues=CLUES` takes it), with rebus squares in them that hold a set (months,
notes, drinks) or all the same, and each answer gets one of its clues by lot. Of the clues `--unheard` per cent are made
like none before (bench_shift.py). A line a puzzle: letters wrong, squares right of how many, squares wrong, seconds of
processor time. The puzzles are the same for the same table, archive and seed; they are written nowhere.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import installed  # noqa: F401
import made
from bench_shift import unheard

from regis.corpora.entry import Entry
from regis.corpora.readers import READERS
from regis.evaluation import archive
from regis.index import Index
from regis.puzzle import Cell, Grid, Puzzle, Slot, formats
from regis.solving.pipeline import solve
from regis.solving.rebus.squares import Squares, parts, starts
from regis.system.progress import silent

SETS = (
    "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", "COW PIG HEN GOAT EWE RAM HOG", "PI CHI ETA PHI PSI RHO TAU NU",
    "RED TAN BLUE PINK GRAY", "ARM LEG EAR EYE TOE CHIN HIP LIP", "DO RE MI FA LA TI", "ONE TWO TEN SIX FOUR",
    "TIN GOLD IRON LEAD", "CAT DOG RAT BAT ANT APE", "ALE GIN RUM RYE TEA PORT", "MOM DAD SIS SON BRO",
    "OAK ELM ASH FIR PINE", "TIM DAN ED TED STAN RON AL", "ANN EVE UMA PAM SUE IDA", "MON TUE WED THU FRI SAT SUN",
)  # fmt: skip
SAME = "STAR ONE TEN ACE ICE AND CAT PIN BOX RED EYE TON MAN END ALL PER INK ANT BAR CAN HAND KEY TIE OIL EGG"
MANY = {"set": (3, 4, 5), "same": (3, 4, 5, 6, 8)}  # rebus squares of a puzzle
TRIED, DRAWN = 40, 50  # grids that are tried for the same contents; contents that are drawn for each puzzle, at most
RARE, LONG = 2, 7  # clues that an answer must have had, unless it has so many letters


def clues(table: Path) -> dict[str, list[str]]:
    """The answers of a clue table, each with its clues."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in READERS["xd-clues"](table):
        if isinstance(entry, Entry):
            found[entry.answer].append(entry.clue)
    return {answer: its for answer, its in found.items() if len(its) >= RARE or len(answer) >= LONG}


def puzzles(
    known: dict[str, list[str]], grids: Sequence[Grid], kind: str, many: int, seed: int
) -> Iterator[tuple[Puzzle, Squares, dict[Slot, str]]]:
    """So many puzzles of a kind of MANY, each with its squares and answers."""
    lot = random.Random(f"{kind} {seed}")
    words = made.tables(lot.sample(sorted(known), len(known)))
    for _ in range(DRAWN * many):
        names = lot.choice(SETS).split() if kind == "set" else [lot.choice(SAME.split())] * max(MANY[kind])
        contents = lot.sample(names, min(lot.choice(MANY[kind]), len(names)))
        for _ in range(TRIED):
            grid = lot.choice(grids)
            squares = made.squares(grid, contents, words, lot)
            answers = squares and made.Filling(grid, squares, words).find()
            if squares and answers:
                clued = {slot: lot.choice(known[answer]) for slot, answer in answers.items()}
                yield Puzzle(grid, clued), squares, answers
                many -= 1
                break
        if not many:
            return
    raise SystemExit(f"too few answers or grids for {many} more puzzles of the kind {kind!r}; take a larger clue table")


def truth(squares: Squares, answers: dict[Slot, str]) -> dict[Cell, str]:
    """What stands in each cell."""
    found: dict[Cell, str] = {}
    for slot, answer in answers.items():
        known = parts(slot, squares)
        for cell, x, at in zip(slot.cells, known, starts(known), strict=False):
            found[cell] = answer[at : at + len(x)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clues", type=Path)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--puzzles", type=int, default=24, help="of each kind (default: 24)")
    parser.add_argument("--unheard", type=int, default=60, metavar="PERCENT", help="(default: 60)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    index, known = Index.open(arguments.index), clues(arguments.clues)
    grids = [formats.read(item.file)[0].grid for item in archive.read(arguments.archive, silent)[0]]
    daily = [grid for grid in grids if len(grid.rows) == len(grid.rows[0]) == 15]
    if not daily:
        raise SystemExit(f"{arguments.archive} has no puzzle of 15 by 15, whose grids are filled")
    for kind in MANY:
        total: dict[str, float] = defaultdict(float)
        for puzzle, squares, answers in puzzles(known, daily, kind, arguments.puzzles, arguments.seed):
            start = time.process_time()
            with unheard(arguments.unheard / 100):
                solved = solve(puzzle, index)
            true = truth(squares, answers)
            right = sum(squares.get(cell) == content for cell, content in solved.squares.items())
            wrong = sum(solved.solution.cells.get(cell) != content for cell, content in true.items())
            row = {
                "letters wrong": wrong, "whole": not wrong, "squares": len(squares), "right": right,
                "wrong": len(solved.squares) - right, "seconds": time.process_time() - start,
            }  # fmt: skip
            for name, one in row.items():
                total[name] += one
            print(f"{' '.join(sorted(squares.values())):40}", said(row), flush=True)
        print(f"{arguments.puzzles} {kind:37}", said(total), flush=True)


def said(row: dict[str, float]) -> str:
    return ", ".join(f"{name} {one:.0f}" for name, one in row.items())


if __name__ == "__main__":
    main()
