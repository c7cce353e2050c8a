"""What runs in the process beside the server: puzzles are solved one after the other, questions answered meanwhile.

Messages come and go by a pipe. When the server is gone, however it went, the pipe ends, and so does this process.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from regis.errors import RegisError
from regis.play.messages import Ask, Solve, Stage, State, Told
from regis.puzzle import Puzzle
from regis.system.lack import lack

if TYPE_CHECKING:
    from regis.index import Index
    from regis.play.known import Known

KEPT = 8  # puzzles of which all is remembered that was believed: some 50 MB each, twice that of a Sunday
AT_ONCE = 4  # questions that are answered side by side, so that a slow one does not hold the others up


def work(pipe: Connection, index: Path, seconds: float) -> None:
    """Serves one pipe until it ends, or None comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then lets go of the pipe
    worker = Worker(pipe, index, seconds)
    threading.Thread(target=worker.solve_all, daemon=True).start()
    with suppress(EOFError, OSError), ThreadPoolExecutor(AT_ONCE) as answering:
        while message := pipe.recv():
            if isinstance(message, Solve):
                worker.tasks.put(message)
            else:
                answering.submit(worker.answer, message)


class Worker:
    """What was solved, and the index that it was solved with."""

    def __init__(self, pipe: Connection, index: Path, seconds: float) -> None:
        self.pipe, self.folder, self.seconds = pipe, index, seconds
        self.index: Index | None = None
        self.tasks: queue.SimpleQueue[Solve] = queue.SimpleQueue()
        self.known: OrderedDict[str, Known] = OrderedDict()
        self.sending = threading.Lock()

    def send(self, message: State | Told) -> None:
        with self.sending, suppress(OSError):  # nobody listens any more: the pipe will end
            self.pipe.send(message)

    def answer(self, asked: Ask) -> None:
        """Answers one question."""
        from regis.play.questions import reply

        known = self.known.get(asked.name)
        with suppress(KeyError):  # of those solved, the one asked about last is forgotten last
            self.known.move_to_end(asked.name)
        try:
            self.send(Told(asked.number, reply(known, asked.question) if known else None))
        except Exception as cause:  # one question must not cost the others their answers
            self.send(Told(asked.number, problem=_sentence(cause)))

    def solve_all(self) -> None:
        """Solves what is in the queue for as long as the process lives."""
        with suppress(Exception):  # the first puzzle will say what is wrong
            self._warm()
        while True:
            name, puzzle = self.tasks.get()
            try:
                self._solve(name, puzzle)
            except Exception as cause:  # one puzzle must not cost the others their solutions
                self.send(State(name, Stage.FAILED, _sentence(cause)))

    def _solve(self, name: str, puzzle: Puzzle) -> None:
        from regis.play.known import Known
        from regis.solving.pipeline import solve

        if name not in self.known:
            self.send(State(name, Stage.SOLVING, "opening the index"))
            index = self._warm()
            self.send(State(name, Stage.SOLVING, "looking the clues up"))
            solved = solve(
                replace(puzzle, given={}), index, seconds=self.seconds,
                watch=lambda done, letters: self.send(State(name, Stage.SOLVING, f"weighing the crossings, {done}")),
            )  # fmt: skip
            self.known[name] = Known(solved)
            while len(self.known) > KEPT:
                self.known.popitem(last=False)
        unsure, cells = self.known[name].doubtful, len(puzzle.grid.cells)
        sure = "of every square" if not unsure else f"of {cells - unsure} of {cells} squares"
        self.send(State(name, Stage.SOLVED, f"Regis can help; it is sure {sure}"))

    def _warm(self) -> Index:
        """The index, open, with what it takes to solve loaded."""
        from regis.candidates.ranking import Ranker
        from regis.index import Index

        if self.index is None:
            self.index = Index.open(self.folder)
            self.index.derived(Ranker)
        return self.index


def _sentence(cause: Exception) -> str:
    if isinstance(cause, RegisError):
        return str(cause)
    return lack(cause) or f"something went wrong that should not ({type(cause).__name__}); try another puzzle"
