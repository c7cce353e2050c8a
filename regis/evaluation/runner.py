"""A whole archive, solved and scored: honest figures or none.

Before anything is solved, every puzzle is looked up in the index; one that it already holds stops the benchmark,
unless the person insists, and then the report says so. Letters that somebody wrote into a file are taken out, and the
solution in it is read after the solving.

A crew of several gives the same records in the same order as one process alone (regis.system.crew); each worker opens
the index itself, compares its solutions with the answers and hands on numbers only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from regis.errors import CrewLost, IndexError_, OutputError, RegisError
from regis.evaluation import archive, losses, score
from regis.evaluation.archive import Item
from regis.evaluation.calibration import Claim
from regis.evaluation.journal import Journal, Run
from regis.evaluation.records import Record
from regis.evaluation.report import Report
from regis.index import Index
from regis.puzzle import Cell, formats
from regis.solving.pipeline import SEARCHED, solve
from regis.solving.solved import Solved
from regis.system import crew, paths
from regis.system.crew import Crew
from regis.system.lack import lack
from regis.system.progress import Progress
from regis.system.version import __version__

INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Plan:
    """What to measure and how."""

    archive: Path
    index: Path
    filler: str
    seconds: float | None = None  # for each puzzle
    crew: Crew = field(default_factory=Crew)
    limit: int | None = None  # puzzles, spread over the weekdays
    per_weekday: int | None = None  # puzzles of each weekday
    seen: bool = False  # measure also what the index holds
    resume: Path | None = None  # where records are kept as they are done, and taken from by the next run


@dataclass(frozen=True)
class Solving:
    """How puzzles are solved and scored: all of the plan that goes to the workers."""

    index: Path
    fingerprint: str
    filler: str
    seconds: float | None

    def __call__(self) -> Callable[[Item], Record]:
        return self.worker(Index.same(self.index, self.fingerprint))

    def worker(self, index: Index) -> Callable[[Item], Record]:
        return partial(solved, index=index, filler=self.filler, seconds=self.seconds)


def run(plan: Plan, progress: Progress) -> Report:
    """Solves and scores the archive. Raises SeenPuzzles before the first puzzle is solved.

    Stopped by Ctrl-C, by the loss of its workers or by a full disk, it answers with what is done so far.
    """
    index = Index.open(plan.index)
    items, broken = archive.read(plan.archive, progress)
    name = paths.shown(plan.archive.name or plan.archive.resolve().name)
    chosen = []
    with progress("looking for seen puzzles", None) as bar:
        for item in archive.sample(items, plan.limit, plan.per_weekday):
            chosen.append(archive.looked_up(item, index, name))
            bar.update(1)
    if not plan.seen:
        archive.refuse_seen(chosen, plan.archive, bool(index.manifest.layers))
    with Journal(plan.resume, _identity(plan, index, name)) as journal:
        records, stopped = _solve_all(plan, index, chosen, journal, progress)
    return Report(
        archive=name,
        filler=plan.filler,
        seconds=plan.seconds,
        index=index.fingerprint,
        latest_year=index.manifest.latest_year,
        seen_share=archive.SEEN_SHARE,
        chosen=len(chosen) + len(broken),
        records=(*broken, *records),
        stopped=stopped,
    )


def _failed(item: Item, why: str) -> Record:
    """All that is known of a puzzle before it is solved, and why it was not."""
    return Record(item.file.name, item.date, held=item.held, seen=item.seen, failure=why)


def solved(item: Item, index: Index, filler: str = SEARCHED, seconds: float | None = None) -> Record:
    """What became of one puzzle: without the letters that somebody wrote in, and graded where it has a solution."""
    record = _failed(item, "")
    try:
        puzzle = dataclasses.replace(formats.read(item.file)[0], given={})
        found = solve(puzzle, index, filler, seconds)
        truth = score.truth(item.file)
        done = dataclasses.replace(record, seconds=found.seconds)
        return done if truth is None else _graded(done, found, truth)
    except IndexError_:
        raise
    except Exception as cause:  # one puzzle must not cost the others their results
        why = str(cause) if isinstance(cause, RegisError) else lack(cause) or f"{type(cause).__name__}: {cause}"
        return dataclasses.replace(record, failure=why)


def _graded(record: Record, solved: Solved, truth: Mapping[Cell, str]) -> Record:
    """`record` with the score of `solved`, and of a plain puzzle with its losses and claims."""
    record = dataclasses.replace(record, score=score.score(solved.solution, solved.puzzle, truth))
    if score.irregular(truth):
        return dataclasses.replace(record, irregular=True)
    right = score.right_cells(solved.solution, solved.puzzle, truth)
    marks = score.marks(solved, truth)
    confidence = solved.solution.confidence
    return dataclasses.replace(
        record,
        losses=losses.of(solved.puzzle.grid, marks),
        cells=tuple(Claim(confidence.get(cell, 0.0), cell in right) for cell in solved.puzzle.grid.cells),
        entries=tuple(Claim(mark.confidence, not mark.wrong) for mark in marks),
    )


def _identity(plan: Plan, index: Index, archive: str) -> Run:
    """What makes the records of one run those of another, whichever of the puzzles they are of."""
    return {
        "regis": __version__,
        "index": index.fingerprint,
        "archive": archive,
        "filler": plan.filler,
        "seconds per puzzle": plan.seconds,
    }


def _solve_all(
    plan: Plan, index: Index, items: Sequence[Item], journal: Journal, progress: Progress
) -> tuple[list[Record], str]:
    """The records in the order of `items`, and why it stopped before the end, if it did."""
    done = {place: record for place, item in enumerate(items) if (record := journal.known(item))}
    rest = [place for place in range(len(items)) if place not in done]
    how = Solving(plan.index.absolute(), index.fingerprint, plan.filler, plan.seconds)
    make = (lambda: how.worker(index)) if plan.crew.alone(rest) else how
    left = [items[place] for place in rest]
    records = crew.results(make, left, plan.crew, lambda item: item.cells, _failed)
    stopped = ""
    try:
        with progress("solving", len(items)) as bar:
            bar.update(len(done))
            for turn, record in records:
                place = rest[turn]
                done[place] = record
                journal.add(items[place], record)
                bar.update(1)
    except KeyboardInterrupt:
        stopped = INTERRUPTED
        with suppress(OutputError):  # the last may have been done and not yet kept
            for place in [place for place in done if journal.known(items[place]) is None]:
                journal.add(items[place], done[place])
    except (CrewLost, IndexError_, OutputError) as error:
        if not done:
            raise
        stopped = f"stopped: {error}"
    finally:
        records.close()
    return [done[place] for place in sorted(done)], stopped
