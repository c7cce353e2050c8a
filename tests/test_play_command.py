"""`regis play` as a program: from the command line to a page that answers, and to its end."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import tiny

from regis import cli
from regis.cli.commands.play import Play
from regis.cli.dispatch import COMMANDS
from regis.cli.parser import parse_command
from regis.errors import PuzzleMissing, UsageError
from regis.index import Index

pytest.importorskip("starlette", reason="needs starlette and uvicorn, which come with Regis: install it again")

from uvicorn.server import ServerState

from regis.play import server


@contextmanager
def running(*words: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield the program, and the address that it prints."""
    command = [sys.executable, "-m", "regis", "play", "--no-browser", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            yield program, program.stdout.readline().split()[-1]
        finally:
            program.kill()


def post(address: str, path: str) -> None:
    request = urllib.request.Request(address + path, b"{}", {"Origin": re.match("http://[^/]+", address)[0]})
    urllib.request.urlopen(request, timeout=30).close()


def answers(address: str) -> bool:
    """Return whether there is an answer, other than one to try again."""
    try:
        urllib.request.urlopen(address, timeout=30).close()
    except urllib.error.HTTPError:
        time.sleep(0.02)
        return False
    return True


@pytest.mark.slow
def test_it_serves_until_the_page_ends_it(whole: Index, tmp_path: Path):
    with running("--index", whole.folder, tiny.puz(tmp_path / "a.puz")) as (program, address):
        with urllib.request.urlopen(address, timeout=30) as page:
            assert b"<title>Regis</title>" in page.read()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(address.rsplit("/", 2)[0] + "/", timeout=30)
        post(address, "stop")
        out, err = program.communicate(timeout=30)
    assert program.returncode == 0 and out == "" and "Traceback" not in err
    assert err.endswith("regis: Regis has stopped; your letters are saved\n")


@pytest.mark.slow
def test_a_request_that_is_cut_or_never_ends_stops_no_other(whole: Index):
    """Connections that break in the middle, a hundred megabytes, too many connections: no message, no harm."""
    with running("--index", whole.folder) as (program, address):
        host, path = address.removeprefix("http://").split("/", 1)
        place = (server.LOOPBACK_HOST, int(host.split(":")[1]))
        head = f"POST /{path}puzzles HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: "
        for _ in range(20):
            with socket.create_connection(place, timeout=30) as one:
                one.sendall(f"{head}5000\r\n\r\nabc".encode())
        with socket.create_connection(place, timeout=30) as one:
            one.sendall(f"{head}104857600\r\n\r\nabc".encode())
            assert b" 413 " in one.recv(100)
        hanging = [socket.create_connection(place, timeout=30) for _ in range(server.MAX_CONNECTIONS + 40)]
        for one in hanging:
            one.sendall(b"GET / HT")
        assert all(answers(address) for _ in range(20)), "while all of them hang"
        for one in hanging:
            one.close()
        post(address, "stop")
        _, err = program.communicate(timeout=30)
    own = [line for line in err.splitlines() if "usual address" not in line]  # another test may have the usual port
    assert program.returncode == 0 and len(own) == 2, err


@pytest.mark.parametrize("beginning", ["", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT"])
def test_a_header_that_does_not_end_ends_the_connection(beginning: str, monkeypatch: pytest.MonkeyPatch):
    """Even the second one of a connection."""

    async def serve(seconds: float, silence: float) -> bool:
        monkeypatch.setattr(server, "HEADER_SECONDS", seconds)
        config = server.uvicorn.Config(answer, log_config=None, lifespan="off", http=server.ImpatientProtocol)
        state = ServerState()
        made = await asyncio.get_running_loop().create_server(
            lambda: server.ImpatientProtocol(config, state, {}), server.LOOPBACK_HOST
        )
        async with made:
            reader, writer = await asyncio.open_connection(*made.sockets[0].getsockname())
            writer.write(beginning.encode())
            with suppress(TimeoutError, ConnectionError):
                await asyncio.wait_for(reader.read(), silence)
            writer.close()
            return reader.at_eof() or reader.exception() is not None

    async def answer(scope: object, receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})

    assert asyncio.run(serve(0.1, 20.0)) and not asyncio.run(serve(20.0, 0.3))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
def test_ctrl_c_ends_it(whole: Index):
    with running("--index", whole.folder) as (program, address):
        urllib.request.urlopen(address, timeout=30).close()
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=30)
    assert program.returncode == 0 and out == "" and "Traceback" not in err and "has stopped" in err


def test_a_folder_is_listed_and_the_page_chooses(whole: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REGIS_INDEX", str(whole.folder))
    plans = []
    monkeypatch.setattr(server, "serve_page", lambda plan, ready: plans.append(plan))
    (tiny.archive(tmp_path / "two", ["a", "b"]) / "c.puz").write_bytes(b"broken")
    assert cli.main(["play", str(tmp_path / "two"), "--seconds", "5"]) == 0
    assert [Path(file.name).name for file in plans[0].puzzle_files] == ["a.puz", "b.puz", "c.puz"]
    assert plans[0].solving_seconds == 5


@pytest.mark.slow
def test_the_own_network_is_served_after_a_warning_and_by_key_alone(whole: Index):
    """Another address of this machine stands for a network."""
    pytest.importorskip("segno", reason="needs segno")
    code = (
        "from regis.play import server; server.find_network_host = lambda: '127.0.0.2';"
        "import regis.__main__ as main; main.run()"
    )
    command = [sys.executable, "-c", code, "play", "--no-browser", "--lan", "--index", str(whole.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stderr is not None
        assert program.stderr.readline().startswith("regis: warning: --lan opens Regis to your network")
        usual, network = (program.stdout.readline().split()[-1] for _ in range(2))
        assert network == usual.replace("127.0.0.1", "127.0.0.2")
        drawn = [program.stdout.readline().rstrip("\n") for _ in range(18)]
        assert len({len(line) for line in drawn}) == 1 and set("".join(drawn)) <= set(" ▀▄█")
        urllib.request.urlopen(network, timeout=30).close()
        strangers = [
            urllib.request.Request(network.rsplit("/", 2)[0] + "/"),
            urllib.request.Request(network, headers={"Host": "regis.example"}),
            urllib.request.Request(network + "puzzles", headers={"Origin": "http://127.0.0.3"}),
        ]
        for stranger in strangers:
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(stranger, timeout=30)
        post(network, "stop")
        program.communicate(timeout=30)


@pytest.mark.parametrize(
    ("own", "said"),
    [(None, "isn't in a network; connect it"), ("8.8.8.8", "is open to the internet"), ("10.0.0.7", "")],
)
def test_only_a_network_of_ones_own_is_served(own: str | None, said: str, monkeypatch, tmp_path: Path):
    class Probe(socket.socket):
        def connect(self, address: object) -> None:
            if own is None:
                raise OSError(101, "Network is unreachable")

        def getsockname(self) -> Any:
            return own, 5000

    monkeypatch.setattr(server.socket, "socket", Probe)
    if said:
        with pytest.raises(UsageError, match=said):
            server.find_network_host()
    else:
        assert server.find_network_host() == own


def test_the_page_does_not_wait_for_number_libraries():
    """Importing them takes most of a command's startup; only the solving process does."""
    code = (
        "import sys, regis.cli.commands.play, regis.play.server, regis.play.open_puzzles\n"
        "sys.exit(bool({'numpy', 'scipy', 'pyarrow', 'jinja2', 'regis.index'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_cannot_be_served_is_one_sentence(run, whole: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "broken.puz").write_bytes(b"broken")
    with socket.socket() as taken:
        taken.bind((server.LOOPBACK_HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        for words, code, said in (
            (["--index", tmp_path / "none"], 1, "regis build"),
            (["--index", whole.folder, tmp_path / "none.puz"], 1, "doesn't exist"),
            (["--index", whole.folder, tmp_path / "broken.puz"], 1, "isn't a puzzle file"),
            (["--index", whole.folder, "--port", port, "--no-browser"], 2, f"port {port} can't be used"),
            (["--index", whole.folder, "--port", 70000], 2, "no such port"),
        ):
            found, _, err = run("play", *words)
            assert found == code and said in err and err.count("\n") == 1, said


def test_where_nobody_names_a_port_one_that_is_taken_is_passed_over(monkeypatch: pytest.MonkeyPatch):
    with socket.socket() as taken:
        taken.bind((server.LOOPBACK_HOST, 0))
        taken.listen()
        monkeypatch.setattr(server, "DEFAULT_PORT", taken.getsockname()[1])
        with server._bind_port(None) as bound:
            host, port = bound.getsockname()
            assert host == "127.0.0.1" and 0 < port - server.DEFAULT_PORT <= server.FOLLOWING_PORTS, (
                "the same one, mostly"
            )
        monkeypatch.setattr(server, "FOLLOWING_PORTS", 0)
        with server._bind_port(None) as bound:
            assert bound.getsockname()[1] != server.DEFAULT_PORT


def test_a_file_and_no_command_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Solving would reveal the answers."""
    monkeypatch.chdir(tmp_path)
    tiny.puz(Path("a.puz"))
    tiny.puz(Path("solve"))
    assert parse_command(["a.puz"], COMMANDS) == Play(puzzles=(Path("a.puz"),))
    assert parse_command([str(tmp_path / "a.puz"), "./solve"], COMMANDS).name == "play"
    assert parse_command(["solve", "a.puz"], COMMANDS).name == "solve"
    with pytest.raises(UsageError, match="is a file; with options, write `regis play a"):
        parse_command(["a.puz", "--check"], COMMANDS)
    with pytest.raises(UsageError, match="is a folder; with options, write `regis play"):
        parse_command([str(tmp_path), "--no-browser"], COMMANDS)
    for lost in ("none.puz", "no/magic"):
        with pytest.raises(PuzzleMissing, match=f"{lost} isn't a command or a file"):
            parse_command([lost], COMMANDS)
    for words in (["none.puz"], ["magic"], ["none.puz", "a.puz"], ["a\0b"]):
        with pytest.raises((UsageError, PuzzleMissing)):
            parse_command(words, COMMANDS)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_process_that_solves_ends_when_the_server_is_killed(whole: Index):
    with running("--index", whole.folder) as (program, address):
        urllib.request.urlopen(address, timeout=30).close()
        child = int(Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()[-1])
        program.kill()
        program.wait(10)
        waited = subprocess.run(["tail", f"--pid={child}", "-f", "/dev/null"], timeout=30, check=False)
    assert waited.returncode == 0
