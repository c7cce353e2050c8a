"""A whole archive, solved and scored: honest figures or none.

Before anything is solved, every puzzle is looked up in the index; one that it already holds stops the benchmark,
unless the person insists, and then the report says so. Letters that somebody wrote into a file are taken out, and the
solution in it is read after the solving. Worker processes give the same records in the same order as one alone.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import signal
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from regis import cores, formats, score
from regis.bench import archive
from regis.bench.archive import Paper, Progress
from regis.bench.report import Report
from regis.bench.tally import Record
from regis.errors import IndexError_, RegisError
from regis.fill import Budget
from regis.index import Index
from regis.solve import solve

INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Plan:
    """What to measure and how."""

    archive: Path
    index: Path
    filler: str
    budget: Budget = field(default_factory=Budget)
    jobs: int = 1
    limit: int | None = None  # puzzles, spread over the weekdays
    per_weekday: int | None = None  # puzzles of each weekday
    seen: bool = False  # measure also what the index holds


def run(plan: Plan, progress: Progress) -> Report:
    """Solves and scores the archive. Raises SeenPuzzles before the first puzzle is solved.

    Stopped by Ctrl-C or by the loss of a worker, it answers with what is done so far.
    """
    index = Index.open(plan.index)
    papers, broken = archive.read(plan.archive, progress)
    chosen = []
    with progress("looking for seen puzzles", None) as bar:
        for paper in archive.sample(papers, plan.limit, plan.per_weekday):
            chosen.append(archive.looked_up(paper, index, plan.archive.name))
            bar.update(1)
    if not plan.seen:
        archive.refuse_seen(chosen, plan.archive)
    records, stopped = _solve_all(plan, index, chosen, progress)
    return Report(
        archive=plan.archive.name,
        filler=plan.filler,
        seconds=plan.budget.seconds,
        index=index.fingerprint,
        latest_year=index.manifest.latest_year,
        seen_share=archive.SEEN_SHARE,
        chosen=len(chosen) + len(broken),
        records=(*broken, *records),
        stopped=stopped,
    )


class Solver:
    """One process's open index and settings: from a paper to its record."""

    def __init__(self, plan: Plan, index: Index) -> None:
        self.plan = plan
        self.index = index

    def __call__(self, paper: Paper) -> Record:
        try:
            return self.record(paper)
        except IndexError_:
            raise
        except Exception as cause:  # one puzzle must not cost the others their results
            why = str(cause) if isinstance(cause, RegisError) else f"{type(cause).__name__}: {cause}"
            return Record(paper.file.name, paper.date, held=paper.held, seen=paper.seen, failure=why)

    def record(self, paper: Paper) -> Record:
        puzzle = dataclasses.replace(formats.read(paper.file)[0], given={})
        solved = solve(puzzle, self.index, self.plan.filler, self.plan.budget)
        done = Record(paper.file.name, paper.date, seconds=solved.seconds, held=paper.held, seen=paper.seen)
        truth = score.truth(paper.file)
        if truth is None:
            return done
        result = score.score(solved.solution, puzzle, truth)
        return dataclasses.replace(done, score=result, irregular=score.irregular(truth))


def _solve_all(plan: Plan, index: Index, papers: Sequence[Paper], progress: Progress) -> tuple[list[Record], str]:
    """The records in the order of `papers`, and why it stopped before the end, if it did."""
    done: list[Record] = []
    records = _side_by_side(plan, papers) if min(plan.jobs, len(papers)) > 1 else _one_by_one(plan, index, papers)
    try:
        with progress("solving", len(papers)) as bar:
            for record in records:
                done.append(record)
                bar.update(1)
    except KeyboardInterrupt:
        return done, INTERRUPTED
    except BrokenProcessPool:
        return done, "stopped because a worker was killed (too little memory for so many --jobs?)"
    finally:
        records.close()
    return done, ""


def _one_by_one(plan: Plan, index: Index, papers: Sequence[Paper]) -> Generator[Record, None, None]:
    yield from map(Solver(plan, index), papers)


def _side_by_side(plan: Plan, papers: Sequence[Paper]) -> Generator[Record, None, None]:
    """The records in order, from `plan.jobs` processes that each open the index once.

    They start with Ctrl-C switched off, so that only this process answers it, and are ended whatever happens.
    """
    cores.one()
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        min(plan.jobs, len(papers)), multiprocessing.get_context("spawn"), initializer=_open, initargs=(plan,)
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        futures = [pool.submit(_one, paper) for paper in papers]
    finally:
        signal.signal(signal.SIGINT, before)
    workers = set(multiprocessing.active_children()) - others
    try:
        for future in futures:
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()


_solver: Solver
"""Of a worker process: set once when it starts."""


def _open(plan: Plan) -> None:
    global _solver
    _solver = Solver(plan, Index.open(plan.index))


def _one(paper: Paper) -> Record:
    return _solver(paper)
