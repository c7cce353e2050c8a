"""Puzzles whose entries don't follow from their blocks: barred ones, and those whose files list them cell by cell."""

import json
import re

import barred
import papers
import pytest
import tiny
from make_puzzles import shape
from papers import clues, read
from test_fillers import listed

from regis.ancestors import FILLERS
from regis.errors import PuzzleError
from regis.puzzle import Bar, Grid, formats
from regis.puzzle.formats import PuzzleFile
from regis.solving.filler import no_watch
from regis.system.progress import FOREVER


def answers(data: bytes) -> dict[str, str]:
    """Return the answers by entry, from the file's own solution."""
    letters = formats.read_solution(PuzzleFile("x", data))
    return {str(slot): "".join(letters[cell] for cell in slot.cells) for slot in read(data)[0].grid.slots}


BARRED = {
    "ipuz with cells": barred.ipuz(),
    "ipuz with cells from 0": barred.ipuz(base=0),
    "ipuz by numbers": barred.ipuz(cells=False),
    "ipuz, the other sides": barred.ipuz(cells=False, sides="RB"),
    "ipuz, all sides": barred.ipuz(sides="TRBL"),
    "jpz": barred.jpz(),
    "zipped jpz": papers.zipped("a.xml", barred.jpz()),
}


@pytest.mark.parametrize("data", BARRED.values(), ids=BARRED)
def test_a_barred_puzzle_has_the_entries_between_its_bars(data: bytes):
    puzzle, warnings = read(data)
    assert (puzzle.grid, warnings) == (barred.GRID, ())
    assert clues(data) == barred.CLUES
    assert answers(data)["6D"] == "EIDER" and answers(data)["10A"] == "AERIAL"


def test_two_squares_between_bars_need_not_be_an_entry():
    """Here r1c4 and r1c5 are neighbors; the file has no clue for them, and numbers that ignore them."""
    bars = barred.BARS - {((1, 4), (1, 5))}
    for data in (barred.ipuz(bars=bars), barred.ipuz(bars=bars, cells=False), barred.jpz(bars=bars)):
        puzzle, warnings = read(data)
        assert clues(data) == barred.CLUES and warnings == ()
        assert puzzle.grid.bars == bars and puzzle.grid.slots == barred.GRID.slots


@pytest.mark.parametrize("bars", [{((0, 0), (0, 1)), ((1, 1), (2, 1))}, {((0, 2), (0, 3))}])
def test_bars_that_only_adorn(bars: set[Bar]):
    """Bars through entries: the entries of the plain grid, which the clues fit, stay whole."""
    rows = ("ABCDE", "FGHIJ", "KLMNO")
    plain = shape(rows)
    names = {str(slot): f"Clue {slot}" for slot in plain.slots}
    groups, bars = barred.entries(plain, names), frozenset(bars)
    for data in (
        barred.ipuz(rows, bars, groups, cells=False),
        barred.ipuz(rows, bars, groups),
        barred.jpz(rows, bars, groups),
    ):
        assert clues(data) == names and read(data)[0].grid.bars == bars


SPIRAL = {
    "Inward": [("1-5", "In one", [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]),
               ("6-9", "In two", [(2, 1), (2, 0), (1, 0), (1, 1)])],
    "Outward": [("9-7", "Out one", [(1, 1), (1, 0), (2, 0)]), ("6-4", "Out two", [(2, 1), (2, 2), (1, 2)]),
                ("3-1", "Out three", [(0, 2), (0, 1), (0, 0)])],
}  # fmt: skip
SHAPED = pytest.mark.parametrize("make", [barred.ipuz, barred.jpz])


@SHAPED
def test_the_solution_tells_nothing(make):
    hidden = make(("Q" * 6,) * 6)
    assert read(hidden) == read(make()) and formats.read_solution(PuzzleFile("x", hidden)) is None


@SHAPED
def test_entries_that_bend(make):
    data = make(("ABC", "HID", "GFE"), frozenset(), SPIRAL)
    assert clues(data) == {"1A": "In one", "3D": "Out three", "6A": "In two", "6D": "Out two", "9D": "Out one"}
    assert answers(data) == {"1A": "ABCDE", "3D": "CBA", "6A": "FGHI", "6D": "FED", "9D": "IHG"}
    assert read(data)[1] == ("x has its own names for its entries; here they are across and down",)
    grid = read(data)[0].grid
    assert [str(crossing.slot) for crossing in grid.crossings[grid.slots[0]]] == ["3D", "3D", "3D", "6D", "6D"]


SHAPES = {
    "names that are no numbers": (
        ("AB", "CD"), {"1A": "AB", "2D": "BDCA", "3A": "CD"},
        {"Rows": [("A", "Row", [(0, 0), (0, 1)]), ("B", "Row", [(1, 0), (1, 1)])],
         "Blooms": [("L1", "Bloom", [(0, 1), (1, 1), (1, 0), (0, 0)])]}),
    "shaded squares at the ends of lines that belong to no entry": (
        ("ABX", "CDE"), {"1A": "AB", "1D": "AC", "2D": "BD", "3A": "CDE"},
        {"Across": [("1", "a", [(0, 0), (0, 1)]), ("3", "b", [(1, 0), (1, 1), (1, 2)])],
         "Down": [("1", "c", [(0, 0), (1, 0)]), ("2", "d", [(0, 1), (1, 1)])]}),
    "an entry that runs on in the next row": (
        ("AB", "CD"), {"1A": "ABCD", "1D": "AC", "2D": "BD"},
        {"Across": [("1", "On", [(0, 0), (0, 1), (1, 0), (1, 1)])],
         "Down": [("1", "c", [(0, 0), (1, 0)]), ("2", "d", [(0, 1), (1, 1)])]}),
}  # fmt: skip


@SHAPED
@pytest.mark.parametrize("name", SHAPES)
def test_entries_are_those_of_the_file(make, name):
    rows, expected, groups = SHAPES[name]
    assert answers(make(rows, frozenset(), groups)) == expected


DIAGONAL = [("1", "Diagonal", [(0, 0), (1, 1), (2, 2)])]


@SHAPED
def test_a_third_entry_through_a_square_is_left_out(make):
    plain = Grid(("...",) * 3)
    groups = barred.entries(plain, {str(slot): f"Clue {slot}" for slot in plain.slots}) | {"Diagonal": DIAGONAL}
    data = make(("ABC", "DEF", "GHI"), frozenset(), groups)
    assert read(data)[0].grid == plain
    assert read(data)[1] == ("x has a clue that belongs to no entry of the grid; left out",)


CROSS = [("1", "x", [(0, 0), (1, 1), (2, 2)]), ("2", "x", [(0, 2), (1, 1), (2, 0)])]


STAR, TRIANGLE = ("3", "x", [(0, 1), (1, 1), (2, 0)]), ("3", "x", [(0, 0), (1, 0), (2, 0)])


@SHAPED
@pytest.mark.parametrize("third", [STAR, TRIANGLE], ids=["three", "one way"])
def test_most_entries_through_squares_of_others_are_refused(make, third):
    with pytest.raises(PuzzleError, match="x has squares in three or more entries, or in two with the same direction"):
        read(make(("ABC", "DEF", "GHI"), frozenset(), {"Lines": [*CROSS, third]}))


@SHAPED
def test_an_entry_in_another_direction_than_its_heading_is_reported(make):
    puzzle, told = read(make(("ABC", "DEF", "GHI"), frozenset(), {"Across": CROSS}))
    assert [str(slot) for slot in puzzle.grid.slots] == ["1A", "2D"] and "its own names" in told[0]


def test_clues_that_do_not_say_where_they_belong_are_refused():
    with pytest.raises(PuzzleError, match="doesn't say which squares its clues belong to"):
        read(barred.ipuz(("ABC", "HID", "GFE"), frozenset(), SPIRAL, cells=False))


def test_words_of_linked_clues_leave_a_plain_puzzle_plain():
    """The second entry continues the first, with a word of its own or none."""
    rows, plain = ("ABC", "D#E", "FGH"), Grid(("...", ".#.", "..."))
    groups = barred.entries(plain, {str(slot): f"Clue {slot}" for slot in plain.slots})
    linked = {**groups, "Across": [("1,3", "Linked", [*plain.slots[0].cells, *plain.slots[3].cells])]}
    for data in (barred.ipuz(rows, frozenset(), linked), barred.jpz(rows, frozenset(), linked)):
        assert read(data)[0].grid == plain
        assert clues(data) == {
            "1A": "With 3-Across: Linked", "1D": "Clue 1D", "2D": "Clue 2D", "3A": "See 1-Across"
        }  # fmt: skip


@SHAPED
def test_numbers_and_entries_are_those_of_the_file(make):
    """The middle row isn't an entry, so later entries have other numbers than usual; the clues use these."""
    plain = Grid(("...",) * 4)
    across = [("1", "Top", [(0, c) for c in range(3)]), ("4", "See 5-Across", [(2, c) for c in range(3)]),
              ("5", "Bottom", [(3, c) for c in range(3)])]  # fmt: skip
    down = [(str(c + 1), f"Down {c}", [(r, c) for r in range(4)]) for c in range(3)]
    data = make(("ABC", "DEF", "GHI", "JKL"), frozenset(), {"Across": across, "Down": down})
    puzzle, told = read(data)
    assert told == () and puzzle.grid.rows == plain.rows
    assert [str(slot) for slot in puzzle.grid.slots] == ["1A", "1D", "2D", "3D", "4A", "5A"]
    assert clues(data)["4A"] == "See 5-Across" and clues(data)["5A"] == "Bottom"
    made, lost = formats.convert_file(PuzzleFile("x", data), "ipuz")
    assert read(made)[0] == puzzle and lost == ()
    assert "its own entry numbers" in formats.convert_file(PuzzleFile("x", data), "puz")[1][0]


def test_a_list_of_a_jpz_may_be_of_clues_that_belong_to_no_entry():
    data = barred.jpz().replace(b"<clues>", b'<clues fake="true">', 1)
    assert data != barred.jpz()
    assert not any(clue for name, clue in clues(data).items() if "A" in name) and clues(data)["2D"]
    assert any("clues that belong to no entry" in sentence for sentence in read(data)[1])


def test_a_link_is_not_the_clue_of_a_word():
    data = barred.jpz().replace(b"<clue word", b'<clue word="0" is-link="1">See elsewhere</clue><clue word', 1)
    assert clues(data) == barred.CLUES


# what is no crossword with clues

KINDS = {
    "http://ipuz.org/acrostic#1": "an acrostic", "http://crosswordnexus.com/ipuz/coded#1": "a coded crossword",
    "http://ipuz.org/sudoku#1": "a sudoku", "http://ipuz.org/wordsearch#1": "a word search",
    "http://example.org/kakuro": "another kind of puzzle",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_puzzle_of_another_kind_is_refused(kind: str):
    refused = [kind, [kind], ["http://ipuz.org/crossword#1", kind][KINDS[kind] == "another kind of puzzle" :]]
    bare = json.loads(barred.ipuz(kind=[kind]))
    del bare["clues"]
    files = [*(barred.ipuz(kind=kinds) for kinds in refused), json.dumps(bare).encode()]
    if (applet := re.search("acrostic|coded", kind)) is not None:
        files.append(barred.jpz(kind=applet[0]))
    for data in files:
        with pytest.raises(PuzzleError, match=rf"^x is {KINDS[kind]}.* which Regis can't solve; choose "):
            read(data)


CROSSWORDS = (
    *("http://ipuz.org/crossword", "http://ipuz.org/crossword/crypticcrossword#1", None, []),
    ["https://libipuz.org/barred#1", "https://ipuz.org/crossword#1"],
)


@pytest.mark.parametrize("kind", CROSSWORDS)
def test_kinds_of_crosswords_are_read(kind):
    assert clues(barred.ipuz(kind=kind)) == barred.CLUES


# squares with something in them


def test_a_square_of_type_clue_is_a_letter_if_a_word_includes_it():
    """A letter printed there is given; without a word it is a dash or a clue."""
    data = barred.jpz(types={(0, 0): 'type="clue" solve-state="P"'})
    puzzle, warnings = read(data)
    assert puzzle.grid == barred.GRID and puzzle.given == {(0, 0): "P"} and warnings == ()
    rows, plain = ("-AB", "CDE"), Grid(("#..", "..."))
    groups = barred.entries(plain, {str(slot): f"Clue {slot}" for slot in plain.slots})
    data = barred.jpz(rows, frozenset(), groups, types={(0, 0): 'type="clue" solve-state="-"'})
    assert read(data)[0].grid == plain and clues(data)["3A"] == "Clue 3A"


def test_clues_that_stand_in_squares():
    rows, plain = ("#AB", "CDE"), Grid(("#..", "..."))
    groups = barred.entries(plain, {str(slot): "" for slot in plain.slots})
    data = barred.jpz(rows, frozenset(), groups).replace(
        b'type="block"/>', b'type="clue"><clue word="0">Right</clue><clue word="3">Below</clue></cell>', 1
    )
    assert clues(data) == {"1A": "Right", "1D": "", "2D": "Below", "3A": ""}


# solving


@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize("data", [barred.ipuz(), barred.ipuz(("ABC", "HID", "GFE"), frozenset(), SPIRAL)])
def test_every_filler_fills_them(filler: str, data: bytes):
    """The lists make the right answers the likeliest."""
    puzzle, right = read(data)[0], answers(data)
    lists = {slot: listed({right[str(slot)]: 0.9}, len(slot), 0.1) for slot in puzzle.grid.slots}
    filled = FILLERS[filler](puzzle, tiny.candidates(lists), FOREVER, no_watch)
    assert {str(slot): filled.answer(slot) for slot in puzzle.grid.slots} == right


# other formats


@pytest.mark.parametrize("target", ["puz", "xd"])
@SHAPED
def test_what_has_no_place_in_another_format_is_refused(make, target: str):
    for data, what in (
        (make(), "bars"),
        (make(("ABC", "HID", "GFE"), frozenset(), SPIRAL), "entries that bend or jump"),
    )[target == "xd" :]:  # it can hold bars
        with pytest.raises(PuzzleError, match=f"^x has {what}, which a .{target} can't hold; write .ipuz instead$"):
            formats.convert_file(PuzzleFile("x", data), target)


@SHAPED
def test_an_ipuz_has_a_place_for_all(make):
    for data in (make(), make(("ABC", "HID", "GFE"), frozenset(), SPIRAL)):
        made, lost = formats.convert_file(PuzzleFile("x", data), "ipuz", {(0, 0): "Q"})
        assert lost == () and read(made)[0].given == {(0, 0): "Q"}
        assert read(made)[0].grid == read(data)[0].grid and clues(made) == clues(data)
        assert answers(made) == answers(data)
