"""What an index of all clues would take: `python benchmarks/bench_growth.py CLUES ARCHIVE --rows N ...`.

Makes tables of the sizes you ask for from a clue table (as for `regis build --source xd-clues=CLUES`): a sample of its
rows, or all of them and recombined ones. A recombined row has the beginning of one clue and the end of another, for the
same answer. From each table it builds an index without the starter, teaches it (`--epochs`), opens it, adds a word
list, and solves two puzzles of the archive per weekday. A line per size: processor seconds and peak memory in GB of
each step, megabytes on disk, and median seconds per puzzle.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import bench_build
import cli_options
import generate
import numpy as np
import plain_puzzles

from regis.corpora.entry import Entry
from regis.corpora.readers import READERS
from regis.puzzle.formats import PuzzleFile
from regis.system import paths

SEED = 20221231
N_ADDED_WORDS = 10_000


def write_table(corpus: Path, n_rows: int, path: Path) -> None:
    """Write a table with `n_rows` rows: a random sample of the corpus, or all of it and recombined rows."""
    uses, lot = [use for use in READERS["xd-clues"](corpus) if isinstance(use, Entry)], random.Random(SEED)
    by_answer = defaultdict(list)
    for use in uses:
        by_answer[use.answer].append(use)
    with path.open("w") as file:
        file.write("pubid\tyear\tanswer\tclue\n")
        for use in uses if len(uses) <= n_rows else lot.sample(uses, n_rows):
            file.write(_format_use(use))
        for _ in range(n_rows - len(uses)):
            first = lot.choice(uses)
            second = lot.choice(by_answer[first.answer])
            start, end = first.clue.split(" "), second.clue.split(" ")
            clue = " ".join([*start[: (len(start) + 1) // 2], *end[len(end) // 2 :]])
            file.write(_format_use(second._replace(clue=clue)))


def _format_use(use: Entry) -> str:
    return f"{use.source}\t{use.year or ''}\t{use.answer}\t{use.clue}\n"


def run_step(arguments: Sequence[str], home: Path) -> tuple[float, float]:
    """Run a command of Regis with its own data; return processor seconds, and peak memory in GB."""
    may_doubt = (0, 3)  # solved, with a doubtful letter
    cost = bench_build.measure_command(arguments, {**os.environ, paths.DATA_VARIABLE: str(home)}, may_doubt)
    return cost.processor_seconds, cost.gigabytes


def solve_file(file: PuzzleFile, options: Sequence[str], home: Path) -> float:
    """Solve a puzzle in a separate process; return processor seconds."""
    path = home / Path(file.name).name
    path.write_bytes(file.data)
    return run_step(["solve", str(path), *options], home)[0]


def main() -> None:
    parser = cli_options.make_parser(__doc__)
    parser.add_argument("clues", type=Path)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", required=True)
    parser.add_argument("--epochs", default="1")
    parser.set_defaults(per_weekday=2)
    arguments = parser.parse_args()
    items = plain_puzzles.read_items(arguments)
    words = generate.SyllableSource(np.random.default_rng(SEED)).draw_answers(N_ADDED_WORDS)
    steps = ("build", "learn", "open", "add")
    print(f"{'rows':>10}" + "".join(f" {step + ' s':>9} {'GB':>5}" for step in steps), f"{'MB':>6} {'s a puzzle':>10}")
    for n_rows in arguments.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            table, index, list_of_words = folder / "clues.tsv", folder / "index", folder / "words.txt"
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # its memory would otherwise count for each step
                pool.submit(write_table, arguments.clues, n_rows, table).result()
            list_of_words.write_text("\n".join(words))
            at_index = ["--index", str(index)]
            figures = [
                run_step(
                    ["build", "--without-starter", "--source", f"xd-clues={table}", "--output", str(index)], folder
                ),
                run_step(["learn", *at_index, "--epochs", arguments.epochs], folder),
                run_step(["guess", "Opera solo", "4", *at_index], folder),
            ]
            megabytes = sum(path.stat().st_size for path in index.rglob("*") if path.is_file()) / 1e6
            puzzles = [solve_file(item.file, at_index, folder) for item in items]
            figures.append(run_step(["add", str(list_of_words), *at_index], folder))
        cells = "".join(f" {seconds:9.1f} {memory:5.2f}" for seconds, memory in figures)
        print(f"{n_rows:>10,}{cells} {megabytes:6.0f} {statistics.median(puzzles):10.2f}", flush=True)


if __name__ == "__main__":
    main()
