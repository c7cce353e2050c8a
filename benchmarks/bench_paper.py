"""How well puzzles are read from print: `python benchmarks/bench_paper.py ARCHIVE --limit 12`.

Each puzzle is printed as PDF by the layouts of printed_layouts.py (they need fpdf2: `pip install fpdf2`), and by
Regis's own page where Chromium is there, and read back. A row says for a layout how many squares and clues are right
to the character, how many puzzles wholly, how many clues are wrong although Regis is sure of them, how many right ones
it doubts, and the seconds that reading took. Solutions are neither printed nor read.

With `--pictures` each puzzle is scanned and photographed in simulation instead (photographed.py), in one layout after
the other; what only a typographer tells apart, '...' and '…', counts as the same there. With `--solve`, the file and
what was read of its photograph are solved with the starter, and the shares of letters that are right stand beside.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import installation  # noqa: F401

from regis.api import open_index
from regis.errors import PuzzleError
from regis.puzzle import Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.render import html
from regis.solving import pipeline
from regis.solving.filler import Fill
from regis.solving.solved_puzzle import Answer, SolvedPuzzle
from regis.system.terminal import Screen

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMIUM_SECONDS = 60


class ReadingOutcome(NamedTuple):
    """What became of one printed puzzle."""

    n_squares: int
    n_right_squares: int
    n_clues: int
    n_right_clues: int
    n_sure_mistakes: int  # clues
    n_needless_doubts: int  # clues
    seconds: float

    @property
    def is_whole(self) -> bool:
        return self.n_right_squares == self.n_squares and self.n_right_clues == self.n_clues


def print_page(puzzle: Puzzle) -> bytes:
    """Print Regis's page of the empty puzzle with Chromium."""
    answers = tuple(Answer(slot, puzzle.clues[slot], "?" * len(slot), 0.0, (), ()) for slot in puzzle.grid.slots)
    fill = Fill({}, {}, {})
    page = html.render(SolvedPuzzle(puzzle, fill, answers, "none", 0.0, ""), "puzzle", Screen())
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        subprocess.run(
            [CHROMIUM or "", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
             f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}", source.as_uri()],
            check=True, capture_output=True, timeout=CHROMIUM_SECONDS,
        )  # fmt: skip
        return target.read_bytes()


def plain(text: str, *, is_picture: bool = False) -> str:
    """Return a clue as the page shows it: line breaks are spaces there; in pictures some signs count as one."""
    if is_picture:
        text = re.sub("_+", "___", text.replace("''", '"').replace("…", "...").replace(". . .", "..."))
    return " ".join(text.split())


def read_back(puzzle: Puzzle, data: bytes, name: str, *, verbose: bool, is_picture: bool = False) -> ReadingOutcome:
    """Read a printed puzzle, and compare it with what was printed."""
    grid, n_clues = puzzle.grid, len(puzzle.clues)
    n_squares = grid.height * grid.width
    start = time.perf_counter()
    file = PuzzleFile(name, data)
    try:
        read, _ = formats.read_puzzle(file)
    except PuzzleError as error:
        print(f"refused: {error}")
        return ReadingOutcome(n_squares, 0, n_clues, 0, 0, 0, time.perf_counter() - start)
    seconds = time.perf_counter() - start
    confidence = formats.read_confidence(file)
    assert confidence is not None, "it is a page"
    n_right_squares = sum(
        row[c] == read_row[c] and ((r, c) in puzzle.circles) == ((r, c) in read.circles)
        and ((r, c) in puzzle.shaded) == ((r, c) in read.shaded)
        for r, (row, read_row) in enumerate(zip(grid.rows, read.grid.rows, strict=False))
        for c in range(min(len(row), len(read_row)))
    )  # fmt: skip
    right = {
        slot
        for slot, clue in puzzle.clues.items()
        if plain(read.clues.get(slot, ""), is_picture=is_picture) == plain(clue, is_picture=is_picture)
    }
    doubtful = set(confidence.doubtful_clues)
    if verbose:
        for slot in sorted(puzzle.clues.keys() - right, key=str):
            doubt = "doubtful" if slot in doubtful else "SURE"
            print(f"  {name} {slot} ({doubt}): {plain(puzzle.clues[slot])!r} was read as {read.clues.get(slot)!r}")
    counts = n_clues, len(right), len(puzzle.clues.keys() - right - doubtful), len(doubtful & right)
    return ReadingOutcome(n_squares, n_right_squares, *counts, seconds)


def letter_share(file: PuzzleFile, read: PuzzleFile) -> float:
    """Solve what was read of a file, and return the share of squares whose letter is that of the file's solution."""
    solution = formats.read_solution(file) or {}
    try:
        cells = pipeline.solve(formats.read_puzzle(read)[0], open_index()).fill.cells
    except PuzzleError:
        return 0.0
    return sum(cells.get(cell) == content for cell, content in solution.items()) / len(solution)


def format_row(layout: str, outcomes: list[ReadingOutcome]) -> str:
    """Format the row of one layout."""
    *columns, times = zip(*outcomes, strict=True)
    squares, right_squares, clues, right_clues, mistakes, doubts = map(sum, columns)
    whole = sum(outcome.is_whole for outcome in outcomes)
    return (
        f"{layout:23} {len(outcomes):7} {right_squares / squares:9.2%} {right_clues / clues:9.2%} "
        f"{whole / len(outcomes):8.1%} {mistakes:13} {doubts:9} {statistics.median(times):7.2f} {max(times):7.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, help="only so many puzzles of each, spread evenly")
    parser.add_argument("--no-page", action="store_true", help="leave Regis's own page out")
    parser.add_argument(
        "--pictures", action="store_true", help="scans and photographs instead; needs opencv and Tesseract"
    )
    parser.add_argument("--solve", action="store_true", help="solve what was read of the photographs, too")
    parser.add_argument("--keep", type=Path, help="a folder for the PDFs")
    parser.add_argument("--verbose", action="store_true", help="name each clue that was read wrongly")
    arguments = parser.parse_args()
    import printed_layouts  # needs fpdf2, which --help does without

    layouts: dict[str, Callable[[Puzzle], bytes]] = dict(printed_layouts.LAYOUTS)
    if CHROMIUM and not arguments.no_page:
        layouts["Regis's page"] = print_page
    outcomes: dict[str, list[ReadingOutcome]] = {}
    n_puzzles, letters = 0, []
    for archive in arguments.archive:
        files = list(formats.open_files(archive))
        limit = min(arguments.limit or len(files), len(files))
        for file in (files[i * len(files) // limit] for i in range(limit)):
            puzzle = formats.read_puzzle(file)[0]
            if puzzle.grid.bars or puzzle.grid.given_slots:
                continue
            for layout, draw in layouts.items() if not arguments.pictures else ():
                data = draw(puzzle)
                name = f"{file.stem}, {layout}"
                if arguments.keep:
                    arguments.keep.joinpath(f"{name}.pdf").write_bytes(data)
                outcomes.setdefault(layout, []).append(read_back(puzzle, data, name, verbose=arguments.verbose))
            if arguments.pictures:
                import photographed

                layout = list(printed_layouts.LAYOUTS)[n_puzzles % len(printed_layouts.LAYOUTS)]
                pictures = photographed.take_pictures(printed_layouts.LAYOUTS[layout](puzzle), n_puzzles)
                for kind, data in pictures.items():
                    name = f"{file.stem}, {layout}, {kind}"
                    seen = read_back(puzzle, data, name, verbose=arguments.verbose, is_picture=True)
                    outcomes.setdefault(kind, []).append(seen)
                    outcomes.setdefault(f"{layout}, {kind}", []).append(seen)
                    print(format_row(kind, [seen]), name, flush=True)
                    if arguments.solve and kind == "photograph":
                        letters.append((letter_share(file, file), letter_share(file, PuzzleFile(name, data))))
                        print("letters right: file {:.2%}, photograph {:.2%}".format(*letters[-1]), flush=True)
            n_puzzles += 1
    print("layout                  puzzles   squares     clues   wholly  sure mistakes  doubts  median     max s")
    for layout, found in outcomes.items():
        print(format_row(layout, found))
    if letters:
        print(
            "letters right: file {:.2%}, photograph {:.2%}".format(*map(statistics.fmean, zip(*letters, strict=True)))
        )


if __name__ == "__main__":
    main()
