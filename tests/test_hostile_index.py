"""An index that somebody else made, checksums and all, and links where Regis clears away: nothing else is harmed."""

import json
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import shared
import tiny
from test_cli import one_sentence

from regis import cli
from regis.building import build, personal_layers
from regis.building.training import checkpoints
from regis.corpora.entry import Source
from regis.errors import IndexDamaged, IndexError_, OutputError, UsageError
from regis.index import Index
from regis.index.layers import layer_files
from regis.index.storage import manifest, publish, validation
from regis.index.tables import schema
from regis.system import paths
from regis.system.files import atomic
from regis.system.files.array_cache import ArrayCache

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need leave there, and modes are others")

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def pack(whole: Index, tmp_path: Path) -> Path:
    """A folder with an index in it, and a person's files around."""
    shutil.copytree(whole.folder, tmp_path / "pack" / "index")
    (tmp_path / "pack" / "notes.txt").write_text("precious")
    (tmp_path / "precious" / "below").mkdir(parents=True)
    for name in ("thesis.txt", publish.WORKSHOP_MARK, "below/more.txt", f"{'0' * 12}.npz"):
        (tmp_path / "precious" / name).write_text("precious")
    return tmp_path / "pack"


def rewrite(index_folder: Path, change: Change) -> None:
    """Changes what the manifest says, and makes its checksum anew."""
    path = index_folder / manifest.MANIFEST_NAME
    raw = json.loads(path.read_bytes())
    del raw["checksums"][manifest.MANIFEST_NAME]
    change(raw)
    sums = raw["checksums"]
    sums[manifest.MANIFEST_NAME] = manifest._checksum(manifest._json(raw).encode())
    path.write_text(manifest._json(raw))


def add_word(index_folder: Path, word: str = "QZXVJKOSLO") -> int:
    (words := index_folder.parent.parent / f"{word.lower()}.txt").write_text(f"{word}\n")
    return cli.main(["add", "--index", str(index_folder), str(words)])


def add_in_vain(pack: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said where nothing can be added; all stays as it was, but for a lock and the list of words itself."""
    before = shared.files(pack.parent)
    assert add_word(pack / "index") == 1
    after = shared.files(pack.parent)
    assert {name: after.get(name) for name in before} == before
    assert {Path(name).name for name in after.keys() - before.keys()} <= {"qzxvjkoslo.txt", ".index.regis-lock"}
    return one_sentence(capsys.readouterr().err)


NAMES = [
    "../notes.txt", "../../precious/thesis.txt", "answers/../../notes.txt", "./letters.npy", "answers//letters.npy",
    "..", "", "answers/", "..\\notes.txt", "C:\\notes.txt", "C:notes.txt", ".. /notes.txt", ".../notes.txt",
    "letters.npy\0", ".profile", "letters.npy\n",
]  # fmt: skip


def test_files_are_listed_in_the_index_alone(pack: Path, capsys: pytest.CaptureFixture[str]):
    sound = (pack / "index" / manifest.MANIFEST_NAME).read_bytes()
    for name in (*NAMES, "/etc/hostname", f"{pack}/notes.txt"):
        (pack / "index" / manifest.MANIFEST_NAME).write_bytes(sound)
        rewrite(
            pack / "index",
            lambda raw, name=name: (raw["files"].update({name: 8}), raw["checksums"].update({name: "0" * 8})),
        )
        assert manifest.MANIFEST_NAME in add_in_vain(pack, capsys), name
        with pytest.raises(IndexDamaged, match=manifest.MANIFEST_NAME):
            Index.open(pack / "index")


@pytest.mark.parametrize("recover", [Index.open, layer_files.recover_layers, layer_files.recover_layer_records])
def test_layers_have_names_of_their_own(pack: Path, recover: Callable[[Path], object]):
    assert add_word(pack / "index") == 0
    recover(pack / "index")
    for name in (*NAMES, "/etc/hostname", 5, None, ["list"]):
        rewrite(pack / "index", lambda raw, name=name: raw["layers"][0].update(name=name))
        with pytest.raises(IndexDamaged):
            recover(pack / "index")


def test_what_a_build_lists_is_such_a_name(whole: Index, strong_index: Index):
    for index in (whole, strong_index):
        assert all(map(manifest.FILE_NAME_PATTERN.fullmatch, index.manifest.files))
    for name in ("Bücher & Wörter (2)", "-- ", "ПОЛЕ", "a" * 90, "naïve.list"):
        layer = layer_files.make_layer_name(name) or personal_layers.UNNAMED_LAYER
        assert manifest.LAYER_NAME_PATTERN.fullmatch(layer)
        assert manifest.FILE_NAME_PATTERN.fullmatch(schema.layer_file(layer))


@pytest.fixture
def refuse(whole: Index, tmp_path: Path) -> Callable[[Change], None]:
    """Checks that a manifest is refused after a change."""
    text = (whole.folder / manifest.MANIFEST_NAME).read_bytes()
    record = {"name": "words", "changed": "", "sources": [], "publishers": [], "clues": 0, "words": 1, "answers": 1}

    def refuse_change(change: Change) -> None:
        raw = json.loads(text) | {"layers": [dict(record)]}
        del raw["checksums"]
        validation.parse_manifest(json.dumps(raw).encode(), tmp_path)
        change(raw)
        with pytest.raises(IndexDamaged, match=manifest.MANIFEST_NAME):
            validation.parse_manifest(json.dumps(raw).replace("NaN", "1e999").encode(), tmp_path)

    return refuse_change


@pytest.mark.parametrize("number", [10**30, -1, True, "a year", float("nan"), 2001.0, [2001]])
def test_a_manifest_counts_in_numbers(refuse: Callable[[Change], None], number: object):
    for field in ("latest", "earliest", "kept", "read", "bytes"):
        refuse(lambda raw, field=field: raw["sources"][0].update({field: number}))
    refuse(lambda raw: raw["sources"][0]["rejected"].update(unclear=number))
    for field in ("latest_year", "newest", "begun_to"):
        refuse(lambda raw, field=field: raw.update({field: number}))
    for field in ("clues", "answers", manifest.HIDDEN_ANSWERS):
        refuse(lambda raw, field=field: raw["lengths"]["4"].update({field: number}))
    refuse(lambda raw: raw["lengths"].update({str(number): raw["lengths"].pop("4")}))
    refuse(lambda raw: raw["files"].update({"letters.npy": number}))
    for field in ("after", "pairs"):
        refuse(lambda raw, field=field: raw["held_out"].update({field: number}))


@pytest.mark.parametrize("words", [None, True, 10**30, float("nan"), ["x"], {"a": 1}], ids=str)
def test_a_manifest_is_told_in_texts(refuse: Callable[[Change], None], words: object):
    for field in ("reader", "file", "sha256"):
        refuse(lambda raw, field=field: raw["sources"][0].update({field: words}))
    for field in ("regis", "created", "begun", "starter"):
        refuse(lambda raw, field=field: raw.update({field: words}))
    refuse(lambda raw: raw["publishers"].append(words))
    refuse(lambda raw: raw["layers"][0].update(changed=words))
    refuse(lambda raw: raw["held_out"].update(archives=[words]))


def test_an_index_lists_answers(refuse: Callable[[Change], None]):
    refuse(lambda raw: raw["lengths"].clear())


def test_a_year_that_cannot_be_is_told_by_every_command(pack: Path, capsys: pytest.CaptureFixture[str]):
    rewrite(pack / "index", lambda raw: raw["sources"][0].update(latest=10**30))
    for command in (["guess", "Norwegian capital", "4"], ["index"], ["remove", "words"]):
        assert cli.main([*command, "--index", str(pack / "index")]) == 1
        assert "damaged" in one_sentence(capsys.readouterr().err)


# links and pipes in an index


@pytest.mark.parametrize("name", ["letters.npy", "learned.json", "answers/length=4/table.parquet"])
@pytest.mark.parametrize("target", ["{outside}", "{up}../index-before/{name}"])
def test_a_file_that_is_a_link(pack: Path, name: str, target: str, capsys: pytest.CaptureFixture[str]):
    shutil.copytree(pack / "index", pack / "index-before")
    shutil.copyfile(pack / "index" / name, pack / "outside")
    (pack / "index" / name).unlink()
    way_up = "../" * name.count("/")
    (pack / "index" / name).symlink_to(target.format(outside=pack / "outside", up=way_up, name=name))
    assert f"{name} is a link" in add_in_vain(pack, capsys)
    with pytest.raises(IndexDamaged, match=f"{name} is a link"):
        Index.open(pack / "index")


@pytest.mark.parametrize("name", ["answers", "answers/length=4", "manifest.json"])
def test_a_folder_or_manifest_that_is_a_link(pack: Path, name: str, capsys: pytest.CaptureFixture[str]):
    shutil.move(pack / "index" / name, pack / "outside")
    (pack / "index" / name).symlink_to(pack / "outside")
    assert f"{name} is a link" in add_in_vain(pack, capsys)


def test_a_layer_that_is_a_link_is_not_read(pack: Path, capsys: pytest.CaptureFixture[str]):
    assert add_word(pack / "index") == 0
    capsys.readouterr()
    layer = pack / "index" / "layers" / "qzxvjkoslo.parquet"
    shutil.move(layer, pack / "private.parquet")
    layer.symlink_to("../../private.parquet")
    before = (pack / "private.parquet").read_bytes()
    assert add_word(pack / "index", "OTHERWORD") == 1 and "damaged" in one_sentence(capsys.readouterr().err)
    with pytest.raises(IndexDamaged):
        layer_files.recover_layers(pack / "index")
    assert (pack / "private.parquet").read_bytes() == before


@pytest.mark.parametrize("name", ["extra", "manifest.json"])
def test_a_pipe_is_not_waited_for(pack: Path, name: str):
    (pack / "index" / name).unlink(missing_ok=True)
    os.mkfifo(pack / "index" / name)
    if name == "extra":
        rewrite(pack / "index", lambda raw: (raw["files"].update(extra=0), raw["checksums"].update(extra="00000000")))
    before = (pack / "notes.txt").read_bytes()
    assert add_word(pack / "index") == 1 and (pack / "notes.txt").read_bytes() == before


def test_the_links_of_whoever_installed_the_starter_are_fine(pack: Path, monkeypatch: pytest.MonkeyPatch):
    letters = (pack / "index" / "letters.npy").rename(pack / "letters.npy")
    (pack / "index" / "letters.npy").symlink_to(letters)
    with pytest.raises(IndexError_):
        Index.open(pack / "index")
    monkeypatch.setattr(paths, "starter_folder", lambda: pack / "index")
    assert Index.open(pack / "index").letter_model


# links beside an index


def test_nothing_is_cleared_away_through_a_link(pack: Path):
    precious = shared.files(pack.parent / "precious")
    for name in (".index.regis-building-abc", ".index.regis-previous"):
        (pack / name).symlink_to("../precious")
    left = pack / ".index.regis-building-killed"
    left.mkdir()
    (left / publish.WORKSHOP_MARK).touch()
    for name in (publish.OLD_INDEX, publish.OLDER_INDEX, "stacked"):
        (left / name).symlink_to("../../precious")
    with pytest.raises(OutputError):  # since `previous` is no index
        add_layer(pack)
    (pack / ".index.regis-previous").unlink()
    add_layer(pack)
    assert shared.files(pack.parent / "precious") == precious
    assert not left.exists() and (pack / ".index.regis-building-abc").is_symlink()


def add_layer(pack: Path) -> None:
    (pack.parent / "words.txt").write_text("QZXVJKOSLO\n")
    personal_layers.add_layers([Source("word-list", pack.parent / "words.txt")], pack / "index")


def test_a_lock_that_is_a_link_empties_nothing(pack: Path):
    (pack / ".index.regis-lock").symlink_to("../precious/thesis.txt")
    with pytest.raises(OutputError, match=r"\.index\.regis-lock is a link; delete it"):
        add_layer(pack)
    assert (pack.parent / "precious" / "thesis.txt").read_text() == "precious"


def test_unfinished_lessons_are_neither_kept_nor_deleted_through_a_link(pack: Path):
    (pack / ".index.regis-learning").symlink_to(pack.parent / "precious")
    with pytest.raises(UsageError, match="is a link"):
        checkpoints.checkpoint_folder(pack / "index")


def test_a_cache_that_is_a_link_is_not_tidied(pack: Path):
    precious = pack.parent / "precious"
    (precious / "half-done.txt").write_text("precious")
    os.utime(precious / "half-done.txt", (0, 0))
    (pack / "kept-0").symlink_to(precious)
    before = shared.files(precious)
    ArrayCache(pack / "kept-0").store_arrays("one", [])
    assert shared.files(precious) == before


# who may read it


def modes(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.rglob("*")}


def test_a_private_index_stays_private(pack: Path):
    index = pack / "index"
    assert add_word(index) == 0
    for path in [index, *index.rglob("*")]:
        path.chmod(path.stat().st_mode & 0o700)
    before = modes(index)
    assert add_word(index, "OTHERWORD") == 0
    after = modes(index)
    assert {name: mode for name, mode in after.items() if name in before} == before
    assert set(after.values()) <= {"0o700", "0o600"} and "layers/otherword.parquet" in after
    assert cli.main(["remove", "otherword", "--index", str(index)]) == 0
    assert stat.S_IMODE(index.stat().st_mode) == 0o700 and modes(index) == before


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755, 0o775, 0o2770, 0o2750])
def test_a_folder_keeps_its_mode_and_group(pack: Path, mode: int):
    group = next((number for number in os.getgroups() if number != os.getgid()), os.getgid())
    group = 12345 if os.geteuid() == 0 else group
    os.chown(pack / "index", -1, group)
    (pack / "index").chmod(mode)
    assert add_word(pack / "index") == 0
    status = (pack / "index").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_gid) == (mode, group)
    new = (pack / "index" / "layers").stat()
    assert new.st_gid == group and not stat.S_IMODE(new.st_mode) & ~mode and new.st_mode & stat.S_ISGID == mode & 0o2000
    assert not stat.S_IMODE((pack / "index" / "layers" / "qzxvjkoslo.parquet").stat().st_mode) & ~mode


def test_a_group_that_cannot_be_had_leaves_the_index_to_no_other(pack: Path, monkeypatch: pytest.MonkeyPatch):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to a group that is not its own")
    os.chown(pack / "index", -1, 12345)
    (pack / "index").chmod(0o2770)

    monkeypatch.setattr(os, "chown", Mock(side_effect=PermissionError))
    assert add_word(pack / "index") == 0
    status = (pack / "index").stat()
    assert status.st_gid != 12345 and stat.S_IMODE(status.st_mode) == 0o700
    assert not any(path.stat().st_mode & stat.S_IRWXG for path in (pack / "index" / "layers").rglob("*"))


# the starter


def inodes(folder: Path) -> set[tuple[int, int]]:
    return {(path.stat().st_dev, path.stat().st_ino) for path in folder.rglob("*") if path.is_file()}


def test_no_file_is_one_with_a_file_of_the_starter(pack: Path, monkeypatch: pytest.MonkeyPatch):
    starter, own = pack / "index", pack / "own"
    monkeypatch.setattr(paths, "starter_folder", lambda: starter)
    source = Source("word-list", pack / "words.txt")
    for word in ("QZXVJKOSLO", "OTHERWORD"):
        source.path.write_text(f"{word}\n")
        personal_layers.add_layers([source], own, begin_with_starter=True)
        assert (own / "learned.json").is_file() and not inodes(own) & inodes(starter)
    assert all(path.stat().st_nlink == 1 for path in starter.rglob("*") if path.is_file())


def test_what_is_built_on_a_starter_shares_nothing_with_it(strong_index: Index, tmp_path: Path):
    starter = Path(shutil.copytree(strong_index.folder, tmp_path / "starter"))
    build.build_index(
        [Source("xd-clues", tiny.corpus(tmp_path / "clues.tsv"))], tmp_path / "own", starter_folder=starter
    )
    assert (tmp_path / "own" / "transformer").is_dir() and not inodes(tmp_path / "own") & inodes(starter)


def test_a_file_that_is_replaced_keeps_its_mode_and_group(tmp_path: Path):
    (tmp_path / "old").write_text("old")
    group = 12345 if os.geteuid() == 0 else os.getgid()
    os.chown(tmp_path / "old", -1, group)
    (tmp_path / "old").chmod(0o640)
    (tmp_path / "new").write_text("new")
    atomic.move_into_place(tmp_path / "new", tmp_path / "old")
    status = (tmp_path / "old").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_gid) == (0o640, group) and (tmp_path / "old").read_text() == "new"


def test_links_that_an_older_version_made_are_copied(pack: Path, monkeypatch: pytest.MonkeyPatch):
    """Files of one's own index are linked."""
    starter, own = pack / "index", pack / "own"
    shutil.copytree(starter, own, copy_function=os.link)
    assert inodes(own) == (before := inodes(starter))
    with monkeypatch.context() as patch:
        patch.setattr(paths, "starter_folder", lambda: starter)
        (pack / "words.txt").write_text("QZXVJKOSLO\n")
        personal_layers.add_layers([Source("word-list", pack / "words.txt")], own)
    assert not inodes(own) & before
    add_layer(pack)
    assert len(inodes(pack / "index") & before) > 20
