"""The server of `regis play`: one address on this machine alone, from when it is bound until somebody ends it."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from regis.errors import UsageError
from regis.play.app import PlayApp
from regis.play.connections import ImpatientProtocol
from regis.play.guard import TICKET_PREFIX, AccessKey
from regis.play.kept_files import FOLDER_NAME, KeptFiles
from regis.play.open_puzzles import OpenPuzzles
from regis.play.solver_process import SolverProcess
from regis.puzzle.formats import PuzzleFile
from regis.system import paths

LOOPBACK_HOST = "127.0.0.1"
HOST_NAMES = (LOOPBACK_HOST, "localhost")
DEFAULT_PORT = 8749
"""The port where nobody names one: any that few others use, but always the same, since a browser keeps what was typed
by address and port."""

FOLLOWING_PORTS = 8  # where another Regis has that port, one of so many that follow

HTTP_PORT = 80  # the port that browsers leave out of addresses
MAX_CONNECTIONS = 64  # connections; whoever comes beyond is told to come again
SILENT_LOG_LEVEL = logging.CRITICAL + 1  # nobody at the terminal must read of who is refused or hangs up
SHUTDOWN_SECONDS = 1  # seconds that answers have which are on their way when the server ends


@dataclass(frozen=True)
class ServerPlan:
    """What to serve: puzzles that are named, an index, the seconds a puzzle may take; `port` None is any."""

    puzzle_files: Sequence[PuzzleFile]
    index_folder: Path
    solving_seconds: float
    port: int | None = None


def serve_page(plan: ServerPlan, on_ready: Callable[[str, str, bool], object]) -> None:
    """Serve until the page or Ctrl-C ends it; raises UsageError for a port that cannot be had.

    `on_ready` gets two addresses as soon as a browser may ask, one that stays good and one that is good once, and
    whether the port is not the usual one, though nobody named another.
    """
    with closing(_bind_port(plan.port)) as bound:
        access_key, port = AccessKey(), bound.getsockname()[1]
        hosts = [*(f"{name}:{port}" for name in HOST_NAMES), *(HOST_NAMES if port == HTTP_PORT else ())]
        solver_process = SolverProcess(plan.index_folder, plan.solving_seconds)
        try:
            open_puzzles = OpenPuzzles(plan.puzzle_files, _find_kept_files())
            app = PlayApp(open_puzzles, solver_process, lambda: setattr(server, "should_exit", True))
            config = uvicorn.Config(
                app.build_application(access_key, hosts),
                http=ImpatientProtocol, loop="asyncio", ws="none", lifespan="off",
                log_config=None, log_level=SILENT_LOG_LEVEL, access_log=False, server_header=False,
                limit_concurrency=MAX_CONNECTIONS, timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            )  # fmt: skip
            server = uvicorn.Server(config)
            elsewhere = plan.port is None and port != DEFAULT_PORT
            origin = f"http://{LOOPBACK_HOST}:{port}"
            on_ready(f"{origin}/{access_key.token}/", f"{origin}/{TICKET_PREFIX}/{access_key.ticket}", elsewhere)
            server.run([bound])
        finally:
            solver_process.close()


def _find_kept_files() -> KeptFiles | None:
    """Return where opened files are kept; None where there is no home for them."""
    try:
        return KeptFiles(paths.data_folder() / FOLDER_NAME)
    except UsageError:
        return None


def _bind_port(port: int | None) -> socket.socket:
    """Listen on a port of this machine alone: the one named, `DEFAULT_PORT` or one behind it, or any."""
    for number in (port,) if port else (*range(DEFAULT_PORT, DEFAULT_PORT + 1 + FOLLOWING_PORTS), 0):
        bound = socket.socket()
        try:
            if os.name == "posix":  # elsewhere it would share the port with another program
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((LOOPBACK_HOST, number))
            bound.listen()
            return bound
        except (OSError, OverflowError) as cause:
            bound.close()
            why = getattr(cause, "strerror", None) or "there is no such port"
    raise UsageError(f"port {port} cannot be used ({why}); name another with --port, or none for any that is free")
