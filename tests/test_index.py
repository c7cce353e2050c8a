"""The index: reading returns what was written, sorted as promised, and all damage is reported in one clear sentence."""

import errno
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import tiny
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regis import text
from regis.ancestors import find_filler
from regis.building.build import build_index
from regis.building.personal_layers import add_layers
from regis.building.synthesis import AnswerCoiner
from regis.cli import doctor
from regis.corpora.entry import Entry, Source
from regis.errors import IndexDamaged, IndexError_, IndexMissing, IndexOutdated, IndexUnreadable
from regis.index import Index, Partition
from regis.index.storage import index_files, manifest, publish, validation
from regis.index.storage.index_files import IndexFiles
from regis.index.tables import schema
from regis.solving.pipeline import solve
from regis.system import paths
from regis.system.files import array_file

ENTRIES = [row for row in corpus.rows() if isinstance(row, Entry)]
FORMS = [(head.upper(), kind, form.upper()) for head, form, kind in corpus.RELATIONS if kind == "s"]


def parts(index: Index) -> list[Partition]:
    return [part for length in index.lengths if (part := index[length]) is not None]


def names(part: Partition) -> list[str]:
    return ["".join(chr(65 + code) for code in row) for row in part.answer_letters]


def pairs(part: Partition) -> dict[tuple[str, str], tuple[int, int]]:
    """Return (key, answer) -> count and last year of the visible clues."""
    answers = names(part)
    keys = list(part.clue_keys)
    columns = zip(keys, part.clue_answer_rows, part.clue_counts, part.clue_last_years, strict=True)
    return {(key, answers[row]): (int(count), int(last)) for key, row, count, last in columns if count}


def test_every_row_is_there_once_with_its_count_and_years(whole: Index):
    count = Counter((text.clue_key(e.clue), e.answer) for e in ENTRIES if e.clue)
    last = {(text.clue_key(e.clue), e.answer): e.year for e in sorted(ENTRIES, key=lambda e: e.year or 0) if e.clue}
    found = {pair: seen for part in parts(whole) for pair, seen in pairs(part).items()}
    assert found == {pair: (n, last[pair]) for pair, n in count.items()}


def test_answers_have_their_counts_scores_and_texts(whole: Index):
    used = Counter(e.answer for e in ENTRIES if e.clue)
    listed = {
        e.answer: max(x.weight for x in ENTRIES if x.answer == e.answer and not x.clue) for e in ENTRIES if not e.clue
    }
    coiner = AnswerCoiner()
    for e in ENTRIES:
        if e.clue:
            coiner.count_clue(text.clue_key(e.clue), e.answer)
    texts = dict(corpus.TITLES)
    for coined in coiner.coin_answers(FORMS):
        if len(coined.answer) < 2:
            continue
        listed[coined.answer] = max(coined.score, listed.get(coined.answer, 0))
        if coined.display_text:
            texts.setdefault(coined.answer, coined.display_text)
    assert {"TIGERS", "FRUIT", "PIRATESFRIEND"} <= set(listed), "or nothing of this is tested"
    assert whole.lengths == sorted({len(e.answer) for e in ENTRIES} | {len(word) for word in listed})
    for part in parts(whole):
        assert dict(zip(names(part), part.use_counts.tolist(), strict=True)) == {n: used[n] for n in names(part)}
        assert {n for n in listed if len(n) == part.length} <= set(names(part))
        for name, score in zip(names(part), part.list_scores.tolist(), strict=True):
            assert score == pytest.approx(listed.get(name, 0))
        assert part.is_live.all()
        made = dict(zip(names(part), part.display_text_array.to_pylist(), strict=True))
        assert made == {n: texts.get(n) for n in names(part)}


def test_everything_is_sorted_as_promised(whole: Index):
    for part in parts(whole):
        answers = names(part)
        assert answers == sorted(set(answers))
        rows = list(zip(list(part.clue_keys), part.clue_answer_rows.tolist(), strict=True))
        assert rows == sorted(set(rows), key=lambda r: (r[0].encode(), r[1]))
        backwards = [text.reverse_key(rows[i][0]).encode() for i in part.reversed_keys.rows_between(0, len(rows))]
        assert backwards == sorted(backwards) and len(backwards) == len(rows)
        assert (np.diff(part.posting_features.astype(object)) > 0).all()
        for place in range(len(part.posting_features)):
            assert (np.diff(part.posting_list(place).astype(int)) > 0).all()
        assert [part.answer_row(name) for name in answers] == list(range(len(answers)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    raw=st.one_of(
        st.text(max_size=12), st.sampled_from([e.clue for e in ENTRIES if e.clue]), st.text("aot ", max_size=6)
    )
)
def test_place_is_that_of_a_linear_search(whole: Index, raw: str):
    key = text.clue_key(raw)
    for part in (whole[3], whole[5]):
        for keys, word in ((part.sorted_keys, key), (part.reversed_keys, text.reverse_key(key))):
            assert keys.find_position(word) == sum(keys[i] < word.encode() for i in range(len(keys)))
        same = [i for i, k in enumerate(list(part.clue_keys)) if k == key]
        assert part.rows_with_key(key).tolist() == same


def test_holds_pairs_and_only_pairs(whole: Index):
    asked = next(e for e in ENTRIES if e.answer == "OTTER")
    assert whole.has_pair(asked.clue.upper() + "!", "OTTER")
    assert not whole.has_pair(asked.clue, "TIGER")
    assert not whole.has_pair(asked.clue, "OTTERS") and not whole.has_pair(asked.clue, "Q" * 30)
    assert not whole.has_pair("", "OTTER")
    assert [whole[4].answer_row(word) for word in ("AAAA", "ZZZZ", "LIOM")] == [-1, -1, -1]


def test_an_index_without_its_newest_year_equals_one_built_before(whole: Index):
    before = shared.index(corpus.rows(corpus.YEARS[:-1]))
    then = whole.before_newest_year()
    for length in whole.lengths:
        hidden, built = then[length], before[length]
        assert hidden is not None
        if built is None:
            assert not hidden.is_live.any()
            continue
        assert pairs(hidden) == pairs(built)
        # Clue words are listed by all clues, hidden or not, so answers with no other source may differ.
        both = sorted(set(names(built)) & set(names(hidden)))
        assert {n for n, used in zip(names(built), built.use_counts, strict=True) if used} <= set(both)
        rows, then_rows = ([names(p).index(name) for name in both] for p in (hidden, built))
        assert hidden.is_live[rows].all()
        for column in ("use_counts", "last_years"):
            assert getattr(hidden, column)[rows].tolist() == getattr(built, column)[then_rows].tolist(), column


# damage


@pytest.fixture
def copy(whole: Index, tmp_path: Path) -> Path:
    """Return a copy whose files are directly in the folder."""
    return shared.copy_index(whole, tmp_path / "index").files.path


def use(folder: Path) -> None:
    """Read everything that a solver reads of an index, in the same way."""
    index = Index.open(folder)
    clues = {"1A": "Cold city", "5A": "Old metal", "6A": "Any tiny singer", "7A": "___, bottle stopper"}
    for filler in ("belief", "singletons"):
        solved = solve(tiny.puzzle(clues=tiny.CLUES | clues), index, find_filler(filler))
        assert all(0 <= p <= 1 for p in solved.fill.confidence.values())
        assert all(reason.use_count >= 0 for answer in solved.answers for reason in answer.evidence)


def refused(folder: Path, kind: type[IndexError_] = IndexDamaged, word: str = "regis build") -> str:
    with pytest.raises(kind) as caught:
        use(folder)
    said = str(caught.value)
    assert "\n" not in said and word in said and str(folder) in said
    return said


TABLES = schema.length_part(4, schema.TABLES)
FILES = [f"{TABLES}.arrays", f"{schema.LETTERS}.arrays", f"{schema.RELATIONS}.arrays", schema.LEARNED_FILE]


def test_no_index_at_all(tmp_path: Path):
    refused(tmp_path / "nowhere", IndexMissing)
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file", IndexMissing)
    refused(tmp_path / "file" / "inside", IndexMissing)
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", IndexMissing)


@pytest.mark.parametrize("content", [None, b"", b"\0" * 100, b"[" * 100_000, b"[]", b"{}", b"\xff\xfe\x80"])
def test_a_manifest_that_is_none(copy: Path, content: bytes | None):
    (copy / "manifest.json").unlink()
    if content is not None:
        (copy / "manifest.json").write_bytes(content)
    refused(copy, IndexError_)


def test_another_version(copy: Path):
    change(copy, lambda raw: raw.update(format_version=99))
    assert "99" in refused(copy, IndexOutdated)


@pytest.mark.parametrize(
    "more",
    [{"files": None}, {"sources": [{}]}, {"publishers": None}, {"held_out": None}, {"more": 1}, {"added": 3},
     *({"lengths": lengths} for lengths in (["4"], {"four": {"clues": 1, "answers": 1}}, {"4": {}}, {"4": 7}))],
)  # fmt: skip
def test_a_manifest_with_other_things_in_it(copy: Path, more: dict[str, object]):
    change(copy, lambda raw: raw.update(more))
    refused(copy)


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_short_missing_or_full_of_something_else(copy: Path, name: str):
    """Whether or not the manifest matches it."""
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: len(content) // 2])
    assert name in refused(copy)
    (copy / name).unlink()
    assert name in refused(copy)
    (copy / name).write_bytes(b"\xff" * len(content))
    assert name.removesuffix(".arrays") in refused(copy)
    change(copy, lambda raw: raw.pop("checksums"))
    refused(copy)


@pytest.mark.parametrize("name", ["clues.answer", "clues.reversed", "postings.start", "postings.row", "clues.norm"])
def test_numbers_that_cannot_be(copy: Path, name: str):
    """In an attacker's index."""

    def fill(arrays: dict[str, np.ndarray]) -> None:
        arrays[name].view(np.uint8).fill(0xFF)

    shared.change_arrays(copy, TABLES, fill)
    shared.list_files(Index.open(copy))
    assert TABLES in refused(copy)


def spoilt_weights(**changes: object) -> Callable[[dict], object]:
    return lambda raw: raw["weigh"].update(changes)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: raw.clear(), lambda raw: raw.update(weigh=[]), spoilt_weights(features={}),
        spoilt_weights(missing={"4": 1.5}), spoilt_weights(missing={"four": 0.1}), spoilt_weights(missing=[0.1]),
        lambda raw: raw["weigh"]["features"].update({"nearby": float("inf")}), "[]", "{", "[" * 100_000,
    ],
)  # fmt: skip
def test_learned_things_that_make_no_sense(copy: Path, spoil: Callable[[dict], object] | str):
    if isinstance(spoil, str):
        (copy / schema.LEARNED_FILE).write_text(spoil)
        list_again(copy)
    else:
        change(copy, spoil, schema.LEARNED_FILE)
    assert schema.LEARNED_FILE in refused(copy)


def change(folder: Path, spoil: Callable[[dict], object], name: str = "manifest.json") -> None:
    raw = json.loads((folder / name).read_text())
    spoil(raw)
    (folder / name).write_text(json.dumps(raw))
    if name != "manifest.json":
        list_again(folder)


def list_again(folder: Path) -> None:
    """Make the manifest match the files, so that only their content is wrong."""
    shared.list_files(Index(folder, validation.read_manifest(folder)))


def test_an_index_that_is_deleted_while_it_is_used(copy: Path):
    index, unread = Index.open(copy), Index.open(copy)
    solve(tiny.puzzle(), index)
    shutil.rmtree(copy)
    assert solve(tiny.puzzle(), index).fill.cells, "what was read stays"
    for opened, rows in ((index, ("LACKED", "IRONED")), (unread, tiny.ROWS)):
        with pytest.raises(IndexUnreadable, match="deleted or replaced"):
            solve(tiny.puzzle(rows), opened)


# another in its place


def put(content: Path, out: Path) -> None:
    """Replace `out` with a copy of the index `content`, as every command does."""
    with publish.open_workshop(out) as place:
        shutil.copytree(paths.index_home(content), place / "index", dirs_exist_ok=True)
        publish.publish_index(place / "index", out, validation.read_manifest(paths.index_home(content)))


FEW = [4, 5]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of one clue, which has few answers."""
    return corpus.index(tmp_path_factory.mktemp("other"), [corpus.entry("OSLO", "Fjord city", 2001)]).folder


@pytest.fixture
def placed(whole: Index, tmp_path: Path) -> Path:
    """Return an index in its usual place."""
    put(whole.folder, tmp_path / "placed")
    return tmp_path / "placed"


def states(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {paths.POINTER_NAME}


def test_an_open_index_keeps_its_files(placed: Path, other: Path):
    before = {pair for part in parts(Index.open(placed)) for pair in pairs(part)}
    index = Index.open(placed)
    assert index[5].length == 5
    for _ in range(2):  # the second update deletes what the first couldn't
        put(other, placed)
        assert Index.open(placed).lengths == FEW != index.lengths
    assert {pair for part in parts(index) for pair in pairs(part)} == before
    assert solve(tiny.puzzle(), index).fill.cells
    assert Index.open_by_fingerprint(placed, index.fingerprint).lengths == index.lengths
    assert index.fingerprint in states(placed)
    index.files.close()
    put(other, placed)
    assert len(states(placed)) == 1 and index.fingerprint not in states(placed)


def test_an_index_may_be_a_link(placed: Path, other: Path, tmp_path: Path):
    link = tmp_path / "elsewhere" / "link"
    link.parent.mkdir()
    link.symlink_to(placed)
    index = Index.open(link)
    put(other, link)
    assert link.is_symlink() and Index.open(link).lengths == FEW and len(parts(index)) > 1
    assert Index.open_by_fingerprint(link, index.fingerprint).lengths == index.lengths


def test_an_index_that_is_replaced_while_it_is_opened(placed: Path, other: Path, monkeypatch: pytest.MonkeyPatch):
    """Just before it is locked: the index that opens in the end is whole."""
    turns, lock = iter([None]), index_files.SharedLock

    def between(path: Path) -> object:
        if next(turns, 1) is None:
            put(other, placed)
        return lock(path)

    monkeypatch.setattr(index_files, "SharedLock", between)
    index = Index.open(placed)
    assert solve(tiny.puzzle(), index).fill.cells and index.lengths == FEW


@pytest.mark.parametrize("pointer", ["", "0" * 12, "../other", "\xff"])
def test_a_pointer_that_leads_nowhere(placed: Path, tmp_path: Path, pointer: str):
    """Nothing is built over it: an older folder may still have a person's layers."""
    add_layers([Source("puzzle-archive", tiny.puz(tmp_path / "a.puz"))], placed)
    (placed / paths.POINTER_NAME).write_text(pointer, encoding="latin-1")
    before = shared.files(placed)
    assert "restore it from a backup" in refused(placed, word="leads nowhere")
    with pytest.raises(IndexDamaged, match="--without-layers"):
        build_index([Source("xd-clues", tiny.corpus(tmp_path / "clues.tsv"))], placed)
    assert shared.files(placed) == before
    build_index([Source("xd-clues", tmp_path / "clues.tsv")], placed, without_layers=True)
    assert states(placed) == {Index.open(placed).fingerprint}


# checksums


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    last = len(content.rstrip(b"\0")) - 1  # padding follows
    content[last] ^= 1
    path.write_bytes(content)


@pytest.fixture
def sound(strong_index: Index, tmp_path: Path) -> Path:
    """Return a copy of a complete index."""
    return shared.copy_index(strong_index, tmp_path / "index").files.path


SOLVED = [
    *FILES, f"{schema.TRANSFORMER}.arrays", f"{schema.TRANSFORMER}/model.safetensors",
    *(f"{schema.length_part(4, name)}.arrays" for name in (schema.TRANSFORMER, schema.CLUE_EMBEDDINGS)),
]  # fmt: skip
"""Some files that a puzzle of four-letter words needs."""


def test_a_bit_that_changed_anywhere_is_noticed(sound: Path, capsys: pytest.CaptureFixture):
    """By solving, if it reads the file; by the doctor in any case."""
    record = validation.read_manifest(sound)
    assert record.checksums.keys() == record.files.keys() and {*SOLVED} <= record.files.keys()
    for name in (*record.files, manifest.MANIFEST_NAME):
        before = (sound / name).read_bytes()
        flipped(sound / name)
        with pytest.raises(IndexDamaged, match=re.escape(name)):
            doctor.verify_checksums(Index.open(sound))
        if name in SOLVED:
            with pytest.raises(IndexDamaged, match=re.escape(name.split("/")[0].removesuffix(".arrays"))):
                solve(tiny.puzzle(), Index.open(sound))
        (sound / name).write_bytes(before)


# what the machine lacks

LACKS = (
    MemoryError(), OSError(errno.EMFILE, "x"), PermissionError(errno.EACCES, "x"), OSError(errno.EIO, "x"),
    OSError(errno.ESTALE, "x"),
)  # fmt: skip


@pytest.mark.parametrize("lack", LACKS, ids=repr)
def test_what_the_machine_lacks_is_no_damage(sound: Path, lack: Exception, monkeypatch: pytest.MonkeyPatch):
    """Whatever part can't be read, at any moment."""
    read, left = IndexFiles.read_arrays, [0]

    def fails(files: IndexFiles, part: str) -> object:
        left[0] -= 1
        if not left[0]:
            raise lack
        return read(files, part)

    monkeypatch.setattr(IndexFiles, "read_arrays", fails)
    for turn in (1, 2, 3, 9, 30):
        left[0] = turn
        said = refused(sound, IndexUnreadable, "can't be read")
        assert "damage" not in said and "regis build" not in said


# arrays


def law(values: np.ndarray) -> bool:
    return bool((values < 9).all())


def test_an_array_is_read_as_it_was_written_or_not_at_all(tmp_path: Path):
    array_file.write_arrays(tmp_path / "inner" / "part.arrays", {"some": np.arange(6, dtype=np.uint32)})
    files = IndexFiles(tmp_path)
    for shape in ((6,), (None,)):
        assert files.read_array("inner/part", "some", np.uint32, shape, law).tolist() == [*range(6)]
    for kind, wrong, broken in (
        (np.int32, (6,), law), (np.uint32, (5,), law), (np.uint32, (6, 1), law), (np.uint32, (0,), law),
        (np.uint32, (6,), lambda values: (values < 5).all()), (np.uint32, (6,), lambda values: values[6]),
    ):  # fmt: skip
        with pytest.raises(IndexDamaged, match="inner/part"):
            files.read_array("inner/part", "some", kind, wrong, broken)
