"""Downloading, from a real server on the loopback address: cuts, wrong files, redirects, full disks, no network."""

import contextlib
import gc
import hashlib
import io
import json
import random
import re
import shutil
import threading
import time
import warnings
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import filelock
import pytest
import tiny
from test_cli import one_sentence

from regis import cli
from regis.corpora import catalogue, download
from regis.corpora.catalogue import Corpus
from regis.corpora.readers import READERS
from regis.errors import FetchError, OutputError
from regis.system import paths

CONTENT = random.Random(7).randbytes(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HTML = b"  <!DOCTYPE html><html><title>Please log in</title></html>"


class Server(ThreadingHTTPServer):
    """Serves one file, well or badly, as its attributes say, and records the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = CONTENT
        self.version: dict[str, str] = {"ETag": '"one"'}
        self.headers: dict[str, str] = {}
        self.ranges = True  # whether it sends the rest of a file
        self.cut_after: int | None = None  # bytes after which it cuts the connection
        self.cuts = 0  # how often it does
        self.sized = True  # whether it states the size
        self.status = 200  # of a whole answer
        self.span: str | None = None  # false range of a partial answer, if any
        self.asked: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        self.server.asked.append(dict(self.headers))
        status, _, to = self.path.rpartition("/")[2].partition("-")
        if status.startswith("30"):
            self.send_response(int(status))
            self.send_header("Location", {"loop": "302-loop", "file": "file", "disk": "file:///etc/hosts",
                                          "ftp": "ftp://127.0.0.1/x", "data": "data:,x"}.get(to, to))  # fmt: skip
            self.end_headers()
        elif status.isdigit():
            self.send_error(int(status))
        else:
            self.send_file()

    def send_file(self) -> None:
        server, start = self.server, 0
        if {self.headers.get(name) for name in ("If-None-Match", "If-Modified-Since")} & {*server.version.values()}:
            self.send_response(304)
            self.end_headers()
            return
        wanted = re.fullmatch(r"bytes=([0-9]+)-", self.headers.get("Range", ""))
        if wanted and server.ranges and self.headers.get("If-Range") in server.version.values():
            start = int(wanted[1])
            self.send_response(206 if start < len(server.content) else 416)
            span = f"bytes {start}-{len(server.content) - 1}/{len(server.content)}"
            self.send_header("Content-Range", span if server.span is None else server.span)
        else:
            self.send_response(server.status)
            if server.status == 206:
                self.send_header("Content-Range", server.span or "")
        rest = server.content[start:]
        for name, value in (server.version | server.headers).items():
            self.send_header(name, value)
        if server.sized:
            self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if server.cut_after is not None and server.cuts:
            server.cuts -= 1
            rest = rest[: server.cut_after]
        with contextlib.suppress(OSError):
            self.wfile.write(rest)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(download, "RETRY_PAUSE", 0.0)
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def public(url: str, **more: object) -> Corpus:
    about = {"reader": "xd-clues", "file": "clues.zip", "page": "https://example.org", "license": "free",
             "holds": "clues", "changes": "daily"}  # fmt: skip
    return Corpus("some-clues", url=url, **about | more)  # type: ignore[arg-type]


def left(folder: Path) -> set[str]:
    """List the files in `folder` except the lock, and the version of the present file."""
    return {path.name for path in folder.iterdir()} - {".lock", ".clues.zip.json"} if folder.exists() else set()


def fetched(server: Server, folder: Path, **more: object) -> download.FetchedFile:
    done = download.fetch_corpus(public(server.url + "file", **more), folder)
    assert left(folder) == {"clues.zip"} and done.path.read_bytes() == server.content
    return done


def refused(one: Corpus, folder: Path, kind: type[Exception] = FetchError) -> str:
    with pytest.raises(kind) as caught:
        download.fetch_corpus(one, folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def begun(server: Server, folder: Path, data: bytes, mark: str = '"one"') -> None:
    """Leave the same files as an interrupted download."""
    (folder / "clues.zip.part").write_bytes(data)
    (folder / "clues.zip.part.json").write_text(json.dumps({"url": server.url + "file", "version": mark}))


def test_a_file_comes_whole_and_once_unless_it_is_wrong_or_asked_for_again(server: Server, tmp_path: Path):
    folder = tmp_path / "down" / "loads"
    assert fetched(server, folder) == download.FetchedFile(folder / "clues.zip", len(CONTENT), SHA256, True)
    assert server.asked[0]["User-Agent"].startswith("regis-crossword/") and "Range" not in server.asked[0]
    server.content = CONTENT[::-1]
    assert not download.fetch_corpus(public(server.url + "file"), folder).is_new and len(server.asked) == 1
    assert download.fetch_corpus(public(server.url + "file"), folder, fetch_again=True).is_new
    assert len(server.asked) == 2 and (folder / "clues.zip").read_bytes() == server.content
    server.content = CONTENT
    assert fetched(server, folder, sha256=SHA256, bytes=len(CONTENT)).is_new


@pytest.mark.parametrize(
    ("version", "ranges", "asked"),
    [
        ({"ETag": '"one"'}, True, [None, "bytes=100000-", "bytes=200000-"]),
        ({"Last-Modified": "Mon, 06 Jan 2014 00:00:00 GMT"}, True, [None, "bytes=100000-", "bytes=200000-"]),
        ({"ETag": '"one"'}, False, [None, "bytes=100000-", "bytes=100000-"]),
        ({"ETag": 'W/"weak"'}, True, [None, None, None]),
        ({}, True, [None, None, None]),
    ],
)
def test_a_cut_is_taken_up_where_it_was_if_the_server_can(
    server: Server, tmp_path: Path, version: dict[str, str], ranges: bool, asked: list[str | None]
):
    server.version, server.ranges, server.cut_after, server.cuts = version, ranges, 100_000, 2
    fetched(server, tmp_path, sha256=SHA256)
    assert [headers.get("Range") for headers in server.asked] == asked


def test_the_next_call_goes_on_where_the_last_was_cut(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    server.cut_after, server.cuts = 50_000, 1
    monkeypatch.setattr(download, "MAX_ATTEMPTS", 1)
    assert "50,000 bytes" in refused(public(server.url + "file"), tmp_path)
    assert left(tmp_path) == {"clues.zip.part", "clues.zip.part.json"}
    fetched(server, tmp_path)
    assert server.asked[1]["Range"] == "bytes=50000-"


def test_a_line_that_is_always_cut_is_given_up(server: Server, tmp_path: Path):
    server.cut_after, server.cuts = 1000, 99
    assert "the same command continues" in refused(public(server.url + "file"), tmp_path)
    assert len(server.asked) == download.MAX_ATTEMPTS
    assert (tmp_path / "clues.zip.part").stat().st_size == 1000 * download.MAX_ATTEMPTS


def test_a_file_that_changed_meanwhile_is_not_pieced_together(server: Server, tmp_path: Path, monkeypatch):
    server.cut_after, server.cuts = 100_000, 1
    monkeypatch.setattr(download, "MAX_ATTEMPTS", 1)
    refused(public(server.url + "file"), tmp_path)
    server.version, server.content = {"ETag": '"two"'}, CONTENT[::-1]
    fetched(server, tmp_path)


def test_a_part_of_another_address_or_without_a_mark_that_can_be_is_thrown_away(server: Server, tmp_path: Path):
    marks = [("http://elsewhere", '"one"'), *((server.url + "file", mark) for mark in ("one\r\nmore: 2", "\u20ac"))]
    texts = [json.dumps({"url": url, "version": mark}) for url, mark in marks]
    for text in (*texts, "{", "[" * 100_000):
        (tmp_path / "clues.zip.part").write_bytes(b"x" * 1000)
        (tmp_path / "clues.zip.part.json").write_text(text)
        fetched(server, tmp_path)
        (tmp_path / "clues.zip").unlink()


@pytest.mark.parametrize(
    "span",
    [None, "bytes 5-299999/300000", "bytes 1000-299999/" + "9" * 5000, "bytes \xb2-3/4", "bytes */300000", "",
     "bytes 1-2"],
)  # fmt: skip
def test_a_part_that_does_not_fit_is_thrown_away(server: Server, tmp_path: Path, span: str | None):
    """It is longer than the file, or the rest begins elsewhere, or its place is unknown."""
    begun(server, tmp_path, CONTENT + b"more" if span is None else b"x" * 1000)
    server.span = span
    fetched(server, tmp_path)


REFUSED: dict[str, tuple[dict[str, object], dict[str, object], str]] = {
    "a page": ({"content": b"{}", "headers": {"Content-Type": "text/html; charset=utf-8"}}, {}, "web page"),
    "another checksum": ({}, {"sha256": "0" * 64}, "sent an unexpected file"),
    "another size": ({}, {"bytes": 299_999}, "300,000 bytes, not the 299,999"),
    "a part": ({"status": 206, "span": "bytes 5-299999/300000"}, {}, "didn't begin where it should"),
    "all but the end": ({"status": 206, "span": "bytes 0-299999/300001"}, {}, "of 300,001"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_the_file_leaves_nothing(server: Server, tmp_path: Path, what: str):
    answers, expected, said = REFUSED[what]
    vars(server).update(answers)
    assert said in refused(public(server.url + "file", **expected), tmp_path)
    assert left(tmp_path) == set() or what == "all but the end"


NO_ADDRESS = (
    "http://127.0.0.1:99999/x", "http://127.0.0.1:x/x", "http://a..example/x", "http://[::1/x", "http://", "x",
    "file:///etc/hosts", "ftp://127.0.0.1/x", "data:,x",
)  # fmt: skip


@pytest.fixture
def untidy() -> Iterator[None]:
    """urllib leaves a socket for the garbage collector if an address is invalid."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@pytest.mark.usefixtures("untidy")
@pytest.mark.parametrize("url", NO_ADDRESS)
def test_an_address_that_is_none_is_one_sentence(server: Server, tmp_path: Path, url: str):
    assert "can't be reached" in refused(public(url), tmp_path) and left(tmp_path) == set()


def chunked(self: Handler, first: bytes) -> None:
    """Send chunks as long as the client reads them."""
    self.send_response(200)
    self.send_header("Transfer-Encoding", "chunked")
    self.end_headers()
    with contextlib.suppress(OSError):
        self.wfile.write(first)
        while True:
            self.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")


@pytest.mark.parametrize("first", [b"", b"f" * 30 + b"\r\n"], ids=["chunks", "one chunk"])
def test_what_does_not_end_is_thrown_away(server: Server, tmp_path: Path, monkeypatch, first: bytes):
    monkeypatch.setattr(Handler, "send_file", lambda self: chunked(self, first))
    monkeypatch.setattr(download, "MAX_FILE_BYTES", 1_000_000)
    for expected, most in (({}, "1,000,000"), ({"bytes": 500_000}, "500,000")):
        said = refused(public(server.url + "file", **expected), tmp_path)
        assert f"more than the {most} bytes" in said and left(tmp_path) == set()


def test_a_file_that_says_it_is_larger_than_any_is_refused(server: Server, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(download, "MAX_FILE_BYTES", 299_999)
    assert "at most 299,999" in refused(public(server.url + "file"), tmp_path) and left(tmp_path) == set()


def test_a_wrong_checksum_leaves_the_file_that_was_there(server: Server, tmp_path: Path):
    (tmp_path / "clues.zip").write_bytes(b"old")
    with pytest.raises(FetchError):
        download.fetch_corpus(public(server.url + "file", sha256="0" * 64), tmp_path, fetch_again=True)
    assert (tmp_path / "clues.zip").read_bytes() == b"old" and left(tmp_path) == {"clues.zip"}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(server: Server, tmp_path: Path, status: int):
    assert download.fetch_corpus(public(f"{server.url}{status}-file"), tmp_path).sha256 == SHA256


@pytest.mark.parametrize("to", ["302-loop", "302-disk", "302-ftp", "302-data"])
def test_redirects_lead_only_to_the_web_and_not_in_circles(server: Server, tmp_path: Path, to: str):
    assert "redirects in a loop" in refused(public(server.url + to), tmp_path) and left(tmp_path) == set()


def test_no_redirect_leads_from_https_to_http():
    ask = SimpleNamespace(type="https")
    led = download._WebRedirects().redirect_request(ask, io.BytesIO(), 302, "Found", {}, "http://example.org/x")
    assert led is None


@pytest.mark.parametrize("status", [403, 404, 429, 500, 503])
def test_a_server_that_says_no(server: Server, tmp_path: Path, status: int):
    said = refused(public(f"{server.url}{status}"), tmp_path)
    assert str(status) in said and str(tmp_path / "clues.zip") in said and left(tmp_path) == set()


def test_a_proxy_that_answers_with_a_page(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    server.content = HTML
    monkeypatch.setenv("http_proxy", server.url)
    assert "web page" in refused(public("http://corpora.example/clues"), tmp_path)
    assert server.asked[0]["Host"] == "corpora.example" and left(tmp_path) == set()


def test_a_server_that_falls_silent(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(download, "SERVER_TIMEOUT", 0.05)
    monkeypatch.setattr(download, "MAX_ATTEMPTS", 2)
    monkeypatch.setattr(Handler, "send_file", lambda self: time.sleep(0.3))
    assert "nothing arrived" in refused(public(server.url + "file"), tmp_path)


def test_a_full_disk_is_reported_before_the_download(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    usage = SimpleNamespace(free=download.SPARE_BYTES + len(CONTENT) - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    said = refused(public(server.url + "file"), tmp_path, OutputError)
    assert "300,000 more bytes are needed" in said and paths.DATA_VARIABLE in said and left(tmp_path) == set()
    usage.free += 1
    fetched(server, tmp_path)


@pytest.mark.parametrize("folder", ["file/inside", "/proc/no/such"])
def test_a_place_that_cannot_be_written(server: Server, tmp_path: Path, folder: str):
    (tmp_path / "file").touch()
    assert paths.DATA_VARIABLE in refused(public(server.url + "file"), tmp_path / folder, OutputError)
    assert not server.asked


def test_two_fetches_at_once(server: Server, tmp_path: Path):
    with filelock.FileLock(tmp_path / ".lock"):
        assert "another `regis fetch`" in refused(public(server.url + "file"), tmp_path, OutputError)


# the catalogue


def test_the_catalogue_is_sound():
    for one in catalogue.read_catalogue().values():
        assert one.reader in READERS and one.license and one.holds and one.page.startswith("https://")
        assert Path(one.file).name == one.file and (not one.url or one.url.startswith("https://"))
        assert bool(one.sha256) == bool(one.bytes) == (not one.changes), one.name
        assert not one.sha256 or re.fullmatch("[0-9a-f]{64}", one.sha256)
        assert one.url or not one.untried
    assert len({one.file for one in catalogue.read_catalogue().values()}) == len(catalogue.read_catalogue())


@pytest.mark.parametrize("version", [{"ETag": '"one"'}, {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, {}])
def test_new_bytes_are_the_whole_file_unless_the_server_has_the_local_version(
    server: Server, tmp_path: Path, version: dict[str, str]
):
    one, server.version = public(server.url + "file"), version
    assert download.count_new_bytes(one, tmp_path) == len(CONTENT)
    fetched(server, tmp_path)
    assert download.count_new_bytes(one, tmp_path) == (0 if version else len(CONTENT))
    (tmp_path / "clues.zip").write_bytes(b"by hand")
    assert download.count_new_bytes(one, tmp_path) == len(CONTENT)
    fetched(server, tmp_path / "again")
    server.version = {"ETag": '"two"'}
    assert download.count_new_bytes(one, tmp_path / "again") == len(CONTENT)
    assert download.count_new_bytes(one._replace(changes=""), tmp_path / "again") == 0
    begun(server, tmp_path / "again", CONTENT[:1000], '"two"')
    assert download.count_new_bytes(one, tmp_path / "again") == len(CONTENT) - 1000
    server.sized, server.version = False, {}
    assert download.count_new_bytes(one, tmp_path / "again") is None


# the commands


@pytest.fixture
def listed(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the data folder, with a catalogue for this server; its only clue table is that of `tiny`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(tiny.corpus(tmp_path / "clues.tsv"), "xd/clues.tsv")
    server.content = packed.getvalue()
    one = public(server.url + "file", sha256=hashlib.sha256(server.content).hexdigest(), bytes=len(server.content))
    gone = public(server.url + "404", file="gone.zip")._replace(name="gone")
    monkeypatch.setattr(catalogue, "read_catalogue", lambda: {"some-clues": one, "gone": gone})
    monkeypatch.setenv(paths.DATA_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


def test_fetch_then_build_then_solve(listed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["build"]) == 2 and "regis fetch" in one_sentence(capsys.readouterr().err)
    assert cli.main(["fetch"]) == 0
    assert capsys.readouterr().out.count("not fetched") == 2
    assert cli.main(["fetch", "gone", "some-clues"]) == 1
    out, err = capsys.readouterr()
    assert "as expected" in out and "some-clues: license: free" in err and "404" in err
    assert cli.main(["fetch", "some-clues"]) == 0 and "already there" in capsys.readouterr().out
    assert cli.main(["fetch"]) == 0 and "  fetched, " in capsys.readouterr().out
    assert cli.main(["build"]) == 0
    assert "building from downloads: clues.zip" in one_sentence(capsys.readouterr().err)
    assert (listed / "index" / "current").is_file()
    assert cli.main(["solve", str(tiny.puz(tmp_path / "a.puz"))]) in (0, 3)


def test_fetch_of_what_nobody_knows(listed: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["fetch", "some-clues", "xyz"]) == 2
    assert "gone, some-clues" in one_sentence(capsys.readouterr().err) and not listed.exists()


def test_fetch_of_what_is_got_by_hand(listed: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(catalogue, "read_catalogue", lambda: {"by-hand": public("")._replace(name="by-hand")})
    assert cli.main(["fetch", "by-hand"]) == 1
    said = capsys.readouterr().err
    assert "https://example.org" in said and str(listed / "downloads" / "clues.zip") in said


def test_an_interrupted_fetch_is_one_sentence(listed: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(download, "_receive", Mock(side_effect=KeyboardInterrupt))
    assert cli.main(["fetch", "some-clues"]) == 130
    assert "the same command resumes" in capsys.readouterr().err
