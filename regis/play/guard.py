"""Who may talk to the server: only a page that it served itself, in a browser of whoever started it.

Three things keep others out. A token that nobody guesses begins every address, so that other sites and other users of
the machine have none. The `Host` has to be this server's own, so that no site can pass its name off as ours (DNS
rebinding). And what asks or changes anything must come from a page of ours, by its `Origin`. The page itself may load
and ask nothing but this server: that is its Content-Security-Policy.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""What every answer tells the browser."""

STRANGER = "This is Regis, which talks to its own page only. Open the whole address that `regis play` prints.\n"
TAKEN = "This address opens the page once. Open the one that `regis play` prints.\n"
READING = ("GET", "HEAD")
ONCE = "once"  # the first part of an address that is good for one visit


@dataclass
class Key:
    """What begins every address of one server, and a ticket to it that is good once.

    The ticket is what a browser is started with: other users of the machine may see how programs were started.
    """

    token: str = field(default_factory=secrets.token_urlsafe)
    ticket: str = field(default_factory=secrets.token_urlsafe)

    def fits(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())

    def redeemed(self, given: str) -> bool:
        """Whether `given` is the ticket, which from then on is worth nothing."""
        if not self.ticket or not secrets.compare_digest(given.encode(), self.ticket.encode()):
            return False
        self.ticket = ""
        return True


class Guard:
    """Lets through to `app` what may pass, and sends `HEADERS` with every answer."""

    def __init__(self, app: ASGIApp, key: Key, hosts: Iterable[str]) -> None:
        self.app, self.key = app, key
        self.hosts = frozenset(hosts)
        self.origins = frozenset(f"http://{host}" for host in self.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await (self._refused(scope) or self.app)(scope, receive, sent)

    def _refused(self, scope: Scope) -> ASGIApp | None:
        """What is answered to who may not pass; None where they may."""
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        mine = headers.get("host") in self.hosts
        if not mine or (origin not in self.origins if origin or scope["method"] not in READING else False):
            return PlainTextResponse(STRANGER, 403)
        first, _, rest = scope["path"].lstrip("/").partition("/")
        if first == ONCE and scope["method"] in READING:
            if not self.key.redeemed(rest):
                return PlainTextResponse(TAKEN, 403)
            return PlainTextResponse("", 303, {"Location": f"/{self.key.token}/"})
        return None if self.key.fits(first) else PlainTextResponse(STRANGER, 403)
