"""Building: what is included, what is left out and why; the same each time; all or nothing."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import corpus
import pytest
import shared
from corpus import entry

from regis.building import build as building
from regis.building.build import AFTER_LAST_YEAR, HELD_OUT_PAIR, WITHOUT_YEAR, build_index
from regis.building.personal_layers import add_layers
from regis.candidates.ranking.weights import Weights
from regis.corpora.entry import Entry, Reject, Relation, Source
from regis.errors import OutputError, SourceError, UsageError
from regis.index import Index, Manifest
from regis.index.storage import manifest, publish
from regis.index.tables import writer

pytestmark = pytest.mark.usefixtures("reader")

FEW = [entry("OSLO", "Fjord city", 2001), entry("LION", "Proud roarer", 2002)]


def made(tmp_path: Path, rows: list[corpus.Row], **options: object) -> tuple[Manifest, Index]:
    record = build_index([corpus.write(tmp_path / "rows.json", rows)], tmp_path / "index", **options)  # type: ignore[arg-type]
    return record, Index.open(tmp_path / "index")


def pairs(index: Index) -> set[tuple[str, str, int]]:
    """Return (clue, answer, count) of everything in the index."""
    found = set()
    for length in index.lengths:
        part = index[length]
        for clue, row, count in zip(list(part.clue_texts), part.clue_answer_rows, part.clue_counts, strict=True):
            found.add((clue, "".join(chr(65 + x) for x in part.answer_letters[row]), int(count)))
    return found


def test_equal_pairs_become_one_with_a_count_and_the_latest_wording(tmp_path: Path):
    rows = [
        entry("OSLO", "Fjord City!", 2003, "b"), entry("OSLO", "fjord city", 1999, "a"),
        entry("OSLO", "Fjord city", 2001, "a"), entry("LIMA", "Fjord city", 2001), entry("OSLO", "Fjords", None),
    ]  # fmt: skip
    record, index = made(tmp_path, rows)
    assert pairs(index) == {("Fjord City!", "OSLO", 3), ("Fjord city", "LIMA", 1), ("Fjords", "OSLO", 1)}
    part = index[4]
    oslo = part.answer_row("OSLO")
    assert (int(part.use_counts[oslo]), int(part.last_years[oslo])) == (4, 2003)
    assert (record.latest_year, record.publishers) == (2003, ("b", "a", "tst", "clue words", "endings"))
    coined = {"5": {"clues": 0, "answers": 2}, "6": {"clues": 0, "answers": 1}}  # FJORD, OSLOS; FJORDS; and CITY
    assert record.lengths == {"4": {"clues": 3, "answers": 3}} | coined


def test_every_row_is_accounted_for(tmp_path: Path):
    rows = [*FEW, Reject("too long"), Reject("too long"), Reject("no answer"), entry("OSLO", "Late", 2010),
            entry("OSLO", "Undated"),
            entry("LIMA", weight=0.5)]  # fmt: skip
    record, index = made(tmp_path, rows, last_year=2005)
    (source,) = record.sources
    assert (source.read, source.kept, source.earliest, source.latest) == (8, 3, 2001, 2002)
    assert source.rejected == {"too long": 2, "no answer": 1, AFTER_LAST_YEAR: 1, WITHOUT_YEAR: 1}
    assert source.read == source.kept + sum(source.rejected.values())
    path = tmp_path / "rows.json"
    assert (source.sha256, source.bytes) == (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)
    assert index.manifest == record and record.held_out == {"after": 2005, "archives": [], "pairs": 0}


def test_two_builds_of_the_same_are_the_same_to_the_byte(tmp_path: Path):
    """--until makes the index of the years before."""
    for name in "abcd":
        (tmp_path / name).mkdir()
    cut, _ = made(tmp_path / "a", corpus.rows(), last_year=2003)
    early, _ = made(tmp_path / "b", corpus.rows((2001, 2002, 2003)))
    first, _ = made(tmp_path / "c", corpus.rows())
    second, _ = made(tmp_path / "d", corpus.rows())
    for one, other in ("ab", "cd"):
        assert without_manifest(tmp_path / one) == without_manifest(tmp_path / other)
    assert cut.latest_year == 2003 and cut.lengths == early.lengths and first.fingerprint == second.fingerprint
    third, _ = made(tmp_path / "d", [*corpus.rows(), entry("OSLO", "One more", 2001)])
    assert third.fingerprint != first.fingerprint


def without_manifest(folder: Path) -> dict[str, str]:
    found = shared.files(Index.open(folder / "index").files.path)
    return {name: digest for name, digest in found.items() if name != manifest.MANIFEST_NAME}


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a held-out archive whose reader yields one clue in two puzzles, of 2005 and 2007, and one without a
    date."""
    told = [
        entry("OSLO", "FJORD CITY", 2007),
        entry("OSLO", "Fjord city", 2005),
        Reject("no"),
        entry("LION", "Proud roarer"),
    ]
    monkeypatch.setitem(building.READERS, "puzzle-archive", lambda path: iter(told))
    (tmp_path / "puzzles").mkdir()
    return tmp_path / "puzzles"


def test_held_out_pairs_stay_out_from_their_year_on(tmp_path: Path, archive: Path):
    rows = [
        entry("OSLO", "Fjord city", 2004), entry("OSLO", "Fjord city!", 2005), entry("OSLO", "fjord city", 2009),
        entry("OSLO", "Fjord city", None), entry("LIMA", "Fjord city", 2005), entry("LION", "Proud roarer", 1950),
        entry("OSLO", weight=0.5),
    ]  # fmt: skip
    record, index = made(tmp_path, rows, held_out_archives=[archive])
    assert pairs(index) == {("Fjord city", "OSLO", 1), ("Fjord city", "LIMA", 1)}
    assert record.sources[0].rejected == {HELD_OUT_PAIR: 4}
    assert record.held_out == {"after": None, "archives": ["puzzles"], "pairs": 2}


def test_an_archive_without_answers_cannot_be_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(building.READERS, "puzzle-archive", lambda path: iter([Reject("no")] * 3))
    with pytest.raises(SourceError, match="hold out"):
        made(tmp_path, FEW, held_out_archives=[tmp_path])
    assert not (tmp_path / "index").exists()


def neighbours(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()} | {".index.regis-lock"}


def broken_after(rows: list[corpus.Row], error: BaseException):
    def read(path: Path) -> Iterator[corpus.Row]:
        yield from rows
        raise error

    return read


@pytest.mark.parametrize(
    ("at", "error"),
    [
        *((None, error) for error in (SourceError("bad"), KeyboardInterrupt(), RuntimeError("a bug"), MemoryError())),
        ((writer, "write_tables"), KeyboardInterrupt()),
        ((publish, "publish_index"), KeyboardInterrupt()),
        ((writer, "write_tables"), OSError(28, "No space left on device")),
        ((writer, "write_tables"), OSError("19683 requested and 9200 written")),
    ],
)
def test_a_build_that_stops_half_way_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: tuple[object, str] | None, error: BaseException
):
    """While it reads or writes."""
    made(tmp_path, FEW)
    before, is_full = shared.files(tmp_path), isinstance(error, OSError)
    said = r"No space left on device\); make room, or choose another" if is_full else None
    with monkeypatch.context() as patch, pytest.raises(OutputError if is_full else type(error), match=said):
        if at is None:
            patch.setitem(building.READERS, "rows", broken_after(corpus.rows(), error))
        else:
            patch.setattr(*at, Mock(side_effect=error))
        made(tmp_path, FEW)
    assert shared.files(tmp_path) == before and neighbours(tmp_path) == {"index", ".index.regis-lock", "rows.json"}


def test_only_one_build_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made(tmp_path, FEW)
    before = shared.files(tmp_path / "index")

    def read(path: Path) -> Iterator[corpus.Row]:
        yield FEW[0]
        with pytest.raises(OutputError, match="another command"):
            build_index([Source("rows", path)], tmp_path / "index")
        assert shared.files(tmp_path / "index").items() >= before.items()
        yield FEW[1]

    monkeypatch.setitem(building.READERS, "slow", read)
    build_index([Source("slow", tmp_path / "rows.json")], tmp_path / "index")
    assert pairs(Index.open(tmp_path / "index")) == {("Fjord city", "OSLO", 1), ("Proud roarer", "LION", 1)}


@pytest.mark.parametrize("out", ["rows.json/index", "/proc/no/index", "x" * 300, "y/" * 5 + "z" * 300])
def test_a_place_that_cannot_be_written(tmp_path: Path, out: str):
    source = corpus.write(tmp_path / "rows.json", FEW)
    with pytest.raises(OutputError, match="choose another folder"):
        build_index([source], tmp_path / out)


@pytest.mark.parametrize("rows", [[], [corpus.NOTHING] * 3, [entry("OSLO", "Late", 2100)]])
def test_sources_without_an_answer(tmp_path: Path, rows: list[corpus.Row]):
    made(tmp_path, FEW)
    before = shared.files(tmp_path / "index")
    with pytest.raises(SourceError, match="no source has"):
        made(tmp_path, rows, last_year=2050)
    assert shared.files(tmp_path / "index") == before


def test_arguments_that_make_no_sense(tmp_path: Path):
    corpus.write(tmp_path / "rows.json", FEW)
    with pytest.raises(UsageError, match="--source"):
        build_index([], tmp_path / "index")
    for name in ("nowhere", "n" * 300):
        with pytest.raises(SourceError, match="doesn't exist"):
            build_index([Source("rows", tmp_path / name)], tmp_path / "index")
    assert neighbours(tmp_path) == {".index.regis-lock", "rows.json"}


@pytest.mark.parametrize(
    "row",
    [entry("OK", "Fine", 2001), entry("X" * 25, "A lot of kisses", 2001), entry("OSLO", "___", 2001),
     entry("OSLO", "?!", 2001),
     entry("OSLO", "Ω мышь 東京 \ud800 \0", 2001), entry("OSLO", "long " * 200_000, 2001), entry("OSLO", weight=0.0)],
)  # fmt: skip
def test_odd_rows_build_alone_and_in_company(tmp_path: Path, row: Entry):
    if "\ud800" in row.clue:
        row = row._replace(clue=row.clue.replace("\ud800", ""))
    _, index = made(tmp_path, [row])
    assert len(row.answer) in index.lengths
    _, index = made(tmp_path, [*FEW, row])
    part = index[len(row.answer)]
    assert part is not None and part.answer_row(row.answer) >= 0
    index.files.close()
    (tmp_path / "words.txt").write_text("ZZ\nZZZZ\n")
    add_layers([Source("word-list", tmp_path / "words.txt")], tmp_path / "index")
    assert pairs(Index.open(tmp_path / "index")) == pairs(index)


def test_relations_keep_their_publisher_among_many_publishers(tmp_path: Path):
    rows = [entry("OSLO", f"Fjord {i}", 2001, f"pub{i}") for i in range(300)]
    record, index = made(tmp_path, [*rows, Relation("huge", "big", "synonym", "thesaurus")])
    assert index.relations is not None and len(pairs(index)) == 300
    assert len(record.publishers) == 300 + len(["thesaurus", "clue words", "endings"])
    _, said = index.relations.all_relations()
    assert {record.publishers[source] for source in said.source_numbers.tolist()} == {"thesaurus"}


def test_one_mistyped_year_is_not_the_one_that_is_hidden(tmp_path: Path):
    """Neither is a year that has just begun."""
    rows = [*corpus.rows(), *(corpus.entry("OSLO", "Fjord city, once", year) for year in (2020, 2100))]
    record = build_index([corpus.write(tmp_path / "rows.json", rows)], tmp_path / "index")
    assert (record.newest_year, record.latest_year) == (2005, 2020)
    assert record.sources[0].rejected[building.AFTER_TODAY] == 1
    fitted = Weights.read_weights(Index.open(tmp_path / "index")).fit_record
    assert fitted["year"] == 2005 and fitted["clues"] >= 300
    few = [corpus.entry("OSLO", f"Fjord city {i}", 2000 + i % 2) for i in range(40)]
    assert build_index([corpus.write(tmp_path / "few.json", few)], tmp_path / "few").newest_year == 2001
