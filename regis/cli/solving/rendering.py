"""From one puzzle to what `regis solve` says of it, whoever does that: this process, another one, another machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from regis.cli.grammar.options import BINARY_FORMATS, PUZZLE_FORMATS
from regis.cli.solving import views
from regis.cli.solving.options import SolveOptions
from regis.errors import PuzzleError, RegisError, WorkersLost
from regis.index import Index
from regis.puzzle import Puzzle, Slot
from regis.puzzle.formats import PuzzleFile
from regis.solving.filler import Watch, no_watch
from regis.solving.pipeline import solve
from regis.system.terminal import Screen


class Job(NamedTuple):
    """A puzzle to be solved, and what of it is to be shown."""

    file: PuzzleFile
    puzzle: Puzzle
    slots: Sequence[Slot]
    output_path: Path | None  # where its own file goes; None if it gets none


class Output(NamedTuple):
    """What is said of a puzzle."""

    file: PuzzleFile  # without its bytes, but where these may be written over
    content: str | bytes | RegisError  # why there is none, where its format has no place for it, or workers were lost
    is_sure: bool  # whether nothing of it is doubtful
    warnings: Sequence[str]
    output_path: Path | None  # as in its job


def report_loss(job: Job, why: str) -> Output:
    """Say of a puzzle that workers were lost with it."""
    error = WorkersLost(f"{job.file.name} is not solved: {why}; solve it alone")
    return Output(job.file._replace(data=b""), error, False, (), job.output_path)


@dataclass(frozen=True)
class RenderSpec:
    """What a person wants of each puzzle, and the index for it: all that a worker must know (parallel.workers)."""

    options: SolveOptions  # without the puzzles
    index_folder: Path
    fingerprint: str  # of that index
    screen: Screen

    def __call__(self) -> Callable[[Job], Output]:
        return partial(self.render, Index.open_by_fingerprint(self.index_folder, self.fingerprint))

    def render(self, index: Index, job: Job, watch: Watch = no_watch) -> Output:
        """Solve a puzzle, grade it if that is wanted, and bring it into its format, with what is doubtful of it."""
        file, puzzle, slots, output_path = job
        options, output_format = self.options, self.options.output_format
        solved = solve(puzzle, index, options.find_filler(), options.seconds, options.reveal, watch)
        warnings: list[str] = []
        if options.grade:
            solved, ungraded = views.grade_puzzle(solved, file)
            warnings += ungraded
        if options.only:
            solved = solved.restrict_to(slots)
        if not (options.check or options.hint):
            warnings += views.warn_of_doubted_letters(solved, file.name, options.reveal)
        view = views.choose_view(output_format, options.check, options.hint)
        content: str | bytes | RegisError
        if output_format in BINARY_FORMATS:
            try:
                content, lost = views.encode_puzzle(solved, file, output_format)
                warnings += lost
            except PuzzleError as error:
                content = error
        else:
            content = view.render(solved, file.name, self.screen)
        if output_format not in PUZZLE_FORMATS:
            file = file._replace(data=b"")
        return Output(file, content, view.is_sure(solved), warnings, output_path)
