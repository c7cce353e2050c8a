"""Downloading a public corpus, whole or not at all. The only module that asks the network for anything.

What comes grows in NAME.part, beside it NAME.part.json with the address and with the server's mark of this version of
the file (ETag or date). Where the line is cut, the rest is asked for under that mark (RFC 9110, 13.1.5 and 14.2); a
server that does not know how, or has another version by now, sends all of it again. NAME itself appears when everything
is there, has the size that was announced, and is what the catalogue expects.
"""

from __future__ import annotations

import errno
import http.client
import json
import re
import shutil
import time
import urllib.error
import urllib.request
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import IO, Any, NamedTuple

from regis.corpora.catalogue import Corpus, part
from regis.corpora.entry import sha256
from regis.corpora.readers import files
from regis.errors import FetchError, OutputError
from regis.system import atomic, disk
from regis.system.paths import DATA_VARIABLE
from regis.system.progress import Progress, silent
from regis.system.version import __version__

ATTEMPTS = 5  # how often a transfer that was cut is taken up again; the next call goes on from there
PAUSE = 1.0  # seconds before that
PATIENCE = 30.0  # seconds that a server may say nothing
SPARE = 100_000_000  # bytes that a download leaves free on the disk; a system without any room fails in odd ways
BLOCK = 1 << 16
LARGEST = 2_000_000_000
"""Bytes of the largest file that is taken where the catalogue does not say how many it has. A guess: some twenty times
the largest that it names."""

ELSEWHERE = f"name another place in ${DATA_VARIABLE}"


class Fetched(NamedTuple):
    """A corpus that lies among the downloads."""

    path: Path
    bytes: int
    sha256: str
    new: bool  # False if it lay there before


class _Cut(Exception):
    """The line was cut, or what came cannot be gone on from; asking again may help."""


def fetch(corpus: Corpus, folder: Path, *, again: bool = False, progress: Progress = silent) -> Fetched:
    """Brings `corpus` into `folder`, unless it is there and `again` is not wished for.

    Raises FetchError, or OutputError where there is no room for it; then an older file of that name is as it was.
    """
    path = folder / corpus.file
    if path.is_file() and not again:
        found = Fetched(path, path.stat().st_size, sha256(path), new=False)
        if corpus.sha256 in ("", found.sha256):
            return found
    if not corpus.url:
        raise FetchError(f"{corpus.name} has to be got by hand: see {corpus.page} and save it as {path}")
    with _kept(folder):
        half = _Part(path, corpus.url)
        _transfer(corpus, half, progress)
        done = Fetched(path, half.size(), sha256(half.path), new=True)
        if corpus.sha256 not in ("", done.sha256):
            half.discard()
            raise FetchError(
                f"what {corpus.url} sent is not what is expected (sha256 {done.sha256[:16]}..., not "
                f"{corpus.sha256[:16]}...); it was thrown away. Try again, or {_by_hand(corpus, path)}"
            )
        half.finish()
    return done


class _Part:
    """A file that is being fetched, and which version of it."""

    def __init__(self, path: Path, url: str) -> None:
        self.path = part(path)
        self.goal = path
        self._url = url
        self._about = self.path.with_name(self.path.name + ".json")

    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def version(self) -> str:
        """The mark under which the rest can be asked for; '' if there is nothing to go on from."""
        try:
            about = json.loads(self._about.read_text(encoding="utf-8"))
            version = str(about["version"])
            sound = version.isascii() and version.isprintable()
            return version if sound and about["url"] == self._url and self.size() else ""
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def begin(self, version: str) -> None:
        """Starts anew, with what a server calls `version`."""
        self.discard()
        self._about.write_text(json.dumps({"url": self._url, "version": version}), encoding="utf-8")

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._about.unlink(missing_ok=True)

    def finish(self) -> None:
        """Gives the file its name."""
        atomic.settle(self.path, self.goal)
        self.discard()


def _kept(folder: Path) -> AbstractContextManager[None]:
    """`folder`, made if need be and for one fetch at a time; what the disk refuses becomes one sentence."""

    def refused(cause: OSError | None) -> str:
        if cause is None:
            return f"{folder} cannot be written; {ELSEWHERE}"
        mend = "make room, then the same command goes on" if cause.errno == errno.ENOSPC else ELSEWHERE
        return f"{folder} cannot be written ({cause.strerror or cause}); {mend}"

    return disk.locked(folder / ".lock", f"another fetch is writing to {folder}; wait for it", refused)


def _transfer(corpus: Corpus, half: _Part, progress: Progress) -> None:
    """Fills `half`, taking it up again when it is cut."""
    for left in reversed(range(ATTEMPTS)):
        try:
            with closing(_response(corpus, half)) as response:
                return _receive(corpus, half, response, progress)
        except _Cut as cut:
            if not left:
                reached = f"{corpus.url} was cut off after {half.size():,} bytes ({cut})"
                raise FetchError(f"{reached}; the same command goes on from there") from None
            time.sleep(PAUSE)


def _response(corpus: Corpus, half: _Part) -> Any:
    """The server's response to the request for what is not there yet: an http.client.HTTPResponse."""
    headers = {"User-Agent": f"regis-crossword/{__version__}"}
    if version := half.version():
        headers |= {"Range": f"bytes={half.size()}-", "If-Range": version}
    try:
        request = urllib.request.Request(corpus.url, headers=headers)
        return _opener().open(request, timeout=PATIENCE)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            half.discard()
            raise _Cut("there is no such rest") from None
        circle = "leads on and on in a circle, or away from https"
        refusal = circle if error.code < 400 else f"answers {error.code} {error.reason}"
        raise FetchError(f"{corpus.url} {refusal}; try later, or {_by_hand(corpus, half.goal)}") from None
    except (OSError, http.client.HTTPException, ValueError, OverflowError) as error:  # the last two: no address at all
        why = _why(getattr(error, "reason", error))
        if half.size():
            raise _Cut(why) from None
        raise FetchError(f"{corpus.url} cannot be reached ({why}); are you on line, or behind a proxy?") from None


class _OnlyTheWeb(urllib.request.HTTPRedirectHandler):
    """Follows where a server leads, from https to https only."""

    def redirect_request(self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str) -> Any:
        """The request for `newurl`, or None to stop. The parameters are urllib's."""
        if not newurl.startswith("https://") and not (req.type == "http" and newurl.startswith("http://")):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """What opens addresses: http and https, by the proxy that the environment names, and nothing else."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler, urllib.request.UnknownHandler, urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler, urllib.request.HTTPDefaultErrorHandler, urllib.request.HTTPErrorProcessor,
        _OnlyTheWeb,
    ):  # fmt: skip
        opener.add_handler(handler())
    return opener


def _receive(corpus: Corpus, half: _Part, response: Any, progress: Progress) -> None:
    """Writes what comes to the end of `half`, or to a new one where the server begins anew. Raises _Cut."""
    have, total = _announced(half, response)
    most, thrown = corpus.bytes or LARGEST, f"Try again, or {_by_hand(corpus, half.goal)}"
    if total is not None and (total > most or corpus.bytes not in (None, total)):
        expected = f"{'at most' if corpus.bytes is None else 'the'} {most:,} that are expected"
        raise FetchError(f"{corpus.url} has {total:,} bytes and not {expected}; nothing was fetched. {thrown}")
    block = _read(response)
    if not have:
        if response.headers.get_content_type() == "text/html" or files.is_web_page(block):
            raise FetchError(
                f"{corpus.url} answers with a web page and not with the file (is there a proxy that wants you to "
                f"log in?); try again, or {_by_hand(corpus, half.goal)}"
            )
        if not block:
            raise FetchError(f"{corpus.url} answers with nothing; try later, or {_by_hand(corpus, half.goal)}")
    free = shutil.disk_usage(half.path.parent).free
    coming = 0 if total is None else total - have
    full = f"and {free:,} are free in {half.path.parent}; make room, or {ELSEWHERE}"
    if coming + SPARE > free:
        raise OutputError(f"{coming:,} bytes are to come {full}")
    if not have:
        tag = response.headers.get("ETag", "")  # a strong one, or a date: what to ask for the rest under
        half.begin(tag if tag.startswith('"') else response.headers.get("Last-Modified", ""))
    size = have
    with progress(f"fetching {corpus.name}", total) as bar, half.path.open("ab") as file:
        bar.update(have)
        while block:
            size += len(block)
            if size > most:
                half.discard()
                raise FetchError(f"{corpus.url} sends more than the {most:,} bytes that are expected. {thrown}")
            if size - have + SPARE > free:
                raise OutputError(f"{size - have:,} bytes came {full}")
            file.write(block)
            bar.update(len(block))
            block = _read(response)
    if total is not None and size != total:
        raise _Cut(f"of {total:,}")


def _announced(half: _Part, response: Any) -> tuple[int, int | None]:
    """How many bytes of the file are there already, and how many it has in all, if the server says so. Raises _Cut."""
    if response.status != http.HTTPStatus.PARTIAL_CONTENT:
        length = re.fullmatch("[0-9]{1,18}", response.headers.get("Content-Length", ""))
        return 0, int(length[0]) if length else None
    have = half.size() if half.version() else 0
    span = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18})", response.headers.get("Content-Range", ""))
    if span is None or int(span[1]) != have:
        half.discard()
        raise _Cut("the rest did not begin where it should")
    return have, int(span[2])


def _read(response: Any) -> bytes:
    """Some of what comes, b"" at the end; not more than that is held, whatever the server says of its length."""
    block = bytearray(BLOCK)
    try:
        return bytes(block[: response.readinto(block)])
    except (OSError, http.client.HTTPException) as error:
        raise _Cut(_why(error)) from None


def _by_hand(corpus: Corpus, path: Path) -> str:
    return f"get it by hand: see {corpus.page} and save it as {path}"


def _why(error: object) -> str:
    """A network's mistake in a few words."""
    if isinstance(error, TimeoutError):
        return f"nothing came for {PATIENCE:.0f} seconds"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
