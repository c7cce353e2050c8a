"""What the server answers: the page with its style and script, puzzles as they stand on paper, one question at a time.

Every body is read up to `MAX_BYTES` and no further. Whatever cannot be done is one sentence, as on the command line.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from regis import text
from regis.errors import RegisError, UsageError
from regis.play.guard import Guard, Key
from regis.play.messages import Question, State
from regis.play.shelf import Opened, Shelf, listed, on_paper
from regis.play.solver import Solver
from regis.puzzle import Cell, Puzzle, formats
from regis.puzzle.formats import files
from regis.puzzle.formats.document import content
from regis.puzzle.formats.files import MAX_BYTES
from regis.system.terminal import plain

PAGE = {
    "/": ("play.html", "text/html"),
    "/play.css": ("play.css", "text/css"),
    "/play.js": ("play.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
"""The page, in the folder `page`: nothing is filled in, so that no text of a puzzle is ever part of it."""

CONTENT = re.compile("[A-Z0-9/]{1,40}")  # what a square may hold, in capitals; / parts two that are both right
SAID = {404: "there is nothing at this address", 405: "this address takes no such request"}
RELOAD = "load the page again"
BUG = "something went wrong in Regis that should not; what you typed is kept"
LONGEST_NAME = 200  # characters of a file's name that are kept

Letters = dict[Cell, str]


class App:
    """The routes of one server. `stop` is called when the page asks the server to end."""

    def __init__(self, shelf: Shelf, solver: Solver, stop: Callable[[], None]) -> None:
        self.shelf, self.solver, self.stop = shelf, solver, stop

    def guarded(self, key: Key, hosts: Iterable[str]) -> Starlette:
        """The application for all addresses that begin with the key, on these hosts with their ports."""
        routes = [
            *(Route(path, partial(_page, kind, name)) for path, (name, kind) in PAGE.items()),
            Route("/puzzles", self.puzzles),
            Route("/puzzles", self.upload, methods=["POST"]),
            Route("/puzzles/{name}", self.puzzle),
            Route("/puzzles/{name}/state", self.state),
            Route("/puzzles/{name}/ask/{what}", self.ask, methods=["POST"]),
            Route("/puzzles/{name}/save/{format}", self.save, methods=["POST"]),
            Route("/stop", self.end, methods=["POST"]),
        ]
        return Starlette(
            routes=[Mount(f"/{key.token}", routes=routes)],
            middleware=[Middleware(Guard, key=key, hosts=hosts)],
            exception_handlers={
                RegisError: lambda request, error: _problem(str(error), 400),
                ClientDisconnect: lambda request, error: _problem("the connection was lost", 400),
                HTTPException: _http_problem,
                Exception: lambda request, error: _problem(BUG, 500),
            },
        )

    async def puzzles(self, request: Request) -> Response:
        """What can be opened by name."""
        named, examples = await run_in_threadpool(lambda: [listed(x) for x in (self.shelf.named, self.shelf.examples)])
        return JSONResponse({"named": named, "examples": examples, "there": self.shelf.names})

    async def upload(self, request: Request) -> Response:
        """Opens the puzzle file in the body; `?name=` is what it is called."""
        data = await _body(request)
        name = plain(PurePath(request.query_params.get("name", "puzzle")).name)[:LONGEST_NAME] or "puzzle"
        return await self._told(await run_in_threadpool(self.shelf.open, files.of_bytes(name, data)))

    async def puzzle(self, request: Request) -> Response:
        return await self._told(await self._opened(request))

    async def state(self, request: Request) -> Response:
        """How far the solving is."""
        opened = await self._opened(request)
        return JSONResponse(_state(await run_in_threadpool(self.solver.solve, opened.name, opened.puzzle)))

    async def ask(self, request: Request) -> Response:
        """One answer to one question."""
        opened = await self._opened(request)
        question = _question(request.path_params["what"], await _json(request), opened.puzzle)
        answer = await run_in_threadpool(self.solver.ask, opened.name, opened.puzzle, question)
        return JSONResponse(await asyncio.wrap_future(answer))

    async def save(self, request: Request) -> Response:
        """The file with the person's letters. What was lost on the way is told in a header."""
        opened, format = await self._opened(request), request.path_params["format"]
        letters = _letters(await _json(request), opened.puzzle)
        data, lost = await run_in_threadpool(formats.written, opened.file, format, letters)
        said = " ".join(map(plain, lost)).encode("ascii", "replace").decode()
        return Response(data, 200, {"X-Regis-Lost": said}, "application/octet-stream")

    async def end(self, request: Request) -> Response:
        self.stop()
        return JSONResponse({})

    async def _opened(self, request: Request) -> Opened:
        name: str = request.path_params["name"]
        opened: Opened = await run_in_threadpool(self.shelf.__getitem__, name)
        return opened

    async def _told(self, opened: Opened) -> Response:
        state = await run_in_threadpool(self.solver.solve, opened.name, opened.puzzle, again=True)
        return JSONResponse(on_paper(opened) | {"state": _state(state)})


async def _page(kind: str, name: str, request: Request) -> Response:
    return Response(Path(__file__).with_name("page").joinpath(name).read_bytes(), media_type=kind)


def _state(state: State) -> dict[str, str]:
    return {"stage": state.stage, "said": state.said}


def _problem(sentence: str, status: int) -> Response:
    return JSONResponse({"problem": plain(sentence)}, status)


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "it is registered for these"
    return _problem(SAID.get(error.status_code, error.detail), error.status_code)


async def _body(request: Request) -> bytes:
    """The body, if it is no larger than `MAX_BYTES`; else nothing more of it is read."""
    stated = request.headers.get("content-length", "")
    data = bytearray()
    if not (stated.isdecimal() and int(stated) > MAX_BYTES):
        async for chunk in request.stream():
            data += chunk
            if len(data) > MAX_BYTES:
                break
        else:
            return bytes(data)
    raise HTTPException(413, f"this is larger than {MAX_BYTES >> 20} MiB, which no puzzle is; choose another file")


async def _json(request: Request) -> dict[str, Any]:
    try:
        found = json.loads(await _body(request))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UsageError(f"what was asked makes no sense; {RELOAD}")
    return found


def _question(what: str, asked: dict[str, Any], puzzle: Puzzle) -> Question:
    """Raises UsageError. Letters that no answer has are not asked about."""
    entry = asked.get("entry", "")
    if not isinstance(entry, str):
        raise UsageError(f"the entry that was asked about has no name; {RELOAD}")
    letters = {cell: text.fold(typed).upper() for cell, typed in _letters(asked, puzzle).items()}
    known = {cell: typed for cell, typed in letters.items() if CONTENT.fullmatch(typed)}
    return Question(what, known, tuple(_cells(asked.get("cells", []), puzzle)), entry)


def _letters(asked: dict[str, Any], puzzle: Puzzle) -> Letters:
    """What the person has written, square by square: [row, column, content] each. Raises UsageError."""
    try:
        rows = [(row, column, str(typed)) for row, column, typed in asked["letters"]]
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"the letters were not sent as they should be; {RELOAD}") from None
    contents = (content(typed) for *_, typed in rows)
    return {c: x for c, x in zip(_cells([row[:2] for row in rows], puzzle), contents, strict=True) if x}


def _cells(raw: object, puzzle: Puzzle) -> list[Cell]:
    """White squares of the puzzle, [row, column] each. Raises UsageError."""
    white = set(puzzle.grid.cells)
    try:
        cells = [(row, column) for row, column in raw]  # type: ignore[attr-defined]
        if white.issuperset(cells):
            return cells
    except (TypeError, ValueError):
        pass
    raise UsageError(f"a square that was asked about is not in this puzzle; {RELOAD}")
