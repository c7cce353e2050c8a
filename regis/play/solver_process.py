"""The server's end of the solving process: questions go over, states and answers come back.

Puzzles wait here and go over one at a time, the last opened first. A page keeps asking how far its puzzle is; if no
page asks for `ABANDONED_SECONDS` and others wait, the puzzle is dropped. If the process is lost, for instance to a lack
of memory, the next puzzle or question starts another.
"""

from __future__ import annotations

import itertools
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
from regis.system.parallel.processes import start_with_pipe

LOST_MESSAGE = "the solving process was lost; if that happens again, close other programs or choose a smaller puzzle"
ABANDONED_SECONDS = 15.0  # seconds; a page asks every half second, a background tab every second


class SolverProcess:
    """A process that solves with one index; `states` has each puzzle's progress."""

    def __init__(self, index_folder: Path, solving_seconds: float) -> None:
        self._worker_arguments = index_folder, solving_seconds
        self.states: dict[str, SolvingState] = {}
        self._waiting: dict[str, Puzzle] = {}  # the last opened at the end
        self._solving_id = ""  # of the puzzle being solved
        self._last_asked: dict[str, float] = {}  # monotonic times, by puzzle
        self._request_numbers = itertools.count()
        self._pending_answers: dict[int, tuple[str, Future[dict[str, Any]]]] = {}
        self._lock = threading.Lock()
        self._start()

    def ensure_solving(self, puzzle_id: str, puzzle: Puzzle, retry_failed: bool = False) -> SolvingState:
        """Queue the puzzle unless it's queued or solved, after a failure only on request; return how far it is."""
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
        """Send the last opened puzzle if none that someone waits for is being solved."""
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
        """Ask a question about a solved puzzle; the answer, or a RegisError, comes later."""
        answer: Future[dict[str, Any]] = Future()
        answer.set_running_or_notify_cancel()  # giving up a request doesn't cancel it
        state = self.ensure_solving(puzzle_id, puzzle, retry_failed=True)
        if state.stage is not SolvingStage.SOLVED:
            answer.set_exception(RegisError(f"Regis isn't ready yet: {state.sentence}"))
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
        self.process.join(0.3)  # seconds in which it may end by itself
        self.process.kill()

    def _start(self) -> None:
        self.process, self._pipe = start_with_pipe(run_worker, self._worker_arguments, "regis-solver")
        threading.Thread(target=self._listen, args=(self._pipe,), daemon=True).start()

    def _ensure_running(self) -> None:
        if not self.process.is_alive():
            self._fail_pending()
            self._start()

    def _send(self, message: SolveRequest | DropRequest | AskRequest) -> None:
        with suppress(OSError):  # just lost: the listener will notice
            self._pipe.send(message)

    def _listen(self, pipe: Connection[Any, Any]) -> None:
        try:
            while True:
                self._receive(pipe.recv())
        except (EOFError, OSError, TypeError):  # TypeError: this end was closed
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
        if answer is None:  # it already failed with the process
            return
        if message.answer is not None:
            answer.set_result(message.answer)
            return
        if not message.problem:
            self.states.pop(puzzle_id, None)
        restarted = "Regis must solve this puzzle again; ask again when it's ready"
        answer.set_exception(RegisError(message.problem or restarted))
