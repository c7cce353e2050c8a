"""Solve and score a whole archive: honest figures or none.

Puzzles that the index has seen stop the benchmark, or are reported. Given letters are removed, and solutions are read
after solving. Several workers give the same records in the same order as one process.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from regis.ancestors import find_filler
from regis.errors import IndexError_, OutputError, RegisError, WorkersLost
from regis.evaluation import archive, losses, score
from regis.evaluation.archive import ArchivePuzzle
from regis.evaluation.calibration import Claim
from regis.evaluation.journal import Journal, RunIdentity
from regis.evaluation.records import PuzzleRecord
from regis.evaluation.report import BenchmarkReport
from regis.index import Index
from regis.puzzle import Cell, formats
from regis.solving.belief import BELIEF
from regis.solving.moves import PLAN, Move
from regis.solving.pipeline import solve
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system import paths
from regis.system.os_errors import describe_shortage
from regis.system.parallel.workers import Workers, map_tasks
from regis.system.progress import Progress
from regis.system.version import __version__

INTERRUPTED_REASON = "interrupted"


@dataclass(frozen=True)
class BenchmarkPlan:
    archive: Path
    index: Path
    filler: str
    seconds: float | None = None  # for each puzzle
    workers: Workers = field(default_factory=Workers)
    puzzle_limit: int | None = None  # puzzles, spread over the weekdays
    per_weekday: int | None = None  # puzzles of each weekday
    include_seen: bool = False  # also measure puzzles that the index has seen
    journal_path: Path | None = None  # file that saves each record at once, and from which the next run resumes


@dataclass(frozen=True)
class SolvingTask:
    """A worker's task: it opens the index and returns a function that solves a puzzle."""

    index: Path
    fingerprint: str
    filler: str
    seconds: float | None

    def __call__(self) -> Callable[[ArchivePuzzle], PuzzleRecord]:
        return self.bind_index(Index.open_by_fingerprint(self.index, self.fingerprint))

    def bind_index(self, index: Index) -> Callable[[ArchivePuzzle], PuzzleRecord]:
        return partial(solve_and_score, index=index, filler=self.filler, seconds=self.seconds)


def run_benchmark(
    plan: BenchmarkPlan, progress: Progress, raise_interrupt: Callable[[], object] = lambda: None
) -> BenchmarkReport:
    """Solve and score the archive; Ctrl-C, lost workers, or a full disk end it with the records so far.

    `raise_interrupt` raises a lost Ctrl-C after each puzzle (system.process). Raises SeenPuzzles before solving, and
    PuzzleError or UsageError if the archive can't be read or the journal is another run's.
    """
    index = Index.open(plan.index)
    puzzles, unreadable = archive.read_archive(plan.archive, progress)
    name = paths.printable_path(plan.archive.name or plan.archive.resolve().name)
    chosen = []
    with progress("looking for seen puzzles", None) as bar:
        for puzzle in archive.sample_puzzles(puzzles, plan.puzzle_limit, plan.per_weekday):
            chosen.append(archive.look_up_in_index(puzzle, index, name))
            bar.update(1)
    if not plan.include_seen:
        archive.refuse_seen_puzzles(chosen, plan.archive, index)
    with Journal(plan.journal_path, _run_identity(plan, index, name)) as journal:
        records, stop_reason = _solve_all(plan, index, chosen, journal, progress, raise_interrupt)
    return BenchmarkReport(
        archive=name,
        filler=plan.filler,
        seconds_per_puzzle=plan.seconds,
        index_fingerprint=index.fingerprint,
        latest_year=index.manifest.latest_year,
        seen_threshold=archive.SEEN_SHARE,
        chosen_count=len(chosen) + len(unreadable),
        records=(*unreadable, *records),
        stop_reason=stop_reason,
    )


def _failed_record(puzzle: ArchivePuzzle, why: str) -> PuzzleRecord:
    return PuzzleRecord(
        puzzle.file.name,
        puzzle.date,
        share_in_index=puzzle.share_in_index,
        seen_reason=puzzle.seen_reason,
        failure_reason=why,
    )


def solve_and_score(
    puzzle: ArchivePuzzle,
    index: Index,
    filler: str = BELIEF.name,
    seconds: float | None = None,
    plan: Mapping[str, Move] = PLAN,
) -> PuzzleRecord:
    """Solve a puzzle without its given letters, and grade it if it has a solution."""
    record = _failed_record(puzzle, "")
    try:
        blank = dataclasses.replace(formats.read_puzzle(puzzle.file)[0], given={})
        solved = solve(blank, index, find_filler(filler), seconds, plan=plan)
        truth = score.read_truth(puzzle.file)
        record = dataclasses.replace(record, seconds=solved.seconds)
        return record if truth is None else _grade_record(record, solved, truth)
    except IndexError_:
        raise
    except Exception as cause:  # one puzzle can't cost the others their results
        reason = str(cause) if isinstance(cause, RegisError) else describe_shortage(cause)
        return dataclasses.replace(record, failure_reason=reason or f"{type(cause).__name__}: {cause}")


def _grade_record(record: PuzzleRecord, solved: SolvedPuzzle, truth: Mapping[Cell, str]) -> PuzzleRecord:
    """Add the score to a record, and the losses and claims of a plain puzzle."""
    record = dataclasses.replace(record, score=score.score_fill(solved.fill, solved.puzzle, truth))
    if score.has_irregular_content(truth):
        return dataclasses.replace(record, is_irregular=True)
    right = score.find_right_cells(solved.fill, solved.puzzle, truth)
    marks = score.mark_entries(solved, truth)
    confidence = solved.fill.confidence
    return dataclasses.replace(
        record,
        losses=losses.find_losses(solved.puzzle.grid, marks),
        cell_claims=tuple(Claim(confidence.get(cell, 0.0), cell in right) for cell in solved.puzzle.grid.cells),
        entry_claims=tuple(Claim(mark.confidence, not mark.wrong_cells) for mark in marks),
    )


def _run_identity(plan: BenchmarkPlan, index: Index, archive_name: str) -> RunIdentity:
    """Return what two runs must share for their records to be interchangeable."""
    return {
        "regis": __version__,
        "index": index.fingerprint,
        "archive": archive_name,
        "filler": plan.filler,
        "seconds per puzzle": plan.seconds,
    }


def _solve_all(
    plan: BenchmarkPlan,
    index: Index,
    puzzles: Sequence[ArchivePuzzle],
    journal: Journal,
    progress: Progress,
    raise_interrupt: Callable[[], object],
) -> tuple[list[PuzzleRecord], str]:
    """Return the records in the order of `puzzles`, and why solving stopped early, if it did."""
    done = {i: record for i, puzzle in enumerate(puzzles) if (record := journal.find_record(puzzle))}
    remaining = [i for i in range(len(puzzles)) if i not in done]
    task = SolvingTask(plan.index.absolute(), index.fingerprint, plan.filler, plan.seconds)
    make_solver = (lambda: task.bind_index(index)) if plan.workers.work_in_process(remaining) else task
    unsolved = [puzzles[i] for i in remaining]
    records = map_tasks(make_solver, unsolved, plan.workers, _failed_record)
    stop_reason = ""
    try:
        with progress("solving", len(puzzles)) as bar:
            bar.update(len(done))
            for turn, record in records:
                i = remaining[turn]
                done[i] = record
                journal.add_record(puzzles[i], record)
                bar.update(1)
                raise_interrupt()
    except KeyboardInterrupt:
        stop_reason = INTERRUPTED_REASON
        with suppress(OutputError):  # the last record may be done but not saved
            for i in [i for i in done if journal.find_record(puzzles[i]) is None]:
                journal.add_record(puzzles[i], done[i])
    except (WorkersLost, IndexError_, OutputError) as error:
        if not done:
            raise
        stop_reason = f"stopped: {error}"
    finally:
        records.close()
    return [done[i] for i in sorted(done)], stop_reason
