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
from regis.play.app import App
from regis.play.guard import ONCE, Key
from regis.play.shelf import Shelf
from regis.play.solver import Solver
from regis.puzzle.formats import PuzzleFile

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
PORT, NEXT = 8749, 8
"""The port where nobody names one: any that few others use, but always the same, since a browser keeps what was typed
by address and port. Where another Regis has it, one of so many that follow."""

PLAIN = 80  # the port that browsers leave out of addresses

AT_ONCE = 64  # connections; whoever comes beyond is told to come again
SILENT = logging.CRITICAL + 1  # who is refused or hangs up is nothing that the person at the terminal must read
GRACE = 1  # seconds that answers have which are on their way when the server ends


@dataclass(frozen=True)
class Plan:
    """What to serve: puzzles that are named, an index, the seconds a puzzle may take; `port` None is any."""

    files: Sequence[PuzzleFile]
    index: Path
    seconds: float
    port: int | None = None


def serve(plan: Plan, ready: Callable[[str, str, bool], object]) -> None:
    """Serves until it is ended by the page or by Ctrl-C; raises UsageError for a port that cannot be had.

    `ready` gets two addresses as soon as a browser may ask: one that stays good, and one that is good once; and whether
    the port is not the usual one, though nobody named another.
    """
    with closing(_bound(plan.port)) as bound:
        key, port = Key(), bound.getsockname()[1]
        solver = Solver(plan.index, plan.seconds)
        try:
            app = App(Shelf(plan.files), solver, lambda: setattr(server, "should_exit", True))
            how = uvicorn.Config(
                app.guarded(key, [*(f"{name}:{port}" for name in NAMES), *(NAMES if port == PLAIN else ())]),
                http="h11", loop="asyncio", ws="none", lifespan="off",
                log_config=None, log_level=SILENT, access_log=False, server_header=False,
                limit_concurrency=AT_ONCE, timeout_graceful_shutdown=GRACE,
            )  # fmt: skip
            server = uvicorn.Server(how)
            elsewhere = plan.port is None and port != PORT
            ready(f"http://{HOST}:{port}/{key.token}/", f"http://{HOST}:{port}/{ONCE}/{key.ticket}", elsewhere)
            server.run([bound])
        finally:
            solver.close()


def _bound(port: int | None) -> socket.socket:
    """A socket that listens on a port of this machine alone: the one that is named, `PORT` or one behind it, or any."""
    for number in (port,) if port else (*range(PORT, PORT + 1 + NEXT), 0):
        bound = socket.socket()
        try:
            if os.name == "posix":  # elsewhere it would share the port with another program
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((HOST, number))
            bound.listen()
            return bound
        except (OSError, OverflowError) as cause:
            bound.close()
            why = getattr(cause, "strerror", None) or "there is no such port"
    raise UsageError(f"port {port} cannot be used ({why}); name another with --port, or none for any that is free")
