"""From the files that a person names to jobs: puzzles to be solved, each with the slots to show and where it goes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from regis.cli.grammar.options import PICTURE_FORMATS, PUZZLE_FORMATS
from regis.cli.output import skipped_files
from regis.cli.output.output_folder import OutputFolder
from regis.cli.output.printing import print_error, print_warnings
from regis.cli.output.status_line import StatusLine
from regis.cli.solving import views
from regis.cli.solving.options import SolveOptions
from regis.cli.solving.rendering import Job
from regis.errors import OutputError, PuzzleError, UsageError
from regis.index import Index
from regis.puzzle import entry_names, formats
from regis.puzzle.formats import PuzzleFile

UNREADABLE_ERRORS = (PuzzleError, OSError, MemoryError)
"""What goes wrong with one puzzle and leaves the others as they are."""


def read_jobs(
    options: SolveOptions, index: Index, folder: OutputFolder | None, failures: list[int], status: StatusLine
) -> Iterator[Job]:
    """Read each puzzle when its turn comes.

    Parameters
    ----------
    options : which puzzles, which of their slots, in which format.
    folder : where each gets a file of its own; None if it gets none.
    failures : gets the exit code of each puzzle that cannot be read, or has no place in the folder.
    status : cleared before anything is printed.

    Raises
    ------
    UsageError : several puzzles would go into a file that holds one.
    """
    files: Iterable[PuzzleFile] = _read_files(options, failures, status)
    if options.output_format in (*PUZZLE_FORMATS, *PICTURE_FORMATS) and not folder:
        files = list(itertools.islice(files, 2))
        if max(len(files), len(options.puzzles)) > 1:
            many = "a folder with --output, as --output pages/"
            raise UsageError(f"a .{options.output_format} holds one puzzle; name one, or for many {many}")
    for file in files:
        try:
            puzzle, warnings = formats.read_puzzle(file)
            slots = puzzle.grid.slots
            if options.only:
                slots = entry_names.find_slots(options.entry_words, puzzle, file.name)
            if options.output_format in PUZZLE_FORMATS:
                formats.convert_file(file, options.output_format)  # tells before the work what that has no place for
            output_path = folder.reserve_path(file, options.output_format) if folder else None
        except (*UNREADABLE_ERRORS, OutputError, UsageError) as error:
            status.clear()
            failures.append(print_error(error))
            continue
        status.clear()
        print_warnings([*warnings, *views.warn_of_long_entries(slots, file)])
        yield Job(file, puzzle, slots, output_path)


def _read_files(options: SolveOptions, failures: list[int], status: StatusLine) -> Iterator[PuzzleFile]:
    """Open the files in all places that were named, one at a time; a place that cannot be read adds to `failures`."""
    for path in options.puzzles:
        try:
            yield from formats.open_files(path)
            status.clear()
            skipped_files.report_skipped_archives([path])
        except UNREADABLE_ERRORS as error:
            status.clear()
            failures.append(print_error(error))
