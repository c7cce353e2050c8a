"""Small hostile files: each is read or refused in one sentence, with little time and memory; no pattern backtracks."""

import importlib
import inspect
import json
import pkgutil
import re
import time
import tracemalloc
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import papers
import pytest

from regis import puzzle, text
from regis.errors import RegisError
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile

MAX_SECONDS = 10.0  # of computing
MAX_GROWTH = 256 << 20  # bytes
N_REPEATS = 10_000


def modules() -> Iterator[ModuleType]:
    """Yield all modules that read puzzle files, except pages, whose process has limits."""
    yield text
    for found in pkgutil.walk_packages(puzzle.__path__, "regis.puzzle."):
        if ".paper" not in found.name:
            yield importlib.import_module(found.name)


def patterns() -> dict[str, re.Pattern[str] | re.Pattern[bytes]]:
    """Return every pattern of a module, alone or in a table, compiled or as a string."""
    found: dict[str, re.Pattern[str] | re.Pattern[bytes]] = {}

    def collect(name: str, value: object) -> None:
        if isinstance(value, re.Pattern):
            found[name] = value
        elif isinstance(value, tuple):
            for i, inner in enumerate(value):
                collect(f"{name}[{i}]", inner)
        elif isinstance(value, str | bytes) and re.search("IN_|KINDS", name) and not name.endswith("][1]"):
            found[name] = re.compile(value, re.DOTALL | re.IGNORECASE)

    for module in modules():
        for name, value in vars(module).items():
            collect(f"{module.__name__}.{name}", value)
    return found


PATTERNS = patterns()
SOURCES = "\n".join(inspect.getsource(module) for module in modules())


def is_anchored(name: str) -> bool:
    """Return whether a pattern is only tried at the beginning of a text, usually a line."""
    uses = set(re.findall(rf"\b{name.rpartition('.')[2]}\.(\w+)", SOURCES)) - {"pattern"}
    return bool(uses) and uses <= {"match", "fullmatch"}


def units(source: str) -> list[str]:
    """Return what a pattern searches for: its runs of letters and signs, each bracket, and some of everything."""
    runs = re.findall(r"(?:\\.|[A-Za-z<>{}\[\]()&#~%!\"'-]){2,}", source)
    plain = {re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), run) for run in runs}
    return [*sorted(plain, key=len)[:6], *'([{<~}>])"&#', " ", "\n", "1", "a", ",", "\\", "jan", "<a "]


@pytest.mark.parametrize("name", [name for name in PATTERNS if not name.endswith("xd_markup._LITERAL")])  # cut before
def test_no_pattern_backtracks(name: str):
    """Ten times as much of a text takes about ten times as long: of each sign alone, and of each behind another."""
    pattern = PATTERNS[name]
    anchored = is_anchored(name)
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    pieces = units(source)

    def seconds(before: str, unit: str, n: int) -> float:
        typed = before + unit * n + "\x00"
        start = time.process_time()
        scanned: Any = typed if isinstance(pattern.pattern, str) else typed.encode("latin-1")
        if anchored:
            pattern.match(scanned)
        else:
            for _ in pattern.finditer(scanned):
                pass
        return time.process_time() - start

    for before in ("", *pieces):
        for unit in pieces:
            if (took := seconds(before, unit, N_REPEATS)) > 0.1:
                assert took < 40 * seconds(before, unit, N_REPEATS // 10), f"{before!r}, and often {unit!r}"


def ipuz(puzzle_rows: list[list[object]], **more: object) -> bytes:
    clues = {"Across": [[1, "One"]], "Down": [[1, "Two"]]}
    return json.dumps({"kind": ["http://ipuz.org/crossword#1"], "puzzle": puzzle_rows, "clues": clues, **more}).encode()


def nyt_v6(n_listed: int, n_cells: int, **clue: object) -> bytes:
    cells = [{"type": 1, "label": "1", "answer": "A"}, {"type": 1}, {"type": 1}, {"type": 1}]
    listed = {"label": "1", "cells": [0, 1] * n_cells, "text": [{"plain": "x"}], **clue}
    size = {"width": 2, "height": 2}
    groups = [{"name": "Across", "clues": [0] * n_listed}] * 3
    return json.dumps({"body": [{"dimensions": size, "cells": cells, "clueLists": groups, "clues": [listed]}]}).encode()


def exolve(clue: str = "One (2)", grid: str = "AB\nCD", more: str = "") -> bytes:
    return f"exolve-begin\nexolve-grid:\n{grid}\n{more}\nexolve-across:\n1 {clue}\n3 Two (2)\nexolve-end".encode()


def jpz(words: str, clues: str, size: str = 'width="2" height="2"') -> bytes:
    cells = "".join(f'<cell x="{x}" y="{y}" solution="A"/>' for x in (1, 2) for y in (1, 2))
    grid = f"<grid {size}>{cells}</grid>{words}<clues><title>Across</title>{clues}</clues>"
    return f"<rectangular-puzzle><crossword>{grid}</crossword></rectangular-puzzle>".encode()


LONG = "x" * 200_000
BIG = [["Z"] * 100] * 100
STYLED = [[{"cell": 0, "style": "s"}] * 100] * 100
HUGE = 1_500_000_000
HOSTILE = {
    "exolve, ends of underlines": lambda: exolve("~{" * 20_000 + " (2)"),
    "exolve, lengths": lambda: exolve("(1" * 50_000),
    "exolve, decorators": lambda: exolve(grid="{" * 100_000),
    "exolve, sections": lambda: exolve(more="exolve-across:\n" * 60_000),
    "uclick, wide": lambda: json.dumps({"acrossClue": "", "downClue": "", "width": HUGE, "height": 9,
                                        "solution": ["A"] * 9}).encode(),
    "crosshare, wide": lambda: json.dumps({"authorName": "", "clues": [], "grid": ["A"],
                                           "size": {"cols": HUGE, "rows": -HUGE}}).encode(),
    "jpz, wide": lambda: jpz("", "", f'width="{HUGE}" height="999999"'),
    "jpz, words": lambda: jpz('<word id="1">' + '<cells x="1-100" y="1-100"/>' * 30_000 + "</word>",
                              '<clue word="1">x</clue>'),
    "jpz, one word": lambda: jpz('<word id="1" x="1-2" y="1"/>', '<clue word="1">x</clue>' * 30_000),
    "jpz, tags": lambda: jpz("", "<clue>" + "<" * 200_000),
    "jpz, entities": lambda: jpz("", "<clue>" + "&a" * 200_000),
    "jpz, script": lambda: b'var x = "<?xml ' + b"\\" * 500_001,
    "nyt-v6, one clue often": lambda: nyt_v6(20_000, 20_000),
    "nyt-v6, long clue": lambda: nyt_v6(20_000, 1, text=[{"plain": LONG}]),
    "ipuz, one color": lambda: ipuz(STYLED, styles={"s": {"color": LONG, "barred": LONG, "highlight": LONG}}),
    "ipuz, many styles": lambda: ipuz(STYLED, styles={"s": {str(i): 0 for i in range(30_000)}}),
    "ipuz, signs": lambda: ipuz(BIG, block=LONG, empty=LONG),
    "ipuz, chains": lambda: ipuz(BIG, clues={"Across": [{"number": [1] * 30_000, "clue": "x"}] * 3}),
    "ipuz, cells": lambda: ipuz(BIG, clues={"Across": [{"clue": "x", "cells": [[1, 1]] * 90_000}]}),
    "ipuz, nested": lambda: b'{"puzzle": [[' + b"[" * 100_000,
    "ipuz, one row": lambda: ipuz([["A"] * 200_000]),
    "ipuz, commas": lambda: b'{"clues":1,"puzzle":[' + b",  " * 200_000,
    "xd, rebus": lambda: f"Title: x\nRebus: 1={LONG}\n\n\n{(chr(10) + '1' * 100) * 100}\n\n\nA1. x ~ A".encode(),
    "xd, rebus keys": lambda: b"Title: x\nRebus: " + b"1=A " * 200_000 + b"\n\n\n11\n11\n\n\nA1. x ~ A",
    "xd, markup": lambda: b"Title: x\n\n\nAB\nCD\n\n\nA1. " + b"{/" * 200_000,
    "xd, answers": lambda: b"Title: x\n\n\nAB\nCD\n\n\nA1. x" + b" ~ AB" * 200_000,
    "xd, blank lines": lambda: b"Title: x\n" + b" \n" * 300_000 + b"A1. x",
    "xd, rules": lambda: b"Title: x\n\n\nAB\nCD\n\n\nA1. x\n## Design\n" + b"{" * 300_000 + b"\n..\n..",
    "txt, lines": lambda: b"<ACROSS PUZZLE>\n<GRID>\nAB\nCD\n<ACROSS>\n" + b"\n" * 900_000,
    "txt, rebus": lambda: f"<ACROSS PUZZLE>\n<GRID>\n{('1' * 100 + chr(10)) * 100}<REBUS>\n1:{LONG}\n".encode(),
    "cfp, long rows": lambda: b"<CROSSFIRE><GRID>" + b"A" * 500_000 + b"</GRID></CROSSFIRE>",
    "puz, clues": lambda: papers.puz()[:44] + b"\xff\xff" + papers.puz()[46:] + b"\0" * 70_000,
    "dates": lambda: ipuz([[1, 2]], title="jan " * 100_000, date="1/1/" * 100_000),
    "notes": lambda: ipuz([[1, 2]], notes="<b" * 200_000, copyright="&#1" * 200_000),
}  # fmt: skip
"""Each represents a class: repeated things, things named once and used often, things that only claim to be large."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_small_hostile_file_is_read_or_refused(name: str):
    data = HOSTILE[name]()
    assert len(data) < 1 << 20
    file = PuzzleFile("x", data)
    start, peak = time.process_time(), 0
    if "wide" in name or "row" in name or "word" in name:  # it takes three times as long so
        tracemalloc.start()
    try:
        formats.read_puzzle(file)
        formats.convert_file(file, "ipuz")
    except RegisError as refused:
        assert str(refused).startswith("x ") and len(str(refused)) < 200
    took = time.process_time() - start
    if tracemalloc.is_tracing():
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert took < MAX_SECONDS and peak < MAX_GROWTH, f"{took:.1f} s, {peak >> 20} MB"
