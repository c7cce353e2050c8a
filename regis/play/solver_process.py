"""The server's side of the process that solves: what is asked goes over, states and answers come back.

Puzzles wait here, and go over one at a time, the one opened last first. A page that waits asks again and again how far
its puzzle is; a puzzle that no page asked about for `ABANDONED_SECONDS` is dropped where others wait.

Where that process was lost, as when the system is short of memory, the next puzzle or question starts another.
"""

from __future__ import annotations

import itertools
import multiprocessing
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from regis.errors import RegisError
from regis.play.messages import AskRequest, AskResponse, DropRequest, Question, SolveRequest, SolvingStage, SolvingState
from regis.play.worker import run_worker
from regis.puzzle import Puzzle
from regis.system import process
from regis.system.parallel.processes import without_ctrl_c

LOST_MESSAGE = "the process that solves was lost; if this happens again, close other programs or name a smaller puzzle"
RESTARTED_MESSAGE = "Regis must solve this puzzle again; ask again when it is ready"
ABANDONED_SECONDS = 15.0  # seconds; a page asks every half second, a tab in the background every second
EXIT_SECONDS = 0.3  # seconds that the process has to end by itself


class SolverProcess:
    """A process that solves with one index; `states` says how far each puzzle is."""

    def __init__(self, index_folder: Path, solving_seconds: float) -> None:
        self._worker_arguments = index_folder, solving_seconds
        self.states: dict[str, SolvingState] = {}
        self._waiting: dict[str, Puzzle] = {}  # the one opened last at the end
        self._solving_id = ""  # of the puzzle that was sent over
        self._last_asked: dict[str, float] = {}  # by the clock, of each puzzle
        self._request_numbers = itertools.count()
        self._pending_answers: dict[int, tuple[str, Future[dict[str, Any]]]] = {}
        self._lock = threading.Lock()
        self._start()

    def ensure_solving(self, puzzle_id: str, puzzle: Puzzle, retry_failed: bool = False) -> SolvingState:
        """Queue the puzzle unless it is queued or solved, after a failure only if told to; return how far it is."""
        with self._lock:
            self._ensure_running()
            self._last_asked[puzzle_id] = time.monotonic()
            state = self.states.get(puzzle_id)
            if state is None or (retry_failed and state.stage in (SolvingStage.FAILED, SolvingStage.WAITING)):
                state = self.states[puzzle_id] = SolvingState(puzzle_id, SolvingStage.WAITING, "waiting for its turn")
                if puzzle_id != self._solving_id:
                    self._waiting.pop(puzzle_id, None)
                    self._waiting[puzzle_id] = puzzle
            self._solve_next()
        return state

    def _solve_next(self) -> None:
        """Send the puzzle over that was opened last, if none is solved now that somebody waits for."""
        for puzzle_id in [one for one in self._waiting if self._is_abandoned(one)]:
            del self._waiting[puzzle_id], self.states[puzzle_id]
        if self._waiting and not self._solving_id:
            self._solving_id, puzzle = self._waiting.popitem()
            self._send(SolveRequest(self._solving_id, puzzle))
        elif self._waiting and self._is_abandoned(self._solving_id):
            self._send(DropRequest(self._solving_id))

    def _is_abandoned(self, puzzle_id: str) -> bool:
        return time.monotonic() - self._last_asked[puzzle_id] > ABANDONED_SECONDS

    def ask_question(self, puzzle_id: str, puzzle: Puzzle, question: Question) -> Future[dict[str, Any]]:
        """Ask a question of a solved puzzle; the answer, or a RegisError, comes later."""
        answer: Future[dict[str, Any]] = Future()
        answer.set_running_or_notify_cancel()  # who gives up a request does not cancel it
        state = self.ensure_solving(puzzle_id, puzzle, retry_failed=True)
        if state.stage is not SolvingStage.SOLVED:
            answer.set_exception(RegisError(f"Regis is not ready yet: {state.sentence}"))
            return answer
        with self._lock:
            self._ensure_running()
            number = next(self._request_numbers)
            self._pending_answers[number] = puzzle_id, answer
            self._send(AskRequest(number, puzzle_id, question))
        return answer

    def close(self) -> None:
        """End the process."""
        with suppress(OSError):
            self._pipe.send(None)
        self.process.join(EXIT_SECONDS)
        self.process.kill()

    def _start(self) -> None:
        process.use_one_thread()
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        arguments = (there, *self._worker_arguments)
        self.process = context.Process(target=run_worker, args=arguments, name="regis-solver", daemon=True)
        with without_ctrl_c():
            self.process.start()
        there.close()
        threading.Thread(target=self._listen, args=(self._pipe,), daemon=True).start()

    def _ensure_running(self) -> None:
        if not self.process.is_alive():
            self._fail_pending()
            self._start()

    def _send(self, message: SolveRequest | DropRequest | AskRequest) -> None:
        with suppress(OSError):  # lost this very moment: whoever listens finds out
            self._pipe.send(message)

    def _listen(self, pipe: Connection[Any, Any]) -> None:
        try:
            while True:
                self._receive(pipe.recv())
        except (EOFError, OSError, TypeError):  # the last where this end was closed
            pass
        with self._lock:
            if pipe is self._pipe:
                self._fail_pending()

    def _fail_pending(self) -> None:
        self._waiting, self._solving_id = {}, ""
        self.states = {one: SolvingState(one, SolvingStage.FAILED, LOST_MESSAGE) for one in self.states}
        pending, self._pending_answers = self._pending_answers, {}
        for _, answer in pending.values():
            answer.set_exception(RegisError(LOST_MESSAGE))

    def _receive(self, message: SolvingState | AskResponse) -> None:
        if isinstance(message, SolvingState):
            with self._lock:
                self.states[message.puzzle_id] = message
                is_over = message.stage in (SolvingStage.SOLVED, SolvingStage.FAILED)
                if is_over and message.puzzle_id == self._solving_id:
                    self._solving_id = ""
                    self._solve_next()
            return
        with self._lock:
            puzzle_id, answer = self._pending_answers.pop(message.request_number, ("", None))
        if answer is None:  # it was told that the process is lost
            return
        if message.answer is not None:
            answer.set_result(message.answer)
            return
        if not message.problem:
            self.states.pop(puzzle_id, None)
        answer.set_exception(RegisError(message.problem or RESTARTED_MESSAGE))
