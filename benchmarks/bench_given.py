"""How well Regis judges letters that a person wrote: `python benchmarks/bench_given.py ARCHIVE --index DIR`.

Into every plain puzzle of the archive 30 % of the true letters are written, and some of them are made wrong. `letters`:
two of them become any other letter, drawn by lot. `entry`: one entry becomes the best other answer in its list, as when
a person was sure of the wrong word. Two rows say how many of the wrong letters are pointed out and how many right ones
are accused; then, of the squares that the person left empty, how many are filled right when the person's letters are
all taken for right, when the doubted ones are set aside (what `regis solve` does), and when none had been wrong. The
solution is read by regis/evaluation/score.py, and what is drawn by lot depends on the puzzle's file name alone.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import asked
import installed  # noqa: F401
import plain

from regis.evaluation import score
from regis.index import Index
from regis.puzzle import Cell, Puzzle, formats
from regis.puzzle.alphabet import ALPHABET
from regis.solving.asking import known
from regis.solving.fillers import belief
from regis.solving.letter_check import DOUBTED, judged
from regis.solving.solution import Candidates, Solution
from regis.system.deadline import FOREVER

WRITTEN, WRONG = 0.3, 2
THRESHOLDS = (0.05, 0.2, 0.5, 0.8)
ROADS = ("all taken for right", "doubted set aside", "none wrong")


class Outcome(NamedTuple):
    """What became of one puzzle."""

    letters: tuple[tuple[float, bool], ...]  # P(right) that Regis gave to a written letter, and whether it is right
    empty: int  # squares that the person left empty
    right: tuple[int, ...]  # of these, filled right by each of ROADS


def by_letters(puzzle: Puzzle, truth: Mapping[Cell, str], lot: random.Random, among: Candidates) -> dict[Cell, str]:
    """What the person wrote when two letters slipped."""
    cells = lot.sample(puzzle.grid.cells, round(WRITTEN * len(puzzle.grid.cells)))
    slips = {cell: lot.choice([x for x in ALPHABET if x != truth[cell]]) for cell in cells[:WRONG]}
    return {cell: truth[cell] for cell in cells} | slips


def by_entry(puzzle: Puzzle, truth: Mapping[Cell, str], lot: random.Random, among: Candidates) -> dict[Cell, str]:
    """What the person wrote who was sure of a wrong word."""
    cells = lot.sample(puzzle.grid.cells, round(WRITTEN * len(puzzle.grid.cells)))
    slot = lot.choice([slot for slot in puzzle.grid.slots if len(among.lists[slot]) > 1])
    right = "".join(truth[cell] for cell in slot.cells)
    other = next(word for i in (0, 1) if (word := among.lists[slot].answer(i)) != right)
    return {cell: truth[cell] for cell in cells} | dict(zip(slot.cells, other, strict=True))


SLIPS = {"letters": by_letters, "entry": by_entry}


def outcome(puzzle: Puzzle, truth: Mapping[Cell, str], written: Mapping[Cell, str], among: Candidates) -> Outcome:
    """Judges what is written, and fills the rest three times."""
    puzzle = replace(puzzle, given=written)
    chances = judged(puzzle, among, FOREVER)
    doubted = {cell for cell, p in chances.items() if p < DOUBTED}
    true = replace(puzzle, given={cell: truth[cell] for cell in written})
    empty = [cell for cell in puzzle.grid.cells if cell not in written]

    def right(solution: Solution) -> int:
        return sum(solution.cells.get(cell) == truth[cell] for cell in empty)

    filled = (belief.fill(road, among, FOREVER) for road in (puzzle, puzzle.without(doubted), true))
    letters = tuple((p, written[cell] == truth[cell]) for cell, p in chances.items())
    return Outcome(letters, len(empty), tuple(map(right, filled)))


def report(outcomes: list[Outcome]) -> str:
    """The table over all puzzles."""
    letters = [letter for one in outcomes for letter in one.letters]
    wrong = sum(not right for _, right in letters)
    lines = [f"{len(outcomes)} puzzles, {len(letters)} letters written, {wrong} of them wrong"]
    for least in THRESHOLDS:
        found = sum(p < least for p, right in letters if not right)
        accused = sum(p < least for p, right in letters if right)
        clean = sum(all((p < least) != right for p, right in one.letters) for one in outcomes)
        lines.append(
            f"P(right) < {least:.2f}: pointed out {found} ({found / wrong:.1%}), "
            f"accused though right {accused} ({accused / (len(letters) - wrong):.2%}), "
            f"puzzles judged without fault {clean}"
        )
    empty = sum(one.empty for one in outcomes)
    for i, road in enumerate(ROADS):
        lines.append(f"of the empty squares right, {road}: {sum(one.right[i] for one in outcomes) / empty:.2%}")
    return "\n".join(lines)


def main() -> None:
    parser = asked.parser(__doc__, sample=True)
    parser.add_argument("--wrong", choices=SLIPS, default="letters")
    arguments = parser.parse_args()
    index = Index.open(arguments.index)
    outcomes = []
    for item in plain.puzzles(arguments):
        puzzle, truth = formats.read(item.file)[0], score.truth(item.file)
        assert truth is not None, "it is plain"
        among = known(puzzle, index)
        written = SLIPS[arguments.wrong](puzzle, truth, random.Random(Path(item.file.name).name), among)
        outcomes.append(outcome(puzzle, truth, written, among))
    print(report(outcomes))


if __name__ == "__main__":
    main()
