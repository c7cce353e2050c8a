"""Kill commands that write at random system calls: is the old state there, or the new one, and nothing else?

    python benchmarks/kills.py --kills 200
    python benchmarks/kills.py --kills 300 --only build add remove play update

Needs Linux and strace. Each command runs once to the end, and every system call is noted that makes, writes, renames,
or deletes something. Then it runs again and again over the old state and is killed (SIGKILL) at a random one of them.
All is well if what it writes is, to the byte, what it was before or would be after (an index by its fingerprint, and
every file by its checksum), no other file has changed, and the same command, an hour later, succeeds and leaves nothing
extra. The same seed number draws the same calls.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import generate
import installation  # noqa: F401

from regis.building.build import build_index
from regis.building.distil import distil
from regis.building.personal_layers import add_layers
from regis.building.training.train import learn_encoder
from regis.cli import doctor
from regis.corpora.entry import Source
from regis.errors import RegisError
from regis.index import Index
from regis.system import paths
from regis.system.files import atomic
from regis.system.progress import show_nothing

EXAMPLE_FOLDER = Path(__file__).resolve().parent.parent / "examples"
TRACED_CALLS = (
    *("openat", "write", "pwrite64", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"),
    *("mkdir", "mkdirat", "rmdir", "fsync", "fdatasync", "ftruncate", "chmod", "fchmod", "flock", "copy_file_range"),
)
LEARNING_COMMANDS = ("learn", "distil")  # commands that need an index that has learned
CORPUS_ROWS = 2000  # rows of the corpus for builds
MAX_SECONDS = 600  # for one command, which ends long before
TRACE_LINE = re.compile(r"^(\d+) +(\w+)\((.*)")
WRITING_FLAGS = ("O_CREAT", "O_WRONLY", "O_RDWR")
FETCH_CODE = """
import sys
from regis import cli
from regis.corpora import catalogue
about = catalogue.Corpus("table", "xd-clues", "table.tsv", "page", "licence", "holds", url=sys.argv[1])
catalogue.read_catalogue = lambda: {"table": about}
sys.exit(cli.main(["fetch", "--again", "table"]))
"""
UPDATE_CODE = """
import sys
from regis import cli
from regis.building import list_scores
from regis.corpora import catalogue
from regis.system import paths
about = catalogue.Corpus("some-clues", "xd-clues", "some.tsv", "page", "licence", "holds", url=sys.argv[1], usual=True)
catalogue.read_catalogue = lambda: {about.name: about}
list_scores.MIN_USED_ANSWERS = 5
paths.STARTER_NAME = "none"
sys.exit(cli.main(["update", "--index", "updated"]))
"""
PLAY_CODE = """
import re, sys, threading
from urllib.request import Request, urlopen
from regis import cli
from regis.cli.commands.play import Play
from regis.play import app

async def run_here(function, *words, **named):
    return function(*words, **named)

def use_page(command, addresses):
    address = addresses.usual

    def post(path, data):
        urlopen(Request(address + path, data, {"Origin": re.match("http://[^/]+", address)[0]})).close()

    def play():
        post("puzzles?name=own.xd", open("own.xd", "rb").read())
        post("stop", b"{}")

    threading.Thread(target=play, daemon=True).start()

app.run_in_threadpool = run_here  # one thread writes, whose system calls are counted
Play._ready = use_page
sys.exit(cli.main(["play", "--no-browser", "--index", "index"]))
"""


class KilledCommand(NamedTuple):
    """A command that runs in the world, and what it writes there."""

    python_arguments: list[str]  # after `python`
    target: str
    kill_share: float  # share of all kills, relative to the other commands; lower for slow ones
    undo_arguments: Sequence[str] = ()  # after `python`; undoes the command if it can't be repeated


def killed_commands(url: str) -> dict[str, KilledCommand]:
    """Return the commands by name; `fetch` downloads from `url`."""

    def regis(target: str, share: float, line: str) -> KilledCommand:
        return KilledCommand(["-m", "regis", *line.split()], target, share)

    return {
        "build": regis("index", 0.22, "build --without-starter --source clues.tsv --output index"),
        "add": regis("index", 0.23, "add new.puz --index index"),
        "remove": regis("layered", 0.23, "remove puzzles --index layered")._replace(
            undo_arguments=["-m", "regis", "add", "new.puz", "--index", "layered"]
        ),
        "play": KilledCommand(["-c", PLAY_CODE], "data/played", 0.22),
        "update": KilledCommand(["-c", UPDATE_CODE, url], "updated", 0.22),
        "learn": regis("learned", 0.08, "learn --epochs 2 --index learned"),
        "distil": regis("small", 0.02, "distil --index learned --output small"),
        "convert": regis("out.ipuz", 0.15, "convert a.puz out.ipuz"),
        "solve": regis("out.xd", 0.15, "solve a.puz --index index --format xd --output out.xd"),
        "fetch": KilledCommand(["-c", FETCH_CODE, url], "data/downloads/table.tsv", 0.15),
    }


def make_world(world: Path, with_learning: bool) -> None:
    """Make the old state: an index, one that has learned, and its distilled one, puzzles, files that commands
    overwrite, and files that they must leave alone."""
    for name, rows in (("clues.tsv", CORPUS_ROWS), ("older.tsv", CORPUS_ROWS // 2)):
        (world / name).write_text("".join(generate.clue_chunks(rows)))
    build_index([Source("xd-clues", world / "older.tsv")], world / "index")
    shutil.copy(EXAMPLE_FOLDER / "midi.puz", world / "new.puz")
    for copy in ("layered", "updated"):
        shutil.copytree(world / "index", world / copy)
    add_layers([Source("puzzle-archive", world / "new.puz")], world / "layered")
    if with_learning:
        shutil.copytree(world / "index", world / "learned")
        learn_encoder(world / "learned", epochs=1, progress=show_nothing)
        distil(world / "learned", world / "small", epochs=1)
    shutil.copy(EXAMPLE_FOLDER / "mini.puz", world / "a.puz")
    shutil.copy(EXAMPLE_FOLDER / "formats" / "begun.xd", world / "own.xd")
    (world / "data" / "downloads").mkdir(parents=True)
    mine = ("out.ipuz", "out.xd", "data/downloads/table.tsv", "notes.txt", ".index.notes", ".regis-notes", "small.txt")
    for name in mine:
        (world / name).write_text(f"mine: {name}\n")


def read_state(path: Path) -> str:
    """Read a file's content, the contents of a folder's files, or a whole index's checksums.

    Raises RegisError.
    """
    if path.suffix:
        return path.read_text()
    if path.parent.name == "data":
        files = (one for one in sorted(path.glob("*")) if not one.name.startswith(atomic.TEMPORARY_PREFIX))
        return str([(one.name, one.read_bytes()) for one in files])
    index = Index.open(path)
    doctor.verify_checksums(index)
    return str(index.manifest.checksums)


def unwritten_paths(world: Path, target: str) -> list[Path]:
    """List everything in the world except what the command writes."""
    found = (path.relative_to(world) for path in sorted(world.rglob("*")))
    return [path for path in found if not path.is_relative_to(target)]


def changed_files(old: Path, world: Path, target: str) -> list[Path]:
    """List the files that have changed, except what the command writes."""
    files = (path for path in unwritten_paths(old, target) if (old / path).is_file())
    pairs = ((path, old / path, world / path) for path in files)
    return [path for path, before, now in pairs if not now.is_file() or before.read_bytes() != now.read_bytes()]


def run_python(world: Path, python_arguments: list[str], strace_options: tuple[str, ...] = ()) -> int:
    """Run `python` with these arguments in the world; return its exit code."""
    environment = os.environ | {paths.DATA_VARIABLE: str(world / "data"), "PYTHONDONTWRITEBYTECODE": "1"}
    line = [*(("strace", "-f", "-qq", *strace_options) if strace_options else ()), sys.executable, *python_arguments]
    return subprocess.run(line, cwd=world, env=environment, capture_output=True, timeout=MAX_SECONDS).returncode


def changing_calls(log: Path) -> list[tuple[str, int]]:
    """List the first process's system calls that change something: name, and number among the calls of that name."""
    found, count, first = [], Counter[str](), ""
    for line in log.read_text(errors="replace").splitlines():
        if not (call := TRACE_LINE.match(line)):
            continue
        first = first or call[1]
        if call[1] != first:
            continue
        count[call[2]] += 1
        opens = call[2] == "openat" and not any(flag in call[3] for flag in WRITING_FLAGS)
        speaks = call[2] == "write" and call[3].startswith(("1,", "2,"))
        if not opens and not speaks:
            found.append((call[2], count[call[2]]))
    return found


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Ignore commands that are killed while they are served."""

    server = Server(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def kill_command(
    old: Path, world: Path, command: KilledCommand, kill_count: int, rng: random.Random
) -> tuple[int, Counter[str]]:
    """Kill a command many times; return its number of calls, and the counts of outcomes."""

    def restore_world() -> None:
        shutil.rmtree(world, ignore_errors=True)
        shutil.copytree(old, world)

    log = world.parent / "log"
    trace = ("-o", str(log), "-e", f"trace={','.join(TRACED_CALLS)}")
    restore_world()
    assert run_python(world, command.python_arguments, trace) in (0, 3), command
    found, names, new = changing_calls(log), unwritten_paths(world, command.target), read_state(world / command.target)
    before = read_state(old / command.target)
    assert new != before, f"{command} changes nothing"
    count: Counter[str] = Counter()
    while count.total() < kill_count:
        name, which = rng.choice(found)
        restore_world()
        if run_python(world, command.python_arguments, (*trace, "-e", f"inject={name}:signal=KILL:when={which}")) >= 0:
            continue  # this time it had fewer calls of that name
        now, wrong = "", []
        try:
            now = read_state(world / command.target)
            if now not in (before, new):
                wrong.append("neither the old state nor the new one")
            wrong += [f"{path} changed" for path in changed_files(old, world, command.target)]
            for left in world.rglob(f"{atomic.TEMPORARY_PREFIX}*"):
                os.utime(left, (0, 0))  # as if an hour had passed
            if now == new and command.undo_arguments:
                run_python(world, [*command.undo_arguments])
            if run_python(world, command.python_arguments) not in (0, 3) or read_state(world / command.target) != new:
                wrong.append("does not end well when it runs again")
            wrong += [f"{path} is left, or lost" for path in {*unwritten_paths(world, command.target)} ^ {*names}]
            wrong += [f"{path} is left" for path in world.rglob(f"{atomic.TEMPORARY_PREFIX}*")]
        except (RegisError, OSError) as error:
            wrong.append(str(error))
        for what in wrong:
            print(f"bad: {command.python_arguments[2]} {command.target} at {name} {which}: {what}", flush=True)
        count["bad" if wrong else "old" if now == before else "new"] += 1
    return len(found), count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--only", nargs="+", metavar="COMMAND", default=[*killed_commands("")], help="only these")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng, bad = random.Random(arguments.seed), 0
    with tempfile.TemporaryDirectory() as place, serve_folder(Path(place) / "old") as url:
        old = Path(place) / "old"
        old.mkdir()
        chosen = {name: one for name, one in killed_commands(f"{url}/clues.tsv").items() if name in arguments.only}
        make_world(old, with_learning=not chosen.keys().isdisjoint(LEARNING_COMMANDS))
        print(f"{'':10}{'calls':>8}{'kills':>8}{'old state':>12}{'new state':>12}{'bad':>6}", flush=True)
        share = arguments.kills / sum(command.kill_share for command in chosen.values())
        for name, command in chosen.items():
            size, count = kill_command(old, Path(place) / "world", command, round(command.kill_share * share), rng)
            row = f"{size:>8}{count.total():>8}{count['old']:>12}{count['new']:>12}{count['bad']:>6}"
            print(f"{name:10}{row}", flush=True)
            bad += count["bad"]
    print(f"{bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
