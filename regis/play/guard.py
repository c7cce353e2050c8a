"""Who may talk to the server: only a page that it served, in the browser of the user who started it.

Three things keep others out. A random token starts every address, so other sites and other users of the machine don't
have one. `Host` must be this server's own, so no site can pose as it (DNS rebinding). And by its `Origin`, any request
that asks or changes something must come from our page. A Content-Security-Policy lets the page load from and talk to
only this server.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Headers of every answer."""

STRANGER_MESSAGE = "This is Regis, which talks only to its own page. Open the full address that `regis play` prints.\n"
SAFE_METHODS = ("GET", "HEAD")
TICKET_PREFIX = "once"  # the first part of an address that works once


@dataclass
class AccessKey:
    """The token that starts every address of one server, and a ticket for it that works once.

    A browser is started with the ticket, since other users may see the arguments of programs.
    """

    token: str = field(default_factory=secrets.token_urlsafe)
    ticket: str = field(default_factory=secrets.token_urlsafe)

    def is_token(self, text: str) -> bool:
        """Compare with the token in constant time."""
        return secrets.compare_digest(text.encode(), self.token.encode())

    def redeem_ticket(self, text: str) -> bool:
        """Return whether `text` is the ticket, and invalidate it."""
        if not self.ticket or not secrets.compare_digest(text.encode(), self.ticket.encode()):
            return False
        self.ticket = ""
        return True


class RequestGuard:
    """The application around `app`: it passes allowed requests on and adds `SECURITY_HEADERS` to every answer."""

    def __init__(self, app: ASGIApp, access_key: AccessKey, allowed_hosts: Iterable[str]) -> None:
        self.app, self.access_key = app, access_key
        self.allowed_hosts = frozenset(allowed_hosts)
        self.allowed_origins = frozenset(f"http://{host}" for host in self.allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await (self._refuse(scope) or self.app)(scope, receive, send_with_headers)

    def _refuse(self, scope: Scope) -> ASGIApp | None:
        """Return the answer to a refused request; None for an allowed one."""
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        needs_origin = bool(origin) or scope["method"] not in SAFE_METHODS
        if headers.get("host") not in self.allowed_hosts or (needs_origin and origin not in self.allowed_origins):
            return _refusal(STRANGER_MESSAGE)
        first, _, rest = scope["path"].lstrip("/").partition("/")
        if first == TICKET_PREFIX and scope["method"] in SAFE_METHODS:
            if not self.access_key.redeem_ticket(rest):
                return _refusal("This address works only once. Open the one that `regis play` prints.\n")
            return PlainTextResponse("", 303, {"Location": f"/{self.access_key.token}/"})
        return None if self.access_key.is_token(first) else _refusal(STRANGER_MESSAGE)


def _refusal(message: str) -> PlainTextResponse:
    """Refuse a request, and close its connection."""
    return PlainTextResponse(message, 403, {"Connection": "close"})
