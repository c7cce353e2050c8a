"""Every filler on the same candidate lists: `python benchmarks/bench_fill.py --index DIR --minis DIR --puzzles DIR`.

The clues of each puzzle are asked once, the lists are kept in a folder, and every filler gets those lists and as many
seconds. `--minis` may be repeated (examples/minis are ours); of `--puzzles` two of each weekday are taken,
spread over the time that they cover, or `--per-weekday N`. One row for each filler and kind of puzzle: letters, words
and whole grids that are right, median seconds, mean states. The filling alone is timed.

`--out NAME` writes the table to benchmarks/results/NAME.txt and draws it to NAME.png, for which matplotlib is needed
(`.venv/bin/pip install --editable '.[benchmark]'`).
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import installed  # noqa: F401
import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.evaluation import archive, score
from regis.evaluation.score import Score
from regis.index import Index
from regis.puzzle import Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.render.table import RULE, table
from regis.solving.asking import known
from regis.solving.fillers import FILLERS
from regis.solving.solution import Candidates
from regis.system.deadline import deadline_in
from regis.system.extras import install
from regis.system.progress import silent

RESULTS = Path(__file__).parent / "results"
HEADINGS = ("", "filler", "puzzles", "letters %", "words %", "whole", "seconds", "states")


DAILY = 225
"""White cells of the largest puzzle that counts: 15 by 15, so no Sunday."""


class Outcome(NamedTuple):
    """What one filler made of one puzzle."""

    kind: str
    filler: str
    score: Score
    seconds: float
    states: float


def chosen(arguments: argparse.Namespace) -> Iterator[tuple[str, PuzzleFile]]:
    """The puzzles with their kinds; those without a solution or with irregular grids are left out."""
    for folder in arguments.minis:
        for file in formats.open_files(folder):
            yield f"minis, {folder.resolve().parent.name}", file
    if arguments.puzzles:
        items, _ = archive.read(arguments.puzzles, silent)
        plain = [p for p in items if (t := score.truth(p.file)) and not score.irregular(t) and p.cells <= DAILY]
        for item in archive.sample(plain, None, arguments.per_weekday):
            yield item.date.strftime("%a") if item.date else "15x15", item.file


def saved(place: Path, puzzle: Puzzle, found: Candidates) -> Candidates:
    """`found` with the lists as they are in the file at `place`, which is written where there is none."""
    if not place.exists():
        columns = {}
        for slot, among in found.lists.items():
            columns |= {f"{slot} letters": among.letters, f"{slot} logp": among.logp, f"{slot} clue": among.from_clue}
            columns[f"{slot} missing"] = np.array(among.missing)
        np.savez(place, **columns)
    with np.load(place) as file:
        lists = {
            slot: CandidateList(
                file[f"{slot} letters"], file[f"{slot} logp"], float(file[f"{slot} missing"]), file[f"{slot} clue"],
                lambda i: (),
            )
            for slot in puzzle.grid.slots
        }  # fmt: skip
    return dataclasses.replace(found, lists=lists)


def outcomes(arguments: argparse.Namespace, index: Index, lists: Path) -> Iterator[Outcome]:
    """Every filler on every puzzle."""
    for number, (kind, file) in enumerate(chosen(arguments)):
        truth = score.truth(file)
        if truth is None:
            continue
        puzzle = dataclasses.replace(formats.read(file)[0], given={})
        place = lists / f"{index.fingerprint}-{number}-{Path(file.name).stem}.npz"
        candidates = saved(place, puzzle, known(puzzle, index))
        for name in arguments.filler or FILLERS:
            start = time.perf_counter()
            solution = FILLERS[name](puzzle, candidates, deadline_in(arguments.seconds))
            seconds = time.perf_counter() - start
            right = score.score(solution, puzzle, truth)
            print(f"{kind}: {Path(file.name).name} {name} {right} {seconds:.2f} s", file=sys.stderr)
            yield Outcome(kind, name, right, seconds, float(solution.statistics["states"]))


def row(kind: str, name: str, some: Sequence[Outcome]) -> tuple[str, ...]:
    scores = [one.score for one in some]
    letters = 100 * sum(s.letters_right for s in scores) / sum(s.letters for s in scores)
    words = 100 * sum(s.words_right for s in scores) / sum(s.words for s in scores)
    whole = f"{sum(s.whole for s in scores)}"
    seconds = statistics.median(one.seconds for one in some)
    states = statistics.fmean(one.states for one in some)
    return kind, name, f"{len(some)}", f"{letters:.1f}", f"{words:.1f}", whole, f"{seconds:.2f}", f"{states:.0f}"


def rows(done: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """One row for each kind and filler, and for all full grids together, the best in letters first."""
    full = [one._replace(kind="all full grids") for one in done if not one.kind.startswith("minis")]
    found: list[tuple[str, ...]] = []
    for kind in dict.fromkeys(one.kind for one in (*done, *full)):
        here = [one for one in (*done, *full) if one.kind == kind]
        names = dict.fromkeys(one.filler for one in here)
        group = [row(kind, name, [one for one in here if one.filler == name]) for name in names]
        found += sorted(group, key=lambda cells: -float(cells[3]))
    return found


def draw(found: Sequence[tuple[str, ...]], place: Path) -> None:
    """Letters by filler and kind of puzzle, and the seconds that they took, as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    kinds = list(dict.fromkeys(cells[0] for cells in found))
    names = list(dict.fromkeys(cells[1] for cells in found))
    values = {(cells[0], cells[1]): cells for cells in found}
    figure, (above, below) = pyplot.subplots(2, 1, figsize=(11, 7), sharex=True, layout="constrained")
    width = 0.8 / len(names)
    for i, name in enumerate(names):
        places = np.arange(len(kinds)) + (i - (len(names) - 1) / 2) * width
        above.bar(places, [float(values[kind, name][3]) for kind in kinds], width, label=name)
        below.bar(places, [max(float(values[kind, name][6]), 0.001) for kind in kinds], width)
    above.set_ylabel("letters right, %")
    above.set_ylim(0, 100)
    above.legend(ncols=len(names), loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    below.set_ylabel("median seconds")
    below.set_yscale("log")
    below.set_xticks(np.arange(len(kinds)), [kind.replace(", ", "\n") for kind in kinds])
    figure.savefig(place, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--minis", type=Path, action="append", default=[], help="a folder of Minis; may be repeated")
    parser.add_argument("--puzzles", type=Path, help="a folder or zip of full puzzles")
    parser.add_argument("--per-weekday", type=int, default=2)
    parser.add_argument("--filler", choices=FILLERS, action="append", help="only this one; may be repeated")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each filler on each puzzle, at most")
    parser.add_argument("--lists", type=Path, help="keep the candidate lists in this folder, and use those there")
    parser.add_argument("--out", metavar="NAME", help="write results/NAME.txt and results/NAME.png")
    arguments = parser.parse_args()
    if not arguments.minis and not arguments.puzzles:
        parser.error("name --minis or --puzzles or both")
    if arguments.out and importlib.util.find_spec("matplotlib") is None:
        parser.error(f"--out draws with matplotlib; {install('benchmark')}")
    with tempfile.TemporaryDirectory() as temporary:
        lists = arguments.lists or Path(temporary)
        lists.mkdir(parents=True, exist_ok=True)
        index = Index.open(arguments.index)
        found = rows(list(outcomes(arguments, index, lists)))
    lines: list[Sequence[str]] = []
    for kind in dict.fromkeys(cells[0] for cells in found):
        lines += [*([RULE] if lines else []), *(cells for cells in found if cells[0] == kind)]
    about = f"Index {index.fingerprint}, clues up to {index.manifest.latest_year}; {arguments.seconds:g} s at most."
    text = f"{about}\n\n{table(HEADINGS, lines)}"
    print(text, end="")
    if arguments.out:
        (RESULTS / f"{arguments.out}.txt").write_text(text, encoding="utf-8")
        draw(found, RESULTS / f"{arguments.out}.png")


if __name__ == "__main__":
    main()
