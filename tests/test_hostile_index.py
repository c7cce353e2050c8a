"""An index made by an attacker, with valid checksums, and links where Regis deletes files: nothing else is harmed."""

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import shared
from test_cli import one_sentence

from regis import cli
from regis.building import personal_layers
from regis.building.training import checkpoints
from regis.corpora.entry import Source
from regis.errors import IndexDamaged, OutputError, UsageError
from regis.index import Index
from regis.index.layers import layer_files
from regis.index.storage import manifest, validation
from regis.index.tables import schema
from regis.system import paths

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need leave there, and modes are others")

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def pack(whole: Index, tmp_path: Path) -> Path:
    """Make a folder with an index in it, and a person's files around it."""
    shared.copy_index(whole, tmp_path / "pack" / "index")
    (tmp_path / "pack" / "notes.txt").write_text("precious")
    (tmp_path / "precious" / "below").mkdir(parents=True)
    for name in ("thesis.txt", "below/more.txt", f"{'0' * 12}.npz"):
        (tmp_path / "precious" / name).write_text("precious")
    return tmp_path / "pack"


def rewrite(index_folder: Path, change: Change) -> None:
    """Change the manifest, and compute its checksum again."""
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
    """Return the message if nothing can be added; everything stays, except a lock and the list of words itself."""
    before = shared.files(pack.parent)
    assert add_word(pack / "index") == 1
    after = shared.files(pack.parent)
    assert {name: after.get(name) for name in before} == before
    assert {Path(name).name for name in after.keys() - before.keys()} <= {"qzxvjkoslo.txt", ".index.regis-lock"}
    return one_sentence(capsys.readouterr().err)


NAMES = [
    "../notes.txt", "../../precious/thesis.txt", "answers/../../notes.txt", "./letters.arrays", "a//letters.arrays",
    "..", "", "answers/", "..\\notes.txt", "C:\\notes.txt", "C:notes.txt", ".. /notes.txt", ".../notes.txt",
    "letters.arrays\0", ".profile", "letters.arrays\n",
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
    home = paths.index_home(pack / "index")
    for name in (*NAMES, "/etc/hostname", 5, None, ["list"]):
        rewrite(home, lambda raw, name=name: raw["layers"][0].update(name=name))
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
    """Return a check that a changed manifest is refused."""
    text = (whole.files.path / manifest.MANIFEST_NAME).read_bytes()
    record = {"name": "words", "changed": "", "sources": [], "publishers": [], "clues": 0, "words": 1, "answers": 1}

    def refuse_change(change: Change) -> None:
        raw = json.loads(text) | {"layers": [dict(record)]}
        del raw["checksums"]
        path = tmp_path / manifest.MANIFEST_NAME
        path.write_text(json.dumps(raw))
        validation.read_manifest(tmp_path)
        change(raw)
        path.write_text(json.dumps(raw).replace("NaN", "1e999"))
        with pytest.raises(IndexDamaged, match=manifest.MANIFEST_NAME):
            validation.read_manifest(tmp_path)

    return refuse_change


@pytest.mark.parametrize("number", [10**30, -1, True, "a year", float("nan")])
def test_a_manifest_counts_in_numbers(refuse: Callable[[Change], None], number: object):
    for field in ("latest", "earliest", "kept", "read", "bytes"):
        refuse(lambda raw, field=field: raw["sources"][0].update({field: number}))
    refuse(lambda raw: raw["sources"][0]["rejected"].update(unclear=number))
    for field in ("latest_year", "newest", "begun_to"):
        refuse(lambda raw, field=field: raw.update({field: number}))
    for field in ("clues", "answers", manifest.HIDDEN_ANSWERS):
        refuse(lambda raw, field=field: raw["lengths"]["4"].update({field: number}))
    refuse(lambda raw: raw["lengths"].update({str(number): raw["lengths"].pop("4")}))
    refuse(lambda raw: raw["files"].update({"letters.arrays": number}))
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


# links beside an index


def test_nothing_is_cleared_away_through_a_link(pack: Path):
    precious = shared.files(pack.parent / "precious")
    add_layer(pack)
    for name in ("building-abc", "0123456789ab", "building-0123456789ab"):
        (pack / "index" / name).symlink_to("../../precious")
    (pack / "index" / "building-killed").mkdir()
    (pack / "index" / "building-killed" / "stacked").symlink_to("../../../precious")
    (pack.parent / "words.txt").write_text("OTHERWORD\n")
    personal_layers.add_layers([Source("word-list", pack.parent / "words.txt")], pack / "index")
    assert shared.files(pack.parent / "precious") == precious
    index = Index.open(pack / "index")
    states = {path.name for path in (pack / "index").iterdir() if paths.STATE_NAME.fullmatch(path.name)}
    assert states == {index.fingerprint, index.manifest.base}


@pytest.mark.parametrize("base", ["../precious", "..", "/etc", "x", 5])
def test_what_lies_below_lies_beside(pack: Path, base: object):
    add_layer(pack)
    rewrite(paths.index_home(pack / "index"), lambda raw: raw.update(base=base))
    with pytest.raises(IndexDamaged):
        Index.open(pack / "index")


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


# who may read it


def test_a_private_index_stays_private(pack: Path):
    """The permissions of its folder decide."""
    index = pack / "index"
    index.chmod(0o700)
    for word in ("QZXVJKOSLO", "OTHERWORD"):
        assert add_word(index, word) == 0
        assert stat.S_IMODE(index.stat().st_mode) == 0o700


# the starter


def test_the_starter_stays_as_it_is(pack: Path, monkeypatch: pytest.MonkeyPatch):
    starter, own = pack / "index", pack / "own"
    before = shared.files(starter)
    monkeypatch.setattr(paths, "starter_folder", lambda: starter)
    source = Source("word-list", pack / "words.txt")
    for word in ("QZXVJKOSLO", "OTHERWORD"):
        source.path.write_text(f"{word}\n")
        personal_layers.add_layers([source], own, begin_with_starter=True)
        assert {name: data for name, data in shared.files(starter).items() if "derived/" not in name} == before
