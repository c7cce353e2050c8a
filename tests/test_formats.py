"""Every format: files are read as written, solved letters are kept, and damaged or hostile files do no harm."""

import contextlib
import dataclasses
import gzip
import io
import json
import random
import re
import sys
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import barred
import format_features
import papers
import printed
import puz as puzpy
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from make_puzzles import shape
from papers import clues, read
from test_formats_puz import pack

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import BLOCK, Slot, formats
from regis.puzzle.formats import FORMATS, WRITABLE_FORMATS, PuzzleFile, files, ipuz, xd
from regis.puzzle.formats.files import MAX_FILE_BYTES
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.squares import DEFAULT_SHADE, clean_solution
from regis.puzzle.formats.shared.texts import ITALIC_END, ITALIC_START, clean_clue, clean_line, clean_text

ROOT = Path(__file__).parents[1]
SAMPLERS = pytest.mark.parametrize("name", papers.FILES)
IN_EVERY_FORMAT = pytest.mark.parametrize("target", WRITABLE_FORMATS)


def format_of(name: str) -> str:
    return papers.document(papers.FILES[name])[0]


# one puzzle in every format


@SAMPLERS
def test_every_sampler_says_the_same(name: str):
    puzzle, warnings = formats.read_puzzle(papers.file(name))
    assert warnings == ()
    assert puzzle.grid == shape(papers.ROWS)
    assert {str(slot): clue for slot, clue in puzzle.clues.items()} == papers.CLUES
    for key, value in papers.ABOUT.items():
        if key not in papers.SILENT.get(format_of(name), ()):
            assert getattr(puzzle, key) == value.replace("\n", " ")
    if name != "begun.xd":
        letters = {(r, c): x for r, row in enumerate(papers.ROWS) for c, x in enumerate(row) if x != BLOCK}
        rebus = {} if format_of(name) in papers.ONE_LETTER else papers.REBUS
        assert formats.read_solution(papers.file(name)) == letters | rebus


def feature(paper: Document, name: str) -> bool:
    """Return what `paper` has of one feature of the samplers."""
    clues = {str(slot): clue for slot, clue in paper.clues.items()}
    return {
        "title": paper.title == papers.ABOUT["title"],
        "author": paper.author == papers.ABOUT["author"],
        "notes": paper.notes == papers.ABOUT["notes"],
        "numbers": set(clues) == format_features.RAISED_NAMES,
        "lengths": clues.get("2D") == f"{format_features.CREAM} (2,3)",
        "links": clues.get("1A", "").startswith("With 5-Across: "),
        "italics": clues.get("2D") == f"{ITALIC_START}Emma{ITALIC_END} author",
        "rebus": paper.solution.items() >= papers.REBUS.items(),
        "circles": paper.circles == papers.CIRCLES,
        "shades": paper.shades.keys() == papers.SHADED,
        "part-filled": paper.given == papers.GIVEN,
        "any script": clues.get("6A") == papers.CLUES["6A"] and paper.title == papers.ABOUT["title"],
        "no solution": not paper.solution and paper.grid == shape(papers.ROWS),
        "locked": paper.is_locked and paper.grid == shape(papers.ROWS),
        "bars": paper.grid.bars in ({format_features.BAR}, barred.BARS),
    }[name]


FEATURES = (
    *("title", "author", "notes", "rebus", "circles", "shades", "bars", "part-filled", "numbers", "lengths", "links"),
    *("italics", "any script", "no solution", "locked"),
)


def files_with(name: str, kind: str) -> list[bytes]:
    """Return the files of one format that may have a feature."""
    if kind == "pdf":
        page = printed.barred_page() if name == "bars" else printed.sampler(with_solution=name != "no solution")
        return [page]
    of_format = [sampler for sampler in papers.FILES if format_of(sampler) == kind and sampler != "zipped.jpz"]
    if name == "no solution":
        return [papers.overwritten(sampler, "?") for sampler in of_format]
    if name == "locked" and kind == "puz":
        return [papers.puz(state=puzpy.SolutionState.Locked)]
    with_feature = format_features.files_with_feature(name)
    return [
        *(papers.FILES[sampler] for sampler in of_format),
        *(data for data in with_feature if papers.document(data)[0] == kind),
    ]


def can_read(kind: str, name: str) -> bool:
    return any(feature(papers.document(data)[1], name) for data in files_with(name, kind))


def can_write(kind: str, name: str) -> bool:
    """Return whether a file with the feature, in any format, keeps it when it is written in this one."""
    if kind not in WRITABLE_FORMATS:
        return False
    having = [data for other in FORMATS for data in files_with(name, other) if feature(papers.document(data)[1], name)]
    made = []
    for data in having:
        with contextlib.suppress(PuzzleError):
            made.append(formats.convert_file(PuzzleFile("x", data), kind)[0])
    return any(feature(papers.document(data)[1], name) for data in made)


@pytest.mark.slow
def test_the_table_of_formats_is_true():
    """Files confirm each cell of docs/formats.md: r for reading, w for writing, a dash for neither."""
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    table = re.search(r"\n(\| format \|.*\n\|.*\n(?:\|.*\n)+)", page)[1].splitlines()
    head, _, *rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table]
    assert head[2:] == list(FEATURES)
    assert [row[0] for row in rows] == list(FORMATS)
    for kind, _, *cells in rows:
        if kind == "picture":
            continue
        found = ["r" * can_read(kind, name) + "w" * can_write(kind, name) or "–" for name in FEATURES]
        assert cells == found, kind


# what is written is read

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
grids = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.text(".#", min_size=width, max_size=width), min_size=1, max_size=6)
)
typed = st.text(
    st.one_of(
        st.sampled_from("abc XYZ 0123.,'\"&<>;:#~\\/_-?!()=éñ—“”…Ž‰"),
        st.characters(codec="utf-8", exclude_categories=("C", "Zs", "Zl", "Zp")),
    ),
    max_size=30,
).map(lambda raw: " ".join(raw.split()))
lines = st.lists(typed, max_size=3).map(lambda parts: "\n".join(parts).strip())
square = st.sampled_from([*LETTERS, "HEART", "ÉTÉ", "Ñ", "7", "&", "C/P", "1=2", "AB"])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    grid = shape([row.replace(".", "A") for row in draw(grids)])
    neighbors = [(a, b) for a in grid.cells for b in ((a[0], a[1] + 1), (a[0] + 1, a[1])) if b in grid.cells]
    bars = draw(st.frozensets(st.sampled_from(neighbors))) if neighbors and draw(st.booleans()) else frozenset()
    grid = dataclasses.replace(grid, bars=bars)
    assume(grid.slots)
    cells = grid.cells
    some = st.sets(st.sampled_from(cells))
    solved = draw(st.booleans())
    begun = draw(st.dictionaries(st.sampled_from(cells), square, max_size=len(cells) - 1))
    blocks = [(r, c) for r, row in enumerate(grid.rows) for c, x in enumerate(row) if x == BLOCK]
    return Document(
        grid,
        {slot: draw(lines) for slot in grid.slots},
        title=draw(typed),
        author=draw(typed),
        copyright=draw(typed),
        notes=draw(lines),
        metadata=draw(st.dictionaries(st.sampled_from(ipuz.METADATA_KEYS), typed.filter(bool))),
        given=begun,
        solution={cell: draw(square) for cell in cells} if solved else {},
        circles=frozenset(draw(some)),
        shades=dict.fromkeys(draw(some), draw(st.sampled_from([DEFAULT_SHADE, "#ffd700"]))),
        voids=frozenset(draw(st.sets(st.sampled_from(blocks)))) if blocks else frozenset(),
        is_diagramless=bool(blocks) and draw(st.booleans()),
    )


def what_fits(paper: Document, target: str) -> Document:
    """Return what a format can hold; the rest of this module checks that it does."""
    if target == "puz":
        voids = frozenset() if paper.is_diagramless else paper.voids
        return dataclasses.replace(paper, metadata={}, shades={}, voids=voids)
    if target == "xd":
        begun = {} if paper.solution or len(paper.given) == len(paper.grid.cells) else paper.given
        return dataclasses.replace(paper, given=begun, is_diagramless=False)
    return paper


@IN_EVERY_FORMAT
@settings(max_examples=40, deadline=None)
@given(paper=documents())
def test_what_is_written_is_read(target: str, paper: Document):
    if paper.grid.bars and target == "puz":
        with pytest.raises(PuzzleError, match=rf"x has bars, which a .{target} can't hold; write .ipuz instead"):
            FORMATS[target].write(paper, "x")
        return
    expected = what_fits(paper, target)
    data, lost = FORMATS[target].write(paper, "x")
    found, again = papers.document(data)
    assert found == target
    assert dataclasses.replace(again, warnings=()) == expected
    assert not lost or paper != expected
    assert [w for w in again.warnings if "no clue" not in w and "diagramless" not in w] == []


ODD_PIECES = [*"aA ~\\\n;:=,/_-#1", " ~ ABC", " ~ OSLO", "{/", "/}", "{-_-}", "{\\", "\\}", "<b>", "<i>x</i>", "&amp;",
              "A1. x", "A9. foo\nD9. bar",
              "## Grid", "17. ", "See 1-Down", "\n\n\n", "\n\n\nA1. foo ~ AB\nA2. c ~ D",
              "Title: x", "10²", "ſ", "“x”"]  # fmt: skip
odd_texts = st.lists(st.sampled_from(ODD_PIECES), max_size=5).map("".join)
odd_squares = st.sampled_from(
    [*"ABCDEFGH", "HEART", "a", "ß", "A/B", "A;B", "A,B", "A,B=C", "A=B", "X", "&", "1", "A,"]
)


@st.composite
def odd_documents(draw: st.DrawFn) -> Document:
    """Draw documents as readers may make them: texts like markup, squares with signs, entries with unusual numbers."""
    paper = draw(documents())
    cells, texts_of = paper.grid.cells, odd_texts.map(clean_text)
    first = draw(st.sampled_from([0, 0, 10]))
    slots = tuple(dataclasses.replace(slot, number=slot.number + first) for slot in paper.grid.slots)
    grid = dataclasses.replace(paper.grid, given_slots=slots) if first else paper.grid
    contents = st.dictionaries(st.sampled_from(cells), odd_squares)
    return dataclasses.replace(
        paper,
        grid=grid,
        clues={slot: clean_clue(draw(odd_texts)) for slot in grid.slots},
        title=clean_line(draw(odd_texts)),
        notes=draw(texts_of),
        given=draw(contents),
        solution=paper.solution and paper.solution | clean_solution(draw(contents)),
    )


@IN_EVERY_FORMAT
@settings(max_examples=60, deadline=None)
@given(paper=odd_documents())
def test_what_is_written_is_read_or_told_of(target: str, paper: Document):
    """Field by field; each warning names what is lost."""
    try:
        data, lost = FORMATS[target].write(paper, "x")
    except PuzzleError as refused:
        assert target == "puz" and paper.grid.bars and "write .ipuz instead" in str(refused)
        return
    found, again = papers.document(data)
    told = " ".join(lost)
    assert found == target and again.grid.rows == paper.grid.rows and again.grid.bars == paper.grid.bars
    assert (again.grid.slots == paper.grid.slots) is ("its own entry numbers" not in told)
    texts_before, texts_after = (
        ([x.title, x.author, x.copyright, x.notes], sorted((s.cells, c) for s, c in x.clues.items()))
        for x in (paper, again)
    )
    assert texts_after == texts_before
    assert (again.circles, again.is_diagramless) == (paper.circles, paper.is_diagramless and target != "xd")
    assert again.shades == paper.shades or "shaded squares" in told
    assert again.voids == paper.voids or "outside the grid" in told
    for cell, content in paper.solution.items():
        assert again.solution[cell] == content or repr(content) in told
    if "the solver" not in told:
        got = {cell: x.upper() for cell, x in again.given.items()}
        assert got == {cell: x.upper() for cell, x in paper.given.items()}
    if target == "ipuz":
        assert lost == []


@settings(max_examples=40, deadline=None)
@given(paper=documents(), letters=st.data())
@pytest.mark.parametrize("target", [name for name in WRITABLE_FORMATS if FORMATS[name].can_fill])
def test_a_solved_file_keeps_all_else(target: str, paper: Document, letters):
    assume(target == "ipuz" or not paper.grid.bars)
    data = FORMATS[target].write(paper, "x")[0]
    cells = letters.draw(st.dictionaries(st.sampled_from(paper.grid.cells), square))
    filled = formats.convert_file(PuzzleFile("x", data), target, cells)[0]
    assert papers.document(filled)[1] == dataclasses.replace(papers.document(data)[1], given=cells)
    emptied = formats.convert_file(PuzzleFile("x", filled), target, paper.given)
    assert emptied == formats.convert_file(PuzzleFile("x", data), target)


@pytest.mark.parametrize("target", [name for name in WRITABLE_FORMATS if FORMATS[name].can_fill])
def test_what_is_not_read_is_told_apart(target: str):
    begun = {(0, 0): "C/D", (0, 1): "&", (0, 2): "Ж", (1, 0): "X"}
    paper = Document(shape(["AAA", "AAA", "AAA"]), {}, given=begun)
    file = PuzzleFile("x", FORMATS[target].write(paper, "x")[0])
    given = papers.document(file.data)[1].given
    puzzle, (*_, warning) = formats.read_puzzle(file)
    assert puzzle.given == {(1, 0): "X"} and {"C/D", "&"} <= set(given.values())
    assert warning.startswith("x has 3 squares that Regis can't read: &, C/D")
    assert formats.read_unusable_letters(file) == {cell: given[cell] for cell in ((0, 0), (0, 1), (0, 2))}


@given(typed)
@example("AT&T &amp; x<y <b>bold</b> &#169; &lt;")
def test_html_and_back(plain: str):
    assert text.html_to_text(text.text_to_html(plain)) == plain
    assert "<" not in re.sub(r"<(?![A-Za-z/!?])", "", text.text_to_html(plain).replace("<br/>", ""))


@SAMPLERS
@IN_EVERY_FORMAT
def test_from_every_format_to_every_format(name: str, target: str):
    made, lost = formats.convert_file(papers.file(name), target)
    assert read(made)[0].clues == formats.read_puzzle(papers.file(name))[0].clues
    assert all(sentence.startswith(f"{name}: a .{target} can't hold ") for sentence in lost)
    answers = formats.read_solution(papers.file(name))
    assert formats.read_solution(PuzzleFile("x", made)) == answers


def test_puz_stays_the_same_to_the_byte():
    """Through .ipuz and .xd, too: a plain old file, as most are."""
    clues = ["Café “au lait”".encode("cp1252").decode("latin-1"), *["Clue"] * 9]
    data = old = papers.puz_bytes(papers.ROWS, clues, rebus=papers.REBUS, circles=papers.CIRCLES, author="A. Tester")
    for target in ("ipuz", "xd", "puz"):
        data = formats.convert_file(PuzzleFile("x", data), target)[0]
    assert data == old


# letters in a file


@IN_EVERY_FORMAT
@SAMPLERS
def test_solved_letters_are_in_the_file(name: str, target: str):
    cells = {cell: "AB"[cell[0] % 2] for cell in shape(papers.ROWS).cells}
    made, _ = formats.convert_file(papers.file(name), target, cells)
    kind, paper = papers.document(made)
    assert kind == target
    assert (paper.solution if target == "xd" else paper.given) == cells
    if target != "xd" and name != "begun.xd":
        assert formats.read_solution(PuzzleFile("x", made)) == formats.read_solution(papers.file(name))


def test_a_grid_that_a_person_filled_is_no_solution_untold():
    """In an .xd it would count as one."""
    file = PuzzleFile("x.ipuz", ipuz_file(saved=[["A", "B"], ["C", "D"]]))
    assert "all letters are the solver's" in formats.convert_file(file, "xd")[1][0]
    begun = PuzzleFile("x.ipuz", ipuz_file(saved=[["A", "B"], ["C", 0]]))
    assert formats.convert_file(begun, "xd")[1] == formats.convert_file(file, "puz")[1] == ()
    assert (
        formats.write_fill(file, "xd", dict(formats.read_puzzle(file)[0].given))[1] == ()
    )  # letters are available on request


def test_what_regis_does_not_know_stays_in_an_ipuz():
    made, _ = formats.convert_file(papers.file("sampler.ipuz"), "ipuz", {(1, 0): "Z"})
    file = json.loads(made)
    assert file["org.example:rating"] == 5 and file["styles"] == {"ring": {"shapebg": "circle"}}
    assert "<i>one to five</i>" in str(file["clues"])


def test_what_regis_does_not_know_stays_in_a_puz():
    """So does a locked solution, which no change of format affects; wrong checksums become right."""
    file = puzpy.load(papers.puz(state=puzpy.SolutionState.Locked, preamble=b"From: me\r\n\r\n"))
    file.extensions[b"LTIM"] = b"12,1"
    file.scrambled_cksum = 1234
    again = puzpy.load(formats.convert_file(PuzzleFile("x", file.tobytes()), "puz", {(1, 0): "Z"})[0])
    assert (again.preamble, again.extensions[b"LTIM"], again.scrambled_cksum) == (b"From: me\r\n\r\n", b"12,1", 1234)
    assert again.solution == file.solution and again.is_solution_locked() and again.fill.count("Z") == 1
    made, lost = formats.convert_file(PuzzleFile("x.puz", file.tobytes()), "ipuz")
    assert "solution" not in json.loads(made) and "locked solution" in lost[0]
    data = papers.puz(checksums_ok=False)
    assert "checksums" in read(data)[1][0]
    assert read(formats.convert_file(PuzzleFile("x", data), "puz")[0])[1] == ()


# no peeking


@SAMPLERS
@pytest.mark.parametrize("letter", ["Q", "X"])
def test_an_overwritten_solution_changes_nothing(name: str, letter: str):
    if name == "begun.xd":
        return
    data = papers.overwritten(name, letter)
    assert data != papers.FILES[name]
    assert read(data, name) == formats.read_puzzle(papers.file(name))
    assert formats.read_solution(PuzzleFile(name, data)) is None or "1" in data.decode("latin-1")


# the spellings of one thing


DOWN = [[1, "Three"], [2, "Four"]]


def ipuz_file(**other: object) -> bytes:
    clues = {"Across": [[1, "One"], [3, "Two"]], "Down": DOWN}
    file = {"version": "http://ipuz.org/v1", "puzzle": [[1, 2], [3, 0]], "clues": clues, **other}
    return json.dumps({key: x for key, x in file.items() if x is not None}).encode()


def with_last_square(**more: object) -> bytes:
    """Return an .ipuz whose last square has these fields."""
    return ipuz_file(puzzle=[[1, 2], [3, {"cell": 0, **more}]])


PLAIN = {"1A": "One", "1D": "Three", "2D": "Four", "3A": "Two"}
NO_CLUES = dict.fromkeys(PLAIN, "")
JPZ = papers.FILES["sampler.jpz"]
CREAM = "Cream of the crop"  # the clue of 2D in every sampler
ACROSS_LITE = papers.FILES["sampler.txt"].decode()
SMALL_TXT = "<ACROSS PUZZLE>\n<TITLE>\nT\n<GRID>\nAB\nCD\n<ACROSS>\nOne\nTwo\n<DOWN>\nThree\n"
SMALL_XD = "Title: T\n\n\nAB\nCD\n\n\nA1. One ~ AB\nA3. Two ~ CD\n\nD1. Three ~ AC\nD2. Four ~ BD\n"
HEAD = "## Metadata\n\ntitle: T\n\n## Grid\n\nAB#\nCDE\n\n## Clues\n\nA1. One ~ AB\nA3. Two ~ CDE\n"
NO_BLOCKS = "Title: T\n\n## Grid\n\nABC\nDEF\n\n## Clues\n\nA1. a ~ AB\nA4. d ~ DEF\n\nD1. ad ~ AD\nD2. be ~ BE\nD3. c"


def with_cream(name: str, typed: str) -> bytes:
    """Return a sampler with another clue of 2D, as written in the file."""
    return papers.FILES[name].decode().replace(CREAM, typed).encode()


def with_try(name: str, typed: str) -> bytes:
    """Return a sampler with another clue of 1A, as written in the file."""
    data = papers.FILES[name].decode()
    clue = re.search('[^"~.>]*Try-before[^"~<]*', data)[0].strip()
    return data.replace(clue.removeprefix("1. "), typed).encode()


def jpz(old: str, new: str) -> bytes:
    """Return the .jpz with the first match of a pattern replaced."""
    return re.sub(old, new, JPZ.decode(), count=1).encode()


def trailing_commas(data: bytes) -> bytes:
    return re.sub(r"(?<=[^,\s])(?=\s*[]}]\s*[],}]|\s*\}\s*$)", ",", data.decode()).encode()


def spans(offset: int) -> dict[str, object]:
    """Return clues by their cells, counted from `offset`."""
    cells = {"One": "0010", "Two": "0111", "Three": "0001", "Four": "1011"}
    return {"Clues": [
        {"clue": clue, "cells": [[int(x) + offset, int(y) + offset] for x, y in (at[:2], at[2:])]}
        for clue, at in cells.items()
    ]}  # fmt: skip


def design(rules: str, rows: str, head: str = HEAD) -> dict[str, object]:
    """Return what an .xd with a design says of its circles and shades."""
    found = papers.document(f"{head}\n## Design\n\n{rules}\n\n{rows}\n\n## Notes\n\nThe end\n".encode())[1]
    assert found.notes == "The end" and found.solution[1, 2] == "E"
    return {"circles": set(found.circles), "shades": dict(found.shades)}


LENGTHS = [{"number": n, "clue": clue, "enumeration": x} for n, clue, x in ((1, "One", "1-1"), (3, "Two", "2"))]
WITH_NOTES = "Title: T\nNotes: Two by two\nEditor: E" + SMALL_XD.removeprefix("Title: T")

SPELLINGS: dict[str, tuple[bytes, dict[str, object]]] = {
    **{f"cells of clues count from {n}": (ipuz_file(clues=spans(n)), {"clues": PLAIN}) for n in (0, 1)},
    **{f"a wrapper: {x!r}": ((x % ipuz_file().decode()).encode(), {"clues": PLAIN})
       for x in ("ipuz(%s)", " ipuz( %s );\n", "\ufeff%s")},
    "labels that are no numbers, and odd numbers": (
        ipuz_file(puzzle=[["10", "B"], [7, 0]], clues={
            "across": [[10, "One"], ["7-9", "Two"]], "DOWN": [["10", "Three"], ["B", "Four"]]}), {"clues": PLAIN}),
    "numbers that aren't drawn are counted": (ipuz_file(puzzle=[[1, 0], [0, 0]]), {"clues": PLAIN}),
    "names of blocks and voids": (
        ipuz_file(puzzle=[["X", 1, None], [2, {"cell": "E"}, "E"], [{"cell": None}, {"style": {}}, "X"]], block="X",
                  empty="E", clues={}), {"rows": ("#.#", "...", "#.#"), "voids": {(0, 2), (2, 0)}}),
    "a square says what it holds across and down": (
        ipuz_file(solution=[["A", {"Across": "B", "Down": "D"}], [{"Across": "C", "Down": "C"}, {"Down": "E"}]]),
        {"solution": {(0, 0): "A", (0, 1): "B/D", (1, 0): "C", (1, 1): "E"}}),
    **{f"an introduction {intro!r} with notes {notes!r}": (
        ipuz_file(intro=intro, notes=notes), {"notes": shown, "lost in puz": ""})
       for intro, notes, shown in (("One", "Two", "One\nTwo"), ("One", "One", "One"), ("A &amp; B", None, "A & B"),
                                   ("", "Two", "Two"))},
    "clues that belong nowhere": (
        ipuz_file(clues={"Across": [[1, "One"], [9, "Nine"]], "Zones": ["A zone"], "Down": [[1, "Three"], [2, "x"]]}),
        {"warnings": "x has no clue for 3A x has 2 clues that belong to no entry of the grid; left out"}),
    "a second clue for an entry": (
        ipuz_file(clues={"Across": [[1, "One"], [1, "Again"], [1, "One"], [3, "Two"]], "Down": DOWN}),
        {"clues": PLAIN, "warnings": "x has a clue for entries that already have one; left out"}),
    "clues for no entry": (ipuz_file(fakeclues=True), {
        "clues": NO_CLUES, "warnings": "4 clues that belong to no entry",
        "lost in xd": "clues that belong to no entry"}),
    **{f"lengths of words are shown: {shown}": (
        ipuz_file(showenumerations=shown, clues={"Across": LENGTHS, "Down": [[1, "Three (1,1)"], [2, "Four"]]}),
        {"clues": PLAIN | {"1A": clue, "1D": "Three (1,1)"}})
       for shown, clue in ((True, "One (1-1)"), (None, "One (1-1)"), (False, "One"))},
    **{f"an answer is continued by {more}": (
        ipuz_file(clues={"Across": [{"number": 1, "clue": "Both", **more} if more else [[1, 3], "Both"]],
                         "Down": [[1, "Three"], ["2/1ac", "Four"]]}),
        {"clues": {"1A": "With 3-Across: Both", "1D": "Three", "2D": "With 1-Across: Four", "3A": "See 1-Across"}})
       for more in ({"number": "1/3"}, {"number": "1,3"}, {"number": [1, 3]}, {})},
    "a clue with numbers": (ipuz_file(clues={"Across": [{"numbers": [1, 3], "clue": "Both"}]}), {
        "clues": NO_CLUES | {"1A": "With 3-Across: Both", "3A": "See 1-Across"}}),
    "numbers as contents of squares": (
        ipuz_file(solution=[[7, "A"], [10, 0]]), {"solution": {(0, 0): "7", (0, 1): "A", (1, 0): "10"}}),
    **{f"a style: {style}": (with_last_square(style=style), {"lost in xd": "shapes, marks, or pictures"})
       for style in ({"shapebg": "star"}, {"divided": "/"}, {"imagebg": "a.png"}, {"colortext": "ff0000"},
                     {"mark": {"C": "x"}})},
    **{f"a style of a .jpz: {style}": (jpz('solution="D"', f'solution="D" {style}'), {
        "lost in xd": "shapes, marks, or pictures"})
       for style in ('background-shape="diamond"', 'background-picture="a"', 'top-right-number="7"')},
    **{f"a line like {odd!r}, {end!r} at the end": (
        (ACROSS_LITE.replace(papers.CLUES["6A"], odd).replace(CREAM, odd).rstrip() + end).encode(),
        {"clues": papers.CLUES | dict.fromkeys(("6A", "2D"), odd.removeprefix("<br>"))})
       for odd in ("", "<ALT>", "<br>") for end in ("", "\n")},
    **{f"Across Lite text ends in {end!r}": (f"{SMALL_TXT}Four{end}".encode(), {"clues": PLAIN})
       for end in ("", "\n", "\n\n")},
    "undrawn squares of Across Lite text": (
        b"<ACROSS PUZZLE>\n<GRID>\n:AB\nCD.\n<ACROSS>\nOne\nTwo\n<DOWN>\nThree\n",
        {"voids": {(0, 0)}, "is_diagramless": False, "warnings": ""}),
    "undrawn blocks of Across Lite text": (
        b"<ACROSS PUZZLE>\n<GRID>\n:AB\nCD:\n<ACROSS>\nOne\nTwo\n<DOWN>\nThree\n",
        {"voids": set(), "is_diagramless": True, "warnings": "diagramless"}),
    "an unknown entity": (jpz("stars", "&what; stars"), {
        "clues": papers.CLUES | {"7A": papers.CLUES["7A"].replace("stars", "&what; stars")}}),
    **{f"{typed} in {name}": (with_cream(name, typed), {"clues": papers.CLUES | {"2D": shown}})
       for name in ("sampler.jpz", "sampler.ipuz") for typed, shown in (
        ("<i>Emma</i> author", '"Emma" author'), ("<b>By <em>Em<u>ma</u></em></b>", 'By "Emma"'),
        ("<i>Emma</i>", "Emma"), ("Do <i>not</i>", "Do not"), ("<I>Em</I> author", '"Em" author'),
        ("&lt;i>Emma&lt;/i> author", '"Emma" author'))},
    **{f"{typed} in a .jpz": (with_cream("sampler.jpz", typed), {"clues": papers.CLUES | {"2D": shown}})
       for typed, shown in (
        *((typed, "One two") for typed in ("One<br/>two", "One<BR/>two", "One<br></br>two", "<p>One</p><p>two</p>",
                                           "<p>One</p>two", "One&lt;br&gt;two", "<p>One<p>two")),
        ("I<br>you", "I you"), ("I <3 U", "I <3 U"), ("x <y & z", "x <y & z"), ("<i>One", "One"), ("One</b>", "One"),
        ("<b><i>One</b></i> <3", "One <3"), ('<img src=a.png>One', "One"),
        ("<![CDATA[<i>One</i>]]> <3", "One <3"), ('<a-b c="<i>x</i>">One</a-b>', "One"))},
    **{f"raised and lowered numbers in {name}": (with_try(name, typed), {
        "clues": papers.CLUES | {"1A": "10⁹ H₂O 19th"}})
       for name, typed in (*((f"sampler.{kind}", "10<sup>9</sup> H<sub>2</sub>O 19<sup>th</sup>")
                             for kind in ("ipuz", "jpz", "json")), ("sampler.xd", "10{^9^} H{~2~}O 19{^th^}"))},
    **{f"commas at the ends of lists in {name}": (
        trailing_commas(with_cream(name, r"\",] Cream, ,}")), {"clues": papers.CLUES | {"2D": '",] Cream, ,}'}})
       for name in ("sampler.ipuz", "sampler.json")},
    "a letter that a .jpz shows as a hint": (
        jpz('(<cell[^>]*x="1" y="3"[^>]*solution="O")', r'\1 hint="true"'), {"given": papers.GIVEN | {(2, 0): "O"}}),
    **{f"notes among the headers of an .xd, and {end!r}": (
        f"{WITH_NOTES}{end}".encode(), {"notes": notes, "metadata": {"editor": "E"}, "clues": PLAIN})
       for end, notes in (("", "Two by two"), ("\n\n\nThe end", "Two by two\nThe end"))},
    **{f"an .xd without clues, {head!r}": (f"{head}#DEMO\nBELOW\nOLIVE\n".encode(), {
        "rows": shape(papers.ROWS[:3]).rows, "warnings": "x has no clues, so Regis can only guess what fits the grid"})
       for head in ("Title: None\n\n\n", "## Grid\n\n")},
    **{f"the rebus of an .xd: {header}": (
        HEAD.replace("title: T", f"rebus: {header}").replace("AB#", "1B#").encode(),
        {"solution": {(0, 0): content, (0, 1): "B", (1, 0): "C", (1, 1): "D", (1, 2): "E"}})
       for header, content in (("1=HEART 2=X", "HEART"), ("1 = HEART, 2 = X", "HEART"), ("1= HEART 2 =X", "HEART"),
                               ("2=X, 1=HEART", "HEART"), ("1=, 2=X", ","), ("1=A=B", "A=B"), ("1=O 1=AR", "O/AR"),
                               ("1=C/P,2=X", "C/P"))},
    **{f"markup of an .xd: {typed}": (
        SMALL_XD.replace("Title: T", "Title: {/Emma/}, {*bold*}").replace("Two", typed).encode(),
        {"clues": PLAIN | {"3A": shown}, "title": "Emma, bold"}) for typed, shown in (
        ("{/{*Emma*}/} author", '"Emma" author'), ("H{~2~}O {^2^} {=CAPS=}", "H₂O ² CAPS"), ("{-no-} {_on_}", "no on"),
        ("{@the {*notes*} | href: https://a.b@} of", "the notes of"), ("{@here|https://a.b/c_d@}", "here"),
        ("{!A whale | src: 'data:image/png;base64,iV=='; width: 20!}", "A whale"), ("{#red|#f00|#c00#} <x", "red <x"),
        ("{![https://a.b/c.png|A whale|100]!}", "A whale"), ("{!!https://a.b/c.png!}", ""), ("{ / } {#1", "{ / } {#1"),
        ("So {\\~\\} so{\\\\}and {\\{/so/}\\}", "So ~ so and {/so/}"))},
    **{f"a line of an .xd that is no clue: {line[:9]}": (f"{SMALL_XD}{line}\n".encode(), {
        "clues": PLAIN, "warnings": "x has a clue that belongs to no entry of the grid; left out"})
       for line in ("X1. For no entry", f"A{'9' * 30}. Endless", "a1. Small")},
    "an unknown section of an .xd": (f"{HEAD}\n## Relatives\n\nx\n".encode(), {"lost in ipuz": "further sections"}),
    "the mark of a .puz in words": (
        papers.FILES["sampler.xd"].replace(b"Title: ", b"Title: ACROSS&DOWN ", 1),
        {"title": "ACROSS&DOWN " + papers.ABOUT["title"]}),
}  # fmt: skip


def found_in(data: bytes, what: str) -> object:
    """Return a file's clues, its warnings, what it loses in another format, or a field of its grid or document."""
    puzzle, warnings = read(data)
    if what == "clues":
        return {str(slot): clue for slot, clue in puzzle.clues.items()}
    if what == "warnings":
        return " ".join(warnings)
    if what.startswith("lost in "):
        return " ".join(formats.convert_file(PuzzleFile("x", data), what.removeprefix("lost in "))[1])
    return getattr({"rows": puzzle.grid, "bars": puzzle.grid, "date": puzzle}.get(what, papers.document(data)[1]), what)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_one_thing_may_be_spelled_in_many_ways(spelling: str):
    """A sentence need only contain what is expected."""
    data, expected = SPELLINGS[spelling]
    for what, value in expected.items():
        found = found_in(data, what)
        assert found == value or (value and what.startswith(("warnings", "lost in")) and str(value) in str(found)), what


def prefixed(data: bytes) -> bytes:
    """Return a .jpz with a prefix before the name of each element."""
    raw = re.sub("<(/?)(?=[a-z])", r"<\1p:", re.sub(' xmlns="[^"]*"', "", data.decode()))
    return raw.replace("applet>", 'applet xmlns:p="http://crossword.info/xml/rectangular-puzzle">', 1).encode()


TEXTS = [name for name in papers.FILES if name not in ("sampler.puz", "zipped.jpz")]
OTHERWISE: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    **{f"{name} in UTF-16": (name, lambda data: data.decode().encode("utf-16"))
       for name in TEXTS if name.endswith(("json", "ipuz"))},
    **{f"{name} with {end!r} at its end": (name, lambda data, end=end: data + end)
       for name in TEXTS for end in (b"\0", b"\0\0\0", b"\n\x1a")},
    **{f"{name} with a line feed in a clue": (name, lambda data: data.replace(b"Cream of the", b"Cream\r\nof\tthe"))
       for name in ("sampler.ipuz", "sampler.json")},
    **{f"a .jpz between {before!r} and {after!r}": (
        "sampler.jpz", lambda data, before=before, after=after: before + data + after)
       for before, after in ((b"", b"<!-- x --> saved by x"), (b"x ", b""), (b"<a>", b"<script src='x'>"))},
    **{f"a .jpz with squares of type {kind!r}": (
        "sampler.jpz", lambda data, kind=kind: data.replace(b'type="block"', b'type="%s"' % kind))
       for kind in (b"BLOCK", b"Block", b"VOID", b"Void")},
    "a .jpz without namespaces": ("sampler.jpz", lambda data: re.sub(rb' xmlns="[^"]*"', b"", data)),
    "a .jpz with prefixes": ("sampler.jpz", prefixed),
    "a .jpz with another entity": ("sampler.jpz", lambda data: data.replace(b"&iuml;", b"&#239;")),
    "a .jpz without an entity": ("sampler.jpz", lambda data: data.replace(b"&iuml;", "ï".encode())),
}  # fmt: skip


@pytest.mark.parametrize("other", OTHERWISE)
def test_a_sampler_that_is_written_otherwise_says_the_same(other: str):
    name, change = OTHERWISE[other]
    data = change(papers.FILES[name])
    assert data != papers.FILES[name] and read(data) == read(papers.FILES[name])
    assert formats.read_solution(PuzzleFile("x", data)) == formats.read_solution(papers.file(name))


@pytest.mark.parametrize(
    "name",
    ["{number}. ", "{number}) ", "#{number}. ", "{number}{way}. ", "{number} ", "{number}."],
)  # fmt: skip
def test_clues_that_begin_with_their_numbers_are_read_without_them(name: str):
    grid = shape(["AAA", "AAA", "AAA"])

    def named(slot: Slot) -> str:
        return name.format(number=slot.number, way=slot.direction)

    plain = {slot: f"{90 + i}. Clue" for i, slot in enumerate(grid.slots)}
    paper = Document(grid, {slot: named(slot) + clue for slot, clue in plain.items()})
    assert paper.to_puzzle().clues == plain
    assert paper.clues[grid.slots[0]].startswith(named(grid.slots[0])), "but are kept as they were written"
    few = {slot: named(slot) + clue if i < 3 else clue for i, (slot, clue) in enumerate(plain.items())}
    assert Document(grid, few).to_puzzle().clues == few, "chance"


@pytest.mark.parametrize(
    "numbers",
    [[1, 2, 3, 0], [0, 0, 0, 0], [1, 4, 7, 0], None, [7], 7, ["1", [2], {}, 3.5], [2, 3, 0, 0], [0, 1, 2, 3],
     [3, 1, 2, 0]],
)  # fmt: skip
def test_the_numbers_of_a_json_are_those_of_its_clues(numbers: object):
    """If they give each clue a place."""
    two, three = (4, 7) if numbers == [1, 4, 7, 0] else (2, 3)
    groups = {"across": ["1. One", f"{three}. Two"], "down": ["1. Three", f"{two}. Four"]}
    file = {"size": {"cols": 2, "rows": 2}, "grid": [*"ABCD"], "gridnums": numbers, "clues": groups}
    own_names = {"1A": "One", "1D": "Three", f"{two}D": "Four", f"{three}A": "Two"}
    assert clues(json.dumps(file).encode()) == own_names


@pytest.mark.parametrize(
    ("color", "shade"),
    [*((white, None) for white in ("#FFFFFF", "ffffff", "#fff", "white", "transparent", "")), ("red", DEFAULT_SHADE),
     *((gold, "#ffcc00") for gold in ("#FC0", "fc0", "#FFCC00", "ffcc00"))],
)  # fmt: skip
def test_a_color_that_is_not_white_is_a_shade(color: str, shade: str | None):
    rows = [[{"cell": 1, "style": {"color": color}}, 2], [3, 0]]
    colored = re.sub(rb'background-color="[^"]*"', f'background-color="{color}"'.encode(), JPZ)
    for data, cells in ((ipuz_file(puzzle=rows), {(0, 0)}), (colored, papers.SHADED)):
        assert papers.document(data)[1].shades == (dict.fromkeys(cells, shade) if shade else {})


@pytest.mark.parametrize(("block", "empty"), [("#", 0), ("A", "E"), ("B", "-"), (0, "#")])
def test_signs_for_blocks_and_empty_squares_may_be_the_content_of_a_square(block: object, empty: object):
    rows = [[1, 2, block], [empty, empty, empty], [block, empty, empty]]
    solution = [["A", "#", block], ["0", "E", "S"], [block, "B", "E"]]
    solution = [[{"value": x} if x in (block, empty) and x != block else x for x in row] for row in solution]
    file = PuzzleFile("x.ipuz", ipuz_file(puzzle=rows, block=block, empty=empty, saved=[]))
    letters = dict(zip(formats.read_puzzle(file)[0].grid.cells, "A0#EB-S", strict=True))
    filled, lost = formats.convert_file(file, "ipuz", letters)
    paper = papers.document(filled)[1]
    assert not lost and dict(paper.given) == {cell: x for cell, x in letters.items() if x != "-"}
    new = ipuz.write(paper, "x")
    assert papers.document(new)[1].given == paper.given


@pytest.mark.parametrize("target", ["puz", "xd"])
def test_a_solution_with_holes_is_neither_completed_nor_taken_for_given_letters(target: str):
    file = PuzzleFile("x.ipuz", ipuz_file(puzzle=[[1, 2], [3, 0]], solution=[["A", "B"], ["C", None]]))
    data, lost = formats.convert_file(file, target)
    paper = papers.document(data)[1]
    assert "an incomplete solution" in lost[0] and paper.usable_solution() is None and not paper.given
    kept, lost = formats.convert_file(PuzzleFile("y", formats.convert_file(file, "ipuz")[0]), "ipuz")
    assert not lost and len(papers.document(kept)[1].solution) == 3


def test_letters_of_the_persons_stay_as_they_wrote_them():
    file = PuzzleFile("x.ipuz", ipuz_file(puzzle=[[1, 2], [3, 0]], saved=[["\u00c9", "\u00df"], ["&", 0]]))
    letters = {(0, 0): "E", (0, 1): "T", (1, 0): "X", (1, 1): "Y"}
    paper = papers.document(formats.write_fill(file, "ipuz", letters)[0])[1]
    assert paper.given == {(0, 0): "\u00c9", (0, 1): "T", (1, 0): "&", (1, 1): "Y"}


def test_null_is_an_empty_square_if_the_file_has_blocks_and_no_other_empty_squares():
    circle = {"cell": None, "style": {"shapebg": "circle"}}
    for empty in (None, circle):
        data = ipuz_file(
            puzzle=[[1.0, 2.0, 0], [3.0, empty, 0.0]], block=0.0, clues={"Across": [[1.0, "a"], [3.0, "b"]]}
        )
        puzzle, warnings = read(data.replace(b"{", b'{"empty": null, ', 1))
        assert puzzle.grid.rows == ("..#", "..#") and not any("belong" in warning for warning in warnings)
        assert {str(slot): clue for slot, clue in puzzle.clues.items() if clue} == {"1A": "a", "3A": "b"}
    rows = [[1, 2, "#"], [3, None, 4], ["#", 5, circle]]
    paper = papers.document(ipuz_file(puzzle=rows))[1]
    assert paper.grid.rows == ("..#", "...", "#..") and not paper.voids and paper.circles == {(2, 2)}
    for rows_of_null in ([["#", None], [None, None]], [[1, 2], [3, None]], [["#", {"cell": None}], [None, None]]):
        paper = papers.document(ipuz_file(puzzle=rows_of_null, solution=None))[1]
        assert len(paper.grid.cells) == 3 + ("#" not in rows_of_null[0]) and not paper.voids
    for row in ([3, None, 0], [3, None, ""], [3, None, " "], [3, None, "_"]):
        paper = papers.document(ipuz_file(puzzle=[rows[0], row, rows[2]]))[1]
        assert paper.grid.rows == ("..#", ".#.", "#.#") and paper.voids == {(1, 1), (2, 2)}


def test_what_would_read_otherwise_is_not_written(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(xd, "_write_header", lambda typed: f"{typed}!")
    with pytest.raises(PuzzleError, match=r"has characters in its title that a .xd would misread; write .ipuz"):
        formats.convert_file(papers.file("sampler.puz"), "xd")


@pytest.mark.parametrize("sign", ["\x0b", "\0", "\x1f", "\uffff", "&#11;", "&#x0B;", "&#0;", "&#xD83D;"])
def test_signs_that_xml_cannot_hold_do_not_cost_the_puzzle(sign: str):
    seen = clues(with_cream("sampler.jpz", f"Cream {sign} of the crop"))["2D"]
    assert seen.replace("\ufffd ", "").replace("\uffff ", "") == CREAM


def test_what_is_more_than_a_format_can_hold_is_not_written():
    grid = shape(["A" * 30] * 30)
    solution = {cell: f"K{i}" for i, cell in enumerate(grid.cells)}
    kinds = Document(grid, dict.fromkeys(grid.slots, "Clue"), solution=solution)
    assert papers.document(FORMATS["xd"].write(kinds, "x")[0])[1].solution == solution
    with pytest.raises(PuzzleError, match="too many kinds of squares"):
        FORMATS["xd"].write(dataclasses.replace(kinds, circles=frozenset(grid.cells)), "x")
    grid = shape(["A" * 90] * 90)
    letters = Document(grid, dict.fromkeys(grid.slots, ""), given=dict.fromkeys(grid.cells, "ABCDEFGHIJ"))
    with pytest.raises(PuzzleError, match=r"write \.ipuz instead"):
        FORMATS["puz"].write(letters, "x")


def test_an_xd_may_write_its_blocks_as_dots():
    """Most files do; in a file with given letters, some dots are empty squares.

    One clue without a place doesn't make it an open grid: then its letters would be the solution, taken for given ones.
    """
    data = re.sub(rb"(?m)^\t?[#.A-Za-z1]{5}$", lambda row: row[0].replace(b"#", b"."), papers.FILES["sampler.xd"])
    assert data != papers.FILES["sampler.xd"]
    assert formats.read_solution(PuzzleFile("x", data)) == formats.read_solution(papers.file("sampler.xd"))
    for clue in (b"A99. No such entry ~ NONE\n", b""):
        puzzle, warnings = read(data.replace(b"A1.", clue + b"A1."))
        assert puzzle == formats.read_puzzle(papers.file("sampler.xd"))[0] and puzzle.given == {}
        assert len(warnings) == bool(clue)
    begun = formats.read_puzzle(papers.file("begun.xd"))[0]
    assert len(begun.grid.cells) == 23 and begun.given == papers.GIVEN


DESIGN = "O { background: circle }\nS { background: shaded }\nY{background-light:#FFCC00;background-dark:#000}\nW{}"


@pytest.mark.parametrize("rules", ["<style>\n{}\n</style>", "<style>{}</style>\n<!-- drawn -->", "{}"])
def test_an_xd_may_draw_its_circles_and_shades_in_a_design(rules: str):
    """For several signs at once, over several lines, twice for a sign, with addresses that have signs."""
    rules = rules.replace("{}", DESIGN)
    assert design(rules, "OSO\nYW.") == {"circles": {(0, 0)}, "shades": {(0, 1): "#dcdcdc", (1, 0): "#ffcc00"}}
    for rows in ("OS", "OSO\nYW", "OSO\nYW..", ""):
        assert design(rules, rows) == {"circles": set(), "shades": {}}, "it is of another grid"
    rules = "a, B {\n  background: circle;\n}\na { background-light: #FC0 }\nI { background-image: url('x:{};,a') }"
    assert design(rules, "aI.\nB..") == {"circles": {(0, 0), (1, 0)}, "shades": {(0, 0): "#ffcc00"}}
    assert design(DESIGN, "OSO\nYW.", HEAD.replace("title: T", "Special: circle").replace("CDE\n\n#", "CDe\n\n#"))[
        "circles"
    ] == {(0, 0), (1, 2)}


@pytest.mark.parametrize("form", ["", "form: barred\n"])
def test_bars_of_an_xd_stand_in_its_design(form: str):
    rule = "<style>A { bar-left: true; bar-top: false }</style>\n\n..A\n...\n"
    data = f"## Metadata\n\n{form}{NO_BLOCKS}\n## Design\n\n{rule}".encode()
    assert clues(data) == {"1A": "a", "1D": "ad", "2D": "be", "3D": "c", "4A": "d"}
    grid = read(data)[0].grid
    assert grid.bars == {((0, 1), (0, 2))} and not grid.given_slots and read(data)[1] == ()
    for target in ("xd", "ipuz"):
        made, lost = formats.convert_file(PuzzleFile("x", data), target)
        assert read(made)[0] == read(data)[0] and not any("bars" in sentence for sentence in lost)


def test_squares_of_a_puz_that_are_not_drawn_make_it_no_diagramless():
    file = papers.puz_bytes(["#AB#", "#CD#"])
    data = file.replace(b".AB..CD.", b":AB::CD:").replace(b".--..--.", b":--::--:")
    for version in (b"1.3\0", bytes(4)):  # some programs write none
        paper = papers.document(data.replace(b"1.3\0", version))[1]
        assert len(paper.voids) == 4 and not paper.is_diagramless and len(paper.clues) == 4
    made, lost = formats.convert_file(PuzzleFile("x", data), "ipuz")
    assert lost == () and papers.document(formats.convert_file(PuzzleFile("x", made), "puz")[0])[1].voids == paper.voids


# damage and malice


def only_puzzle_errors(data: bytes) -> None:
    """Check that `data` is read or refused in one sentence, and can then be written in every format."""
    file = PuzzleFile("x", data)
    try:
        formats.read_puzzle(file)
        formats.read_solution(file)
        for target in WRITABLE_FORMATS:
            formats.convert_file(file, target, {(0, 0): "A"})
    except PuzzleError as error:
        assert str(error).startswith("x ") and str(error).isprintable() and len(str(error)) < 300


PIECES = [b'"', b"{", b"}", b"[", b"]", b"null", b"-1", b"1e9", b"<", b">", b"&", b"\n\n\n", b"\xff", b"\0", b" ~ "]


@SAMPLERS
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(name: str, data):
    mutated = bytearray(papers.FILES[name])
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(mutated)))
        until = at + data.draw(st.integers(0, 12))
        mutated[at:until] = data.draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)))
    only_puzzle_errors(bytes(mutated))
    only_puzzle_errors(bytes(mutated[: data.draw(st.integers(0, len(mutated)))]))


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["#", 0])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(
        st.sampled_from(["cell", "style", "value", "number", "clue", "cells", "Across", "Down", "across", "cols",
                         "rows", "width", "shapebg", "color"]), inner, max_size=4)),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["puzzle", "solution", "saved", "clues", "block", "empty", "title", "notes", "styles", "size",
                         "grid", "gridnums", "circles", "dimensions", "date"]), json_values),
    st.sampled_from([("puzzle", "clues"), ("grid", "gridnums", "clues", "size")]),
    json_values,
)  # fmt: skip
def test_any_json_is_read_or_refused(file, fields, value):
    only_puzzle_errors(json.dumps({**dict.fromkeys(fields, value), **file}).encode())
    only_puzzle_errors(ipuz_file(**{key: x for key, x in file.items() if key != "puzzle"}))


REFUSED = {
    **{f"an .xd with spaces in {grid!r}": (SMALL_XD.replace("AB\nCD", grid).encode(), "spaces between the squares")
       for grid in ("A B\nC D", "A \nCD\nE F")},
    **{f"a text: {typed!r}": (typed.encode(), "isn't a puzzle file")
       for typed in ("Dear all,\n\n\nHELLO\nTHERE\n", "Title: None\n\n\nHello there\nyou and I\n",
                     "Title: None\n\n\nAB\nC\n")},
    "a barred .xd without bars": (
        papers.FILES["sampler.xd"].replace(b"Title:", b"Form: barred\nTitle:"), "doesn't say where its bars are"),
    **{f"a tag: {broken}": (JPZ.decode().replace(tag, broken).encode(), "isn't complete XML")
       for tag in ('<cell x="1" y="1" ', '<cell x="3" y="4" ', '<word id="3"')
       for broken in (tag.replace("<", "< "), tag.replace("<", "<<"), tag.replace("=", " ", 1))},
    **{f"a document type in {encoding}": (
        JPZ.decode().replace("?>", "?><!DOCTYPE a [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]>", 1)
        .replace("UTF-8", encoding[:6].upper()).replace("stars", "&b;").encode(encoding), "document type")
       for encoding in ("utf-8", "utf-16", "utf-8-sig")},
    "a zip bomb": (papers.zipped("a.jpz", JPZ + b" " * (30 << 20)), "unpacks to more than 1 MiB"),
    **{f"rows: {str(rows)[:20]}": (ipuz_file(puzzle=rows), "grid|squares")
       for rows in ([[0] * 101], [[0]] * 101, [], [[]], [[1, 2], [3]])},
    "a wide .jpz": (JPZ.replace(b'width="5"', b'width="5000000"'), "grid|squares"),
    **{f"columns: {size[:9]}": (
        papers.FILES["sampler.json"].replace(b'"cols": 5', f'"cols": {size}'.encode()), "grid|squares|complete JSON")
       for size in ("1e400", "6", "9" * 4000)},
    "rows of an .xd": (papers.FILES["sampler.xd"].replace(b"BELO", b"BELOVED"), "grid|squares"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_sentence(kind: str):
    data, said = REFUSED[kind]
    assert data not in papers.FILES.values()
    with pytest.raises(PuzzleError, match=said) as raised:
        read(data)
    assert len(str(raised.value)) < 200


def test_nesting_without_end():
    for data in (
        b'{"puzzle": ' + b"[" * 100_000, b'{"puzzle": ' + b"[" * 100_000 + b"]" * 100_000 + b', "clues": 0}',
        b'{"gridnums":0,"clues":0,"grid":' + b'{"a":' * 50_000, b"<crossword-compiler>" + b"<a>" * 50_000,
        b"<crossword-compiler>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</crossword-compiler>",
        b'{"clues": 0, "puzzle": [[' + b"[" * 950 + b"]" * 950 + b"]]}",
        b'{"clues": {"Across": [[' + b"[" * 950 + b"1" + b"]" * 950 + b', "One"]]}, "puzzle": [[0, 0]]}',
        b'{"puzzle": [[' + b"9" * 100_000 + b']], "clues": 0}',
    ):  # fmt: skip
        only_puzzle_errors(data)


HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "terminal": "red \x1b[31m\x1b]0;title\x07 \x9b2J bell\x07 \x00 end",
    "direction": "abc \u202e cba \u2066 x \u200f",
    "long": "million " * 31_250,
    "lines": "Title\n\n\n#####\n\n\nA1. No ~ NO\r\nAuthor: Me",
    "format": "}{\"';--](),#&lt;&amp;&#60; ipuz({ <ACROSS> ]]> %s $(ls) `ls` \\",
    "halves": "\ud83e \udee0",
}


@pytest.mark.parametrize("hostile", HOSTILE)
@IN_EVERY_FORMAT
def test_hostile_texts_are_texts(hostile: str, target: str):
    """They return unchanged except for control characters, change nothing around them, and never control a terminal."""
    raw = HOSTILE[hostile]
    file = ipuz_file(
        title=text.text_to_html(raw), notes=text.text_to_html(raw), clues={"Across": [[1, text.text_to_html(raw)]]}
    )
    source = papers.document(file)[1]
    made, lost = formats.convert_file(PuzzleFile("x", file), target)
    again = papers.document(made)[1]
    assert not lost and dataclasses.replace(again, warnings=source.warnings) == source
    assert again.grid == shape(["AA", "AA"])
    controls = set(range(32)) | set(range(0x7F, 0xA0))
    if target != "puz":
        assert not controls - {10} & set(map(ord, made.decode("utf-8")))
    puzzle = read(made)[0]
    assert puzzle.title.isprintable() and puzzle.notes.isprintable()
    assert "<script" not in made.decode("utf-8", "replace") or target != "ipuz"


# where files lie


def names(path: Path) -> list[str]:
    return [Path(file.name).name for file in formats.open_files(path)]


def test_folders_and_zips_hold_all_formats(tmp_path: Path):
    """Even gzipped."""
    (tmp_path / "in").mkdir()
    others = {"package.json": b'{"name": "no puzzle"}', "notes.txt": b"Title: no puzzle"}
    for name, data in (contents := papers.FILES | others).items():
        (tmp_path / "in" / name).write_bytes(data)
    pack(tmp_path / "all.zip", contents)
    assert names(tmp_path / "in") == names(tmp_path / "all.zip") == sorted(papers.FILES)
    assert all(formats.read_puzzle(file)[1] == () for file in formats.open_files(tmp_path / "all.zip"))
    more = {"a.puz.gz": papers.FILES["sampler.puz"], "titles.txt.gz": b"Oslo", "clues.gz": b"Oslo", ".x.puz.gz": b""}
    assert names(pack(tmp_path / "packed.zip", {key: gzip.compress(data) for key, data in more.items()})) == [
        "a.puz.gz"
    ]


@SAMPLERS
def test_a_named_file_may_have_any_name_and_come_by_standard_input(name: str, tmp_path: Path, monkeypatch):
    path = tmp_path / "puzzle.of.mine"
    path.write_bytes(papers.FILES[name])
    (file,) = formats.open_files(path)
    assert formats.read_puzzle(file)[0] == formats.read_puzzle(papers.file(name))[0]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(papers.FILES[name])))
    (file,) = formats.open_files(Path("-"))
    assert file.name == "standard input" and formats.read_puzzle(file)[1] == ()


@pytest.mark.parametrize("name", papers.FILES)
def test_what_is_packed_with_gzip_is_taken_for_what_is_in_it(name: str, tmp_path: Path):
    plain = papers.file(name)
    (tmp_path / name).write_bytes(gzip.compress(plain.data))
    (tmp_path / "a.zip").write_bytes(papers.zipped(name, gzip.compress(plain.data)))
    assert formats.is_puzzle_file(tmp_path / name)
    for place in (tmp_path / name, tmp_path, tmp_path / "a.zip"):
        assert [file.data for file in formats.open_files(place) if file.name.endswith(name)] == [plain.data]
    assert not formats.can_fill_in_place(tmp_path / name, format_of(name))


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_of_a_tar_not_the_first_puzzle_alone_is_read(mode: str, tmp_path: Path):
    with tarfile.open(tmp_path / "all.tar", mode) as tape:
        for name in ("a.puz", "b.puz"):
            data = papers.FILES["sampler.puz"]
            (member := tarfile.TarInfo(name)).size = len(data)
            tape.addfile(member, io.BytesIO(data))
    assert files.puzzle_file_of("x", b"m".rjust(257) + b"ustard").data
    with pytest.raises(PuzzleError, match="is a tar archive; unpack it and name the folder"):
        formats.read_puzzle(formats.open_file(tmp_path / "all.tar"))


def test_a_puzzle_counts_as_one_however_large_it_is_packed(tmp_path: Path):
    noise = random.Random(0).randbytes(1 << 16).hex()
    large = papers.FILES["sampler.xd"] + f"\n## Notes\n\n{noise}\n".encode()
    for name, data in (("a.xd.gz", gzip.compress(large)), ("a.xd", large + b" " * MAX_FILE_BYTES)):
        (tmp_path / name).write_bytes(data)
        assert len(data) > 1 << 16 and formats.is_puzzle_file(tmp_path / name)
    assert formats.is_puzzle_file(pack(tmp_path / "a.jpz", {"a.png": noise, "a.xml": JPZ}))


def test_what_gzip_packed_is_whole_and_no_larger_than_a_puzzle():
    plain = papers.FILES["sampler.xd"]
    data = gzip.compress(plain)
    assert (
        files.puzzle_file_of("x", gzip.compress(plain[:99]) + gzip.compress(plain[99:])).data == plain
    )  # in two pieces
    for broken in (data[:-9], data[:40], data[:40] + b"?" + data[41:]):
        assert "damaged" in files.puzzle_file_of("x", broken).problem
    bomb = gzip.compress(b" " * (200 * MAX_FILE_BYTES))
    tracemalloc.start()
    assert "larger than 1 MiB" in files.puzzle_file_of("x", bomb).problem
    assert tracemalloc.get_traced_memory()[1] < 4 * MAX_FILE_BYTES
    tracemalloc.stop()


@pytest.mark.parametrize(
    "others",
    [("settings.xml", "p.jpz"), ("p.jpz", "settings.xml"), ("p", "settings.xml"), ("p.xml",), ("p.xml", "q.txt"),
     ("p.xml", "q.txt", "r.txt"), ("p.xml", "q.txt", "other.json")],
)  # fmt: skip
def test_a_puzzle_that_is_a_zip_may_have_other_files_in_it(others: tuple[str, ...], tmp_path: Path):
    data = {name: b"<feed/>" if name == "settings.xml" else JPZ if name.startswith("p") else b"{}" for name in others}
    path = pack(tmp_path / "six.jpz", data)
    (file,) = formats.open_files(path)
    assert Path(file.name).name == "six.jpz"
    assert formats.read_puzzle(file)[0].grid.slots and read(path.read_bytes()) == read(JPZ)


def test_standard_input_may_be_a_zip_but_not_endless(monkeypatch: pytest.MonkeyPatch):
    both = io.BytesIO()
    with zipfile.ZipFile(both, "w") as archive:
        for name in ("sampler.puz", "sampler.xd"):
            archive.writestr(name, papers.FILES[name])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(both.getvalue())))
    assert names(Path("-")) == ["sampler.puz", "sampler.xd"]
    for start, said in ((b"", "standard input is larger than"), (both.getvalue(), "standard input is a zip larger")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(start + b"x" * (MAX_FILE_BYTES + 1))))
        with pytest.raises(PuzzleError, match=said):
            formats.read_puzzle(next(iter(formats.open_files(Path("-")))))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(PuzzleError, match="standard input is empty"):
        formats.read_puzzle(next(iter(formats.open_files(Path("-")))))
