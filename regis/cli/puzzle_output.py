"""One puzzle of `regis solve`: a job to do, in this process or another, and its output.

`--grade` asks for the file's own solution, which is read only then, and only after solving.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from regis.cli.command import BINARY_FORMATS, PICTURE_FORMATS, PUZZLE_FORMATS
from regis.cli.files import OutputFolder, report_skipped_archives
from regis.cli.printing import print_error, print_warnings
from regis.cli.progress import StatusLine
from regis.cli.solve_options import SolveOptions
from regis.errors import OutputError, PuzzleError, RegisError, UsageError, WorkersLost
from regis.index import Index
from regis.puzzle import Puzzle, Slot, entry_names, formats
from regis.puzzle.formats import PuzzleFile
from regis.render import RENDERERS
from regis.solving.filler import Watch, no_watch
from regis.solving.pipeline import default_seconds, solve
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.terminal import Screen

UNREADABLE_ERRORS = (PuzzleError, OSError, MemoryError)
"""Errors of one puzzle that don't stop the others."""


class Job(NamedTuple):
    """A puzzle to solve, and which part of it to show."""

    file: PuzzleFile
    puzzle: Puzzle
    slots: Sequence[Slot]
    output_path: Path | None  # where its own file goes; None if it gets none


class Output(NamedTuple):
    """What is printed or written for a puzzle."""

    file: PuzzleFile  # without its bytes, unless these may be overwritten
    content: str | bytes | RegisError  # an error if its format can't hold it, or workers were lost
    is_sure: bool  # whether nothing of it is doubtful
    warnings: Sequence[str]
    output_path: Path | None  # as in its job


def read_jobs(
    options: SolveOptions, folder: OutputFolder | None, failures: list[int], status: StatusLine
) -> Iterator[Job]:
    """Read each puzzle when its turn comes; each gets its own file in `folder`, if any.

    `failures` receives the exit code of each puzzle that can't be read or written there. `status` is cleared before
    anything is printed. Raises UsageError if several puzzles would go into a file for one.
    """
    files: Iterable[PuzzleFile] = _read_files(options, failures, status)
    if options.output_format in (*PUZZLE_FORMATS, *PICTURE_FORMATS) and not folder:
        files = list(itertools.islice(files, 2))
        if max(len(files), len(options.puzzles)) > 1:
            many = "a folder, such as --output pages/"
            raise UsageError(f"a .{options.output_format} holds one puzzle; name one puzzle, or {many}")
    for file in files:
        try:
            puzzle, warnings = formats.read_puzzle(file)
            slots = puzzle.grid.slots
            if options.only:
                slots = entry_names.find_slots(options.entry_words, puzzle, file.name)
            if options.output_format in PUZZLE_FORMATS:
                formats.convert_file(file, options.output_format)  # fail early if the format can't hold something
            output_path = folder.reserve_path(file, options.output_format) if folder else None
        except (*UNREADABLE_ERRORS, OutputError, UsageError) as error:
            status.clear()
            failures.append(print_error(error))
            continue
        status.clear()
        print_warnings([*warnings, *warn_of_limit(puzzle, file, options.seconds)])
        yield Job(file, puzzle, slots, output_path)


def _read_files(options: SolveOptions, failures: list[int], status: StatusLine) -> Iterator[PuzzleFile]:
    """Open the files of all paths, one at a time; a path that can't be read adds to `failures`."""
    for path in options.puzzles:
        try:
            for file in formats.open_files(path):
                yield file._replace(page_number=options.page, grid_number=options.grid)
            status.clear()
            report_skipped_archives([path])
        except UNREADABLE_ERRORS as error:
            status.clear()
            failures.append(print_error(error))


@dataclass(frozen=True)
class RenderSpec:
    """Everything that a worker must know: the options, and the index (parallel.workers)."""

    options: SolveOptions  # without the puzzles
    index_folder: Path
    fingerprint: str  # of that index
    screen: Screen

    def __call__(self) -> Callable[[Job], Output]:
        return partial(self.render, Index.open_by_fingerprint(self.index_folder, self.fingerprint))

    def render(self, index: Index, job: Job, watch: Watch = no_watch) -> Output:
        """Solve a puzzle, grade it if asked, and render it, with warnings."""
        file, puzzle, slots, output_path = job
        options, output_format = self.options, self.options.output_format
        solved = solve(puzzle, index, options.find_filler(), options.seconds, options.reveal, watch)
        warnings: list[str] = []
        if options.grade:
            solved, ungraded = _grade_puzzle(solved, file)
            warnings += ungraded
        if options.only:
            solved = solved.restrict_to(slots)
        content: str | bytes | RegisError
        is_sure = solved.is_confident
        if options.check or options.hint:
            content, is_sure = _render_part(solved, file.name, options)
        else:
            warnings += _warn_of_doubted_letters(solved, file.name, options.reveal)
            if output_format in BINARY_FORMATS:
                try:
                    content, lost = encode_puzzle(solved, file, output_format)
                    warnings += lost
                except PuzzleError as error:
                    content = error
            else:
                content = RENDERERS[output_format](solved, file.name, self.screen)
        if output_format not in PUZZLE_FORMATS:
            file = file._replace(data=b"")
        return Output(file, content, is_sure, warnings, output_path)


def report_loss(job: Job, why: str) -> Output:
    """Make the output of a puzzle that lost its workers."""
    error = WorkersLost(f"{job.file.name} wasn't solved: {why}; solve it alone")
    return Output(job.file._replace(data=b""), error, False, (), job.output_path)


def _render_part(solved: SolvedPuzzle, file_name: str, options: SolveOptions) -> tuple[str, bool]:
    """Render what --check or --hint asks for; return whether nothing of it is doubtful."""
    from regis.render import json, reasons
    from regis.solving.hint import find_hint

    shown = json if options.output_format == "json" else reasons
    if options.check:
        check = solved.given_check
        return shown.render_check(solved, file_name), not (check.doubted_letters or check.n_late)
    return shown.render_hint(solved, file_name), find_hint(solved) is not None


def _grade_puzzle(solved: SolvedPuzzle, file: PuzzleFile) -> tuple[SolvedPuzzle, Sequence[str]]:
    """Mark wrong letters by the file's own solution; warn if it has none."""
    from regis.evaluation import score

    truth = score.read_truth(file)
    if truth is None:
        return solved, [f"{file.name} has no readable solution, so no letters are marked"]
    return score.mark_wrong_cells(solved, truth), ()


def encode_puzzle(solved: SolvedPuzzle, file: PuzzleFile, output_format: str) -> tuple[bytes, Sequence[str]]:
    """Encode a file that isn't text; warn of what it can't hold."""
    if output_format == "png":
        from regis.render import drawing

        return drawing.render_png(solved), ()
    return formats.write_fill(file, output_format, solved.fill.cells)


def warn_of_limit(puzzle: Puzzle, file: PuzzleFile, seconds: float | None) -> Sequence[str]:
    """Warn if a large grid gets a default time limit."""
    limit = default_seconds(puzzle)
    if seconds is not None or limit is None:
        return ()
    size = f"{puzzle.grid.width} by {puzzle.grid.height}"
    return [f"{file.name} is {size}, so solving stops after {limit:.0f} seconds; allow more with --seconds"]


def _warn_of_doubted_letters(solved: SolvedPuzzle, file_name: str, reveal: bool) -> Sequence[str]:
    """Warn of the user's letters that are probably wrong, a sentence for each."""
    if not (solved.given_check.n_late or solved.given_check.doubted_letters):
        return ()
    from regis.render.reasons import NO_TIME_SENTENCE, describe_cell

    late = [f"{file_name}: {NO_TIME_SENTENCE}"] if solved.given_check.n_late else []
    puzzle, wrong = solved.puzzle, solved.given_check.doubted_letters
    places = [f"the {puzzle.given[cell]} you wrote as {describe_cell(puzzle, cell)}" for cell in wrong]
    cure = "" if reveal else "; `--reveal` replaces it"
    return late + [f"{file_name}: {place} is probably wrong{cure}" for place in places]
