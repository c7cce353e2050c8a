"""Downloads of public corpora, all or nothing. Except for a cluster, no other module contacts another machine.

A file grows as NAME.part, next to NAME.part.json with the address and the server's version (ETag or date). If a
transfer is cut, it is resumed under that version (RFC 9110, 13.1.5 and 14.2), or repeated if the server can't resume.
NAME appears once the file is complete and as the catalogue expects. The version stays in .NAME.json, to ask for a newer
one (13.1.2, 13.1.3).
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

from regis.corpora.catalogue import Corpus, part_file
from regis.corpora.entry import hash_file
from regis.corpora.readers import text_files
from regis.errors import FetchError, OutputError
from regis.system.files import atomic, locks
from regis.system.paths import DATA_VARIABLE
from regis.system.progress import Progress, show_nothing
from regis.system.version import __version__

MAX_ATTEMPTS = 5
"""Attempts to resume a cut transfer; the next call resumes, too; a guess. (We tried libraries:
docs/experiments/smaller-house.md.)"""

RETRY_PAUSE = 1.0  # seconds before another attempt
SERVER_TIMEOUT = 30.0  # seconds without an answer before the server counts as gone
SPARE_BYTES = 100_000_000  # bytes that a download leaves free, because a system with a full disk fails in odd ways
BLOCK_BYTES = 1 << 16
MAX_FILE_BYTES = 2_000_000_000
"""Largest file if the catalogue names no size; a guess, some twenty times its largest size."""

OTHER_FOLDER_HINT = f"set another folder in ${DATA_VARIABLE}"


class FetchedFile(NamedTuple):
    path: Path
    byte_count: int
    sha256: str
    is_new: bool  # False if it was already there


class _TransferCut(Exception):
    """The transfer was cut, or can't be resumed; asking again may help."""


class _NotModified(Exception):
    """The server has the version that we have."""


def fetch_corpus(
    corpus: Corpus, downloads: Path, *, fetch_again: bool = False, progress: Progress = show_nothing
) -> FetchedFile:
    """Download `corpus` into the folder `downloads`, unless it is there and `fetch_again` is False.

    Raises FetchError, or OutputError if there is too little space; an older file stays then.
    """
    path = downloads / corpus.file
    if path.is_file() and not fetch_again:
        found = FetchedFile(path, path.stat().st_size, hash_file(path), is_new=False)
        if corpus.sha256 in ("", found.sha256):
            return found
    if not corpus.url:
        raise FetchError(f"{corpus.name} must be downloaded by hand: see {corpus.page} and save it as {path}")
    with _lock_folder(downloads):
        part = _PartFile(path, corpus.url)
        _transfer(corpus, part, progress)
        done = FetchedFile(path, part.byte_count(), hash_file(part.path), is_new=True)
        if corpus.sha256 not in ("", done.sha256):
            part.discard_files()
            raise FetchError(
                f"{corpus.url} sent an unexpected file (sha256 {done.sha256[:16]}..., not "
                f"{corpus.sha256[:16]}...), which was deleted; try again, or {_by_hand_hint(corpus, path)}"
            )
        part.publish_file()
    return done


def count_new_bytes(corpus: Corpus, downloads: Path) -> int | None:
    """Ask for the size of a newer version of `corpus`: 0 if there is none, None if unknown; raises FetchError."""
    path = downloads / corpus.file
    if path.is_file() and not (corpus.url and corpus.changes):
        return 0
    part = _PartFile(path, corpus.url)
    try:
        with closing(_request_rest(corpus, part, part.published_version())) as response:
            bytes_there, total_bytes = _announced_size(part, response)
            return None if total_bytes is None else total_bytes - bytes_there
    except _NotModified:
        return 0
    except _TransferCut:
        return None


class _PartFile:
    def __init__(self, path: Path, url: str) -> None:
        self.path = part_file(path)
        self.final_path = path
        self._url = url
        self._about = self.path.with_name(self.path.name + ".json")
        self._published_about = path.with_name(f".{path.name}.json")

    def byte_count(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def server_version(self) -> str:
        """Return the version to resume; '' if there is nothing to resume."""
        return self._read_version(self._about) if self.byte_count() else ""

    def published_version(self) -> str:
        """Return the version of the complete file; '' if the file is missing or differs."""
        is_there = self.final_path.is_file()
        return self._read_version(self._published_about, self.final_path.stat().st_size) if is_there else ""

    def _read_version(self, about_path: Path, byte_count: int | None = None) -> str:
        try:
            about = json.loads(about_path.read_text(encoding="utf-8"))
            version = str(about["version"])
            sound = version.isascii() and version.isprintable() and about.get("bytes") == byte_count
            return version if sound and about["url"] == self._url else ""
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return ""

    def start_version(self, server_version: str) -> None:
        self.discard_files()
        self._write_version(self._about, server_version)

    def _write_version(self, about_path: Path, server_version: str, byte_count: int | None = None) -> None:
        about = {"url": self._url, "version": server_version, "bytes": byte_count}
        about_path.write_text(json.dumps(about), encoding="utf-8")

    def discard_files(self) -> None:
        self.path.unlink(missing_ok=True)
        self._about.unlink(missing_ok=True)

    def publish_file(self) -> None:
        version, byte_count = self.server_version(), self.byte_count()
        atomic.move_into_place(self.path, self.final_path)
        self._write_version(self._published_about, version, byte_count)
        self.discard_files()


def _lock_folder(folder: Path) -> AbstractContextManager[None]:
    """Create `folder` if needed, and lock it for one download at a time; raises OutputError."""

    def refused(cause: OSError | None) -> str:
        if cause is None:
            return f"{folder} can't be written; {OTHER_FOLDER_HINT}"
        mend = "make room and run the same command again" if cause.errno == errno.ENOSPC else OTHER_FOLDER_HINT
        return f"{folder} can't be written ({cause.strerror or cause}); {mend}"

    return locks.exclusive_lock(folder / ".lock", f"another `regis fetch` is writing to {folder}; wait for it", refused)


def _transfer(corpus: Corpus, part: _PartFile, progress: Progress) -> None:
    for attempts_left in reversed(range(MAX_ATTEMPTS)):
        try:
            with closing(_request_rest(corpus, part)) as response:
                return _receive(corpus, part, response, progress)
        except _TransferCut as cut:
            if not attempts_left:
                reached = f"{corpus.url} was cut off after {part.byte_count():,} bytes ({cut})"
                raise FetchError(f"{reached}; the same command continues from there") from None
            time.sleep(RETRY_PAUSE)


def _request_rest(corpus: Corpus, part: _PartFile, published_version: str = "") -> Any:
    """Request the missing rest unless that version is published; return an http.client.HTTPResponse."""
    headers = {"User-Agent": f"regis-crossword/{__version__}"}
    if published_version:
        headers["If-None-Match" if published_version.startswith('"') else "If-Modified-Since"] = published_version
    if version := part.server_version():
        headers |= {"Range": f"bytes={part.byte_count()}-", "If-Range": version}
    try:
        request = urllib.request.Request(corpus.url, headers=headers)
        return _build_opener().open(request, timeout=SERVER_TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.discard_files()
            raise _TransferCut("the server has no such rest") from None
        if error.code == http.HTTPStatus.NOT_MODIFIED:
            raise _NotModified from None
        redirect_refusal = "redirects in a loop or away from https"
        refusal = redirect_refusal if error.code < 400 else f"answers {error.code} {error.reason}"
        raise FetchError(f"{corpus.url} {refusal}; try later, or {_by_hand_hint(corpus, part.final_path)}") from None
    except (OSError, http.client.HTTPException, ValueError, OverflowError) as error:  # the last two: no valid address
        why = _explain_error(getattr(error, "reason", error))
        if part.byte_count():
            raise _TransferCut(why) from None
        raise FetchError(f"{corpus.url} can't be reached ({why}); are you online, or behind a proxy?") from None


class _WebRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, from https to https only."""

    def redirect_request(self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str) -> Any:
        """Return the request for `newurl`, or None to stop; urllib sets the parameters."""
        if not newurl.startswith("https://") and not (req.type == "http" and newurl.startswith("http://")):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _build_opener() -> urllib.request.OpenerDirector:
    """Build an opener for http and https only, with the environment's proxy."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler, urllib.request.UnknownHandler, urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler, urllib.request.HTTPDefaultErrorHandler, urllib.request.HTTPErrorProcessor,
        _WebRedirects,
    ):  # fmt: skip
        opener.add_handler(handler())
    return opener


def _receive(corpus: Corpus, part: _PartFile, response: Any, progress: Progress) -> None:
    """Append the response to `part`, or start over if the server does; raises _TransferCut."""
    bytes_there, total_bytes = _announced_size(part, response)
    max_bytes, by_hand = corpus.bytes or MAX_FILE_BYTES, _by_hand_hint(corpus, part.final_path)
    if total_bytes is not None and (total_bytes > max_bytes or corpus.bytes not in (None, total_bytes)):
        expected = f"{'at most' if corpus.bytes is None else 'the'} {max_bytes:,} expected"
        refusal = f"has {total_bytes:,} bytes, not {expected}; nothing was downloaded"
        raise FetchError(f"{corpus.url} {refusal}; try again, or {by_hand}")
    block = _read_block(response)
    if not bytes_there:
        if response.headers.get_content_type() == "text/html" or text_files.is_web_page(block):
            raise FetchError(
                f"{corpus.url} sent a web page instead of the file (does a proxy want you to log "
                f"in?); try again, or {by_hand}"
            )
        if not block:
            raise FetchError(f"{corpus.url} sent nothing; try later, or {by_hand}")
    free_bytes = shutil.disk_usage(part.path.parent).free
    bytes_to_come = 0 if total_bytes is None else total_bytes - bytes_there
    room_hint = f"but only {free_bytes:,} are free in {part.path.parent}; make room, or {OTHER_FOLDER_HINT}"
    if bytes_to_come + SPARE_BYTES > free_bytes:
        raise OutputError(f"{bytes_to_come:,} more bytes are needed {room_hint}")
    if not bytes_there:
        tag = response.headers.get("ETag", "")  # a strong tag, or else a date: the rest is requested under it
        part.start_version(tag if tag.startswith('"') else response.headers.get("Last-Modified", ""))
    size = bytes_there
    with progress(f"fetching {corpus.name}", total_bytes) as bar, part.path.open("ab") as file:
        bar.update(bytes_there)
        while block:
            size += len(block)
            if size > max_bytes:
                part.discard_files()
                refusal = f"sends more than the {max_bytes:,} bytes expected"
                raise FetchError(f"{corpus.url} {refusal}; try again, or {by_hand}")
            file.write(block)
            bar.update(len(block))
            block = _read_block(response)
    if total_bytes is not None and size != total_bytes:
        raise _TransferCut(f"of {total_bytes:,}")


def _announced_size(part: _PartFile, response: Any) -> tuple[int, int | None]:
    """Return the bytes already there, and the file's size if announced; raises _TransferCut."""
    if response.status != http.HTTPStatus.PARTIAL_CONTENT:
        length = re.fullmatch("[0-9]{1,18}", response.headers.get("Content-Length", ""))
        return 0, int(length[0]) if length else None
    bytes_there = part.byte_count() if part.server_version() else 0
    span = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18})", response.headers.get("Content-Range", ""))
    if span is None or int(span[1]) != bytes_there:
        part.discard_files()
        raise _TransferCut("the rest didn't begin where it should")
    return bytes_there, int(span[2])


def _read_block(response: Any) -> bytes:
    """Read a bounded block, b"" at the end."""
    block = bytearray(BLOCK_BYTES)
    try:
        return bytes(block[: response.readinto(block)])
    except (OSError, http.client.HTTPException) as error:
        raise _TransferCut(_explain_error(error)) from None


def _by_hand_hint(corpus: Corpus, target: Path) -> str:
    return f"download it by hand: see {corpus.page} and save it as {target}"


def _explain_error(error: object) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing arrived for {SERVER_TIMEOUT:.0f} seconds"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
