"""The process next to the server: it solves one puzzle after another and answers questions in the meantime.

Messages use a pipe. When the server ends, for any reason, the pipe ends, and so does this process.
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
from regis.play.messages import AskRequest, AskResponse, DropRequest, SolveRequest, SolvingStage, SolvingState
from regis.puzzle import Puzzle
from regis.system.os_errors import describe_shortage

if TYPE_CHECKING:
    from regis.index import Index
    from regis.play.session import SolvedSession


def run_worker(pipe: Connection, index_folder: Path, solving_seconds: float) -> None:
    """Serve one pipe until it ends or sends None."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the pipe
    worker = PuzzleWorker(pipe, index_folder, solving_seconds)
    threading.Thread(target=worker.solve_queued, daemon=True).start()
    with suppress(EOFError, OSError), ThreadPoolExecutor(4) as answering:  # a slow one doesn't delay others
        while message := pipe.recv():
            if isinstance(message, SolveRequest):
                worker.solve_requests.put(message)
            elif isinstance(message, DropRequest):
                worker.dropped_id = message.puzzle_id
            else:
                answering.submit(worker.answer_request, message)


class PuzzleWorker:
    def __init__(self, pipe: Connection, index_folder: Path, solving_seconds: float) -> None:
        self.pipe = pipe
        self.index_folder = index_folder
        self.solving_seconds = solving_seconds
        self.index: Index | None = None
        self.solve_requests: queue.SimpleQueue[SolveRequest] = queue.SimpleQueue()
        self.dropped_id = ""  # the puzzle that no page asks about
        self.sessions: OrderedDict[str, SolvedSession] = OrderedDict()
        self.send_lock = threading.Lock()

    def send_message(self, message: SolvingState | AskResponse) -> None:
        """Send a message to the server, one at a time."""
        with self.send_lock, suppress(OSError):  # the server is gone: the pipe will end
            self.pipe.send(message)

    def answer_request(self, request: AskRequest) -> None:
        from regis.play.questions import answer_question

        session = self.sessions.get(request.puzzle_id)
        with suppress(KeyError):  # the puzzle asked about last is forgotten last
            self.sessions.move_to_end(request.puzzle_id)
        try:
            answer = answer_question(session, request.question) if session else None
            self.send_message(AskResponse(request.request_number, answer))
        except Exception as cause:  # one question can't break the others
            self.send_message(AskResponse(request.request_number, problem=_explain_failure(cause)))

    def solve_queued(self) -> None:
        """Solve the puzzles in the queue for as long as the process lives."""
        with suppress(Exception):  # the first puzzle will report the error
            self._open_index()
        while True:
            puzzle_id, puzzle = self.solve_requests.get()
            self.dropped_id = ""
            try:
                self._solve(puzzle_id, puzzle)
            except Exception as cause:  # one puzzle can't break the others
                self.send_message(SolvingState(puzzle_id, SolvingStage.FAILED, _explain_failure(cause)))

    def _solve(self, puzzle_id: str, puzzle: Puzzle) -> None:
        from regis.play.session import SolvedSession
        from regis.solving.pipeline import solve

        def tell(sentence: str, stage: SolvingStage = SolvingStage.SOLVING) -> None:
            if puzzle_id == self.dropped_id:
                raise RegisError("solving stopped because you opened another puzzle; open this one again")
            self.send_message(SolvingState(puzzle_id, stage, sentence))

        if puzzle_id not in self.sessions:
            tell("opening the index")
            index = self._open_index()
            tell("looking up the clues")
            solved = solve(
                replace(puzzle, given={}), index, seconds=self.solving_seconds,
                watch=lambda done, letters: tell(f"weighing the crossings, {done}"),
            )  # fmt: skip
            reader = index.cross_encoder
            self.sessions[puzzle_id] = SolvedSession(solved, segment=reader.segment if reader else str)
            while len(self.sessions) > 8:  # 100 MB for each hard one, 150 for a Sunday
                self.sessions.popitem(last=False)
        tell("Regis can help", SolvingStage.SOLVED)

    def _open_index(self) -> Index:
        from regis.candidates.ranking.ranker import Ranker
        from regis.index import Index

        if self.index is None:
            self.index = Index.open(self.index_folder)
            self.index.get_cached(Ranker)
        return self.index


def _explain_failure(cause: Exception) -> str:
    if isinstance(cause, RegisError):
        return str(cause)
    return describe_shortage(cause) or f"something went wrong in Regis ({type(cause).__name__}); try another puzzle"
