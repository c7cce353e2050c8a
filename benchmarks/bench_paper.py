"""How well Regis reads printed puzzles: `python benchmarks/bench_paper.py ARCHIVE... --puzzles 100`.

Prints each puzzle in the layouts of printed_layouts.py (they need fpdf2: `pip install fpdf2`), and on Regis's own page
if Chromium is there. Reads it back as a PDF with text or, with --kinds, scanned and photographed in simulation
(photographed.py). A row per kind and layout says how many squares and clues are right to the character, how many
puzzles entirely, how many clues are wrong although Regis is sure of them, how many right ones it doubts, and the
seconds of computing. In pictures, differences that only a typographer sees ('...' and '…', straight and curved
quotation marks) don't count. Solutions are neither printed nor read.

`--solve` solves the file and what was read of it with the starter, and shows the shares of right letters. `--records`
keeps each reading in a file as a line of JSON, with the misread clues. Puzzles in that file are skipped, and the table
covers all of its lines.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import installation  # noqa: F401

from regis import open_index
from regis.errors import PuzzleError
from regis.evaluation import archive
from regis.puzzle import Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.render import html
from regis.solving import pipeline
from regis.solving.filler import Fill
from regis.solving.solved_puzzle import Answer, SolvedPuzzle
from regis.system.progress import show_nothing
from regis.system.terminal import Screen

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMIUM_SECONDS = 60


PDF = "PDF with text"
KINDS = (PDF, "300 dpi", "150 dpi", "photograph")

STRAIGHT = str.maketrans("“”‘’", "\"\"''")

ReadingRecord = dict[str, Any]
"""The result for one printed puzzle, as a line of JSON."""


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
    """Return a clue as the page shows it: with spaces for line breaks; in pictures some signs count as the same."""
    if is_picture:
        text = re.sub(
            "_+", "___", text.translate(STRAIGHT).replace("''", '"').replace("…", "...").replace(". . .", "...")
        )
    return " ".join(text.split())


def print_kinds(pdf: bytes, kinds: list[str], seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield a printed puzzle in each of the kinds."""
    if PDF in kinds:
        yield PDF, pdf
    if pictured := [kind for kind in kinds if kind != PDF]:
        import photographed  # needs opencv

        for kind in pictured:
            yield kind, photographed.take_picture(pdf, kind, seed)


def computing_seconds() -> float:
    """Return the processor seconds of this process and its finished children; other programs don't count."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def read_back(puzzle: Puzzle, file: PuzzleFile, *, is_picture: bool) -> ReadingRecord:
    """Read a printed puzzle, and compare it with what was printed."""
    grid = puzzle.grid
    counts = {"squares": grid.height * grid.width, "clues": len(puzzle.clues)}
    start = computing_seconds()
    try:
        read, _ = formats.read_puzzle(file)
    except PuzzleError as error:
        seconds = computing_seconds() - start
        return {**counts, "right_squares": 0, "misread": [], "right_clues": 0, "refused": str(error), "sure": 0,
                "doubts": 0, "seconds": seconds}  # fmt: skip
    seconds = computing_seconds() - start
    confidence = formats.read_confidence(file)
    assert confidence is not None, "it is a page"
    n_right_squares = sum(
        row[c] == read_row[c] and ((r, c) in puzzle.circles) == ((r, c) in read.circles)
        and ((r, c) in puzzle.shaded) == ((r, c) in read.shaded) and (r, c) not in read.given
        for r, (row, read_row) in enumerate(zip(grid.rows, read.grid.rows, strict=False))
        for c in range(min(len(row), len(read_row)))
    )  # fmt: skip
    doubtful = {str(slot) for slot in confidence.doubtful_clues}
    read_clues = {str(slot): plain(clue, is_picture=is_picture) for slot, clue in read.clues.items()}
    clues = {str(slot): plain(clue, is_picture=is_picture) for slot, clue in puzzle.clues.items()}
    misread = [
        (slot, clue, read_clues.get(slot), slot in doubtful)
        for slot, clue in clues.items() if read_clues.get(slot) != clue
    ]  # fmt: skip
    return {
        **counts, "right_squares": n_right_squares, "right_clues": len(clues) - len(misread), "misread": misread,
        "sure": sum(not is_doubtful for *_, is_doubtful in misread),
        "doubts": len(doubtful - {slot for slot, *_ in misread}), "seconds": seconds,
    }  # fmt: skip


def letter_share(file: PuzzleFile, read: PuzzleFile) -> float:
    """Solve a puzzle as it was read, and return the share of letters that match the file's solution."""
    solution = formats.read_solution(file) or {}
    try:
        cells = pipeline.solve(formats.read_puzzle(read)[0], open_index()).fill.cells
    except PuzzleError:
        return 0.0
    return sum(cells.get(cell) == content for cell, content in solution.items()) / len(solution)


def format_row(name: str, records: list[ReadingRecord]) -> str:
    total = {key: sum(record[key] for record in records)
             for key in ("squares", "right_squares", "clues", "right_clues", "sure", "doubts")}  # fmt: skip
    n_whole = sum(x["right_squares"] == x["squares"] and x["right_clues"] == x["clues"] for x in records)
    times = [record["seconds"] for record in records]
    return (
        f"{name:27} {len(records):7} {total['right_squares'] / total['squares']:8.2%} "
        f"{total['right_clues'] / total['clues']:8.2%} {n_whole / len(records):7.1%} {total['sure']:11} "
        f"{total['doubts']:7} {statistics.median(times):7.2f} {max(times):6.2f}"
    )


def make_table(records: list[ReadingRecord]) -> Iterator[str]:
    """Yield a row for each kind, one for each of its layouts, and the share of right letters."""
    yield "kind, layout                puzzles  squares    clues  wholly  sure wrong  doubts  median  max s"
    for kind in KINDS:
        of_kind = [record for record in records if record["kind"] == kind]
        if of_kind:
            yield format_row(kind, of_kind)
            for layout in dict.fromkeys(record["layout"] for record in of_kind):
                yield format_row(f"  {layout}", [record for record in of_kind if record["layout"] == layout])
            if solved := [record["letters"] for record in of_kind if "letters" in record]:
                shares = map(statistics.fmean, zip(*solved, strict=True))
                yield "  letters right: file {:.2%}, page {:.2%} ({} puzzles)".format(*shares, len(solved))


def choose_puzzles(folders: list[Path], n_puzzles: int | None, n_skipped: int) -> list[archive.ArchivePuzzle]:
    """Choose the same number of puzzles from each archive, spread over weekdays and time: only blocks and letters."""
    chosen = []
    for i, folder in enumerate(folders):
        quota = None if n_puzzles is None else n_puzzles * (i + 1) // len(folders) - n_puzzles * i // len(folders)
        plain_puzzles = []
        for item in archive.read_archive(folder, show_nothing)[0]:
            puzzle = formats.read_puzzle(item.file)[0]
            if not puzzle.grid.bars and not puzzle.grid.given_slots:
                plain_puzzles.append(item)
        chosen += archive.sample_puzzles(plain_puzzles[n_skipped:], quota, None)
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, nargs="+")
    parser.add_argument("--puzzles", type=int, help="only so many in all, spread over archives and weekdays")
    parser.add_argument("--skip", type=int, default=0, help="leave so many out at the beginning of each archive")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[PDF],
                        help="all but PDF need the extra paper")  # fmt: skip
    parser.add_argument("--no-page", action="store_true", help="leave Regis's own page out")
    parser.add_argument("--solve", action="store_true", help="solve what was read, too")
    parser.add_argument("--seconds", type=float, help="begin no puzzle after so many")
    parser.add_argument("--records", type=Path, help="a file for what became of each")
    arguments = parser.parse_args()
    import printed_layouts  # needs fpdf2, but --help doesn't

    layouts: dict[str, Callable[[Puzzle], bytes]] = dict(printed_layouts.LAYOUTS)
    if CHROMIUM and not arguments.no_page:
        layouts["Regis's page"] = print_page
    records: list[ReadingRecord] = []
    if arguments.records and arguments.records.exists():
        records = [json.loads(line) for line in arguments.records.read_text(encoding="utf-8").splitlines()]
    done = {
        (record["puzzle"], record["layout"], record["kind"])
        for record in records
        if "letters" in record or not arguments.solve
    }
    start = time.monotonic()
    for n, item in enumerate(choose_puzzles(arguments.archive, arguments.puzzles, arguments.skip)):
        if arguments.seconds and time.monotonic() - start > arguments.seconds:
            break
        puzzle = formats.read_puzzle(item.file)[0]
        names = [list(layouts)[n % len(layouts)]] if arguments.solve else list(layouts)
        file_letters = None
        for layout in names:
            kinds = [kind for kind in arguments.kinds if (item.file.stem, layout, kind) not in done]
            for kind, data in print_kinds(layouts[layout](puzzle), kinds, n) if kinds else ():
                file = PuzzleFile(f"{item.file.stem}, {layout}, {kind}", data)
                record = read_back(puzzle, file, is_picture=kind != PDF)
                record = {"puzzle": item.file.stem, "layout": layout, "kind": kind, **record}
                if arguments.solve:
                    file_letters = letter_share(item.file, item.file) if file_letters is None else file_letters
                    record["letters"] = file_letters, letter_share(item.file, file)
                records.append(record)
                print(format_row(kind, [record]), f" {item.file.stem}, {layout}", record.get("letters", ""), flush=True)
                if arguments.records:
                    with arguments.records.open("a", encoding="utf-8") as lines:
                        lines.write(json.dumps(record) + "\n")
    print(*make_table(records), sep="\n")


if __name__ == "__main__":
    main()
