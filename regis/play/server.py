"""The server of `regis play`: one address on this machine, from binding a port until someone ends it.

To play on a phone, you get a second address in your own network, with the same guards, unless the internet can reach
the machine at that address. uvicorn waits forever for the rest of a header and counts such connections among those it
serves, so another program could lock everyone out. So connections that send no whole header are closed after a while.
If one address has many of them, they are closed at once, so that one phone doesn't lock out another.
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

HEADER_SECONDS = 10.0  # seconds for a header; a browser sends it in one piece
MAX_CONNECTIONS = 64  # connections; further ones are asked to try again
MAX_WAITING = MAX_CONNECTIONS // 2  # connections without a whole header; one more closes the oldest
MAX_WAITING_PER_ADDRESS = MAX_WAITING // 2  # browsers open six


class ImpatientProtocol(H11Protocol):  # type: ignore[misc]  # uvicorn's types aren't followed
    """A connection that closes if its next header doesn't arrive in time."""

    header_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Start waiting for the first header."""
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
        """Take what arrived, and wait for the rest of an incomplete header."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._await_header()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
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
"""The default port: rarely used by others, and always the same, since a browser stores letters by address and port."""

FOLLOWING_PORTS = 8  # ports to try if another Regis has that one

HTTP_PORT = 80  # browsers leave this port out of addresses
OUTSIDE_HOST = "192.0.2.1"
"""A reserved address (RFC 5737). Asking how to reach it shows this machine's own address and sends no packet."""


@dataclass(frozen=True)
class ServerPlan:
    """What to serve: named puzzles, an index, the time limit per puzzle; `port` None is any."""

    puzzle_files: Sequence[PuzzleFile]
    index_folder: Path
    solving_seconds: float
    port: int | None = None
    is_in_network: bool = False  # whether other machines in your network may connect


class PageAddresses(NamedTuple):
    usual: str  # works for as long as the server runs
    ticket: str  # works once
    network: str  # for other machines in the network; '' for none
    is_elsewhere: bool  # whether the default port was taken


def serve_page(plan: ServerPlan, on_ready: Callable[[PageAddresses], object]) -> None:
    """Serve until the page or Ctrl-C ends it. Raises UsageError for an unavailable port or network.

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
            log_config=None, log_level=logging.CRITICAL + 1, access_log=False, server_header=False,
            limit_concurrency=MAX_CONNECTIONS, timeout_graceful_shutdown=0.5,
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
    """Find this machine's address in its own network. Raises UsageError if it has none or a public one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((OUTSIDE_HOST, HTTP_PORT))
        except OSError as cause:
            raise UsageError("this machine isn't in a network; connect it to yours, or leave out --lan") from cause
        host: str = probe.getsockname()[0]
    if ipaddress.ip_address(host).is_global:
        raise UsageError(f"this machine's address, {host}, is open to the internet; --lan is for your own network")
    return host


def _find_folder() -> Path | None:
    """Return the folder for files and progress; None if there's no home folder."""
    try:
        return paths.data_folder() / FOLDER_NAME
    except UsageError:
        return None


def _bind_port(port: int | None) -> socket.socket:
    """Listen, on this machine only, on the named port, on `DEFAULT_PORT` or one of the next, or on any."""
    for number in () if port else range(DEFAULT_PORT, DEFAULT_PORT + 1 + FOLLOWING_PORTS):
        with suppress(UsageError):
            return _listen(LOOPBACK_HOST, number)
    return _listen(LOOPBACK_HOST, port or 0)


def _listen(host: str, port: int) -> socket.socket:
    """Listen at an address. Raises UsageError."""
    bound = socket.socket()
    try:
        if os.name == "posix":  # on Windows, this would share the port with another program
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen()
        return bound
    except (OSError, OverflowError) as cause:
        bound.close()
        why = getattr(cause, "strerror", None) or "there's no such port"
        raise UsageError(
            f"port {port} can't be used ({why}); choose another with --port, or leave it out to use any free one"
        ) from cause
