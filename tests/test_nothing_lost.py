"""Regis deletes only what its own manifest lists, and overwrites nothing that it reads."""

import errno
import os
import shutil
import signal
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
import tiny

from regis import cli
from regis.building.build import build_index
from regis.cli import doctor
from regis.corpora.entry import Source
from regis.errors import OutputError
from regis.index import Index
from regis.index.storage import publish
from regis.puzzle import formats
from regis.system import paths
from regis.system.files import atomic


def files(folder: Path) -> dict[str, bytes]:
    """Return everything in `folder` except Regis's locks."""
    there = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.endswith(".regis-lock"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in there}


def made(folder: Path) -> Path:
    """Make a table of clues, and an index of it at `folder`."""
    folder.parent.mkdir(exist_ok=True)
    table = tiny.corpus(folder.parent / "clues.tsv")
    build_index([Source("xd-clues", table)], folder)
    return table


def write(path: Path, content: str = "mine") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def folder_of(**contents: str) -> Callable[[Path], object]:
    """Make a user's folder with these files; two underscores stand for a dot."""
    return lambda out: [write(out / name.replace("__", "."), content) for name, content in contents.items()]


FOREIGN: dict[str, Callable[[Path], object]] = {
    "a manifest of others": folder_of(manifest__json="{}", index__html="mine"),
    "a manifest of others with files": folder_of(
        manifest__json='{"files": {"index.html": 4}, "name": "a page"}', index__html="mine"
    ),
    "no manifest": folder_of(thesis__txt="mine"),
    "a manifest that is no object": folder_of(manifest__json="[1]", a="mine"),
    "a broken manifest": folder_of(manifest__json="{", index__html="mine"),
    "empty folders": lambda out: (out / "to" / "fill").mkdir(parents=True),
    "a file": write,
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_not_an_index_stays(what: str, tmp_path: Path):
    out = tmp_path / "home" / "web"
    FOREIGN[what](out)
    table = tiny.corpus(tmp_path / "clues.tsv")
    before = files(tmp_path)
    with pytest.raises(OutputError, match=r"choose another folder, or set"):
        build_index([Source("xd-clues", table)], out)
    assert files(tmp_path) == before


@pytest.mark.parametrize("name", ["lock", "previous"])
def test_files_next_to_the_index_stay(name: str, tmp_path: Path):
    """With any name: poetry.lock next to a folder of that name, a copy of an index."""
    mine = write(tmp_path / f"poetry.{name}")
    made(tmp_path / f"other.{name}")
    other = files(tmp_path / f"other.{name}")
    for out in ("poetry", "other"):
        made(tmp_path / out)
    assert mine.read_text() == "mine" and files(tmp_path / f"other.{name}") == other


@pytest.mark.parametrize("name", ["notes.txt", "notes/deep.txt", "clues.tsv"])
def test_what_a_person_puts_into_the_folder_of_an_index_stays(name: str, tmp_path: Path):
    out = tmp_path / "index"
    table = made(out)
    write(out / name, table.read_text())
    build_index([Source("xd-clues", out / name)], out)
    assert (out / name).read_text() == table.read_text() and Index.open(out).has_pair("Be without", "LACK")


def test_no_index_is_made_inside_of_another(tmp_path: Path):
    made(tmp_path / "outer")
    home = Index.open(tmp_path / "outer").files.path
    before = files(home)
    for out in (home / "inner", home / "length=4" / "deep"):
        with pytest.raises(OutputError, match=r"is inside the index at .*; choose another folder"):
            build_index([Source("xd-clues", tmp_path / "clues.tsv")], out)
    assert files(home) == before


def test_an_index_may_be_the_folder_that_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    table = str(made(tmp_path / "here"))
    words = str(write(tmp_path / "words.txt", "LIONESS\n"))
    for here in (".", str(tmp_path / "here" / ".." / "here")):
        for command in (
            ["build", "--source", table, "--output", here], ["add", "--index", here, words],
            ["guess", "Be without", "4", "--index", here], ["remove", "--index", here, "words"],
        ):  # fmt: skip
            monkeypatch.chdir(tmp_path / "here")
            assert cli.main(command) == 0, capsys.readouterr().err
            assert command[0] != "guess" or "LACK" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv(paths.INDEX_VARIABLE, ".")
    assert cli.main(["learn", "--epochs", "1"]) == 0, capsys.readouterr().err


def test_an_index_is_replaced_as_a_whole(tmp_path: Path):
    out = tmp_path / "index"
    out.mkdir()
    table = made(out)
    write(out / "0123456789ab" / "letters.arrays")  # from a build that was killed
    build_index([Source("xd-clues", table)], out)
    assert {path.name for path in out.iterdir()} == {paths.POINTER_NAME, f"{Index.open(out).fingerprint}-2"}
    assert {path.name for path in tmp_path.iterdir()} == {"clues.tsv", "index", ".index.regis-lock"}


def test_what_is_write_protected_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    out = tmp_path / "index"
    made(out)
    words = write(tmp_path / "words.txt", "LIONESS\n")
    before = files(tmp_path)
    refusal = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with monkeypatch.context() as patch:
        patch.setattr(publish.tempfile, "mkdtemp", Mock(side_effect=refusal))
        assert cli.main(["add", "--index", str(out), str(words)]) == 1
    assert "can't be written to" in capsys.readouterr().err and files(tmp_path) == before


def test_only_checkpoints_of_its_own_are_forgotten(tmp_path: Path):
    from regis.building.training import checkpoints

    mine = write(tmp_path / "index.learning" / "notes.txt")
    theirs = [write(mine.parent / name) for name in ("0123456789ab.npz", "0123456789ab.pt", "0123456789ab.half")]
    other = write(mine.parent / "ba9876543210.pt")
    checkpoints.delete_checkpoints(mine.parent, "0123456789ab")
    assert mine.exists() and other.exists() and not any(path.exists() for path in theirs)


CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.chmod")


def killed(work: Callable[[], object], told: Path, at: int = 0) -> int:
    """Run `work` in a process that is killed before its change number `at` of the disk; return the number of
    changes."""
    if child := os.fork():
        os.waitpid(child, 0)
        return told.stat().st_size
    told.write_bytes(b"")
    note = os.open(told, os.O_WRONLY | os.O_APPEND)

    def count(event: str, arguments: tuple) -> None:
        if event in CHANGES or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            os.write(note, b".")
            if os.fstat(note).st_size == at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    try:
        work()
    finally:
        os._exit(0)


KILLS = 12


def test_a_build_that_is_killed_leaves_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The old or the new one, and nothing that the next build doesn't delete."""
    monkeypatch.setattr(atomic, "flush_file", lambda path: None)
    made(tmp_path / "old")
    build_index([Source("xd-clues", tiny.corpus(tmp_path / "more.tsv", years=(2001, 2002, 2003)))], tmp_path / "new")
    old, new = (Index.open(tmp_path / name).fingerprint for name in ("old", "new"))
    out, steps, found = tmp_path / "home" / "index", 0, set()

    def replace() -> None:
        with publish.open_workshop(out) as place:
            index = Index.open(tmp_path / "new")
            index.files.copy_to(place / "index", [])
            publish.publish_index(place / "index", out, index.manifest)

    for kill in range(KILLS + 1):
        shutil.copytree(tmp_path / "old", out)
        at = kill * steps // KILLS
        steps = max(steps, killed(replace, tmp_path / "steps", at))
        index = Index.open(out)
        doctor.verify_checksums(index)
        found.add(index.fingerprint)
        index.files.close()
        replace()
        assert {path.name for path in out.parent.iterdir()} == {"index", ".index.regis-lock"}
        assert len([*out.iterdir()]) == 2
        shutil.rmtree(out)
    assert found == {old, new} and steps > 30


def test_a_file_that_is_written_and_killed_at_any_step(tmp_path: Path):
    """What was left half written is deleted after an hour."""
    out, found = tmp_path / "out.txt", set()
    for at in range(1, 1 + killed(lambda: atomic.write_file(out, "new"), tmp_path / "steps")):
        out.write_text("old")
        killed(lambda: atomic.write_file(out, "new"), tmp_path / "steps", at)
        found.add(out.read_text())
    for left in tmp_path.glob(f"{atomic.TEMPORARY_PREFIX}*"):
        os.utime(left, (0, 0))
    atomic.check_writable(out)
    assert found == {"old", "new"} and {path.name for path in tmp_path.iterdir()} == {"out.txt", "steps"}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Make an index, and a folder of puzzles with another folder inside."""
    made(tmp_path / "index")
    tiny.archive(tmp_path / "puzzles", ["2003-01-01", "2003-01-02"])
    (tmp_path / "puzzles" / "more").mkdir()
    third = tiny.puz(tmp_path / "puzzles" / "more" / "third.puz")
    (tmp_path / "one.xd").write_bytes(formats.convert_file(formats.open_file(third), "xd")[0])
    (tmp_path / "linked.xd").hardlink_to(tmp_path / "one.xd")
    for name in ("one.zip", "zip.puz"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.write(third, "third.puz")
    return tmp_path


READ = {
    "a puzzle of the folder": "solve --format json --output puzzles/2003-01-01.puz puzzles",
    "a puzzle further down": "solve --format json --output puzzles/more/third.puz puzzles",
    "the puzzle itself": "solve --format json --output puzzles/more/third.puz puzzles/more/third.puz",
    "the only puzzle of a folder": "solve --format puz --output puzzles/more/third.puz puzzles/more",
    "by a link": "solve --output link puzzles",
    "a table of the index": "solve --output index/current puzzles/more/third.puz",
    "a new file in the index": "solve --output index/new.txt puzzles",
    "another kind of puzzle": "solve --format xd --output puzzles/2003-01-02.puz puzzles/2003-01-02.puz",
    "an .xd, whose letters are its solution": "solve --format xd --output one.xd one.xd",
    "an .xd under another name": "solve --format xd --output one.xd linked.xd",
    "a zip": "solve --format puz --output one.zip one.zip",
    "a zip that is called a puzzle": "solve --format puz --output zip.puz zip.puz",
    "a puzzle of a benchmark": "bench puzzles --json puzzles/2003-01-01.puz",
    "a puzzle by its page": "bench puzzles --html puzzles/more/third.puz",
    "the manifest": "bench puzzles --json index/current",
    "one file twice": "bench puzzles --json new.txt --html ./new.txt",
    "the converted puzzle itself": "convert puzzles/more/third.puz puzzles/more/third.puz",
}


@pytest.mark.parametrize("what", READ)
def test_what_is_read_is_not_written_over(what: str, world: Path, monkeypatch, capsys: pytest.CaptureFixture):
    monkeypatch.chdir(world)
    (world / "link").symlink_to(world / "puzzles" / "2003-01-02.puz")
    before = files(world)
    words = READ[what].split()
    assert cli.main([*words, *([] if words[0] == "convert" else ["--index", "index"])]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and "choose" in err
    assert files(world) == before


def test_a_new_file_next_to_what_is_read_is_fine(world: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(world)
    seen = cli.main(["solve", "--format", "json", "--output", "puzzles/new.json", "puzzles", "--index", "index"])
    assert seen in (0, 3)
    assert len((world / "puzzles" / "new.json").read_text().splitlines()) == 3


ODD = {"here": ".", "the root": "/", "above": "..", "here, longer": "./."}


@pytest.mark.parametrize("folder", ODD.values(), ids=ODD)
@pytest.mark.parametrize(
    "words",
    [
        ["solve", "a.puz", "--index"], ["guess", "Clue", "4", "--index"], ["explain", "a.puz", "1A", "--index"],
        ["bench", "puzzles", "--index"], ["index", "--index"], ["doctor", "--index"], ["add", "a.puz", "--index"],
        ["learn", "--index"], ["distil", "--output", "small", "--index"],
        ["build", "--source", "clues.tsv", "--output"],
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_a_folder_without_a_name_is_one_sentence(
    words: list[str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    home = tmp_path / "home"
    home.mkdir()
    tiny.puz(home / "a.puz")
    tiny.corpus(home / "clues.tsv")
    tiny.archive(home / "puzzles", ["2003-01-01"])
    monkeypatch.chdir(home)
    before = files(home)
    assert cli.main([*words, folder]) == 1
    out, err = capsys.readouterr()
    assert "Traceback" not in err and (words[0] == "doctor" or (err.count("\n") == 1 and not out))
    assert files(home) == before
