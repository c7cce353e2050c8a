"""A whole archive, solved and scored: honest figures or none.

Before anything is solved, every puzzle is looked up in the index; one that it already holds stops the benchmark,
unless the person insists, and then the report says so. Letters that somebody wrote into a file are taken out, and the
solution in it is read after the solving.

Several processes give the same records in the same order as one alone; each compares its solutions with the answers
itself and hands on numbers only. The longest tasks come first, each is handed out alone to whoever is free, and results
come as they are done: then no process idles while another still has a pile. Each process makes its worker once, which
opens the index: postings and the encoder's table are memory maps, shared between them.
"""

from __future__ import annotations

import dataclasses
import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from regis.errors import IndexError_, RegisError
from regis.evaluation import archive, losses, score
from regis.evaluation.archive import Item
from regis.evaluation.calibration import Claim
from regis.evaluation.records import Record
from regis.evaluation.report import Report
from regis.index import Index
from regis.puzzle import Cell, formats
from regis.solving.pipeline import solve
from regis.solving.solution import Budget, Solved
from regis.system import paths, threads
from regis.system.lack import lack
from regis.system.progress import Progress

INTERRUPTED = "interrupted"

Worker = Callable[[Item], Record]


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
    items, broken = archive.read(plan.archive, progress)
    name = paths.shown(plan.archive.name or plan.archive.resolve().name)
    chosen = []
    with progress("looking for seen puzzles", None) as bar:
        for item in archive.sample(items, plan.limit, plan.per_weekday):
            chosen.append(archive.looked_up(item, index, name))
            bar.update(1)
    if not plan.seen:
        archive.refuse_seen(chosen, plan.archive)
    records, stopped = _solve_all(plan, index, chosen, progress)
    return Report(
        archive=name,
        filler=plan.filler,
        seconds=plan.budget.seconds,
        index=index.fingerprint,
        latest_year=index.manifest.latest_year,
        seen_share=archive.SEEN_SHARE,
        chosen=len(chosen) + len(broken),
        records=(*broken, *records),
        stopped=stopped,
    )


def _opened(plan: Plan, fingerprint: str) -> Worker:
    """What a process of its own does with each item, with the index that the first process opened."""
    return partial(_record, plan, Index.same(plan.index, fingerprint))


def _record(plan: Plan, index: Index, item: Item) -> Record:
    record = Record(item.file.name, item.date, held=item.held, seen=item.seen)
    try:
        puzzle = dataclasses.replace(formats.read(item.file)[0], given={})
        solved = solve(puzzle, index, plan.filler, plan.budget)
        truth = score.truth(item.file)
        done = dataclasses.replace(record, seconds=solved.seconds)
        return done if truth is None else _graded(done, solved, truth)
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


def _solve_all(plan: Plan, index: Index, items: Sequence[Item], progress: Progress) -> tuple[list[Record], str]:
    """The records in the order of `items`, and why it stopped before the end, if it did."""
    done: dict[int, Record] = {}
    stopped = ""
    if min(plan.jobs, len(items)) > 1:
        records = side_by_side(partial(_opened, plan, index.fingerprint), items, plan.jobs)
    else:
        records = one_by_one(partial(_record, plan, index), items)
    try:
        with progress("solving", len(items)) as bar:
            for place, record in records:
                done[place] = record
                bar.update(1)
    except KeyboardInterrupt:
        stopped = INTERRUPTED
    except BrokenProcessPool:
        stopped = "stopped because a worker was killed (too little memory for so many --jobs?)"
    except IndexError_ as error:
        if not done:
            raise
        stopped = f"stopped: {error}"
    finally:
        records.close()
    return [done[place] for place in sorted(done)], stopped


def one_by_one(worker: Worker, items: Sequence[Item]) -> Generator[tuple[int, Record], None, None]:
    """The place of each item with its record, in order."""
    yield from enumerate(map(worker, items))


def side_by_side(
    make: Callable[[], Worker], items: Sequence[Item], jobs: int
) -> Generator[tuple[int, Record], None, None]:
    """The place of each item with its record, as they are done by `jobs` processes that each call `make` once.

    They start with Ctrl-C switched off, so that only this process answers it, and are ended whatever happens, also when
    this process is killed. Raises BrokenProcessPool if one of them is killed, and what `make` raised if it fails.
    """
    threads.one()
    others = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(items)), spawn, initializer=_start, initargs=(make,))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        longest_first = sorted(range(len(items)), key=lambda place: -items[place].cells)
        places = {pool.submit(_work, items[place]): place for place in longest_first}
    finally:
        signal.signal(signal.SIGINT, before)
    workers = set(multiprocessing.active_children()) - others
    try:
        for future in as_completed(places):
            yield places[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.terminate()


_worker: Callable[[], Worker]
"""Of a worker process: set once when it starts, and makes its worker at the first task, which can tell of an error."""


def _start(make: Callable[[], Worker]) -> None:
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = functools.cache(make)


def _end_with_parent() -> None:
    """Waits for the process that started this one; without it, this one would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _work(item: Item) -> Record:
    return _worker()(item)
