"""Every filler on the same candidate lists: `python benchmarks/bench_fill.py --index DIR --minis DIR --puzzles DIR`.

Looks up the clues of each puzzle once, keeps the lists in a folder, and gives every filler these lists and the same
number of seconds. `--minis` can be repeated (examples/minis are ours). From `--puzzles` it takes two per weekday,
spread over time, or `--per-weekday N`. One row per filler and kind of puzzle: letters, words, and grids that are right,
median seconds, and mean states. Only filling is timed.

`--out NAME` writes the table to benchmarks/results/NAME.txt.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import cli_options
import numpy as np

from regis.ancestors import FILLERS
from regis.candidates.candidate_list import CandidateList
from regis.evaluation import archive, score
from regis.evaluation.score import Score
from regis.index import Index
from regis.puzzle import Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.render.tables import RULE_ROW, format_table
from regis.solving.filler import SolverInput
from regis.solving.retrieval import retrieve_candidates
from regis.system.progress import deadline_in, show_nothing

TABLE_HEADINGS = ("", "filler", "puzzles", "letters %", "words %", "whole", "seconds", "states")

MAX_DAILY_CELLS = 225
"""White cells of the largest puzzle: 15 by 15, so no Sunday."""


class FillOutcome(NamedTuple):
    kind: str
    filler: str
    score: Score
    seconds: float
    states: float


def choose_puzzles(arguments: argparse.Namespace) -> Iterator[tuple[str, PuzzleFile]]:
    """Yield the puzzles with their kinds, except those with no solution or an irregular grid."""
    for folder in arguments.minis:
        for file in formats.open_files(folder):
            yield f"minis, {folder.resolve().parent.name}", file
    if arguments.puzzles:
        items, _ = archive.read_archive(arguments.puzzles, show_nothing)
        solved = ((item, score.read_truth(item.file) or {}) for item in items)
        small = ((item, truth) for item, truth in solved if 0 < len(truth) <= MAX_DAILY_CELLS)
        plain = [item for item, truth in small if not score.has_irregular_content(truth)]
        for item in archive.sample_puzzles(plain, None, arguments.per_weekday):
            yield item.date.strftime("%a") if item.date else "15x15", item.file


def keep_lists(list_file: Path, puzzle: Puzzle, inputs: SolverInput) -> SolverInput:
    """Return `inputs` with the lists in `list_file`; write the file first if it is missing."""
    if not list_file.exists():
        columns = {}
        for slot, one in inputs.lists.items():
            columns |= {f"{slot} letters": one.letters, f"{slot} logp": one.logp}
            columns[f"{slot} missing"] = np.array(one.missing)
        np.savez(list_file, **columns)
    with np.load(list_file) as file:
        lists = {}
        for slot in puzzle.grid.slots:
            letters, logp, missing = (file[f"{slot} {x}"] for x in ("letters", "logp", "missing"))
            lists[slot] = CandidateList(letters, logp, float(missing), lambda i: ())
    return dataclasses.replace(inputs, lists=lists)


def run_fillers(arguments: argparse.Namespace, index: Index, list_folder: Path) -> Iterator[FillOutcome]:
    for number, (kind, file) in enumerate(choose_puzzles(arguments)):
        truth = score.read_truth(file)
        if truth is None:
            continue
        puzzle = dataclasses.replace(formats.read_puzzle(file)[0], given={})
        list_file = list_folder / f"{index.fingerprint}-{number}-{Path(file.name).stem}.npz"
        inputs = keep_lists(list_file, puzzle, retrieve_candidates(puzzle, index))
        for name in arguments.filler or FILLERS:
            start = time.perf_counter()
            solution = FILLERS[name](puzzle, inputs, deadline_in(arguments.seconds))
            seconds = time.perf_counter() - start
            right = score.score_fill(solution, puzzle, truth)
            print(f"{kind}: {Path(file.name).name} {name} {right} {seconds:.2f} s", file=sys.stderr)
            yield FillOutcome(kind, name, right, seconds, float(solution.n_states))


def format_row(kind: str, filler: str, outcomes: Sequence[FillOutcome]) -> tuple[str, ...]:
    """Format the means of one filler and kind of puzzle."""
    scores = [one.score for one in outcomes]
    letters = 100 * sum(s.letters_right for s in scores) / sum(s.letter_count for s in scores)
    words = 100 * sum(s.words_right for s in scores) / sum(s.word_count for s in scores)
    whole = f"{sum(s.is_whole for s in scores)}"
    seconds = statistics.median(one.seconds for one in outcomes)
    states = statistics.fmean(one.states for one in outcomes)
    return kind, filler, f"{len(outcomes)}", f"{letters:.1f}", f"{words:.1f}", whole, f"{seconds:.2f}", f"{states:.0f}"


def format_rows(outcomes: Sequence[FillOutcome]) -> list[tuple[str, ...]]:
    """Format a row for each kind and filler, and for all full grids together, the most right letters first."""
    full = [one._replace(kind="all full grids") for one in outcomes if not one.kind.startswith("minis")]
    found: list[tuple[str, ...]] = []
    for kind in dict.fromkeys(one.kind for one in (*outcomes, *full)):
        here = [one for one in (*outcomes, *full) if one.kind == kind]
        names = dict.fromkeys(one.filler for one in here)
        group = [format_row(kind, name, [one for one in here if one.filler == name]) for name in names]
        found += sorted(group, key=lambda cells: -float(cells[3]))
    return found


def main() -> None:
    parser = cli_options.make_parser(__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--minis", type=Path, action="append", default=[], help="a folder of Minis; may be repeated")
    parser.add_argument("--puzzles", type=Path, help="a folder or zip of full puzzles")
    parser.add_argument("--per-weekday", type=int, default=2)
    parser.add_argument("--filler", choices=FILLERS, action="append", help="only this one; may be repeated")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each filler on each puzzle, at most")
    parser.add_argument("--lists", type=Path, help="keep the candidate lists in this folder, and use those there")
    cli_options.add_output_option(parser)
    arguments = parser.parse_args()
    if not arguments.minis and not arguments.puzzles:
        parser.error("name --minis or --puzzles or both")
    with tempfile.TemporaryDirectory() as temporary:
        lists = arguments.lists or Path(temporary)
        lists.mkdir(parents=True, exist_ok=True)
        index = Index.open(arguments.index)
        table_rows = format_rows(list(run_fillers(arguments, index, lists)))
    lines: list[Sequence[str]] = []
    for kind in dict.fromkeys(cells[0] for cells in table_rows):
        lines += [*([RULE_ROW] if lines else []), *(cells for cells in table_rows if cells[0] == kind)]
    about = f"Index {index.fingerprint}, clues up to {index.manifest.latest_year}; {arguments.seconds:g} s at most."
    text = f"{about}\n\n{format_table(TABLE_HEADINGS, lines)}"
    print(text, end="")
    if arguments.out:
        (cli_options.RESULTS_FOLDER / f"{arguments.out}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
