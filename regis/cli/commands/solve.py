"""`regis solve`: puzzles, solved and shown as the user asks."""

from __future__ import annotations

import itertools
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from regis.cli.command import PICTURE_FORMATS, choose_workers, is_shared, open_index
from regis.cli.printing import (
    EXIT_CODES_HELP,
    EXIT_FINE,
    EXIT_UNSURE,
    print_error,
    print_result,
    print_warnings,
    print_written,
)
from regis.cli.progress import GridWatch, StatusLine
from regis.cli.solve_options import DEFAULT_PACE, SolveOptions
from regis.errors import IndexError_, OutputError, RegisError, UsageError, WorkersLost
from regis.system import paths, process
from regis.system.files import atomic

if TYPE_CHECKING:
    from regis.cli.puzzle_output import Job, Output, RenderSpec
    from regis.index import Index
    from regis.puzzle import Cell
    from regis.solving.filler import Watch


class Solve(SolveOptions):
    help = "Solve puzzle files and print the grid and the answers."
    interrupted_message = "what was finished is printed or written; the rest must be solved again"
    exit_codes_help = EXIT_CODES_HELP
    examples = """examples:
  regis solve today.puz
  regis solve --format json --output solved.jsonl monday.puz tuesday.puz
  regis solve --format ipuz --output solved.ipuz today.puz
  regis solve --format html --output today.html today.puz
  regis solve --format html --output pages puzzles/2014
  regis solve --filler singletons --seconds 5 archive.zip
  regis solve --jobs 8 --output solved.jsonl archive.zip
  regis solve --filler singletons --watch --pace 0.5 mini.puz
  regis solve --check today.puz
  regis solve --hint --only 17A today.puz
  regis solve --only 17A 23D today.puz
  regis solve --numbers --ascii today.puz

Your letters in the file are kept; Regis warns you about those that are probably wrong.
"""

    def run(self) -> int:
        """Solve every puzzle; one that can't be read is reported and doesn't stop the others."""
        process.use_one_thread()
        command = self.move_entries_to_only()
        with StatusLine(None if command.watch else sys.stderr) as status:
            status.show_activity("opening the index ...")
            return command._solve_all(status)

    def _solve_all(self, status: StatusLine) -> int:
        from regis.cli.files import OutputFolder
        from regis.cli.puzzle_output import read_jobs
        from regis.index.index import starter_warnings
        from regis.puzzle import formats

        self.refuse_contradictions()
        index = open_index(self.index)
        warnings = starter_warnings(index)
        status.clear()
        print_warnings(warnings)
        fillable = self._check_output(index.folder)
        folder = OutputFolder(self.output_folder, self.puzzles, index.folder) if self.output_folder else None
        finished: list[bytes] = []
        failures: list[int] = []
        is_sure, gap, file_count = True, "", 0
        jobs, interrupt = read_jobs(self, folder, failures, status), _FirstInterrupt(not self.output_file)
        try:
            for output in self._solve_in_order(index, jobs, status, interrupt):
                status.clear()
                print_warnings(output.warnings)
                content = output.content
                if isinstance(content, RegisError):
                    failures.append(print_error(content))
                    continue
                is_sure &= output.is_sure
                if output.output_path:
                    atomic.write_file(output.output_path, content)
                    file_count += 1
                    continue
                if isinstance(content, str):
                    content = gap + content
                    if self.output_file or self.output_format in PICTURE_FORMATS:
                        content = content.encode()  # pages and pictures declare UTF-8, even on a screen
                gap = "\n" if self.output_format == "text" else ""
                if self.output_file and isinstance(content, bytes):
                    if any(formats.has_changed(self.output_file, output.file, path, content) for path in fillable):
                        raise OutputError(
                            f"{self.output_file} has changed since it was read and wasn't overwritten; solve it again"
                        )
                    finished.append(content)
                else:
                    print_result(content)
                if interrupt.was_pressed:
                    raise KeyboardInterrupt
        except (WorkersLost, IndexError_) as error:
            status.clear()
            failures.append(print_error(error))
        finally:  # even after Ctrl-C
            status.clear()
            if self.output_file and finished:
                atomic.write_file(self.output_file, b"".join(finished))
            if self.output_file and (finished or file_count):
                print_written(self.output_file, file_count)
        return max(failures, default=EXIT_FINE if is_sure or self.exit_zero else EXIT_UNSURE)

    def _check_output(self, index_folder: Path) -> list[Path]:
        """Refuse an output that can't be written; list the inputs that it may replace."""
        from regis.puzzle import formats

        if self.output_folder:
            if self.output_folder.is_dir():  # otherwise it is made after a puzzle was read
                atomic.check_writable(self.output_folder / f"puzzle.{self.output_format}", (), index_folder)
            return []
        if not self.output_file:
            return []
        fillable = [path for path in self.puzzles if formats.can_fill_in_place(path, self.output_format)]
        if not self.format and any(paths.is_within(self.output_file, path) for path in fillable):
            cure = f", or --format {self.output_format} to write Regis's letters into it"
            raise UsageError(
                f"{self.output_file} is an input of this command and won't be overwritten; choose another file"
                f"{cure if len(self.puzzles) == 1 else ''}"
            )
        atomic.check_writable(self.output_file, [path for path in self.puzzles if path not in fillable], index_folder)
        return fillable

    def _solve_in_order(
        self, index: Index, jobs: Iterator[Job], status: StatusLine, interrupt: _FirstInterrupt
    ) -> Iterator[Output]:
        from regis.cli.puzzle_output import RenderSpec, report_loss

        screen = self.choose_screen(None if self.output_file else sys.stdout)
        spec = RenderSpec(replace(self, puzzles=()), index.folder.absolute(), index.fingerprint, screen)
        first = list(itertools.islice(jobs, 2)) if is_shared(self.jobs, self.cluster) and not self.watch else []
        if len(first) < 2:  # this process solves a single puzzle
            for job in itertools.chain(first, jobs):
                yield self._render_here(spec, index, status, interrupt, job)
            return
        from regis.system.parallel.workers import map_tasks, results_in_order

        tasks = map_tasks(spec, itertools.chain(first, jobs), choose_workers(self.jobs, self.cluster), report_loss)
        with closing(tasks) as outputs:
            status.show_activity("solving ...")
            yield from results_in_order(outputs)

    def _render_here(
        self, spec: RenderSpec, index: Index, status: StatusLine, interrupt: _FirstInterrupt, job: Job
    ) -> Output:
        """Solve one puzzle; meanwhile show its grid, or what is being done."""

        def show_now_and_then(step: str, letters: Callable[[], Mapping[Cell, str]]) -> None:
            status.clear()
            grid.show_now_and_then(f"{step} (Ctrl-C stops here)", letters)

        def show_activity(step: str, letters: Callable[[], Mapping[Cell, str]]) -> None:
            status.show_activity(f"{name}: filling the grid, {step} ...")

        name = Path(job.file.name).name
        step_seconds = (self.pace or DEFAULT_PACE) if self.watch else 0.0
        grid = GridWatch(job.puzzle, self.choose_screen(sys.stdout), step_seconds, print_result)
        is_whole = self.output_format == "text" and not (self.output_file or self.check or self.hint or self.only)
        show_step: Watch = show_activity
        if self.watch:
            show_step = grid
            grid("looking up clues", lambda: job.puzzle.given)
        elif is_whole and not self.quiet and grid.fits_terminal(job.puzzle.given):
            show_step = show_now_and_then
        status.clear()
        status.show_activity(f"{name}: looking up {len(job.puzzle.grid.slots)} clues ...")
        with interrupt:
            output = spec.render(index, job, show_step)
        grid.close()
        return output


class _FirstInterrupt(AbstractContextManager[None]):
    """The first Ctrl-C while a grid is being filled: the best grid so far is shown before the command ends."""

    def __init__(self, is_shown: bool) -> None:
        """Leave Ctrl-C as it is if the grid goes into a file, which never gets an unfinished grid."""
        self.is_shown = is_shown
        self.was_pressed = False

    def __enter__(self) -> None:
        # leave any other handler in place
        if self.is_shown and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            with suppress(ValueError):  # outside the main thread
                signal.signal(signal.SIGINT, self._stop_solving)

    def __exit__(self, *_: object) -> None:
        if signal.getsignal(signal.SIGINT) == self._stop_solving:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _stop_solving(self, *_: object) -> None:
        from regis.solving.filler import StopSolving

        self.was_pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise StopSolving
