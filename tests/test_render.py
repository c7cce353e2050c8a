import io
import json
import re
from dataclasses import replace

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from regis.candidates.candidate_list import Candidate
from regis.candidates.finder import Evidence
from regis.puzzle import Puzzle
from regis.render import RENDERERS, reasons, text_grid
from regis.render import json as as_json
from regis.render import text as as_text
from regis.system.terminal import MAX_TEXT_LENGTH, Screen, plain_text, text_width, wrap_text

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def drawn(rows: tuple[str, ...], confidence=None, screen: Screen | None = None, **more) -> list[str]:
    """Return the lines of the grid, after heading and empty line."""
    letters = {cell: x for cell, x in tiny.cells(rows).items() if x != "."}
    out = as_text.render(tiny.solved(tiny.puzzle(rows), letters, confidence), "a.puz", screen or Screen(**more))
    lines = out.split("\n")
    start = lines.index("") + 1
    return lines[start : lines.index("", start)]


@pytest.mark.parametrize(
    ("rows", "confidence", "screen", "lines"),
    [
        (("AB#C", "D.EF"), {(0, 0): 0.89, (0, 1): 0.49, (1, 0): 0.9}, {}, [" a b?█▌C", " D · E F"]),
        (("AB#C", "D.EF"), None, {"unicode": False}, [" A B # C", " D . E F"]),
        (("ABC#DEFGHIJK",), {(0, 0): 0.1}, {"width": 20}, ["aBC█DEFGHIJK"]),
        (("ABCDEFGHIJ",), None, {"width": 21}, [" A B C D E F G H I J"]),
        (("ABCDEFGHIJ",), None, {"width": 20}, ["ABCDEFGHIJ"]),
    ],
)
def test_a_grid_has_blocks_marks_and_empty_squares_and_gaps_where_there_is_room(rows, confidence, screen, lines):
    assert drawn(rows, confidence, **screen) == lines


@pytest.mark.parametrize(
    ("rows", "columns", "width"), [(15, 15, 60), (21, 21, 80), (21, 21, 60), (23, 23, 80), (21, 21, 100), (4, 4, 20)]
)
def test_every_number_stands_above_its_square_where_there_is_room(rows, columns, width):
    """A grid of usual size fits 80 columns with its numbers, one of 15 squares 60; letters don't move for them."""
    of = tiny.puzzle(("A" * columns,) * rows, {})
    cells = dict.fromkeys(of.grid.cells, "A")
    screen = Screen(width=width, show_numbers=True)
    lines = text_grid.grid_lines(of.grid, cells, dict.fromkeys(cells, 1.0), screen)
    said = text_grid.grid_legend(tiny.solved(of, cells), screen)
    assert max(map(len, lines)) <= width
    if 3 * columns >= width:
        assert lines == text_grid.grid_lines(of.grid, cells, dict.fromkeys(cells, 1.0), Screen(width=width))
        assert f"no room for numbers; they need {3 * columns + 1} columns" in said
        return
    letters = [i for i, x in enumerate(lines[1]) if x == "A"]
    for (r, c), number in of.grid.cell_numbers.items():
        end = letters[c + 1] - 1 if c + 1 < columns else None
        shown = lines[2 * r][letters[c] - 1 : end].strip()
        assert shown == str(number) or (shown == str(number)[-2:] and "last two digits" in said)


WALLED = ("ABC#", "DEFG")
BARS = frozenset({((0, 0), (0, 1)), ((1, 2), (1, 3)), ((0, 1), (1, 1)), ((0, 2), (1, 2))})


def walled(confidence=None, screen: Screen | None = None, **more) -> list[str]:
    """Return the lines of a grid with bars."""
    shape, letters = replace(tiny.grid(WALLED), bars=BARS), tiny.cells(WALLED)
    return text_grid.grid_lines(
        shape, letters, dict.fromkeys(letters, 1.0) | (confidence or {}), screen or Screen(**more)
    )


def test_bars_stand_between_squares_and_lines():
    assert walled({(0, 0): 0.1}) == [" a?┃B  C ▐█▌", "   ━━━━━━", " D  E  F ┃G"]
    assert walled(unicode=False) == [" A |B  C  #", "   ------", " D  E  F |G"]
    assert walled(show_numbers=True) == ["1  2     ███", " A ┃B  C ███", "   ━━━━━━", "3        ┃", " D  E  F ┃G"]
    assert walled(width=12) == ["ABC█", "DEFG"]
    shape = replace(tiny.puzzle(WALLED, {}), grid=replace(tiny.grid(WALLED), bars=BARS), clues={})
    said = [
        text_grid.grid_legend(replace(tiny.solved(tiny.puzzle(WALLED), {}), puzzle=shape), Screen(width=w))
        for w in (12, 13)
    ]
    assert "There's no room for bars; they need 13 columns." in said[0] and "bars" not in said[1]


def test_bars_are_drawn_told_and_listed():
    """In pictures, in the words next to them, and for programs."""
    shape = replace(tiny.grid(WALLED), bars=BARS)
    of = replace(tiny.puzzle(WALLED), grid=shape, clues=dict.fromkeys(shape.slots, ""))
    solved = tiny.solved(of, tiny.cells(WALLED))
    assert "M38 2L38 38" in RENDERERS["svg"](solved, "a", Screen())
    page = RENDERERS["html"](solved, "a", Screen())
    assert "M38 2L38 38" in page and "A (bar right), B (bar below), C (bar below), block" in page
    value = json.loads(as_json.render(solved, "a", Screen()))
    assert value["bars"] == [[[0, 0], [0, 1]], [[0, 1], [1, 1]], [[0, 2], [1, 2]], [[1, 2], [1, 3]]]
    assert value["entries"][0]["cells"] == [[0, 0], [1, 0]]


def test_legend_explains_only_what_occurs():
    sure = as_text.render(tiny.solved(tiny.puzzle(), tiny.cells()), "a.puz", Screen())
    assert "Lowercase" not in sure and "All letters and entries are at least 90% sure." in sure
    doubtful = as_text.render(tiny.solved(tiny.puzzle(), tiny.cells(), {(0, 0): 0.3}), "a.puz", Screen())
    assert "Lowercase: less than 90% sure. With a question mark: less than 50% sure." in doubtful
    of = tiny.solved(tiny.puzzle(), tiny.cells(), {(0, 0): 0.3})
    said = [
        text_grid.grid_legend(of, Screen(width=width))
        for width in (2 * of.puzzle.grid.width, 2 * of.puzzle.grid.width + 1)
    ]
    assert ["question mark" in one for one in said] == [False, True]


def test_color_adds_codes_and_nothing_else():
    confidence = {(0, 0): 0.7, (1, 1): 0.2}
    puzzle = tiny.solved(tiny.puzzle(), tiny.cells(), confidence)
    colorful = as_text.render(puzzle, "a.puz", Screen(color=True))
    assert "\x1b[35ml\x1b[0m" in colorful and "\x1b[31mr?\x1b[0m" in colorful
    assert ESCAPE.sub("", colorful) == as_text.render(puzzle, "a.puz", Screen())


@pytest.mark.parametrize("width", [20, 35, 60, 80, 132])
@pytest.mark.parametrize("size", [4, 15, 21])
def test_nothing_is_wider_than_the_screen(width, size):
    rows = ("A" * size,) * size
    clues = {str(slot): "A clue that goes on for quite some time " * 3 for slot in tiny.grid(rows).slots}
    puzzle = tiny.puzzle(rows, clues, title="A long title " * 9)
    out = as_text.render(tiny.solved(puzzle, tiny.cells(rows)), "folder/" * 9 + "a.puz", Screen(width=width))
    widest = max(len(line) for line in out.splitlines())
    assert widest <= max(width, size + 10)
    assert out.count("A clue that") >= 2 * size


def test_rebus_squares_show_a_digit_that_is_explained():
    letters = {**tiny.cells(), (0, 0): "STAR", (1, 1): "X&Y", (3, 3): "STAR"}
    out = as_text.render(tiny.solved(tiny.puzzle(), letters), "a.puz", Screen())
    assert " 1 A C K\n I 2 O N\n M E R E\n B A K 1\n1 = STAR\n2 = X&Y\n" in out
    assert "STARACK" in out
    digit = as_text.render(tiny.solved(tiny.puzzle(), {**letters, (0, 3): "1"}), "a.puz", Screen())
    assert " 2 A C 1\n I 3 O N\n M E R E\n B A K 2\n2 = STAR\n3 = X&Y\n" in digit


def test_control_characters_never_reach_the_terminal():
    evil = "ti\x1b[31mt\x07le\x9b2J\u202e\r\n\x00 end"
    puzzle = tiny.puzzle(clues=dict.fromkeys(tiny.CLUES, evil), title=evil)
    letters = {**tiny.cells(), (0, 0): "\x1b[2J"}
    out = as_text.render(tiny.solved(puzzle, letters), evil, Screen())
    candidate = Candidate("PHI", 0.5, (Evidence("f", "clue", evil, 0.5, 1, None),))
    found = reasons.render_guess(evil, "P?I", [candidate], 0.1, Screen())
    for shown in (out, found, as_json.render(tiny.solved(puzzle, letters), evil, Screen())):
        assert all(c.isprintable() or c == "\n" for c in shown)
        assert "end" in shown


@given(st.text(max_size=200), st.integers(1, 90))
def test_what_is_wrapped_is_all_there_and_fits(text, width):
    """A single letter may be wider than the narrowest screen."""
    lines = wrap_text(plain_text(text), width, "", "")
    assert "".join("".join(lines).split()) == "".join(plain_text(text).split())
    assert all(text_width(line) <= max(width, 2) for line in lines) and bool(lines) == bool(plain_text(text))
    assert len(plain_text(text * 50)) <= MAX_TEXT_LENGTH + 3


@pytest.mark.parametrize(
    ("rows", "said"), [(("##", "##"), "no white square"), ((), "no white square"), ((".",), "has no entries: ")]
)
def test_a_puzzle_without_slots_says_so(rows, said):
    out = as_text.render(tiny.solved(Puzzle(tiny.grid(rows), {}), {}), "odd.puz", Screen())
    assert out.startswith("odd.puz\n") and said in out


def test_json_is_the_contract():
    rows = ("LA#K", "I.ON")
    letters = {cell: x for cell, x in tiny.cells(rows).items() if x != "."} | {(0, 0): "STAR"}
    puzzle = tiny.puzzle(rows, {"1A": "Für\n\x1b"}, title="Tïtle")
    line = as_json.render(tiny.solved(puzzle, letters, {(0, 1): 1 / 3}), "a/b.puz", Screen())
    assert line.endswith("}\n") and line.count("\n") == 1 and line.isascii()
    value = json.loads(line)
    about = ["file", "title", "author", "copyright", "notes", "circles", "shaded", "bars"]
    keys = [
        *about, "cells", "confidence", "hardly_explained", "unexplained_share", "unchecked_squares",
        "assumptions", "two_answers", "entries", "filler", "seconds", "timed_out", "index",
    ]  # fmt: skip
    assert list(value) == keys
    assert value["cells"] == [["STAR", "A", None, "K"], ["I", "", "O", "N"]]
    assert value["confidence"] == [[0.99, 0.333333, None, 0.99], [0.99, 0, 0.99, 0.99]]
    assert value["entries"][0] == {
        "number": 1, "direction": "across", "cells": [[0, 0], [0, 1]], "clue": "Für\n\x1b",
        "answer": "STARA", "confidence": 0.333333,
        "found_by": ["nearby"], "alternatives": [["WANT", 0.25]],
    }  # fmt: skip
    assert [e["direction"] for e in value["entries"]].count("down") == 3
    assert (value["filler"], value["seconds"], value["index"]) == ("belief", 0.25, "0123456789ab")


CANDIDATES = [
    Candidate("PHI", 0.831, (Evidence("nearby", "clue", "Beta's leader", 0.93, 12, 2013),
                             Evidence("keywords", "clue", "Greek letter", 0.4, 1, 1999),
                             Evidence("meaning", "meaning", "", 0.1234, 0, None),
                             Evidence("pattern", "answer", "", 0.5, 34, 2013),
                             Evidence("similar", "paraphrase", "Third to last", 0.876, 1, 2009))),
    Candidate("PSI", 0.1, (Evidence("pattern", "title", "P.S.I.", 0.2, 0, None),)),
    Candidate("PII", 0.02, (Evidence("pattern", "title", "P. II", 0.2, 1, 1999),)),
    Candidate("POI", 0.01, (Evidence("pattern", "word", "", 0.2, 0, None),)),
]  # fmt: skip


def test_guess_gives_each_reason_a_line_and_json_all_evidence():
    out = reasons.render_guess("___ Beta Kappa", "P?I", CANDIDATES, 0.003, Screen())
    assert out.splitlines() == [
        "___ Beta Kappa   P?I",
        ' 83.1%  PHI  nearby: "Beta\'s leader", 93% alike, 12 times, last in 2013',
        '             keywords: "Greek letter", 40% alike, once, in 1999',
        "             meaning: 12.3% similar in meaning to its words",
        "             pattern: fits, the answer 34 times, last in 2013",
        '             similar: "Third to last", 88% similar in meaning, once, in 2009',
        ' 10.0%  PSI  pattern: fits, listed as "P.S.I."',
        '  2.0%  PII  pattern: fits, listed as "P. II", the answer once, in 1999',
        "  1.0%  POI  pattern: fits, listed",
        "  0.3%  an answer on no list",
    ]
    value = json.loads(as_json.encode_guess("___ Beta Kappa", "P?I", CANDIDATES[:1], 0.003, "0123456789ab"))
    assert value["candidates"][0]["evidence"][0] == {
        "finder": "nearby", "kind": "clue", "text": "Beta's leader", "score": 0.93, "use_count": 12, "last_year": 2013,
    }  # fmt: skip
    assert (value["pattern"], value["missing_probability"], value["index"]) == ("P?I", 0.003, "0123456789ab")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_screen_of_a_terminal_and_of_a_pipe(monkeypatch):
    monkeypatch.setenv("COLUMNS", "61")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert Screen.for_stream(Terminal()) == Screen(61, True, True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert Screen.for_stream(Terminal()) == Screen(61, True, False)
    assert Screen.for_stream(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) == Screen(61, True, False)
    monkeypatch.delenv("COLUMNS")
    assert Screen.for_stream(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) == Screen(80, True, False)
    assert Screen.for_stream(io.TextIOWrapper(io.BytesIO(), encoding="ascii")) == Screen(80, False, False)
