"""Connections that begin a request and do not end it: closed after a while, and at once where an address has many.

uvicorn waits without end for the rest of a header, and counts who waits among the connections that it serves at once,
so that another program could lock everybody out.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

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
