"""The server of `regis play`: one address on this machine alone, from when it is bound until somebody ends it.

A person who wants to play on a phone gets a second address in their own network, with the same guards. A machine that
the internet can reach by its address gets none. uvicorn waits forever for the rest of a header, and counts such
connections among those that it serves at once, so that another program could lock everybody out. So connections that
send no whole header are closed after a while, and at once where an address has many.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from regis.errors import UsageError
from regis.play.app import PlayApp
from regis.play.guard import TICKET_PREFIX, AccessKey
from regis.play.open_puzzles import FOLDER_NAME, KeptFiles, OpenPuzzles
from regis.play.progress import ProgressFiles
from regis.play.reading_process import FileReader
from regis.play.solver_process import SolverProcess
from regis.puzzle.formats import PuzzleFile
from regis.system import paths

HEADER_SECONDS = 10.0  # seconds that a header may take; a browser sends it in one piece
MAX_WAITING = 32  # connections without a whole header, half of all that are served; one more closes the oldest
MAX_WAITING_PER_ADDRESS = 16  # of one address; browsers open six


class ImpatientProtocol(H11Protocol):  # type: ignore[misc]  # uvicorn's types are not followed
    """A connection that is closed where its next header does not come."""

    header_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for the first header."""
        super().connection_made(transport)
        self._await_header()
        waiting = [one for one in self.connections if one.header_timer]
        same = [one for one in waiting if one.client and self.client and one.client[0] == self.client[0]]
        if len(same) > MAX_WAITING_PER_ADDRESS or len(waiting) > MAX_WAITING:
            crowd = same if len(same) > MAX_WAITING_PER_ADDRESS else waiting
            oldest = min(crowd, key=lambda one: one.header_timer.when())
            oldest._stop_waiting()
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take what came; of a header that is not whole, wait for the rest."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._await_header()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_header(self) -> None:
        if self.header_timer is None:
            self.header_timer = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self.header_timer is not None:
            self.header_timer.cancel()
            self.header_timer = None


LOOPBACK_HOST = "127.0.0.1"
HOST_NAMES = (LOOPBACK_HOST, "localhost")
DEFAULT_PORT = 8749
"""The port where nobody names one: any that few others use, but always the same, since a browser keeps what was typed
by address and port."""

FOLLOWING_PORTS = 8  # where another Regis has that port, one of so many that follow

HTTP_PORT = 80  # the port that browsers leave out of addresses
OUTSIDE_HOST = "192.0.2.1"
"""An address that is nobody's (RFC 5737). To know by which of its own addresses this machine would go out takes no
packet."""

MAX_CONNECTIONS = 64  # connections; whoever comes beyond is told to come again
SILENT_LOG_LEVEL = logging.CRITICAL + 1  # nobody at the terminal must read of who is refused or hangs up
SHUTDOWN_SECONDS = 0.5  # seconds that answers have which are on their way when the server ends


@dataclass(frozen=True)
class ServerPlan:
    """What to serve: puzzles that are named, an index, the seconds a puzzle may take; `port` None is any."""

    puzzle_files: Sequence[PuzzleFile]
    index_folder: Path
    solving_seconds: float
    port: int | None = None
    is_in_network: bool = False  # whether other machines of the person's network may come


class PageAddresses(NamedTuple):
    """Where the page is."""

    usual: str  # stays good
    ticket: str  # good once
    network: str  # for other machines of the network; '' for none
    is_elsewhere: bool  # whether the port is not the usual one, though nobody named another


def serve_page(plan: ServerPlan, on_ready: Callable[[PageAddresses], object]) -> None:
    """Serve until the page or Ctrl-C ends it; raises UsageError for a port or a network that cannot be had.

    `on_ready` gets the addresses as soon as a browser may ask.
    """
    with ExitStack() as stack:
        bound = stack.enter_context(closing(_bind_port(plan.port)))
        access_key, port = AccessKey(), bound.getsockname()[1]
        names, sockets = list(HOST_NAMES), [bound]
        if plan.is_in_network:
            names.append(find_network_host())
            sockets.append(stack.enter_context(closing(_listen(names[-1], port))))
        hosts = [*(f"{name}:{port}" for name in names), *(names if port == HTTP_PORT else ())]
        solver_process = SolverProcess(plan.index_folder, plan.solving_seconds)
        stack.callback(solver_process.close)
        file_reader = FileReader()
        stack.callback(file_reader.close)
        folder = _find_folder()
        open_puzzles = OpenPuzzles(plan.puzzle_files, KeptFiles(folder) if folder else None, file_reader.call)
        app = PlayApp(open_puzzles, solver_process, lambda: setattr(server, "should_exit", True), ProgressFiles(folder))
        config = uvicorn.Config(
            app.build_application(access_key, hosts),
            http=ImpatientProtocol, loop="asyncio", ws="none", lifespan="off",
            log_config=None, log_level=SILENT_LOG_LEVEL, access_log=False, server_header=False,
            limit_concurrency=MAX_CONNECTIONS, timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )  # fmt: skip
        server = uvicorn.Server(config)
        own, *others = [f"http://{name}:{port}" for name in (LOOPBACK_HOST, *names[len(HOST_NAMES) :])]
        on_ready(
            PageAddresses(
                f"{own}/{access_key.token}/",
                f"{own}/{TICKET_PREFIX}/{access_key.ticket}",
                "".join(f"{other}/{access_key.token}/" for other in others),
                plan.port is None and port != DEFAULT_PORT,
            )
        )
        server.run(sockets)


def find_network_host() -> str:
    """Find this machine's address in its own network; raises UsageError where there is none but the internet's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((OUTSIDE_HOST, HTTP_PORT))
        except OSError as cause:
            raise UsageError("this machine is in no network; connect it to yours, or leave --lan out") from cause
        host: str = probe.getsockname()[0]
    if ipaddress.ip_address(host).is_global:
        raise UsageError(f"this machine's address, {host}, is open to the internet; --lan is for a network of your own")
    return host


def _find_folder() -> Path | None:
    """Return the folder for files and progress; None if there is no home folder."""
    try:
        return paths.data_folder() / FOLDER_NAME
    except UsageError:
        return None


def _bind_port(port: int | None) -> socket.socket:
    """Listen on a port of this machine alone: the one named, `DEFAULT_PORT` or one behind it, or any."""
    for number in () if port else range(DEFAULT_PORT, DEFAULT_PORT + 1 + FOLLOWING_PORTS):
        with suppress(UsageError):
            return _listen(LOOPBACK_HOST, number)
    return _listen(LOOPBACK_HOST, port or 0)


def _listen(host: str, port: int) -> socket.socket:
    """Listen at an address. Raises UsageError where that cannot be."""
    bound = socket.socket()
    try:
        if os.name == "posix":  # elsewhere it would share the port with another program
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen()
        return bound
    except (OSError, OverflowError) as cause:
        bound.close()
        why = getattr(cause, "strerror", None) or "there is no such port"
        raise UsageError(
            f"port {port} cannot be used ({why}); name another with --port, or none for any that is free"
        ) from cause
