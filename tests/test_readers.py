"""One contract for every reader, then each kind of row that is kept, repaired, or rejected."""

import errno
import gzip
import json
import os
import re
import tarfile
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import make_puzzles
import puz
import pytest

from regis.corpora.entry import RELATION_KINDS, Entry, Reject, Relation
from regis.corpora.readers import READERS, text_files
from regis.errors import SourceError
from regis.puzzle import formats
from regis.system.files import archives

HEADER = "pubid\tyear\tanswer\tclue"
WORDS = ("OSLO", "EEL", "IRON", "TREE", "NOSE", "ROSE", "STONE", "ONSET", "LION", "ARTIST", "OAK", "ELM")
SQUARE = ("LACK", "IRON", "MERE", "BAKE")


def write(path: Path, lines: Sequence[str] | bytes, ending: str = "\n") -> Path:
    path.write_bytes(lines if isinstance(lines, bytes) else ending.join(lines).encode())
    return path


def clues(folder: Path, *rows: str | bytes) -> Path:
    """Write a clue table of these rows."""
    return write(folder / "clues.tsv", b"\n".join(x if isinstance(x, bytes) else x.encode() for x in (HEADER, *rows)))


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def entries(reader: str, path: Path) -> list[Entry]:
    return [row for row in READERS[reader](path) if isinstance(row, Entry)]


def relations(reader: str, path: Path) -> set[tuple[str, str, str]]:
    """Return (kind, head, word) of every relation."""
    return {(row.kind, row.head, row.word) for row in READERS[reader](path) if isinstance(row, Relation)}


def reasons(reader: str, path: Path) -> list[str]:
    return [row.reason for row in READERS[reader](path) if isinstance(row, Reject)]


# ---- the contract


class Sample(NamedTuple):
    """A small file of twelve entries for a reader, and the expected results, by position."""

    write: Callable[[Path], Path]
    expected: Mapping[int, Entry]


def a_table(folder: Path) -> Path:
    return clues(folder, *(f"tst\t{2000 + i}\t{word}\tNo. {i}" for i, word in enumerate(WORDS)))


def a_dump(folder: Path) -> Path:
    path = folder / "enwiki-all-titles-in-ns0.gz"
    path.write_bytes(gzip.compress("\n".join(["page_title", *(f"The_{w.title()}_(film)" for w in WORDS)]).encode()))
    return path


def a_list(folder: Path) -> Path:
    return write(folder / "mine.dict", [f"{word};{i + 1}" for i, word in enumerate(WORDS)])


def an_archive(folder: Path) -> Path:
    path = folder / "archive"
    path.mkdir()
    (path / "tst2001-02-03.puz").write_bytes(make_puzzles.puz_bytes(SQUARE))
    (path / "tst2001-02-04.puz").write_bytes(make_puzzles.puz_bytes(("AB", "CD")))
    return path


def a_wordnet(folder: Path) -> Path:
    path = folder / "wordnet"
    path.mkdir()
    senses = "1 1 @ 1 0 00001740  "
    nouns = [f"{word.lower()} n {senses}" for word in WORDS[:6]]
    write(path / "index.noun", ["  1 This line is part of the license", *nouns])
    write(path / "index.verb", [f"the_{w.lower()} v {senses}" for w in WORDS[6:]])
    return path


def a_thesaurus(folder: Path) -> Path:
    lower = [word.lower() for word in WORDS]
    return write(folder / "mine.txt", [",".join(lower[:7]), ",".join(lower[6:])], "\r\n")


def a_dictionary(folder: Path) -> Path:
    return write(folder / "mine.tsv", [f"{word.lower()}\twhat No. {i} means" for i, word in enumerate(WORDS)])


def a_table_of_books(folder: Path) -> Path:
    rows = [f"{i},The {word.title()},2001" for i, word in enumerate(WORDS)]
    return write(folder / "books.csv", ["id,title,year", *rows])


def each(make: Callable[[int, str], Entry]) -> Mapping[int, Entry]:
    return {number: make(number, word) for number, word in enumerate(WORDS)}


def with_article(source: str, weight: float) -> Callable[[int, str], Entry]:
    return lambda number, word: Entry(f"THE{word}", "", f"The {word.title()}", source, None, weight)


def from_wordnet(number: int, word: str) -> Entry:
    answer, shown = (word, "") if number < 6 else (f"THE{word}", f"the {word.lower()}")
    return Entry(answer, "", shown, "wordnet", None, 0.5)


SAMPLES = {
    "xd-clues": Sample(a_table, each(lambda i, word: Entry(word, f"No. {i}", "", "tst", 2000 + i, 1.0))),
    "wikipedia-titles": Sample(a_dump, each(with_article("wikipedia", 0.2))),
    "word-list": Sample(a_list, each(lambda i, word: Entry(word, "", "", "mine", None, (i + 1) / 12))),
    "wordnet": Sample(a_wordnet, each(from_wordnet)),
    "thesaurus": Sample(a_thesaurus, each(lambda i, word: Entry(word, "", "", "mine", None, 0.4))),
    "definitions": Sample(a_dictionary, each(lambda i, word: Entry(word, "", "", "mine", None, 0.4))),
    "records": Sample(a_table_of_books, each(with_article("books", 0.3))),
    "puzzle-archive": Sample(an_archive, {
        0: Entry("LACK", "Clue 1A", "", "archive", 2001, 1.0), 9: Entry("AC", "Clue 1D", "", "archive", 2001, 1.0),
        11: Entry("CD", "Clue 3A", "", "archive", 2001, 1.0),
    }),
}  # fmt: skip


def test_every_reader_has_a_sample() -> None:
    assert SAMPLES.keys() == READERS.keys()


@pytest.mark.parametrize("reader", READERS)
class TestContract:
    def test_each_entry_is_there_in_its_place(self, reader: str, tmp_path: Path) -> None:
        sample = SAMPLES[reader]
        found = [row for row in READERS[reader](sample.write(tmp_path)) if not isinstance(row, Relation)]
        assert len(found) == 12 and {place: found[place] for place in sample.expected} == sample.expected

    def test_entries_are_what_the_corpus_says(self, reader: str, tmp_path: Path) -> None:
        for row in READERS[reader](SAMPLES[reader].write(tmp_path)):
            if isinstance(row, Relation):
                assert row.kind in RELATION_KINDS and row.head and row.word and row.source
                continue
            assert isinstance(row, Entry)
            assert re.fullmatch("[A-Z]{2,25}", row.answer)
            assert 0 < row.weight <= 1
            assert row.clue.isprintable() and row.text.isprintable()
            assert row.source

    def test_reads_the_same_twice(self, reader: str, tmp_path: Path) -> None:
        path = SAMPLES[reader].write(tmp_path)
        assert list(READERS[reader](path)) == list(READERS[reader](path))

    def test_what_is_missing_empty_or_damaged_is_refused(self, reader: str, tmp_path: Path) -> None:
        junk, damaged = b"no such thing" * 100, r"damaged|contains none of index\.noun"
        whole = zipped(tmp_path / "whole.zip", {"a.tsv": HEADER.encode() * 500, "a.puz": bytes(range(256)) * 9})
        cut = whole.read_bytes()[:-60]
        for name, data, said in (
            ("empty.txt", b"", "empty"), ("broken.zip", junk, damaged), ("broken.gz", junk, damaged),
            ("cut.zip", cut, damaged),
        ):  # fmt: skip
            path = write(tmp_path / name, data)
            if reader == "puzzle-archive" and data != cut:
                assert reasons(reader, path) == ["unreadable puzzle file"]
            else:
                with pytest.raises(SourceError, match=said):
                    list(READERS[reader](path))
        (tmp_path / "folder").mkdir()
        for path in (tmp_path / "nowhere.zip", tmp_path / "folder"):
            with pytest.raises(SourceError, match=re.escape(str(path))):
                list(READERS[reader](path))

    def test_junk_gives_rejects_or_one_sentence(self, reader: str, tmp_path: Path) -> None:
        junk = bytes(range(256)) * 300 + b"\n\t\t\t\n\0\n;;;\n" + b"\xff" * 200_000
        try:
            rows = list(READERS[reader](write(tmp_path / "junk", junk)))
        except SourceError as error:
            assert str(error).isprintable()
        else:
            kept = [row for row in rows if isinstance(row, Entry)]
            assert all(re.fullmatch("[A-Z]{2,25}", row.answer) for row in kept)


# ---- files


def lines(path: Path) -> list[str]:
    return [line.reason if isinstance(line, Reject) else line for line in text_files.read_lines(path, (".txt",))]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_of_plain_gz_and_zip_are_the_same_with_any_ending(ending: str, tmp_path: Path) -> None:
    data = ending.join(["one", "", "zwölf"]).encode()
    for name, content in (
        ("a.txt", data), ("a.txt.gz", gzip.compress(data)), ("no_suffix", gzip.compress(data)),
        ("b.txt", data + ending.encode()), ("bom.txt", b"\xef\xbb\xbf" + data),
    ):  # fmt: skip
        assert lines(write(tmp_path / name, content)) == ["one", "", "zwölf"], name
    assert lines(zipped(tmp_path / "a.zip", {"README": b"?", "in/a.txt": data})) == ["one", "", "zwölf"]
    blocks = [f"{i:05d}é" * (i % 40) for i in range(4000)]
    assert lines(write(tmp_path / "c.txt", blocks, ending)) == blocks


def test_a_line_that_is_not_utf8_spoils_no_other(tmp_path: Path) -> None:
    data = "café\n".encode() + "na\xefve “x”\n".encode("cp1252") + "zwölf".encode()
    assert lines(write(tmp_path / "a.txt", data)) == ["café", "naïve “x”", "zwölf"]


@pytest.mark.parametrize("size", [text_files.MAX_LINE_BYTES + 1, 2 * text_files.BLOCK_BYTES, 1_000_000])
def test_a_long_line_is_one_reject_and_the_rest_is_read(size: int, tmp_path: Path) -> None:
    long = "line longer than 64 KiB"
    assert lines(write(tmp_path / "a.txt", ["one", "x" * size, "two", "", "three"])) == [
        "one", long, "two", "", "three",
    ]  # fmt: skip
    assert lines(write(tmp_path / "b.txt", ["x" * size, "y" * size, "two"])) == [long, long, "two"]
    assert lines(write(tmp_path / "c.txt", ["one", "x" * size])) == ["one", long]


def test_a_zip_bomb_does_not_fill_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("bomb.tsv", "w") as member:
        member.write(f"{HEADER}\ntst\t2001\tOSLO\tFirst\n".encode())
        for _ in range(30):
            member.write(b"x" * 1_000_000)
    tracemalloc.start()
    found = list(READERS["xd-clues"](path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == [Entry("OSLO", "First", "", "tst", 2001, 1.0), Reject("line longer than 64 KiB")]
    assert peak < 4_000_000


def taped(path: Path, size: int, kind: bytes = tarfile.REGTYPE) -> Path:
    """Write a tar.gz of `size` zeros, in a file or a header, and then a file of one line."""
    data = b""
    for name, typed, content in (("a", kind, b"\0" * size), ("index.noun", tarfile.REGTYPE, b"oslo\n")):
        about = tarfile.TarInfo(name)
        about.size, about.type = len(content), typed
        data += about.tobuf() + content + b"\0" * (-len(content) % 512)
    return write(path, gzip.compress(data))


def test_no_archive_unpacks_to_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "UNPACK_ALLOWANCE", 1 << 16)
    assert entries("wordnet", taped(tmp_path / "fine.tar.gz", 1 << 15))
    lines = (b"x" * 1000 + b"\n") * 2000
    for reader, path in {
        "word-list": write(tmp_path / "a.gz", gzip.compress(lines)),
        "xd-clues": zipped(tmp_path / "a.zip", {"a.tsv": lines}),
        "thesaurus": zipped(tmp_path / "b.zip", {"a.txt": lines}),
        "wordnet": taped(tmp_path / "a.tar.gz", 1 << 20),
        "puzzle-archive": zipped(tmp_path / "c.zip", {f"{n}.puz": b"\0" * 10_000 for n in range(50)}),
    }.items():
        with pytest.raises(SourceError, match="unpacks to more than 50 times its size"):
            list(READERS[reader](path))


def test_no_piece_of_an_archive_is_large(tmp_path: Path) -> None:
    """zipfile unpacks a bzip2 member all at once, and tarfile reads a header whole."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.txt", b"\0" * 8_000_000)
    tape = taped(tmp_path / "a.tar.gz", 8 << 20, tarfile.XHDTYPE)
    tracemalloc.start()
    for reader, file, why in (("word-list", path, "unusual way"), ("wordnet", tape, "a piece of 8388608 bytes")):
        with pytest.raises(SourceError, match=why):
            list(READERS[reader](file))
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()


def test_zip_members_escape_nowhere(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    path = zipped(inner / "evil.zip", {"../../evil.tsv": f"{HEADER}\ntst\t2001\tOSLO\tFirst".encode()})
    assert [row.answer for row in entries("xd-clues", path)] == ["OSLO"]
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["evil.zip", "inner"]


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.EACCES])
def test_a_file_that_cannot_be_read_now_is_not_called_damaged(number: int, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(archives.BoundedStream, "read", Mock(side_effect=OSError(number, "x")))
    with pytest.raises(SourceError, match=r"a\.gz can't be read: ") as caught:
        list(READERS["wikipedia-titles"](write(tmp_path / "a.gz", gzip.compress(b"Oslo\n"))))
    assert "damaged" not in str(caught.value)


@pytest.mark.parametrize("reader", ["wikipedia-titles", "word-list"])
def test_zip_with_two_texts_or_none(reader: str, tmp_path: Path) -> None:
    for members in ({"a.txt": b"OSLO", "b.txt": b"ROME"}, {"a.jpg": b"OSLO"}):
        with pytest.raises(SourceError, match="unpack it and choose one"):
            list(READERS[reader](zipped(tmp_path / "x.zip", members)))


@pytest.mark.parametrize(
    ("start", "word"),
    [
        (b"\n<!DOCTYPE html><html>", "web page"),
        (b"<HTML>", "web page"),
        ("OSLO".encode("utf-16"), "UTF-16"),
        (bytes(range(256)) * 20, "isn't a text file"),
        (b"words.txt".ljust(archives.TAR_MAGIC_PLACE.start, b"\0") + b"ustar\0", "tar archive; unpack it"),
    ],
)
@pytest.mark.parametrize("reader", ["xd-clues", "wikipedia-titles", "word-list"])
def test_files_often_taken_for_a_corpus_are_named(reader: str, start: bytes, word: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=word):
        list(READERS[reader](write(tmp_path / "x.txt", start + b"\n...")))


# ---- xd-clues


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("tst\t2001\tOSLO", "not four columns"),
        ("tst\t2101\tOSLO\tCity", "impossible year"),
        ("tst\tsoon\tOSLO\tCity", "impossible year"),
        ("tst\t2001\tTHE7\tCity", "answer has digits or no letters"),
        ("tst\t2001\t\tCity", "answer has digits or no letters"),
        ("tst\t2001\t" + "A" * 26 + "\tCity", "answer longer than 25 letters"),
        ("tst\t2001\tA\tCity", "answer shorter than 2 letters"),
        ("tst\t2001\tOSLO\t \u00a0 ", "empty clue"),
        ("tst\t2001\tOS\0LO\tCity", "NUL byte"),
        ("tst\t2001\txxx\tCity", "redacted answer"),
        ("tst\t\tOSLO\tCity", Entry("OSLO", "City", "", "tst", None, 1.0)),
        ("tst\t2100\tXX\tKiss, kiss", Entry("XX", "Kiss, kiss", "", "tst", 2100, 1.0)),
        ("tst\t2001\tR&B\t\"Soul\" & 'more'", Entry("RB", "\"Soul\" & 'more'", "R&B", "tst", 2001, 1.0)),
        ("tst\t2001\tN/A\tBlank", Entry("NA", "Blank", "N/A", "tst", 2001, 1.0)),
        ("tst\t2001\tNEE\tcafÃ©", Entry("NEE", "café", "", "tst", 2001, 1.0)),
        ("tst\t2001\tPÂTÉ\tSpread", Entry("PATE", "Spread", "", "tst", 2001, 1.0)),
        (b"tst\t2001\tNEE\t\x93n\xe9e\x94", Entry("NEE", "“née”", "", "tst", 2001, 1.0)),
    ],
)
def test_a_row_of_clues_is_an_entry_or_turned_away(row: str | bytes, expected: Entry | str, tmp_path: Path) -> None:
    path = clues(tmp_path, "tst\t2001\tEEL\tBefore", row, "tst\t2001\tELM\tAfter")
    before, found, after = (x.reason if isinstance(x, Reject) else x for x in READERS["xd-clues"](path))
    assert found == expected and (before.answer, after.answer) == ("EEL", "ELM")


def test_an_answer_with_two_readings_is_two_entries(tmp_path: Path) -> None:
    path = clues(tmp_path, "tst\t2001\tSEATS/STATS\tEither", "tst\t2001\tPAIR/2BE\tOr")
    assert [entry.answer for entry in entries("xd-clues", path)] == ["SEATS", "STATS", "PAIR"]
    assert reasons("xd-clues", path) == ["answer has digits or no letters"]


def test_a_table_of_another_kind_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tsv", ["clue\tanswer\x1b[31m" + "x" * 500, "City\tOSLO"])
    with pytest.raises(SourceError, match="pubid year answer clue") as caught:
        list(READERS["xd-clues"](path))
    assert "'clue answer" in str(caught.value) and "pubid and year may be empty" in str(caught.value)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 300 + len(str(path))


def test_the_table_is_found_among_the_members(tmp_path: Path) -> None:
    row = f"{HEADER}\ntst\t2001\tOSLO\tCity".encode()
    path = zipped(
        tmp_path / "x.zip", {"README": b"?", "__MACOSX/clues.tsv": row, "a.tsv": b"a\tb", "xd/clues.tsv": row}
    )
    assert [entry.answer for entry in entries("xd-clues", path)] == ["OSLO"]
    with pytest.raises(SourceError, match=r"no \.tsv"):
        list(READERS["xd-clues"](zipped(tmp_path / "y.zip", {"README": b"?"})))
    with pytest.raises(SourceError, match="starts with 'a b'"):
        list(READERS["xd-clues"](zipped(tmp_path / "z.zip", {"a.tsv": b"a\tb"})))


# ---- wikipedia-titles


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Oslo_Accords", [("OSLOACCORDS", "Oslo Accords")]),
        ("Bang_(Live)_(song)", [("BANG", "Bang")]),
        ("(What)_Now_(song)", [("WHATNOW", "(What) Now")]),
        ("(500)", ["title has digits or letters other than A to Z"]),
        ("Blodgett,_MO", [("BLODGETTMO", "Blodgett, MO"), ("BLODGETT", "Blodgett")]),
        ("José_Otero", [("JOSEOTERO", "José Otero")]),
        ("Portal:_Still_Alive", [("PORTALSTILLALIVE", "Portal: Still Alive")]),
        ("List_of_rivers", ["list of things"]),
        ("Oslo_(disambiguation)", ["disambiguation page"]),
        ("1984", ["only digits"]),
        ("CAT:CSD", ["not an article"]),
        ("User_talk:Me", ["not an article"]),
        ("Ελλάς", ["title has digits or letters other than A to Z"]),
        ("A", ["answer shorter than 2 letters"]),
        ("Abcdefghijklm_nopqrstuvwxyz", ["answer longer than 25 letters"]),
        ("0\tOslo_Accords", [("OSLOACCORDS", "Oslo Accords")]),
        ("14\tOslo", ["not an article"]),
        ("", []),
    ],
)
def test_titles(line: str, expected: list[tuple[str, str] | str], tmp_path: Path) -> None:
    path = write(tmp_path / "titles", ["Before", line, "After"])
    found = list(READERS["wikipedia-titles"](path))[1:-1]
    made = [row.reason if isinstance(row, Reject) else (row.answer, row.text) for row in found]
    assert made == expected


def test_brackets_without_end_take_no_time(tmp_path: Path) -> None:
    path = write(tmp_path / "dump", ["Oslo" + "_(" * 16_000 + ")" * 16_000] * 20)
    assert reasons("wikipedia-titles", path) == ["title longer than 255 characters"] * 20


# ---- word-list


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("scale", [1, 0.01, 12])
def test_scores_are_ranks_whatever_the_separator_and_the_scale(separator: str, scale: float, tmp_path: Path) -> None:
    rows = [("ALFA", 10), ("BRAVO", 50), ("CHARLIE", 50), ("DELTA", 90)]
    path = write(tmp_path / "nato.txt", [f"{word}{separator}{scale * score}" for word, score in rows])
    assert [(row.answer, row.weight) for row in entries("word-list", path)] == [
        ("ALFA", 0.25), ("BRAVO", 0.625), ("CHARLIE", 0.625), ("DELTA", 1.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Alfa;50", ("ALFA", "")),
        ("iPod;50", ("IPOD", "iPod")),
        ("A Christmas Story;50", ("ACHRISTMASSTORY", "A Christmas Story")),
        ("So; there;50", ("SOTHERE", "So; there")),
        ("café;50", ("CAFE", "café")),
        ("ALFA", ("ALFA", "")),
        ("3D;50", "answer has digits or no letters"),
        ("A;50", "answer shorter than 2 letters"),
        ("A" * 26 + ";50", "answer longer than 25 letters"),
        ("ALFA;0", "score 0 or less"),
        ("ALFA;nan", "score isn't a number"),
        ("AL\0FA;5", "NUL byte"),
        ("# a remark;5", None),
        ("", None),
    ],
)
def test_words(line: str, expected: tuple[str, str] | str | None, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", ["BRAVO;40", "CHARLIE;60", line, "DELTA;60"])
    found = [
        row for row in READERS["word-list"](path) if getattr(row, "answer", "") not in ("BRAVO", "CHARLIE", "DELTA")
    ]
    made = [row.reason if isinstance(row, Reject) else (row.answer, row.text) for row in found]
    assert made == ([] if expected is None else [expected])


def test_lists_without_scores_weigh_half_and_may_be_from_an_old_machine(tmp_path: Path) -> None:
    """Moby's and the UKACD's: CRLF, ISO 8859-1."""
    for name, data, expected in (
        ("a.b.txt", "# words\nParis, Texas\nnaïve\nOAK".encode(), ["Paris, Texas", "naïve", "OAK"]),
        ("ukacd.txt.gz", gzip.compress(b"caf\xe9 noir\r\n\xe0 la mode\r\n"), ["café noir", "à la mode"]),
        ("a.txt", b"na\xefve;3\r\n\xe9tui;3\r\n", ["naïve", "étui"]),
    ):
        found = entries("word-list", write(tmp_path / name, data))
        assert [row.text or row.answer for row in found] == expected
        assert name == "a.txt" or {(row.source, row.weight) for row in found} == {(name.removesuffix(".gz")[:-4], 0.5)}


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.csv", ["answer,clue", 'OSLO,"Norwegian capital, once Christiania"', "ETUI,Needle case"]),
        ("a.csv", ["OSLO,Norwegian capital,50", "ETUI,Needle case,40"]),
        ("a.txt", ["OSLO\tNorwegian capital", "ETUI\tNeedle case", "a remark"]),
        ("a.txt", ["OSLO|Norwegian capital", "ETUI|Needle case"]),
        ("a.txt", ["Clue / Answer", "Norwegian capital / OSLO"]),
    ],
)
def test_a_table_is_no_list_of_words(name: str, lines: list[str], tmp_path: Path) -> None:
    """Otherwise its lines would be answers, clue and all."""
    with pytest.raises(SourceError, match=r"is a table, not a list of words; it begins with .*pubid year answer clue"):
        list(READERS["word-list"](write(tmp_path / name, lines)))


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.csv", ["word,score", '"OSLO",50', '"Paris, Texas",40']),
        ("a.csv", ["OSLO,,", "Paris Texas,,"]),
        ("a.txt", ["OSLO", "Paris, Texas", "So; there", "Lima, Peru", "|"]),
    ],
)
def test_a_list_with_commas_is_no_table(name: str, lines: list[str], tmp_path: Path) -> None:
    found = [row.answer for row in entries("word-list", write(tmp_path / name, lines))]
    assert found[:2] == ["OSLO", "PARISTEXAS"]


@pytest.mark.parametrize("reader", sorted(READERS.keys() - {"puzzle-archive"}))
def test_a_pipe_is_not_waited_for(reader: str, tmp_path: Path) -> None:
    """It couldn't be read twice."""
    os.mkfifo(path := tmp_path / "words.txt")
    with pytest.raises(SourceError, match="isn't a regular file; save"):
        list(READERS[reader](path))


# ---- puzzle-archive


def test_a_rebus_gives_all_its_letters(tmp_path: Path) -> None:
    data = make_puzzles.puz_bytes(SQUARE, rebus={(0, 0): "HEART"})
    found = entries("puzzle-archive", write(tmp_path / "x.puz", data))
    assert [row.answer for row in found if row.clue in ("Clue 1A", "Clue 1D")] == ["HEARTACK", "HEARTIMB"]


def test_a_clue_is_indexed_as_it_is_solved(tmp_path: Path) -> None:
    """Both decode entities completely, however often a site encoded them."""
    path = write(
        tmp_path / "x.puz", make_puzzles.puz_bytes(SQUARE, clues=["A &amp;amp;lt; B", "&amp;amp;amp;", *"abcdef"])
    )
    file = next(iter(formats.open_files(path)))
    asked = set(formats.read_puzzle(file)[0].clues.values())
    assert {row.clue for row in entries("puzzle-archive", path)} == asked >= {"A < B", "&"}


def test_one_bad_puzzle_does_not_stop_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    write(folder / "a.puz", b"ACROSS&DOWN and nothing")
    write(folder / "b.puz", make_puzzles.puz_bytes(SQUARE, state=puz.SolutionState.Locked))
    write(folder / "c.puz", make_puzzles.puz_bytes(SQUARE, clues=["", *"abcdefg"]))
    write(folder / "d.puz", make_puzzles.puz_bytes(("A1", "CD")))
    assert Counter(reasons("puzzle-archive", folder)) == {
        "unreadable puzzle file": 1,
        "puzzle without a solution": 1,
        "entry without a clue": 1,
        "answer has digits or no letters": 2,
    }
    assert len(entries("puzzle-archive", folder)) == 9


def test_a_zip_of_puzzles(tmp_path: Path) -> None:
    members = {"../x.puz": make_puzzles.puz_bytes(SQUARE), "notes.txt": b"?", "more/2014.zip": b"PK", ".a.zip": b""}
    path = zipped(tmp_path / "minis.zip", members)
    write(tmp_path / "x.puz", make_puzzles.puz_bytes(SQUARE))
    assert (
        reasons("puzzle-archive", path)
        == reasons("puzzle-archive", tmp_path)
        == ["archive in a folder or zip, not opened"]
    )
    assert {(row.source, row.year) for row in entries("puzzle-archive", path)} == {("minis", None)}
    assert len(entries("puzzle-archive", path)) == 8


# ---- wordnet


LICENSE = "  1 This line is part of the license"
SENSE = "1 1 @ 1 0 00000001  "
LEMMAS = {
    "index.noun": ["pony", "riding_horse", "horse", "mouse"],
    "index.verb": ["give_up", "quit"],
    "index.adj": ["big", "small"],
}
DATA = {
    "data.noun": [
        '00000001 05 n 01 horse 0 002 ~ 00000002 n 0000 + 00000001 v 0102 | a tall animal; "a dark horse"  ',
        "00000002 05 n 02 pony 0 riding_horse 0 001 @ 00000001 n 0000 | what a small rider sits on  ",
        "00000003 05 n 01 mouse 0 000 | a small animal that squeaks  ",
    ],
    "data.verb": ["00000001 41 v 02 give_up 0 quit 0 000 01 + 02 00 | not go on with  "],
    "data.adj": [
        "00000001 00 a 01 big 0 001 ! 00000002 a 0101 | of great size  ",
        "00000002 00 a 01 small(a) 0 001 ! 00000001 a 0101 | of little size  ",
    ],
    "noun.exc": ["mice mouse"],
    "verb.exc": ["gave give", "quit quit"],
}


def a_database(folder: Path) -> dict[str, bytes]:
    """Write a small version of WordNet's files into `folder`; return them by name."""
    index = {name: [f"{lemma} {name[6]} {SENSE}" for lemma in lemmas] for name, lemmas in LEMMAS.items()}
    folder.mkdir()
    found = {name: "\n".join([LICENSE, *lines, ""]).encode() for name, lines in (index | DATA).items()}
    for name, data in found.items():
        write(folder / name, data)
    return found


SAID = {
    ("kind", "horse", "pony"), ("kind", "horse", "riding horse"), ("class", "pony", "horse"),
    ("class", "riding horse", "horse"), ("relative", "horse", "quit"), ("synonym", "pony", "riding horse"),
    ("synonym", "riding horse", "pony"), ("synonym", "give up", "quit"), ("synonym", "quit", "give up"),
    ("antonym", "big", "small"), ("antonym", "small", "big"),
    ("gloss", "a tall animal", "horse"), ("gloss", "what a small rider sits on", "pony"),
    ("gloss", "what a small rider sits on", "riding horse"), ("gloss", "a small animal that squeaks", "mouse"),
    ("gloss", "not go on with", "give up"), ("gloss", "not go on with", "quit"), ("gloss", "of great size", "big"),
    ("gloss", "of little size", "small"),
    ("s", "pony", "ponies"), ("s", "riding horse", "riding horses"), ("s", "horse", "horses"), ("s", "mouse", "mice"),
    ("s", "give up", "gives up"), ("ed", "give up", "gave up"), ("ing", "give up", "giving up"),
    ("s", "quit", "quits"), ("ed", "quit", "quit"), ("ing", "quit", "quitting"), ("er", "quit", "quitter"),
    ("er", "big", "bigger"), ("est", "big", "biggest"), ("er", "small", "smaller"), ("est", "small", "smallest"),
}  # fmt: skip


def test_wordnet_says_what_its_files_say(tmp_path: Path) -> None:
    """A phrase takes the irregular form of its last word."""
    members = a_database(tmp_path / "dict")
    assert relations("wordnet", tmp_path / "dict") == SAID
    write(tmp_path / "dict" / "index.noun", members["index.noun"] + f"church_mouse n {SENSE}".encode())
    assert relations("wordnet", tmp_path / "dict") == SAID | {("s", "church mouse", "church mice")}


@pytest.mark.parametrize("suffix", [".zip", ".tar.gz", ".tar"])
def test_wordnet_in_an_archive_is_the_same(suffix: str, tmp_path: Path) -> None:
    members = a_database(tmp_path / "dict")
    path = tmp_path / f"wn{suffix}"
    if suffix == ".zip":
        zipped(path, {f"dict/{name}": data for name, data in members.items()})
    else:
        with tarfile.open(path, "w:gz" if suffix == ".tar.gz" else "w") as tape:
            tape.add(tmp_path / "dict", "dict")
    rows = {str(row) for row in READERS["wordnet"](path)}
    assert rows == {str(row) for row in READERS["wordnet"](tmp_path / "dict")}
    if suffix == ".tar.gz":
        with pytest.raises(SourceError, match=r"cut\.tar\.gz is damaged or incomplete"):
            list(READERS["wordnet"](write(tmp_path / "cut.tar.gz", path.read_bytes()[:-60])))


@pytest.mark.parametrize(
    "line",
    ["nonsense", "00000009 05 n xx pony 0 000 | a", "00000009 05 n 02 pony", "00000009 05 n 01 pony 0 003 @ | b",
     "00000009 05 n 01 pony 0 001 @ 00000001 q 0000 | c", "00000009 05 n 01 pony 0 001 @ 00000001 n 00zz | d"],
)  # fmt: skip
def test_a_malformed_synset_spoils_no_other(line: str, tmp_path: Path) -> None:
    members = a_database(tmp_path / "dict")
    write(tmp_path / "dict" / "data.noun", members["data.noun"] + line.encode())
    assert reasons("wordnet", tmp_path / "dict") == ["malformed synset"]
    assert ("kind", "horse", "pony") in relations("wordnet", tmp_path / "dict")


def test_no_line_has_millions_of_relations(tmp_path: Path) -> None:
    members = a_database(tmp_path / "dict")
    large = f"00000001 05 n fff {'a 0 ' * 4095}0fff {'@ 00000001 n 0000 ' * 4095} | b"
    write(tmp_path / "dict" / "data.noun", members["data.noun"] + large.encode())
    write(tmp_path / "dict" / "noun.exc", ["mice mouse", "\t", *["b a"] * 1000])
    write(tmp_path / "dict" / "index.noun", members["index.noun"] + b"a\n" * 1000)
    assert sum(isinstance(row, Relation) for row in READERS["wordnet"](tmp_path / "dict")) < 40_000


# ---- thesaurus, definitions


def test_a_synonym_is_one_both_ways(tmp_path: Path) -> None:
    path = write(tmp_path / "moby.txt", ["big,large, rather big ,", "alone", "", "large,big"])
    pairs = {("big", "large"), ("large", "big"), ("big", "rather big"), ("rather big", "big")}
    assert relations("thesaurus", path) == {("synonym", *pair) for pair in pairs}
    assert [(row.answer, row.text, row.source) for row in entries("thesaurus", path)] == [
        ("BIG", "", "moby"), ("LARGE", "", "moby"), ("RATHERBIG", "rather big", "moby"), ("ALONE", "", "moby"),
    ]  # fmt: skip
    assert reasons("thesaurus", path) == ["root without synonyms"]


def test_definitions_want_a_tab(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.tsv", ["# mine", "sea eagle\ta bird of the coast", "erne", "x\tunknown", "4th\ta"])
    assert relations("definitions", path) == {("gloss", "a bird of the coast", "sea eagle")}
    assert reasons("definitions", path) == [
        "no tab between word and definition", "answer shorter than 2 letters", "answer has digits or no letters",
    ]  # fmt: skip


# ---- records


FILMS = [
    {"title": "The Elm: A Tree (1999 film)", "year": 1999, "cast": ["Ana Oak", "Bo Rose, Jr."], "genres": ["Drama"]},
    {"title": "Onset", "cast": ["Ana Oak"], "thumbnail_width": 220},
    {"year": 2001, "cast": []},
    {"title": None, "cast": ["Zoë Lion"]},
]


@pytest.mark.parametrize("indent", [None, 2])
def test_films_and_who_plays_in_them(indent: int | None, tmp_path: Path) -> None:
    path = write(tmp_path / "films.json", json.dumps(FILMS, indent=indent, ensure_ascii=False).encode())
    assert [(row.answer, row.text) for row in entries("records", path)] == [
        ("THEELMATREE", "The Elm: A Tree"), ("THEELM", "The Elm"), ("ANAOAK", "Ana Oak"),
        ("BOROSEJR", "Bo Rose, Jr."), ("ONSET", ""), ("ZOELION", "Zoë Lion"),
    ]  # fmt: skip
    assert reasons("records", path) == ["no title or name"]


def test_films_on_one_line_are_read_in_pieces(tmp_path: Path) -> None:
    films = [{"title": f"Film {'ABCDEFGHIJ'[i % 10]}{'é' * 40}", "extract": "x" * 900} for i in range(200)]
    path = write(tmp_path / "films.json.gz", gzip.compress(json.dumps(films, ensure_ascii=False).encode()))
    assert len(list(READERS["records"](path))) == 10


def test_books_and_players_by_the_names_of_their_columns(tmp_path: Path) -> None:
    books = write(
        tmp_path / "books.csv",
        ["authors,original_title,title", '"Ana Oak, Bo Rose",,"Iron, Tree (Iron, #1)"', ",,", '"Ana Oak",Onset,Onset'],
        "\r\n",
    )
    assert [row.text or row.answer for row in entries("records", books)] == [
        "Iron, Tree", "Ana Oak", "Bo Rose", "ONSET",
    ]  # fmt: skip
    assert reasons("records", books) == ["no title or name"]
    players = write(tmp_path / "people.csv", ["playerID,nameFirst,nameLast", "x,Ana,Oak", "y,,Rose"])
    assert [row.answer for row in entries("records", players)] == ["ANAOAK"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('[{"title": "Onset"}, {"title": ', "damaged or incomplete"),
        ('[{"title": "Onset"} and more', "damaged or incomplete"),
        ('{"title":' + "[" * 300_000, "damaged or incomplete"),
        ("year,city\n1999,Oslo", "no column named title"),
        ('title,year\n"' + "x\n" * 200_000, "as a table"),
    ],
)
def test_what_is_no_table(content: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=why):
        list(READERS["records"](write(tmp_path / "films.json", content.encode())))
