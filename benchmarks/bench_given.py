"""How well Regis judges your letters: `python benchmarks/bench_given.py ARCHIVE --index DIR`.

Writes 30% of the right letters into every plain puzzle of the archive, and makes some of them wrong. `letters` changes
two of them at random. `entry` replaces one entry by the best other answer on its list, as if you were sure of the wrong
word. Two rows say how many wrong letters are caught and how many right ones doubted. Then they say how many of the
empty squares are filled right if all given letters are believed, if the doubted ones are ignored (as `regis solve`
does), and if none had been wrong. regis/evaluation/score.py reads the solution, and the puzzle's file name seeds all
choices.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import cli_options
import plain_puzzles

from regis.evaluation import score
from regis.index import Index
from regis.puzzle import Cell, Puzzle, formats
from regis.puzzle.alphabet import ALPHABET
from regis.solving import belief
from regis.solving.filler import Fill, SolverInput
from regis.solving.given import DOUBTED_BELOW, p_given_correct
from regis.solving.retrieval import retrieve_candidates
from regis.system.progress import FOREVER

WRITTEN_SHARE = 0.3  # of the letters
WRONG_LETTERS = 2  # of a puzzle
DOUBT_THRESHOLDS = (0.05, 0.2, 0.5, 0.8)
TREATMENTS = ("all taken for right", "doubted set aside", "none wrong")


class GivenOutcome(NamedTuple):
    judged_letters: tuple[tuple[float, bool], ...]  # Regis's P(right) of each, and whether it is right
    n_empty: int  # squares that the person left empty
    n_right: tuple[int, ...]  # right fills of these by each of ROADS


def slip_letters(puzzle: Puzzle, truth: Mapping[Cell, str], rng: random.Random, inputs: SolverInput) -> dict[Cell, str]:
    """Write the right letters with two random slips."""
    cells = rng.sample(puzzle.grid.cells, round(WRITTEN_SHARE * len(puzzle.grid.cells)))
    slips = {cell: rng.choice([x for x in ALPHABET if x != truth[cell]]) for cell in cells[:WRONG_LETTERS]}
    return {cell: truth[cell] for cell in cells} | slips


def slip_entry(puzzle: Puzzle, truth: Mapping[Cell, str], rng: random.Random, inputs: SolverInput) -> dict[Cell, str]:
    """Write the letters of a person who is sure of a wrong word."""
    cells = rng.sample(puzzle.grid.cells, round(WRITTEN_SHARE * len(puzzle.grid.cells)))
    slot = rng.choice([slot for slot in puzzle.grid.slots if len(inputs.lists[slot]) > 1])
    right = "".join(truth[cell] for cell in slot.cells)
    other = next(word for i in (0, 1) if (word := inputs.lists[slot].answer(i)) != right)
    return {cell: truth[cell] for cell in cells} | dict(zip(slot.cells, other, strict=True))


SLIP_KINDS = {"letters": slip_letters, "entry": slip_entry}


def measure_puzzle(
    puzzle: Puzzle, truth: Mapping[Cell, str], given_letters: Mapping[Cell, str], inputs: SolverInput
) -> GivenOutcome:
    """Judge the given letters, and fill the other cells three times."""
    puzzle = replace(puzzle, given=given_letters)
    chances = p_given_correct(puzzle, inputs, FOREVER)
    doubted = {cell for cell, p in chances.items() if p < DOUBTED_BELOW}
    true = replace(puzzle, given={cell: truth[cell] for cell in given_letters})
    empty = [cell for cell in puzzle.grid.cells if cell not in given_letters]

    def right(solution: Fill) -> int:
        return sum(solution.cells.get(cell) == truth[cell] for cell in empty)

    filled = (belief.fill(road, inputs, FOREVER) for road in (puzzle, puzzle.without_letters(doubted), true))
    letters = tuple((p, given_letters[cell] == truth[cell]) for cell, p in chances.items())
    return GivenOutcome(letters, len(empty), tuple(map(right, filled)))


def format_report(outcomes: list[GivenOutcome]) -> str:
    letters = [letter for one in outcomes for letter in one.judged_letters]
    wrong = sum(not right for _, right in letters)
    lines = [f"{len(outcomes)} puzzles, {len(letters)} letters written, {wrong} of them wrong"]
    for least in DOUBT_THRESHOLDS:
        found = sum(p < least for p, right in letters if not right)
        accused = sum(p < least for p, right in letters if right)
        clean = sum(all((p < least) != right for p, right in one.judged_letters) for one in outcomes)
        lines.append(
            f"P(right) < {least:.2f}: pointed out {found} ({found / wrong:.1%}), "
            f"accused though right {accused} ({accused / (len(letters) - wrong):.2%}), "
            f"puzzles judged without fault {clean}"
        )
    empty = sum(one.n_empty for one in outcomes)
    for i, road in enumerate(TREATMENTS):
        lines.append(f"of the empty squares right, {road}: {sum(one.n_right[i] for one in outcomes) / empty:.2%}")
    return "\n".join(lines)


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True)
    parser.add_argument("--wrong", choices=SLIP_KINDS, default="letters")
    arguments = parser.parse_args()
    index = Index.open(arguments.index)
    outcomes = []
    for item in plain_puzzles.read_items(arguments):
        puzzle, truth = formats.read_puzzle(item.file)[0], score.read_truth(item.file)
        assert truth is not None, "it is plain"
        inputs = retrieve_candidates(puzzle, index)
        given_letters = SLIP_KINDS[arguments.wrong](puzzle, truth, random.Random(Path(item.file.name).name), inputs)
        outcomes.append(measure_puzzle(puzzle, truth, given_letters, inputs))
    print(format_report(outcomes))


if __name__ == "__main__":
    main()
