"""The server's side of the process that solves: what is asked goes over, states and answers come back.

Where that process was lost, as when the system is short of memory, the next puzzle or question starts another.
"""

from __future__ import annotations

import itertools
import multiprocessing
import threading
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from regis.errors import RegisError
from regis.play.messages import Ask, Question, Solve, Stage, State, Told
from regis.play.worker import work
from regis.puzzle import Puzzle
from regis.system import threads
from regis.system.processes import without_ctrl_c

LOST = "the process that solves was lost; if this happens again, close other programs or name a smaller puzzle"
AGAIN = "Regis has to solve this puzzle once more; ask again when it is ready"
PATIENCE = 1.0  # seconds that the process has to end by itself


class Solver:
    """One process with one index; `states` says of each puzzle how far it is."""

    def __init__(self, index: Path, seconds: float) -> None:
        self.how = index, seconds
        self.states: dict[str, State] = {}
        self._numbers = itertools.count()
        self._asked: dict[int, tuple[str, Future[dict[str, Any]]]] = {}
        self._lock = threading.Lock()
        self._start()

    def solve(self, name: str, puzzle: Puzzle, again: bool = False) -> State:
        """Has the puzzle solved if it is not, after a failure only if asked to; how far it is."""
        with self._lock:
            self._live()
            state = self.states.get(name)
            if state is None or (again and state.stage is Stage.FAILED):
                state = self.states[name] = State(name, Stage.WAITING, "waiting for its turn")
                self._send(Solve(name, puzzle))
        return state

    def ask(self, name: str, puzzle: Puzzle, question: Question) -> Future[dict[str, Any]]:
        """The answer, when it comes; or a RegisError."""
        answer: Future[dict[str, Any]] = Future()
        answer.set_running_or_notify_cancel()  # who gives up a request does not cancel it
        state = self.solve(name, puzzle, again=True)
        if state.stage is not Stage.SOLVED:
            answer.set_exception(RegisError(f"Regis is not ready yet: {state.said}"))
            return answer
        with self._lock:
            self._live()
            number = next(self._numbers)
            self._asked[number] = name, answer
            self._send(Ask(number, name, question))
        return answer

    def close(self) -> None:
        """Lets the process end."""
        with suppress(OSError):
            self._pipe.send(None)
        self.process.join(PATIENCE)
        self.process.kill()

    def _start(self) -> None:
        threads.one()
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        self.process = context.Process(target=work, args=(there, *self.how), name="regis-solver", daemon=True)
        with without_ctrl_c():
            self.process.start()
        there.close()
        threading.Thread(target=self._listen, args=(self._pipe,), daemon=True).start()

    def _live(self) -> None:
        """Starts another process where the one that was there is lost."""
        if not self.process.is_alive():
            self._lost()
            self._start()

    def _send(self, message: Solve | Ask) -> None:
        with suppress(OSError):  # lost this very moment: whoever listens finds out
            self._pipe.send(message)

    def _listen(self, pipe: Connection[Any, Any]) -> None:
        """Takes what comes from one process until it ends."""
        try:
            while True:
                self._take(pipe.recv())
        except (EOFError, OSError, TypeError):  # the last where this end was closed
            pass
        with self._lock:
            if pipe is self._pipe:
                self._lost()

    def _lost(self) -> None:
        """Tells who waits for the process that it is lost."""
        self.states = {name: State(name, Stage.FAILED, LOST) for name in self.states}
        asked, self._asked = self._asked, {}
        for _, answer in asked.values():
            answer.set_exception(RegisError(LOST))

    def _take(self, message: State | Told) -> None:
        if isinstance(message, State):
            self.states[message.name] = message
            return
        with self._lock:
            name, answer = self._asked.pop(message.number, ("", None))
        if answer is None:  # it was told that the process is lost
            return
        if message.reply is not None:
            answer.set_result(message.reply)
            return
        if not message.problem:
            self.states.pop(name, None)
        answer.set_exception(RegisError(message.problem or AGAIN))
