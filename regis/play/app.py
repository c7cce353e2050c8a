"""What the server answers: the page with its style and script, puzzles as on paper, one question at a time.

No body is read beyond the size of a puzzle file. Any error is one sentence, as on the command line.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from regis import text
from regis.errors import RegisError, UsageError
from regis.play.file_verdict import FileVerdicts
from regis.play.guard import AccessKey, RequestGuard
from regis.play.messages import Question, SolvingState
from regis.play.open_puzzles import OpenPuzzle, OpenPuzzles, describe_card, describe_puzzle
from regis.play.progress import ENDS, ProgressFiles, SentProgress, list_statistics, summarize
from regis.play.reading_process import MAX_READERS
from regis.play.solver_process import SolverProcess
from regis.puzzle import BLOCK, WHITE, Cell, Puzzle, formats
from regis.puzzle.formats import files
from regis.puzzle.formats.files import MAX_FILE_BYTES, MAX_PAGE_BYTES, max_file_bytes
from regis.puzzle.formats.shared.squares import MAX_SIDE, clean_content
from regis.system.terminal import plain_text

PAGE_FOLDER = Path(__file__).with_name("page")
"""The page, its styles, and its modules. Nothing is filled in, so the page never contains text of a puzzle."""

TOKENS_FILE = PAGE_FOLDER.parent.parent / "render" / "templates" / "tokens.css"
"""The colors, shared with the pages that `render` writes."""

PAGE_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

CONTENT_PATTERN = re.compile("[A-Z0-9/]{1,40}")  # a square's content, in capitals; / separates two that are both right
HTTP_PROBLEMS = {404: "there's nothing at this address", 405: "this address doesn't allow such a request"}
RELOAD_ADVICE = "reload the page"

MAX_COUNT = 10**7  # seconds, changes, or hints; larger numbers are cut off
MARKS = ("right", "wrong", "unknown", "told")
HELPS = ("shown", "lists", "checks", "auto", "all")  # kinds of help that the page counts

CellContents = dict[Cell, str]


class PlayApp:
    """The routes of one server; `stop_server` is called when the page asks the server to end."""

    def __init__(
        self,
        open_puzzles: OpenPuzzles,
        solver_process: SolverProcess,
        stop_server: Callable[[], None],
        progress_files: ProgressFiles | None = None,
    ) -> None:
        self.open_puzzles = open_puzzles
        self.solver_process = solver_process
        self.stop_server = stop_server
        self.file_verdicts = FileVerdicts(open_puzzles.read)
        self.progress_files = progress_files or ProgressFiles(None)
        self._reading: CapacityLimiter | None = None  # belongs to the server's loop

    def build_application(self, access_key: AccessKey, allowed_hosts: Iterable[str]) -> Starlette:
        """Build the application for addresses that start with the key, on these hosts and ports."""
        routes = [
            Route("/", partial(_send_page, "text/html", PAGE_FOLDER / "play.html")),
            *(
                Route(f"/{path.name}", partial(_send_page, PAGE_KINDS[path.suffix], path))
                for path in (TOKENS_FILE, *sorted(PAGE_FOLDER.iterdir()))
                if path.suffix in PAGE_KINDS
            ),
            Route("/puzzles", self.list_puzzles),
            Route("/puzzles", self.open_upload, methods=["POST"]),
            Route("/puzzles/{puzzle_id}", self.send_puzzle),
            Route("/puzzles/{puzzle_id}/state", self.send_state),
            Route("/puzzles/{puzzle_id}/ask/{kind}", self.send_answer, methods=["POST"]),
            Route("/puzzles/{puzzle_id}/save/{format}", self.save_letters, methods=["POST"]),
            Route("/puzzles/{puzzle_id}/pages/{number:int}", self.send_page_picture),
            Route("/puzzles/{puzzle_id}/mend", self.apply_mending, methods=["POST"]),
            Route("/puzzles/{puzzle_id}/progress", self.merge_progress, methods=["POST"]),
            Route("/statistics", self.send_statistics),
            Route("/stop", self.end_server, methods=["POST"]),
        ]
        return Starlette(
            routes=[Mount(f"/{access_key.token}", routes=routes)],
            middleware=[Middleware(RequestGuard, access_key=access_key, allowed_hosts=allowed_hosts)],
            exception_handlers={
                RegisError: lambda request, error: _problem_response(str(error), 400),
                ClientDisconnect: lambda request, error: _problem_response("the connection was lost; try again", 400),
                HTTPException: lambda request, error: _problem_response(
                    HTTP_PROBLEMS.get(error.status_code, error.detail), error.status_code
                ),
                Exception: lambda request, error: _problem_response(
                    "something went wrong in Regis; your letters are saved", 500
                ),
            },
        )

    async def list_puzzles(self, request: Request) -> Response:
        """List the puzzles that can be opened by name."""
        puzzles = self.open_puzzles
        named = await self._read(puzzles.describe_files, puzzles.named_files)
        examples = await self._read(puzzles.describe_files, puzzles.example_files)
        progress = await run_in_threadpool(self.progress_files.read_all)
        begun = [{"id": puzzle_id} | summarize(one) for puzzle_id, one in progress.items()]
        listed = {"named": named, "examples": examples, "begun": begun, "there": puzzles.available_ids}
        return JSONResponse(listed)

    async def open_upload(self, request: Request) -> Response:
        """Open the puzzle file in the body; `?name=` is its name."""
        data = await _read_body(request)
        name = plain_text(PurePath(request.query_params.get("name", "puzzle")).name)[:200] or "puzzle"
        puzzle_file = await self._read(self.open_puzzles.read, files.puzzle_file_of, name, data)
        return await self._send_puzzle(await self._read(self.open_puzzles.open_file, puzzle_file))

    async def send_puzzle(self, request: Request) -> Response:
        """Send the puzzle as on paper, and start solving it."""
        return await self._send_puzzle(await self._find_puzzle(request))

    async def send_state(self, request: Request) -> Response:
        opened = await self._find_puzzle(request)
        start = self.solver_process.ensure_solving
        return JSONResponse(_state_json(await run_in_threadpool(start, opened.puzzle_id, opened.puzzle)))

    async def send_answer(self, request: Request) -> Response:
        """Send the answer to one question: the file's if its solution decides, or else Regis's."""
        opened = await self._find_puzzle(request)
        question = _parse_question(request.path_params["kind"], await _read_json(request), opened.puzzle)
        verdict = await run_in_threadpool(self.file_verdicts.answer_question, opened, question)
        if verdict is not None:
            return JSONResponse(verdict)
        readable = {cell: typed for cell, typed in question.letters.items() if CONTENT_PATTERN.fullmatch(typed)}
        question = replace(question, letters=readable)
        answer = await run_in_threadpool(self.solver_process.ask_question, opened.puzzle_id, opened.puzzle, question)
        return JSONResponse(await asyncio.wrap_future(answer))

    async def save_letters(self, request: Request) -> Response:
        """Send the file with the letters typed; a header says what it can't hold."""
        opened, format = await self._find_puzzle(request), request.path_params["format"]
        letters = _parse_letters(await _read_json(request), opened.puzzle)
        convert = partial(self.open_puzzles.read, formats.convert_file)
        data, lost = await self._read(convert, opened.puzzle_file, format, letters)
        sentences = " ".join(map(plain_text, lost)).encode("ascii", "replace").decode()
        return Response(data, 200, {"X-Regis-Lost": sentences}, "application/octet-stream")

    async def send_page_picture(self, request: Request) -> Response:
        """Send a picture of a page that a puzzle was read from."""
        opened, number = await self._find_puzzle(request), request.path_params["number"]
        if opened.paper is None or number >= opened.paper.confidence.n_pages:
            raise HTTPException(404)
        draw = partial(self.open_puzzles.read, formats.draw_page)
        data, kind = await self._read(draw, opened.puzzle_file, number)
        return Response(data, media_type=kind)

    async def apply_mending(self, request: Request) -> Response:
        """Send what a page says with corrected blocks and clues; once that's done, start solving it."""
        sent, page_id = await _read_json(request), request.path_params["puzzle_id"]
        mended = await self._read(self.open_puzzles.mend_puzzle, page_id, *_parse_mending(sent))
        if sent.get("done"):
            return await self._send_puzzle(self.open_puzzles.hold_open(mended))
        return JSONResponse(await self._describe(mended))

    async def merge_progress(self, request: Request) -> Response:
        """Save what a browser typed; send what the browser doesn't know yet."""
        opened = await self._find_puzzle(request)
        sent = _parse_progress(await _read_json(request), opened.puzzle)
        about = describe_card(opened.puzzle) | {"file": plain_text(PurePath(opened.puzzle_file.name).name)}
        return JSONResponse(await run_in_threadpool(self.progress_files.merge, opened.puzzle_id, about, sent))

    async def send_statistics(self, request: Request) -> Response:
        progress = await run_in_threadpool(self.progress_files.read_all)
        return JSONResponse(list_statistics(progress, date.today()))

    async def end_server(self, request: Request) -> Response:
        """End the server after this answer."""
        self.stop_server()
        return JSONResponse({})

    async def _find_puzzle(self, request: Request) -> OpenPuzzle:
        puzzle_id: str = request.path_params["puzzle_id"]
        opened = self.open_puzzles.find_open(puzzle_id)
        return opened or await self._read(self.open_puzzles.__getitem__, puzzle_id)

    async def _read(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function that may wait for a file, in a separate thread."""
        if self._reading is None:
            self._reading = CapacityLimiter(MAX_READERS)
        return await to_thread.run_sync(partial(function, *arguments), abandon_on_cancel=True, limiter=self._reading)

    async def _describe(self, opened: OpenPuzzle) -> dict[str, Any]:
        bare = opened._replace(puzzle_file=opened.puzzle_file._replace(data=b""))
        described: dict[str, Any] = await self._read(self.open_puzzles.read, describe_puzzle, bare)
        return described

    async def _send_puzzle(self, opened: OpenPuzzle) -> Response:
        start = self.solver_process.ensure_solving
        state = await run_in_threadpool(start, opened.puzzle_id, opened.puzzle, retry_failed=True)
        kinds = await self._read(self.file_verdicts.list_kinds, opened)
        described = await self._describe(opened)
        return JSONResponse(described | {"state": _state_json(state), "judged": kinds})


async def _send_page(kind: str, path: Path, request: Request) -> Response:
    return Response(path.read_bytes(), media_type=kind)


def _state_json(state: SolvingState) -> dict[str, str]:
    return {"stage": state.stage, "said": state.sentence}


def _problem_response(sentence: str, status: int) -> Response:
    return JSONResponse({"problem": plain_text(sentence)}, status)


async def _read_body(request: Request) -> bytes:
    """Read the body up to the size limit of a puzzle file."""
    stated = request.headers.get("content-length", "")
    data = bytearray()
    if not (stated.isdecimal() and int(stated) > MAX_PAGE_BYTES):
        async for chunk in request.stream():
            data += chunk
            if len(data) > max_file_bytes(data):
                break
        else:
            return bytes(data)
    raise HTTPException(413, f"a puzzle file can't have more than {MAX_FILE_BYTES >> 20} MiB; choose another")


async def _read_json(request: Request) -> dict[str, Any]:
    try:
        sent = json.loads(await _read_body(request))
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise UsageError(f"Regis doesn't understand this request; {RELOAD_ADVICE}")
    return sent


def _parse_question(kind: str, sent: dict[str, Any], puzzle: Puzzle) -> Question:
    """Parse a question. Raises UsageError."""
    entry_name = sent.get("entry", "")
    if not isinstance(entry_name, str):
        raise UsageError(f"the request doesn't name its entry properly; {RELOAD_ADVICE}")
    letters = {cell: text.fold_accents(typed).upper() for cell, typed in _parse_letters(sent, puzzle).items()}
    return Question(kind, letters, tuple(_parse_cells(sent.get("cells", []), puzzle)), entry_name)


def _parse_mending(sent: dict[str, Any]) -> tuple[tuple[str, ...], tuple[int, int], dict[str, str]]:
    """Parse a corrected grid, the rows and columns added at its top and left, and typed clues. Raises UsageError."""
    rows, clues, added = sent.get("rows"), sent.get("clues"), sent.get("added", [0, 0])
    if not (
        isinstance(rows, list)
        and 0 < len(rows) <= MAX_SIDE
        and all(isinstance(row, str) and not row.strip(BLOCK + WHITE) for row in rows)
        and {*map(len, rows)} <= {*range(1, MAX_SIDE + 1)}
        and len({*map(len, rows)}) == 1
        and isinstance(added, list)
        and [type(n) for n in added] == [int, int]
        and isinstance(clues, dict)
        and all(isinstance(clue, str) for clue in clues.values())
    ):
        raise UsageError(f"your corrections didn't arrive intact; {RELOAD_ADVICE}")
    return (
        tuple(rows),
        (added[0], added[1]),
        {name: plain_text(clue)[: text.MAX_CLUE_LENGTH] for name, clue in clues.items()},
    )


def _parse_progress(sent: dict[str, Any], puzzle: Puzzle) -> SentProgress:
    """Parse a browser's progress. Raises UsageError."""
    try:
        squares = [
            (row, column, clean_content(str(typed)), bool(pencil), mark if mark in MARKS else "")
            for row, column, typed, pencil, mark in sent["squares"]
        ]
        numbers = [min(max(int(sent[key]), 0), MAX_COUNT) for key in ("since", "seconds", "round")]
        counts = {str(key): min(max(int(n), 0), MAX_COUNT) for key, n in sent["counts"].items() if key in HELPS}
        finished = sent["finished"] if sent["finished"] in ENDS else ""
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise UsageError(f"your progress didn't arrive intact; {RELOAD_ADVICE}") from None
    cells = _parse_cells([square[:2] for square in squares], puzzle)
    since, seconds, n_rounds = numbers
    by_cell = {cell: list(square) for cell, square in zip(cells, squares, strict=True)}
    return SentProgress(since, by_cell, seconds, n_rounds, finished, counts)


def _parse_letters(sent: dict[str, Any], puzzle: Puzzle) -> CellContents:
    """Parse letters, [row, column, content] each. Raises UsageError."""
    try:
        rows = [(row, column, str(typed)) for row, column, typed in sent["letters"]]
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"your letters didn't arrive intact; {RELOAD_ADVICE}") from None
    contents = (clean_content(typed) for *_, typed in rows)
    return {c: x for c, x in zip(_parse_cells([row[:2] for row in rows], puzzle), contents, strict=True) if x}


def _parse_cells(raw: object, puzzle: Puzzle) -> list[Cell]:
    """Parse white squares of the puzzle, [row, column] each. Raises UsageError."""
    white = set(puzzle.grid.cells)
    try:
        cells = [(row, column) for row, column in raw]  # type: ignore[attr-defined]
        if white.issuperset(cells):
            return cells
    except (TypeError, ValueError):
        pass
    raise UsageError(f"the request names a square that isn't in this puzzle; {RELOAD_ADVICE}")
