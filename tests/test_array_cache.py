"""What was unpacked and is kept: it comes back as it was, or is made again; and whether it is there changes nothing."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from safetensors.numpy import load_file

import regis
from regis.cli import doctor
from regis.cli.dispatch import main
from regis.index import Index
from regis.index.storage import cached_columns
from regis.system import paths
from regis.system.files import array_cache
from regis.system.files.array_cache import MAX_CACHE_FOLDERS, ArrayCache

ROOT = Path(__file__).parent.parent
STARTER = ROOT / "data" / "starter"
MINI = ROOT / "examples" / "mini.puz"

ARRAYS = [
    np.arange(5, dtype=np.uint16), np.array([b"ABC", b"XYZ"]), np.zeros(0, np.float32),
    np.arange(6, dtype=np.int64).reshape(2, 3), np.array([1.5], np.float32),
]  # fmt: skip


def same(found: list[np.ndarray] | None, wanted: list[np.ndarray]) -> bool:
    return found is not None and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(found, wanted, strict=True)
    )


def test_arrays_come_back_as_they_were(tmp_path: Path):
    shelf = ArrayCache(tmp_path / "kept-1")
    assert shelf.load_arrays("some") is None
    shelf.store_arrays("some", ARRAYS)
    shelf.store_arrays("none", [])
    found = shelf.load_arrays("some")
    assert same(found, ARRAYS) and same(shelf.load_arrays("none"), [])
    assert found is not None and not found[0].flags.writeable
    assert all(values.flags.aligned for values in found)
    shelf.store_arrays("some", ARRAYS[:1])
    assert same(shelf.load_arrays("some"), ARRAYS[:1])
    assert sorted(path.name for path in shelf.folder.iterdir()) == ["none", "some"], "nothing half is left"


def test_what_is_not_what_was_put_there_is_not_given(tmp_path: Path):
    shelf = ArrayCache(tmp_path)
    shelf.store_arrays("some", ARRAYS)
    sound = (tmp_path / "some").read_bytes()
    for size in range(0, len(sound), 7):
        (tmp_path / "some").write_bytes(sound[:size])
        assert shelf.load_arrays("some") is None, size
    for at in range(0, len(sound), 5):
        (tmp_path / "some").write_bytes(sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :])
        assert shelf.load_arrays("some") is None, at
    (tmp_path / "some").write_bytes(b"")
    assert shelf.load_arrays("some") is None
    (tmp_path / "folder").mkdir()
    assert shelf.load_arrays("folder") is None


def test_the_library_reads_the_files_too(tmp_path: Path):
    shelf = ArrayCache(tmp_path)
    shelf.store_arrays("some", ARRAYS)
    tensors = load_file(tmp_path / "some")
    assert np.array_equal(tensors["0"], ARRAYS[0]) and tensors["1"].tobytes() == ARRAYS[1].tobytes()


def header_of(types: str, shape: str = "1", start: int = 0) -> bytes:
    """A header that says so of its first array, %s for the checksum."""
    entry = f'{{"shape": [{shape}], "data_offsets": [{start}, 8]}}'
    return f'{{"__metadata__": {{"{array_cache.METADATA_KEY}": "{types}"}}, "0": {entry}}}'.encode()


@pytest.mark.parametrize(
    "header",
    [
        *(b"[" * 60_000, b"{}", b"[]", b"7", b'{"__metadata__": 7}', header_of(""), header_of("%s O")),
        *(header_of("%s i8,i8"), header_of("%s <i8 <i8"), header_of("%s <i8", "9"), header_of("%s <i8", "9" * 40)),
        *(header_of("%s <i8", "1e99"), header_of("%s <i8", "-2"), header_of("%s <i8", start=-8)),
    ],
)
def test_a_header_that_somebody_made_up_is_refused(tmp_path: Path, header: bytes):
    """Also where the checksum is right."""
    content = bytes(8)
    head = len(header.replace(b"%s", array_cache.NO_CHECKSUM)).to_bytes(8, "little")
    blank = head + header.replace(b"%s", array_cache.NO_CHECKSUM)
    checksum = array_cache._compute_checksum(blank, [np.frombuffer(content, np.uint8)])
    (tmp_path / "some").write_bytes(head + header.replace(b"%s", checksum) + content)
    assert ArrayCache(tmp_path).load_arrays("some") is None


@pytest.mark.parametrize("size", [1 << 16, 1 << 40, (1 << 64) - 1])
def test_a_header_is_never_read_beyond_its_bounds(tmp_path: Path, size: int):
    (tmp_path / "some").write_bytes(size.to_bytes(8, "little") + bytes(1 << 17))
    assert ArrayCache(tmp_path).load_arrays("some") is None


def test_a_folder_that_cannot_be_is_no_mistake(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    shelf = ArrayCache(tmp_path / "file" / "kept-1")
    shelf.store_arrays("some", ARRAYS)
    assert shelf.load_arrays("some") is None and (tmp_path / "file").read_text() == "in the way"


def test_a_full_disk_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shelf, tried = ArrayCache(tmp_path), []

    def full(path: object, to: object) -> None:
        tried.append(path)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        shelf.store_arrays("some", ARRAYS)
        shelf.store_arrays("other", ARRAYS)
    assert len(tried) == 1 and not list(tmp_path.iterdir())
    assert shelf.load_arrays("some") is None


def test_many_may_keep_the_same_at_once(tmp_path: Path):
    def work(seed: int) -> bool:
        shelf = ArrayCache(tmp_path / "kept-1")
        shelf.store_arrays("some", ARRAYS)
        return same(shelf.load_arrays("some"), ARRAYS)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))
    assert [path.name for path in (tmp_path / "kept-1").iterdir()] == ["some"]


def test_small_files_are_closed_and_large_ones_mapped(tmp_path: Path):
    shelf = ArrayCache(tmp_path)
    large = np.arange(array_cache.MIN_MAPPED_BYTES // 8 + 1)
    shelf.store_arrays("small", ARRAYS)
    shelf.store_arrays("large", [large])
    open_files = Path("/proc/self/fd")
    before = len(list(open_files.iterdir())) if open_files.is_dir() else 0
    held = [shelf.load_arrays("small") for _ in range(50)]
    assert not open_files.is_dir() or len(list(open_files.iterdir())) == before
    mapped = shelf.load_arrays("large")
    (tmp_path / "large").unlink()  # a map goes on
    assert same(mapped, [large]) and all(same(found, ARRAYS) for found in held)


def test_what_a_killed_program_left_goes_in_time(tmp_path: Path):
    for name, age in (("half-old", 2 * array_cache.ABANDONED_SECONDS), ("half-new", 0)):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    ArrayCache(tmp_path).store_arrays("some", ARRAYS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["half-new", "some"]


def test_what_was_used_last_stays(tmp_path: Path):
    for i in range(MAX_CACHE_FOLDERS):
        ArrayCache(tmp_path / f"kept-{i}").store_arrays("some", ARRAYS)
        os.utime(tmp_path / f"kept-{i}", (i, i))
    assert ArrayCache(tmp_path / "kept-0").load_arrays("some") is not None
    ArrayCache(tmp_path / "kept-new").store_arrays("some", ARRAYS)
    assert {path.name for path in array_cache.list_cache_folders(tmp_path)} == {"kept-0", "kept-2", "kept-new"}


def test_the_oldest_make_room_and_nothing_else_does(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "kept-of-mine.txt").write_text("a file")
    for i in range(MAX_CACHE_FOLDERS + 2):
        shelf = ArrayCache(tmp_path / f"kept-{i}")
        shelf.store_arrays("some", ARRAYS)
        os.utime(shelf.folder, (i, i))
    seen = [path.name for path in array_cache.list_cache_folders(tmp_path)]
    assert seen == [f"kept-{i}" for i in range(MAX_CACHE_FOLDERS + 1, 1, -1)]
    array_cache.delete_cache_folders(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "kept-of-mine.txt"}
    assert array_cache.list_cache_folders(tmp_path / "nowhere") == []


# the columns of an index


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(tmp_path))
    return tmp_path / "regis"


def solved(folder: Path = STARTER) -> str:
    index = Index.open(folder)
    return str(regis.solve(MINI, index=index).json()["confidence"])


def files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_the_second_time_nothing_is_unpacked_and_all_is_the_same(cache: Path, monkeypatch: pytest.MonkeyPatch):
    first = solved()
    there = files(cache)
    assert there
    assert {path.parent for path in there} == {cache / one.name for one in array_cache.list_cache_folders(cache)}
    with monkeypatch.context() as patch:
        patch.setattr("regis.index.storage.parquet.read_table_file", lambda *_: pytest.fail("it is kept"))
        assert solved() == first
    monkeypatch.setenv(paths.CACHE_VARIABLE, "")
    assert solved() == first and files(cache) == there


def test_the_second_time_what_unpacks_is_not_even_imported(cache: Path):
    code = (
        "import sys; from regis.cli.dispatch import main; main(sys.argv[1:]); print('pyarrow' in sys.modules, len("
        "[name for name in sys.modules if name.startswith('regis.building')]))"
    )
    line = [sys.executable, "-c", code, "solve", "--index", STARTER, MINI]
    ends = [subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines()[-1] for _ in range(2)]
    assert ends == ["True 0", "False 0"]


@pytest.mark.parametrize("how", ["changed", "cut", "gone"])
def test_what_is_damaged_there_is_made_again(how: str, cache: Path):
    first = solved()
    there = files(cache)
    sound = {path: path.read_bytes() for path in there}
    for path, content in sound.items():
        if how == "gone":
            path.unlink()
        else:
            path.write_bytes(
                content[:-1] + bytes([content[-1] ^ 1]) if how == "changed" else content[: len(content) // 2]
            )
    assert solved() == first and {path: path.read_bytes() for path in files(cache)} == sound


def test_what_another_version_kept_is_made_again(cache: Path):
    """Other types, or other columns, under the same name."""
    part = Index.open(STARTER)[5]
    _, _, answers = part.packed_postings
    repeats = part.hashed_clues
    shelf = ArrayCache(cache / array_cache.list_cache_folders(cache)[0].name)
    for path in files(cache):
        shelf.store_arrays(
            path.name, [np.arange(7.0)] if path.name.startswith("vocabulary") else [np.zeros(3, np.int8)] * 4
        )
    again = Index.open(STARTER)[5]
    assert np.array_equal(again.packed_postings[2], answers) and again.packed_postings[2].dtype == answers.dtype
    assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(again.hashed_clues, repeats, strict=True))


def test_what_was_built_is_kept_too(cache: Path, whole: Index, monkeypatch: pytest.MonkeyPatch):
    first = solved(whole.folder)
    assert any("clues" in path.name for path in files(cache))
    monkeypatch.setattr("regis.index.storage.parquet.read_table_file", lambda *_: pytest.fail("it is kept"))
    assert solved(whole.folder) == first


def test_other_content_lies_elsewhere(cache: Path, whole: Index, monkeypatch: pytest.MonkeyPatch):
    record = Index.open(STARTER).manifest
    here = cached_columns.open_column_cache(record)
    other = cached_columns.open_column_cache(Index.open(STARTER).manifest)
    assert here is not None and other is not None and here.folder == other.folder
    changed = Index.open(STARTER).manifest
    object.__setattr__(changed, "checksums", {**changed.checksums, "letters.npy": "00000000"})
    elsewhere = cached_columns.open_column_cache(changed)
    assert elsewhere is not None and elsewhere.folder != here.folder
    built = cached_columns.open_column_cache(whole.manifest)
    assert built is not None and built.folder not in (here.folder, elsewhere.folder)
    monkeypatch.setenv(paths.CACHE_VARIABLE, "")
    assert cached_columns.open_column_cache(record) is None


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(tmp_path))
    assert paths.cache_folder() == tmp_path / "regis"
    monkeypatch.delenv(paths.CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    found = paths.cache_folder()
    assert found is not None and found.name == "regis"
    assert sys.platform != "linux" or found == tmp_path / "own" / "regis"

    for way in (
        Mock(side_effect=RuntimeError("could not determine the home directory")),
        lambda *_, **__: Path("~/.cache/regis"),
    ):
        monkeypatch.setattr("platformdirs.user_cache_path", way)
        assert paths.cache_folder() is None
    assert "no home" in dict(doctor.examine_installation(STARTER).rows)["cache"]


def test_the_doctor_shows_and_clears_it(cache: Path, capsys: pytest.CaptureFixture[str]):
    solved()
    there = files(cache)
    report = dict(doctor.examine_installation(STARTER).rows)
    assert f"{cache}: " in report["cache"] and "from 1 packed index" in report["cache"]
    assert files(cache) == there, "it reads the tables themselves"
    main(["doctor", "--index", str(STARTER), "--clear"])
    assert not files(cache) and f"{cache}: nothing yet" in " ".join(capsys.readouterr().out.split())


def test_the_doctor_says_that_nothing_is_to_be_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(paths.CACHE_VARIABLE, "")
    assert "is empty" in dict(doctor.examine_installation(STARTER).rows)["cache"]


def test_the_doctor_says_that_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "in it"):
        monkeypatch.setenv(paths.CACHE_VARIABLE, str(folder))
        said = dict(doctor.examine_installation(STARTER).rows)["cache"]
        assert f"{folder / 'regis'} cannot be written" in said and "unpacked in each run" in said


def test_the_doctor_promises_to_delete_only_what_it_can(cache: Path, monkeypatch: pytest.MonkeyPatch):
    solved()
    assert "--clear` deletes that" in dict(doctor.examine_installation(STARTER).rows)["cache"]
    monkeypatch.setattr(os, "access", lambda *_: False)  # as it is where others made it
    said = dict(doctor.examine_installation(STARTER).rows)["cache"]
    assert "MB, unpacked from 1 packed index; not writable" in said and "--clear" not in said
