"""Every format: files are read as written, solved letters are kept, and damaged or hostile files do no harm."""

import contextlib
import dataclasses
import gzip
import io
import json
import random
import re
import shutil
import sys
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
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

from regis import text
from regis.errors import PuzzleError, UsageError
from regis.puzzle import BLOCK, Slot, formats
from regis.puzzle.formats import FORMATS, WRITABLE_FORMATS, PuzzleFile, files, ipuz, puz, xd
from regis.puzzle.formats.files import MAX_FILE_BYTES
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.squares import DEFAULT_SHADE, MAX_CONTENT, clean_solution
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


def test_every_format_has_a_sampler():
    """Except pages, which need libraries; tests/test_paper.py prints one, tests/test_pictures.py draws one."""
    assert {format_of(name) for name in papers.FILES} == set(FORMATS) - {"pdf", "picture"}


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
        "bars": paper.grid == barred.GRID,
    }[name]


FEATURES = (
    *("title", "author", "notes", "rebus", "circles", "shades", "bars", "part-filled", "numbers", "lengths", "links"),
    *("italics", "any script", "no solution", "locked"),
)


def without_solution(name: str) -> bytes:
    data = papers.FILES[name]
    if name in papers.SOLUTION_PARTS:
        return papers.overwritten(name, "?")
    if name.endswith(".puz"):
        return papers.puz(state=puzpy.SolutionState.NotProvided)
    if name.endswith("jpz"):
        return re.sub(b' solution="[A-Z]+"', b"", data)
    if name.endswith(".ipuz"):
        return data.replace(b'"solution"', b'"gone"')
    if name.endswith(".json"):
        return re.sub(rb'"[A-Z]{1,2}"(?=[,\]])', b'"-"', data)
    return re.sub(rb"(?m)^(\t?)([#.A-Za-z1]{5})$", lambda m: m[1] + re.sub(rb"\w", b"-", m[2]), data)


def files_with(name: str, kind: str) -> list[bytes]:
    """Return the files of one format that may have a feature."""
    if kind == "pdf":
        page = printed.barred_page() if name == "bars" else printed.sampler(with_solution=name != "no solution")
        return [page]
    of_format = [sampler for sampler in papers.FILES if format_of(sampler) == kind and sampler != "zipped.jpz"]
    if name == "no solution":
        return [without_solution(sampler) for sampler in of_format]
    if name == "bars":
        made = (barred.ipuz, barred.jpz, barred.xd, barred.crosshare, barred.nyt_json, barred.puzzleme, barred.exolve)
        return [data for data in (make() for make in made) if papers.document(data)[0] == kind]
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


ODD_PIECES = [*"aA ~\\\n;:=,/_-#1", " ~ ABC", " ~ OSLO", "{/", "/}", "{\\", "\\}", "<b>", "<i>x</i>", "&amp;",
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


def test_a_part_solved_xd_is_begun():
    made, _ = formats.convert_file(papers.file("sampler.puz"), "xd", {(1, 0): "B"})
    assert read(made)[0].given == {(1, 0): "B"} and formats.read_solution(PuzzleFile("x", made)) is None


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


def test_a_format_that_cannot_be_written():
    with pytest.raises(UsageError, match="choose from ipuz, puz, xd"):
        formats.convert_file(papers.file("sampler.puz"), "jpz")


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


def ipuz_file(**other: object) -> bytes:
    clues = {"Across": [[1, "One"], [3, "Two"]], "Down": [[1, "Three"], [2, "Four"]]}
    file = {"version": "http://ipuz.org/v1", "puzzle": [[1, 2], [3, 0]], "clues": clues, **other}
    return json.dumps({key: x for key, x in file.items() if x is not None}).encode()


PLAIN = {"1A": "One", "1D": "Three", "2D": "Four", "3A": "Two"}
JPZ = papers.FILES["sampler.jpz"]
CREAM = "Cream of the crop"  # the clue of 2D in every sampler


def with_cream(name: str, typed: str) -> bytes:
    """Return a sampler with another clue of 2D, as written in the file."""
    return papers.FILES[name].decode().replace(CREAM, typed).encode()


@pytest.mark.parametrize(
    "name",
    ["{number}. ", "{number}) ", "#{number}. ", "{number}{way}. ", "{number}-{way}: ", "{number} ", "{number}.",
     "({number}) ", "[{number}] ", "{number} - ", "{number} \u2013 ", "{number}{way} ", "{number} {way} ",
     "{way}{number}. ", "{way}-{number}: "],
)  # fmt: skip
def test_clues_that_begin_with_their_numbers_are_read_without_them(name: str):
    grid = shape(["AAA", "AAA", "AAA"])

    def named(slot: Slot) -> str:
        way = slot.direction if "-" not in name and " {" not in name else slot.direction.name.title()
        return name.format(number=slot.number, way=way)

    plain = {slot: f"{90 + i}. Clue" for i, slot in enumerate(grid.slots)}
    paper = Document(grid, {slot: named(slot) + clue for slot, clue in plain.items()})
    assert paper.to_puzzle().clues == plain
    assert paper.clues[grid.slots[0]].startswith(named(grid.slots[0])), "but are kept as they were written"
    few = {slot: named(slot) + clue if i < 3 else clue for i, (slot, clue) in enumerate(plain.items())}
    assert Document(grid, few).to_puzzle().clues == few, "chance"


def test_few_clues_are_read_without_their_numbers_if_all_have_them():
    """Except a word after the number."""
    for rows in (["AAA"], ["AA#AA"], ["AA", "AA"]):
        grid = shape(rows)
        plain = {slot: "" if slot.number == 3 else f"Clue {slot}" for slot in grid.slots}
        numbered = {slot: clue and f"{slot.number}. {clue}" for slot, clue in plain.items()}
        alone = len(grid.slots) == 1
        assert Document(grid, numbered).to_puzzle().clues == (numbered if alone else plain), "'1 hit wonder' at 1A"
        but_one = numbered | {grid.slots[0]: "Clue"}
        assert Document(grid, but_one).to_puzzle().clues == but_one, "chance"
    grid = shape(["AAA", "AAA", "AAA"])
    plain = dict(zip(grid.slots, ["A few", "Down", "D", "A-one", "76 men", '"A'], strict=True))
    numbered = {slot: f"{slot.number} {clue}" for slot, clue in plain.items()}
    assert Document(grid, numbered).to_puzzle().clues == plain


def test_clues_of_an_ipuz_that_are_texts_stand_where_their_numbers_say():
    texts = {"Across": ["3. Two"], "Down": ["2. Four", "1) Three"]}
    assert clues(ipuz_file(clues=texts)) == PLAIN | {"1A": ""}
    for odd in ("Four", "9. Four", "1. Four"):
        texts["Down"][0] = odd
        assert clues(ipuz_file(clues=texts)) == {"1A": "3. Two", "1D": odd, "2D": "1) Three", "3A": ""}


@pytest.mark.parametrize("offset", [0, 1])
def test_cells_of_clues_count_from_nought_or_one(offset: int):
    spans = {"One": [(0, 0), (1, 0)], "Two": [(0, 1), (1, 1)], "Three": [(0, 0), (0, 1)], "Four": [(1, 0), (1, 1)]}
    group = [{"clue": clue, "cells": [[x + offset, y + offset] for x, y in cells]} for clue, cells in spans.items()]
    assert clues(ipuz_file(clues={"Clues": group})) == PLAIN


@pytest.mark.parametrize("numbered", [True, False])
def test_clues_without_numbers_stand_in_the_order_of_their_entries(numbered: bool):
    grid = shape(["#AAA", "AAAA", "AAA#"])
    plain = {str(slot): f"Clue {slot}" for slot in grid.slots}
    numbers = grid.cell_numbers if numbered else {}
    rows = [["#" if x == BLOCK else numbers.get((r, c), 0) for c, x in enumerate(row)]
            for r, row in enumerate(grid.rows)]  # fmt: skip
    groups = {way: [clue for name, clue in plain.items() if name.endswith(way[0])] for way in ("Down", "Across")}
    data = ipuz_file(puzzle=rows, clues=groups)
    assert clues(data) == plain and read(data)[1] == ()


@pytest.mark.parametrize("pattern", ["ipuz(%s)", " ipuz( %s );\n", "\ufeff%s"])
def test_wrappers(pattern: str):
    assert clues((pattern % ipuz_file().decode()).encode()) == PLAIN


def test_labels_that_are_no_numbers_and_odd_numbers():
    data = ipuz_file(puzzle=[["10", "B"], [7, 0]], clues={"across": [[10, "One"], ["7-9", "Two"]],
                                                          "DOWN": [["10", "Three"], ["B", "Four"]]})  # fmt: skip
    assert clues(data) == PLAIN


def test_numbers_that_are_not_drawn_are_counted():
    assert clues(ipuz_file(puzzle=[[1, 0], [0, 0]])) == PLAIN
    assert clues(ipuz_file(puzzle=[[3, 0], [0, 0]]))["1A"] == "Two", "another way of counting"


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


@pytest.mark.parametrize("white", ["#FFFFFF", "ffffff", "#fff", "white", "transparent", ""])
def test_a_square_that_is_said_to_be_white_is_not_shaded(white: str):
    rows = [[{"cell": 1, "style": {"color": white}}, {"cell": 2, "style": {"color": "red"}}], [3, 0]]
    assert papers.document(ipuz_file(puzzle=rows))[1].shades == {(0, 1): DEFAULT_SHADE}
    shaded = re.sub(rb'background-color="[^"]*"', f'background-color="{white}"'.encode(), JPZ)
    assert papers.document(JPZ)[1].shades and not papers.document(shaded)[1].shades


@pytest.mark.parametrize("color", ["#FC0", "fc0", "#FFCC00", "ffcc00"])
def test_a_color_may_have_three_digits(color: str):
    rows = [[{"cell": 1, "style": {"color": color}}, 2], [3, 0]]
    assert papers.document(ipuz_file(puzzle=rows))[1].shades == {(0, 0): "#ffcc00"}
    data = JPZ.replace(b"#FFD700", color.encode())
    assert papers.document(data)[1].shades == dict.fromkeys(papers.SHADED, "#ffcc00")


def test_blocks_voids_and_their_names():
    rows = [["X", 1, None], [2, {"cell": "E"}, "E"], [{"cell": None}, {"style": {}}, "X"]]
    paper = papers.document(ipuz_file(puzzle=rows, block="X", empty="E", clues={}))[1]
    assert paper.grid.rows == ("#.#", "...", "#.#") and paper.voids == {(0, 2), (2, 0)}


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


@pytest.mark.parametrize("empty", [0, "", "-"])
def test_a_letter_that_came_with_an_ipuz_and_was_erased_stays_erased(empty: object):
    rows = [[{"cell": 1, "value": "A"}, 2], [3, {"cell": empty, "value": "B"}]]
    file = PuzzleFile("x.ipuz", ipuz_file(puzzle=rows, empty=empty))
    assert formats.read_puzzle(file)[0].given == {(0, 0): "A", (1, 1): "B"}
    for _ in "ab":  # twice
        file = PuzzleFile("x.ipuz", formats.convert_file(file, "ipuz", {(0, 1): "Q"})[0])
        assert papers.document(file.data)[1].given == {(0, 1): "Q"}


@pytest.mark.parametrize("target", ["puz", "xd"])
def test_a_solution_with_holes_is_neither_completed_nor_taken_for_given_letters(target: str):
    file = PuzzleFile("x.ipuz", ipuz_file(puzzle=[[1, 2], [3, 0]], solution=[["A", "B"], ["C", None]]))
    data, lost = formats.convert_file(file, target)
    paper = papers.document(data)[1]
    assert "an incomplete solution" in lost[0] and paper.usable_solution() is None and not paper.given
    kept, lost = formats.convert_file(PuzzleFile("y", formats.convert_file(file, "ipuz")[0]), "ipuz")
    assert not lost and len(papers.document(kept)[1].solution) == 3


def test_a_square_of_an_ipuz_may_say_what_it_holds_across_and_down():
    solution = [["A", {"Across": "B", "Down": "D"}], [{"Across": "C", "Down": "C"}, {"Down": "E"}]]
    file = PuzzleFile("x.ipuz", ipuz_file(puzzle=[[1, 2], [3, 0]], solution=solution))
    assert formats.read_solution(file) == {(0, 0): "A", (0, 1): "B/D", (1, 0): "C", (1, 1): "E"}


@pytest.mark.parametrize(
    ("intro", "notes", "shown"),
    [("One", "Two", "One\nTwo"), ("One", "One", "One"), ("A &amp; B", None, "A & B"), ("", "Two", "Two")],
)
def test_the_introduction_of_an_ipuz_is_shown_with_its_notes(intro: str, notes: str | None, shown: str):
    file = PuzzleFile("x.ipuz", ipuz_file(intro=intro, notes=notes))
    data, lost = formats.convert_file(file, "puz")
    assert papers.document(file.data)[1].notes == papers.document(data)[1].notes == shown and not lost


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


@pytest.mark.parametrize("name", [name for name in papers.FILES if name.endswith(("json", "ipuz"))])
def test_sixteen_bits_a_letter(name: str):
    plain = papers.file(name)
    wide = plain._replace(data=plain.data.decode().encode("utf-16"))
    assert formats.read_puzzle(wide) == formats.read_puzzle(plain)


def test_clues_that_look_like_markup_of_an_xd_are_none():
    clue = "Shrug: {-_-}"
    file = PuzzleFile("x.ipuz", ipuz_file(puzzle=[[1, 2], [3, 0]], clues={"Across": [[1, clue], [3, "b"]]}))
    made, lost = formats.convert_file(file, "xd")
    assert lost == () and papers.document(made)[1].clues == papers.document(file.data)[1].clues


def test_what_would_read_otherwise_is_not_written(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(xd, "_write_header", lambda typed: f"{typed}!")
    with pytest.raises(PuzzleError, match=r"has characters in its title that a .xd would misread; write .ipuz"):
        formats.convert_file(papers.file("sampler.puz"), "xd")


@pytest.mark.parametrize("block", ["#", {"value": "#"}])
def test_a_diagram_that_only_the_solution_shows(block: object):
    solution = [[block, "B"], ["C", "D"]]
    data = ipuz_file(puzzle=[[1, 2], [3, 0]], solution=solution, clues={"Across": [[2, "One"]], "Down": [[1, "Two"]]})
    puzzle, warnings = read(data)
    assert puzzle.grid == shape(["#B", "CD"]) and "only the solution shows" in warnings[0]
    assert clues(data) == {"1D": "Two", "2A": "One"}


def test_clues_that_belong_nowhere_are_reported():
    data = ipuz_file(clues={"Across": [[1, "One"], [9, "Nine"]], "Zones": ["A zone"], "Down": [[1, "Three"], [2, "x"]]})
    assert read(data)[1] == ("x has no clue for 3A", "x has 2 clues that belong to no entry of the grid; left out")


def test_text_in_older_encodings():
    sampler = papers.FILES["sampler.txt"].decode().replace("Оливка, ελιά, زيتون, オリーブ or 🫒", "Café “olé” — déjà")
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        assert "Café “olé” — déjà" in clues(sampler.encode(encoding)).values()


@pytest.mark.parametrize("odd", ["", "<ALT>", "<br>"])
def test_lines_of_across_lite_text_that_are_blank_or_like_tags_move_no_clue(odd: str):
    data = papers.FILES["sampler.txt"].decode()
    assert papers.CLUES["6A"] in data and papers.CLUES["2D"] in data
    for name in ("6A", "2D"):
        data = data.replace(papers.CLUES[name], odd)
    seen = "" if odd == "<br>" else odd
    for whole in (data, data.rstrip()):
        assert clues(whole.encode()) == {**papers.CLUES, "6A": seen, "2D": seen}


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_the_last_clue_of_across_lite_text_is_read_however_the_file_ends(end: str):
    typed = "<ACROSS PUZZLE>\n<TITLE>\nT\n<GRID>\nAB\nCD\n<ACROSS>\nOne\nTwo\n<DOWN>\nThree\n"
    assert clues(f"{typed}Four{end}".encode()) == PLAIN
    blank = {"1A": "One", "3A": "Two", "1D": "", "2D": "Four"}
    assert clues(typed.replace("Three", "").encode() + f"Four{end}".encode()) == blank


def test_an_unknown_section_of_across_lite_text_has_no_clues():
    data = papers.FILES["sampler.txt"].decode()
    assert clues(data.replace("<ACROSS>", "<CIRCLES>\nx\n<ACROSS>").encode()) == papers.CLUES


@pytest.mark.parametrize("before", ["", "x"])
def test_across_lite_text_with_a_mark_and_a_long_title_is_known(before: str):
    data = papers.FILES["sampler.txt"].decode().replace("Sampler", before + "é" * 200)
    assert read(data.encode("utf-8-sig"))[0] == read(data.encode())[0]


def test_namespaces_entities_and_ampersands():
    data = JPZ.decode()
    bare = re.sub(' xmlns="[^"]*"', "", data)
    prefixed = re.sub("<(/?)(?=[a-z])", r"<\1p:", bare)
    prefixed = prefixed.replace("applet>", 'applet xmlns:p="http://crossword.info/xml/rectangular-puzzle">', 1)
    for version in (bare, prefixed, data.replace("&iuml;", "&#239;"), data.replace("na&iuml;ve", "naïve")):
        assert read(version.encode())[0] == formats.read_puzzle(papers.file("sampler.jpz"))[0]
    assert read(data.replace("stars", "&what; stars").encode())[0].clues != read(data.encode())[0].clues


@pytest.mark.parametrize("name", [name for name in papers.FILES if name not in ("sampler.puz", "zipped.jpz")])
def test_what_programs_leave_behind_a_text_is_none_of_it(name: str):
    for end in (b"\0", b"\0\0\0", b"\n\x1a"):
        assert read(papers.FILES[name] + end) == read(papers.FILES[name])


@pytest.mark.parametrize("name", ["sampler.ipuz", "sampler.json"])
def test_json_with_line_feeds_and_tabs_or_commas_at_the_ends_of_lists_is_read(name: str):
    raw = papers.FILES[name].replace(b"Cream of the", b"Cream\r\nof\tthe")
    assert raw != papers.FILES[name] and read(raw)[0] == formats.read_puzzle(papers.file(name))[0]
    said = with_cream(name, r"\",] Cream, ,}").decode()
    raw = re.sub(r"(?<=[^,\s])(?=\s*[]}]\s*[],}]|\s*\}\s*$)", ",", said)
    assert raw != said and read(raw.encode()) == read(said.encode())


@pytest.mark.parametrize("sign", ["\x0b", "\0", "\x1f", "\uffff", "&#11;", "&#x0B;", "&#0;", "&#xD83D;"])
def test_signs_that_xml_cannot_hold_do_not_cost_the_puzzle(sign: str):
    seen = clues(with_cream("sampler.jpz", f"Cream {sign} of the crop"))["2D"]
    assert seen.replace("\ufffd ", "").replace("\uffff ", "") == CREAM


@pytest.mark.parametrize("kind", [b"BLOCK", b"Block", b"VOID", b"Void"])
def test_types_of_squares_in_a_jpz_may_stand_in_capitals(kind: bytes):
    file = PuzzleFile("x", JPZ.replace(b'type="block"', b'type="%s"' % kind))
    assert formats.read_puzzle(file)[0] == formats.read_puzzle(papers.file("sampler.jpz"))[0]
    assert formats.read_solution(file) == formats.read_solution(papers.file("sampler.jpz"))


@pytest.mark.parametrize("headings", [("Across", "Down"), ("Waagerecht", "Senkrecht")])
def test_notes_that_stand_before_the_clues_of_a_jpz_are_none(headings: tuple[str, str]):
    data = papers.FILES["sampler.jpz"].decode()
    for old, new in zip(("Across", "Down"), headings, strict=True):
        data = data.replace(f"<b>{old}</b>", f"<b>{new}</b>")
    notes = '<clues><title>Notes</title><clue word="1" number="1">Across</clue><clue word="9">Down</clue></clues>'
    assert clues(data.replace("<clues>", f"{notes}<clues>", 1).encode()) == papers.CLUES


def test_a_jpz_without_a_title_has_not_that_of_its_clues():
    data = re.sub("<title>Sampler.*?</title>", "", papers.FILES["sampler.jpz"].decode())
    actions = "<applet-settings><actions><title>Print</title></actions></applet-settings>"
    data = data.replace("<rectangular", f"{actions}<rectangular", 1)
    for said in (data, re.sub("(?s)<metadata>.*</metadata>", "", data)):
        assert read(said.encode())[0].title == ""


def test_what_a_jpz_says_of_itself_may_stand_elsewhere():
    settings = "<applet-settings><title>Sampler</title><copyright>Nobody</copyright></applet-settings>"
    data = papers.FILES["sampler.jpz"].decode().replace("<rectangular", f"{settings}<rectangular", 1)
    bare = re.sub("<(title)>Sampler, .*?</title>|<(copyright)>©.*?</copyright>", r"<\1\2/>", data)
    more = "<editor>E. Ditor</editor><date>6 January 2014</date><publisher>P.</publisher>"
    for said, title, copyright in (
        (data, papers.ABOUT["title"], papers.ABOUT["copyright"]),
        (bare, "Sampler", "Nobody"),
        (bare.replace("</metadata>", "<rights>R.</rights></metadata>"), "Sampler", "R."),
    ):
        made = formats.convert_file(
            PuzzleFile("x", said.replace("</metadata>", f"{more}<instructions>Do</instructions></metadata>").encode()),
            "ipuz",
        )
        paper = papers.document(made[0])[1]
        assert (paper.title, paper.copyright, made[1]) == (title, copyright, ())
        assert paper.notes == papers.ABOUT["notes"] + "\nDo"
        assert paper.metadata == {"editor": "E. Ditor", "date": "6 January 2014", "publisher": "P."}
        assert str(read(made[0])[0].date) == "2014-01-06"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("<i>Emma</i> author", '"Emma" author'), ("<b>By <em>Em<u>ma</u></em></b>", 'By "Emma"'), ("<i>Emma</i>", "Emma"),
     ("Do <i>not</i>", "Do not"), ("<I>Em</I> author", '"Em" author'), ("&lt;i>Emma&lt;/i> author", '"Emma" author')],
)  # fmt: skip
@pytest.mark.parametrize("name", ["sampler.jpz", "sampler.ipuz"])
def test_titles_in_italics_are_in_quotation_marks(name: str, typed: str, shown: str):
    assert clues(with_cream(name, typed)) == papers.CLUES | {"2D": shown}


@pytest.mark.parametrize(
    ("typed", "shown"),
    [*((typed, "One two") for typed in ("One<br/>two", "One<BR/>two", "One<br></br>two", "<p>One</p><p>two</p>",
                                        "<p>One</p>two", "One&lt;br&gt;two", "<p>One<p>two")),
     ("I<br>you", "I you"), ("I <3 U", "I <3 U"), ("x <y & z", "x <y & z"), ("<i>One", "One"), ("One</b>", "One"),
     ("<b><i>One</b></i> <3", "One <3"), ('<img src=a.png>One', "One"),
     ("]]> & <![CDATA[<3 & ]]> ]]>", "]]> & <3 & ]]>"), ("<I>Emma</i> & <3 <em>Em</em>", '"Emma" & <3 "Em"'),
     ("<![CDATA[<i>One</i>]]> <3", "One <3"), ('<a-b c="<i>x</i>">One</a-b>', "One")],
)  # fmt: skip
def test_line_breaks_separate_words_and_html_that_is_not_xml_can_be_read(typed: str, shown: str):
    assert clues(with_cream("sampler.jpz", typed)) == papers.CLUES | {"2D": shown}


@pytest.mark.parametrize(("before", "after"), [("", "<!-- x --> saved by x"), ("x ", ""), ("<a>", "<script src='x'>")])
def test_what_stands_around_the_root_of_a_jpz_is_none_of_it(before: str, after: str):
    assert read(before.encode() + JPZ + after.encode()) == formats.read_puzzle(papers.file("sampler.jpz"))


def test_an_invalid_square_of_a_jpz_is_repaired_or_the_puzzle_is_refused():
    """A broken tag of a square or word isn't repaired by removing it."""
    for odd in (b'solution="<"', b'solution="&"', b"solution=D", b'solution="D'):
        with contextlib.suppress(PuzzleError):
            assert read(JPZ.replace(b'solution="D"', odd))[0] == read(JPZ)[0]
    for tag in (b'<cell x="1" y="1" ', b'<cell x="3" y="4" ', b'<word id="3"'):
        assert tag in JPZ
        for broken in (tag.replace(b"<", b"< "), tag.replace(b"<", b"<<"), tag.replace(b"=", b" ", 1)):
            with pytest.raises(PuzzleError, match="isn't complete XML"):
                read(JPZ.replace(tag, broken))


def test_many_kinds_of_squares_in_one_xd():
    grid = shape(["A" * 30] * 30)
    solution = {cell: f"K{i}" for i, cell in enumerate(grid.cells)}
    paper = Document(grid, dict.fromkeys(grid.slots, "Clue"), solution=solution)
    assert papers.document(FORMATS["xd"].write(paper, "x")[0])[1].solution == solution
    with pytest.raises(PuzzleError, match="too many kinds of squares"):
        FORMATS["xd"].write(dataclasses.replace(paper, circles=frozenset(grid.cells)), "x")


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


@pytest.mark.parametrize(
    ("gap", "notes"),
    [("\n\n\n", "A1. A note that begins as a clue does\n\n\nThe end"), ("\n", "A9. no clue"),
     ("\n", "A9. no clue\n\n\nThe end")],
)  # fmt: skip
def test_clues_of_an_xd_split_by_blank_lines_and_a_note_that_looks_like_a_clue(gap: str, notes: str):
    data = f"Title: T\n\n\nAB\nCD\n\n\nA1. One ~ AB{gap}A3. Two ~ CD\n\n\nD1. Three\nD2. Four\n\n\n{notes}\n".encode()
    assert clues(data) == PLAIN and read(data)[1] == () and papers.document(data)[1].notes == notes


def test_notes_of_an_xd_stand_at_its_end_or_among_its_headers():
    body = "\n\n\nAB\nCD\n\n\nA1. One ~ AB\nA3. Two ~ CD\n\nD1. Three ~ AC\nD2. Four ~ BD\n"
    for end, notes in (("", "Two by two"), ("\n\n\nThe end", "Two by two\nThe end")):
        paper = papers.document(f"Title: T\nNotes: Two by two\nEditor: E{body}{end}".encode())[1]
        assert paper.notes == notes and paper.metadata == {"editor": "E"}


@pytest.mark.parametrize("head", ["Title: None\n\n\n", "## Grid\n\n"])
def test_an_xd_without_clues_is_a_puzzle(head: str):
    puzzle, warnings = read(f"{head}#DEMO\nBELOW\nOLIVE\n".encode())
    assert puzzle.grid == shape(papers.ROWS[:3]) and set(puzzle.clues.values()) == {""}
    assert warnings == ("x has no clues, so Regis can only guess what fits the grid",)
    for text_file in (
        "Dear all,\n\n\nHELLO\nTHERE\n",
        "Title: None\n\n\nHello there\nyou and I\n",
        "Title: None\n\n\nAB\nC\n",
    ):
        with pytest.raises(PuzzleError, match="isn't a puzzle file"):
            read(text_file.encode())


def test_a_clue_of_an_xd_may_have_several_answers():
    """None of them is part of the clue: a solver would see the solution."""
    across = "A1. One ~ AB ~ XB ~ AY // A|B\nA3. A ~ B ~ TWO ~ CD\n"
    puzzle = read(f"Title: T\n\n\nAB\nCD\n\n\n{across}\nD1. Three ~ AC\nD2. Four ~ I ~ BD\n".encode())[0]
    assert list(puzzle.clues.values()) == ["One", "Three", "Four ~ I", "A ~ B ~ TWO"]


HEAD = "## Metadata\n\ntitle: T\n\n## Grid\n\nAB#\nCDE\n\n## Clues\n\nA1. One ~ AB\nA3. Two ~ CDE\n"


@pytest.mark.parametrize("rules", ["<style>\n{}\n</style>", "<style>{}</style>\n<!-- drawn -->", "{}"])
def test_an_xd_may_draw_its_circles_and_shades_in_a_design(rules: str):
    """For several signs at once, over several lines, twice for a sign, with addresses that have signs."""
    look = "O { background: circle }\nS { background: shaded }\nY{background-light:#FFCC00;background-dark:#000}\nW{}"
    design = f"\n## Design\n\n{rules.replace('{}', look)}\n\n"
    paper = papers.document(f"{HEAD}{design}OSO\nYW.\n\n## Notes\n\nThe end\n".encode())[1]
    assert paper.circles == {(0, 0)} and paper.shades == {(0, 1): "#dcdcdc", (1, 0): "#ffcc00"}
    assert paper.notes == "The end" and paper.solution[1, 2] == "E"
    for rows in ("OS", "OSO\nYW", "OSO\nYW..", ""):  # from another grid
        paper = papers.document(f"{HEAD}{design}{rows}\n".encode())[1]
        assert paper.circles == set() and paper.shades == {}
    both = HEAD.replace("title: T", "Special: circle").replace("CDE\n\n#", "CDe\n\n#")
    assert papers.document(f"{both}{design}OSO\nYW.".encode())[1].circles == {(0, 0), (1, 2)}
    rules = "a, B {\n  background: circle;\n}\na { background-light: #FC0 }\nI { background-image: url('x:{};,a') }"
    paper = papers.document(f"{HEAD}\n## Design\n\n{rules}\n\naI.\nB..\n".encode())[1]
    assert paper.circles == {(0, 0), (1, 0)} and paper.shades == {(0, 0): "#ffcc00"}


BARRED = (
    "Title: T\n\n## Grid\n\nABC\nDEF\n\n## Clues\n\nA1. a ~ AB\nA4. d ~ DEF\n\nD1. ad ~ AD\nD2. be ~ BE\nD3. c ~ CF\n"
)


@pytest.mark.parametrize("form", ["", "form: barred\n"])
def test_bars_of_an_xd_stand_in_its_design(form: str):
    rule = "<style>A { bar-left: true; bar-top: false }</style>\n\n..A\n...\n"
    data = f"## Metadata\n\n{form}{BARRED}\n## Design\n\n{rule}".encode()
    assert clues(data) == {"1A": "a", "1D": "ad", "2D": "be", "3D": "c", "4A": "d"}
    grid = read(data)[0].grid
    assert grid.bars == {((0, 1), (0, 2))} and not grid.given_slots and read(data)[1] == ()
    for target in ("xd", "ipuz"):
        made, lost = formats.convert_file(PuzzleFile("x", data), target)
        assert read(made)[0] == read(data)[0] and not any("bars" in sentence for sentence in lost)


def test_bars_of_an_xd_may_only_adorn_it():
    """Clues show it: they have no place in a grid whose entries end there."""
    design = "\n## Design\n\nA { bar-left: true }\n\n.A.\n...\n"
    data = f"{HEAD}\nD1. Three\nD2. Four\n{design}".encode()
    grid = read(data)[0].grid
    assert grid.bars == {((0, 0), (0, 1))} and [str(slot) for slot in grid.slots] == ["1A", "1D", "2D", "3A"]
    assert read(data)[1] == () and read(formats.convert_file(PuzzleFile("x", data), "xd")[0])[0] == read(data)[0]


def test_a_row_of_an_xd_that_begins_with_two_blocks_is_no_heading():
    data = b"## Metadata\n\nTitle: T\n\n## Grid\n\nABC\n##D\n##E\n\n## Clues\n\nA1. One\nD2. Two\n"
    assert read(data)[0].grid == shape(["AAA", "##A", "##A"]) and clues(data) == {"1A": "One", "2D": "Two"}


def test_an_xd_may_have_letters_to_begin_with_and_must_say_where_its_bars_are():
    for rows, begun in ((".B#\nC..", {(0, 1): "B", (1, 0): "C"}), (".B#\nC.", {})):
        paper = papers.document(f"{HEAD}\n## Start\n\n{rows}\n".encode())[1]
        assert paper.given == begun and paper.solution[1, 2] == "E"
    with pytest.raises(PuzzleError, match=r"x is barred but doesn't say where its bars are"):
        read(papers.FILES["sampler.xd"].replace(b"Title:", b"Form: barred\nTitle:"))


@pytest.mark.parametrize(
    ("header", "content"),
    [("1=HEART 2=X", "HEART"), ("1 = HEART, 2 = X", "HEART"), ("1= HEART 2 =X", "HEART"),
     ("2=X, 1=HEART", "HEART"), ("1=, 2=X", ","), ("1=A=B", "A=B"),
     ("1=O 1=AR", "O/AR"), ("1=C/P,2=X", "C/P")],
)  # fmt: skip
def test_what_a_rebus_of_an_xd_holds(header: str, content: str):
    data = HEAD.replace("title: T", f"rebus: {header}").replace("AB#", "1B#")
    assert papers.document(data.encode())[1].solution[0, 0] == content


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("{/{*Emma*}/} author", '"Emma" author'), ("H{~2~}O {^2^} {=CAPS=}", "H₂O ² CAPS"), ("{-no-} {_on_}", "no on"),
     ("{@the {*notes*} | href: https://a.b@} of", "the notes of"), ("{@here|https://a.b/c_d@}", "here"),
     ("{!A whale | src: 'data:image/png;base64,iV=='; width: 20!}", "A whale"), ("{#red|#f00|#c00#} <x", "red <x"),
     ("{![https://a.b/c.png|A whale|100]!}", "A whale"), ("{!!https://a.b/c.png!}", ""), ("{ / } {#1", "{ / } {#1"),
     ("So {\\~\\} so{\\\\}and {\\{/so/}\\}", "So ~ so and {/so/}")],
)  # fmt: skip
def test_markup_of_an_xd_is_not_shown(typed: str, shown: str):
    data = f"Title: {{/Emma/}}, {{*bold*}}\n\n\nAB\nCD\n\n\nA1. One ~ AB\nA3. {typed} ~ CD\n\nD1. Three\nD2. Four\n"
    assert clues(data.encode())["3A"] == shown and read(data.encode())[0].title == "Emma, bold"


def test_an_xd_may_have_one_clue_for_what_begins_in_a_square():
    data = "Title: T\n\n\nAB#\nCDE\n\n\n1. One ~ AB ~ AC\n2. Two ~ BD\n3. Three ~ CDE\n\n\n1. A note\n"
    assert clues(data.encode()) == {"1A": "One", "1D": "One", "2D": "Two", "3A": "Three"}
    assert papers.document(data.encode())[1].notes == "1. A note" and read(data.encode())[1] == ()


def test_a_false_size_of_an_ipuz_is_reported():
    said = "x says it's 2 by 3, but its grid was read as 2 by 2"
    assert read(ipuz_file(dimensions={"width": 2, "height": 3}))[1] == (said,)
    assert "it's 2 by 100000..., but" in read(ipuz_file(dimensions={"width": 2, "height": 10**4000}))[1][0]
    for size in ({"width": 2, "height": 2}, {"width": "two"}, [2, 3], 7, {}):
        assert read(ipuz_file(dimensions=size))[1] == ()


def test_more_in_the_squares_than_a_puz_can_hold():
    grid = shape(["A" * 90] * 90)
    paper = Document(grid, dict.fromkeys(grid.slots, ""), given=dict.fromkeys(grid.cells, "ABCDEFGHIJ"))
    with pytest.raises(PuzzleError, match=r"write \.ipuz instead"):
        FORMATS["puz"].write(paper, "x")


def test_clues_of_an_ipuz_for_no_entry_are_dropped_with_a_warning():
    file = PuzzleFile("x.ipuz", ipuz_file(fakeclues=True))
    puzzle, told = formats.read_puzzle(file)
    assert not any(puzzle.clues.values()) and "4 clues that belong to no entry" in told[1]
    assert "clues that belong to no entry" in formats.convert_file(file, "xd")[1][0]


@pytest.mark.parametrize(("shown", "clue"), [(True, "One (1-1)"), (None, "One (1-1)"), (False, "One")])
def test_the_lengths_of_words_stand_after_their_clue(shown: bool | None, clue: str):
    across = [{"number": 1, "clue": "One", "enumeration": "1-1"}, {"number": 3, "clue": "Two", "enumeration": "2"}]
    data = ipuz_file(showenumerations=shown, clues={"Across": across, "Down": [[1, "Three (1,1)"], [2, "Four"]]})
    assert list(clues(data).values()) == [clue, "Three (1,1)", "Four", "Two"]


@pytest.mark.parametrize(
    "more",
    [{"continued": [{"direction": "Across", "number": 3}]}, {"continued": {"Across": [3]}},
     {"continued": [["Across", 3]]}, {"number": None, "numbers": [1, 3]}, {"number": "1/3", "continued": 7.5},
     {"number": "1,3"}, {"number": [1, 3]}, {}],
)  # fmt: skip
def test_an_ipuz_may_say_where_an_answer_is_continued(more: dict[str, object]):
    clue = {key: x for key, x in ({"number": 1, "clue": "Both"} | more).items() if x is not None}
    clue = clue if more else [[1, 3], "Both"]
    groups = {"Across": [clue], "Down": [[1, "Three"], ["2/1ac", "Four"]]}
    assert clues(ipuz_file(clues=groups)) == {
        "1A": "With 3-Across: Both", "1D": "Three", "2D": "With 1-Across: Four", "3A": "See 1-Across"
    }  # fmt: skip


@pytest.mark.parametrize("name", ["sampler.ipuz", "sampler.jpz", "sampler.json", "sampler.xd"])
def test_numbers_above_and_below_the_line_stay_there(name: str):
    data = papers.FILES[name].decode()
    raised = {"xd": "10{^9^} H{~2~}O 19{^th^}", "jpz": "10<sup>9</sup> H<sub>2</sub>O 19<sup>th</sup>"}
    typed = raised.get(name.partition(".")[2], raised["jpz"])
    clue = re.search('[^"~.>]*Try-before[^"~<]*', data)[0].strip()
    assert "10⁹ H₂O 19th" in " ".join(clues(data.replace(clue.removeprefix("1. "), typed).encode()).values())


@pytest.mark.parametrize(("said", "means"), [("true", True), ("1", True), ("false", False), ("0", False), ("", False)])
def test_a_field_may_say_yes_or_no_as_a_text(said: str, means: bool):
    one = {"number": 1, "clue": "One", "enumeration": "1-1"}
    groups = {"Across": [one, [3, "Two"]], "Down": [[1, "Three"], [2, "Four"]]}
    rows = [[1, 2], [3, {"cell": 0, "style": {"highlight": said}}]]
    data = ipuz_file(puzzle=rows, clues=groups, showenumerations=said)
    assert clues(data)["1A"] == ("One (1-1)" if means else "One") and bool(papers.document(data)[1].shades) is means
    assert any(clues(ipuz_file(fakeclues=said)).values()) is not means


def test_numbers_may_be_what_squares_hold():
    solution = papers.document(ipuz_file(solution=[[7, "A"], [10, 0]]))[1].solution
    assert solution == {(0, 0): "7", (0, 1): "A", (1, 0): "10"}


def test_a_second_clue_for_an_entry_is_reported():
    groups = {"Across": [[1, "One"], [1, "Again"], [1, "One"], [3, "Two"]], "Down": [[1, "Three"], [2, "Four"]]}
    assert read(ipuz_file(clues=groups))[1] == ("x has a clue for entries that already have one; left out",)


SMALL_XD = "Title: T\n\n\nAB\nCD\n\n\nA1. One ~ AB\nA3. Two ~ CD\n\nD1. Three ~ AC\nD2. Four ~ BD\n"


@pytest.mark.parametrize("grid", ["A B\nC D", "A \nCD\nE F"])
def test_an_xd_with_spaces_in_its_grid_is_refused(grid: str):
    with pytest.raises(PuzzleError, match="spaces between the squares"):
        read(SMALL_XD.replace("AB\nCD", grid).encode())


@pytest.mark.parametrize("line", ["X1. For no entry", f"A{'9' * 30}. Endless", "a1. Small"])
def test_a_line_of_an_xd_that_is_not_a_clue_is_reported(line: str):
    assert read(f"{SMALL_XD}{line}\n".encode())[1] == ("x has a clue that belongs to no entry of the grid; left out",)


def test_an_unknown_section_of_an_xd_is_reported():
    parts = dict(zip(("Metadata", "Grid", "Clues"), SMALL_XD.split("\n\n\n"), strict=True)) | {"Relatives": "x"}
    data = "\n".join(f"## {name}\n{part}" for name, part in parts.items()).encode()
    assert "further sections" in formats.convert_file(PuzzleFile("x", data), "ipuz")[1][0]


def test_undrawn_squares_in_across_lite_text_do_not_make_it_diagramless():
    typed = "<ACROSS PUZZLE>\n<GRID>\n:AB\nCD.\n<ACROSS>\nOne\nTwo\n<DOWN>\nThree\n"
    paper = papers.document(typed.encode())[1]
    assert paper.voids == {(0, 0)} and not paper.is_diagramless and not paper.warnings
    paper = papers.document(typed.replace("D.", "D:").encode())[1]
    assert not paper.voids and paper.is_diagramless and "diagramless" in paper.warnings[0]


def test_labels_may_stand_in_corners_of_squares():
    def marked(number: int) -> object:
        return {"cell": 0, "style": {"mark": {"TL": str(number)}}}

    data = ipuz_file(puzzle=[[marked(4), marked(5)], [marked(6), {"cell": 0, "style": {"mark": {"BR": "x"}}}]],
                     clues={"Across": [[4, "One"], [6, "Two"]], "Down": [[4, "Three"], [5, "Four"]]})  # fmt: skip
    assert clues(data) == {"4A": "One", "4D": "Three", "5D": "Four", "6A": "Two"}
    assert "marks" in formats.convert_file(PuzzleFile("x", data), "xd")[1][0]


def test_a_label_stands_where_it_comes_first():
    rows = [[1, 2], [3, {"cell": 0, "style": {"mark": {"TL": "1"}}}]]
    assert clues(ipuz_file(puzzle=rows)) == clues(ipuz_file())


STYLES = [{"shapebg": "star"}, {"divided": "/"}, {"imagebg": "a.png"}, {"colortext": "ff0000"}, {"mark": {"C": "x"}}]
CELLS = [b'background-shape="diamond"', b'background-picture="a"', b'top-right-number="7"']


@pytest.mark.parametrize(
    "data",
    [lambda style=style: ipuz_file(puzzle=[[1, 2], [3, {"cell": 0, "style": style}]]) for style in STYLES]
    + [lambda cell=cell: JPZ.replace(b'solution="D"', b'solution="D" ' + cell, 1) for cell in CELLS],
)
def test_other_styles_of_squares_are_reported(data: Callable[[], bytes]):
    assert "shapes, marks, or pictures" in formats.convert_file(PuzzleFile("x", data()), "xd")[1][0]


def test_the_color_of_a_block_is_reported():
    block = {"cell": "#", "style": {"color": "ff0000"}}
    file = PuzzleFile("x", ipuz_file(puzzle=[[1, 2, block], [3, 0, 0]]))
    assert "the colors of its blocks" in formats.convert_file(file, "xd")[1][0]
    black = PuzzleFile("x", ipuz_file(puzzle=[[1, 2, {"cell": "#", "style": {"color": "000000"}}], [3, 0, 0]]))
    assert formats.convert_file(black, "xd")[1] == ()


def test_letters_that_a_jpz_shows_as_hints_are_given():
    data = papers.FILES["sampler.jpz"].decode()
    cell = re.search('<cell[^>]*x="1" y="3"[^>]*solution="O"', data)[0]
    puzzle, _ = read(data.replace(cell, f'{cell} hint="true"').encode())
    assert puzzle.given == papers.GIVEN | {(2, 0): "O"}


def test_a_barred_xd_that_is_begun_has_no_blocks():
    """Here a period is an empty square: with the bars, all clues have a place."""
    paper = Document(barred.GRID, {slot: barred.CLUES[str(slot)] for slot in barred.GRID.slots}, given={(0, 0): "P"})
    data, lost = FORMATS["xd"].write(paper, "x")
    assert lost == [] and read(data)[0].grid == barred.GRID and read(data)[1] == ()


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


BOMB = "<!DOCTYPE a [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_a_document_type_is_refused(encoding: str):
    text = papers.FILES["sampler.jpz"].decode()
    bomb = text.replace("?>", f"?>{BOMB}", 1).replace("UTF-8", encoding[:6].upper()).replace("stars", "&b;")
    with pytest.raises(PuzzleError, match="document type"):
        read(bomb.encode(encoding))


def test_zip_bombs_are_not_unpacked():
    """Neither are bzip2 files: a few hundred bytes hold gigabytes, which zipfile unpacks at once."""
    with pytest.raises(PuzzleError, match="unpacks to more than 1 MiB"):
        read(papers.zipped("a.jpz", JPZ + b" " * (30 << 20)))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.jpz", JPZ + b" " * (20 << 20))
    tracemalloc.start()
    with pytest.raises(PuzzleError, match="isn't a puzzle file"):
        read(stream.getvalue())
    assert tracemalloc.get_traced_memory()[1] < MAX_FILE_BYTES
    tracemalloc.stop()


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


def test_sizes_that_no_puzzle_has():
    for data in (
        *(ipuz_file(puzzle=rows) for rows in ([[0] * 101], [[0]] * 101, [], [[]], [[1, 2], [3]])),
        papers.FILES["sampler.jpz"].replace(b'width="5"', b'width="5000000"'),
        papers.FILES["sampler.json"].replace(b'"cols": 5', b'"cols": 1e400'),
        papers.FILES["sampler.json"].replace(b'"cols": 5', b'"cols": 6'),
        papers.FILES["sampler.json"].replace(b'"cols": 5', b'"cols": ' + b"9" * 4000),
        papers.FILES["sampler.xd"].replace(b"BELO", b"BELOVED"),
    ):  # fmt: skip
        with pytest.raises(PuzzleError, match=r"grid|squares|complete JSON") as raised:
            read(data)
        assert len(str(raised.value)) < 200


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


def test_contents_of_squares_have_an_end():
    paper = papers.document(ipuz_file(saved=[["A" * (MAX_CONTENT + 1), "\x1b[2J"], ["B\u202eC", "OK"]]))[1]
    assert paper.given == {(0, 1): "[2J", (1, 1): "OK"}


# where files lie


def names(path: Path) -> list[str]:
    return [Path(file.name).name for file in formats.open_files(path)]


def pack(path: Path, contents: Mapping[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return path


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


def test_a_zip_of_several_puzzles_is_none_itself_whichever_comes_first(tmp_path: Path):
    assert names(pack(tmp_path / "all.zip", {"a.jpz": JPZ, "b.jpz": JPZ})) == ["a.jpz", "b.jpz"]


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


def test_in_a_folder_or_zip_the_xml_of_a_puzzle_is_one_and_no_other(tmp_path: Path):
    """In a zip, whatever file comes first, as from macOS and programs that draw pictures."""
    contents = {"__MACOSX/._p.xml": b"\0\5", "a.png": b"\x89PNG", "p.xml": JPZ, "q.xml": b"<feed/>"}
    folder = tmp_path / "folder"
    for name, data in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    shutil.copy(pack(tmp_path / "p.jpz", contents), folder)
    assert names(folder) == ["p.jpz", "p.xml"]
    for file in (*formats.open_files(folder), *formats.open_files(tmp_path / "p.jpz")):
        assert formats.read_puzzle(file)[0] == formats.read_puzzle(papers.file("sampler.jpz"))[0]


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


def test_the_mark_of_a_puz_file_in_words_makes_none():
    xd = (ROOT / "examples" / "formats" / "sampler.xd").read_text(encoding="utf-8")
    puzzle, _ = formats.read_puzzle(PuzzleFile("a.xd", xd.replace("Title: ", "Title: ACROSS&DOWN ", 1).encode()))
    assert puzzle.title.startswith("ACROSS&DOWN")


def test_a_colon_in_a_square_makes_no_block():
    data, _ = formats.convert_file(formats.open_file(ROOT / "examples" / "mini.puz"), "puz", {(0, 1): ":"})
    before, after = (puz.read(it, "a.puz") for it in ((ROOT / "examples" / "mini.puz").read_bytes(), data))
    assert after.grid == before.grid and after.is_diagramless == before.is_diagramless


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


def test_the_date_is_read_where_the_format_has_it():
    assert str(read(papers.FILES["sampler.json"])[0].date) == "2026-01-13"
    assert str(read(b"Date: 1955-01-01\n" + papers.FILES["sampler.xd"])[0].date) == "1955-01-01"


@pytest.mark.parametrize("packed", ["", ".gz", ".GZ"])
def test_the_date_is_also_read_from_the_folders_of_a_packed_file(packed: str):
    file = papers.file("sampler.puz")._replace(name=f"nyt/2014/01/06.puz{packed}")
    assert str(formats.read_puzzle(file)[0].date) == "2014-01-06"
