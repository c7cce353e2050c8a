"""A puzzle with malicious texts everywhere, through every command and output: they stay texts, and cost no time."""

import contextlib
import json
import os
import re
import shutil
import time
import tracemalloc
import xml.etree.ElementTree as ET
import zipfile
from importlib.util import find_spec
from pathlib import Path

import make_puzzles
import pytest
import tiny
from test_pages import Page

import regis
from regis import cli
from regis.errors import PuzzleError
from regis.puzzle import Direction, formats
from regis.puzzle.formats import WRITABLE_FORMATS, PuzzleFile
from regis.puzzle.formats.files import MAX_FILE_BYTES
from regis.system import paths

MILLION = 10**6
MALICE = {
    "script": "</title></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'--></svg>]]>",
    "terminal": "red \x1b[31m \x1b]0;title\x07 \x9b2J \x08\x08\x7f bell &#27;[2J &#x9b;2J end",
    "direction": "abc \u202e cba \u2066 x \u2069 \u200f \u061c עברית &#8238; x",
    "lines": "a\0b\u2028c\u2029d\r\ne\x85f\vg\fh",
    "halves": "a \ud83e b \udee0 c \ufffe \uffff d",
    "million letters": "x" * MILLION,
    "million words": "a " * (MILLION // 2),
    "marks": "e" + "\u0301" * (MILLION // 20),
    "references": "See 1-Across, 1- and 2-Down, " * 2000,
    "blanks": "_1" * 10_000,
    "markup": "<b>&amp;" * 10_000,
}
ON_ALL_MALICE = pytest.mark.parametrize("name", MALICE)
NO_PLAIN_SCREEN = re.compile(r"[^\n\x20-\x7e\u00a0-\U0010ffff]|[\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
PATIENCE = 60.0  # seconds for all commands on one puzzle; without a limit on the length of clues it takes minutes


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    corpus = tiny.corpus(folder / "clues.tsv")
    assert cli.main(["build", "--source", f"xd-clues={corpus}", "--output", str(folder / "index")]) == 0
    return folder / "index"


def hostile(folder: Path, malice: str) -> Path:
    """Make an .ipuz, since JSON can hold any text. Very large texts are in only one clue, to limit the file's size."""
    shape = make_puzzles.shape(tiny.ROWS)
    once = 16 * len(json.dumps(malice)) > MILLION
    typed = {slot: malice if not once or str(slot) == "1A" else "Clue" for slot in shape.slots}
    file = {
        "version": "http://ipuz.org/v2",
        "puzzle": [[shape.cell_numbers.get((r, c), 0) for c in range(4)] for r in range(4)],
        "solution": [list(row) for row in tiny.ROWS],
        "saved": [["Q", malice[:30], 0, 0], *[[0] * 4] * 3],
        "clues": {d.name: [[s.number, typed[s]] for s in shape.slots if s.direction is d] for d in Direction},
        **dict.fromkeys(("title", "author", "copyright", "notes", "editor"), "T" if once else malice),
    }
    path = folder / "hostile.ipuz"
    path.write_text(json.dumps(file))
    return path


@ON_ALL_MALICE
def test_malice_does_nothing_in_any_output(name: str, index: Path, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv(paths.INDEX_VARIABLE, str(index))
    file = hostile(tmp_path, MALICE[name])
    begun = time.process_time()

    def shown(*arguments: object) -> str:
        capsys.readouterr()
        assert cli.main([str(a) for a in arguments]) in (0, 3)
        out, err = capsys.readouterr()
        assert not NO_PLAIN_SCREEN.search(out) and not NO_PLAIN_SCREEN.search(err) and "Warning" not in err
        assert len(out) < 300_000 or out.startswith("{"), "JSON has all of it, people do not want it"
        return out

    for options in ([], ["--watch", "--numbers", "--ascii"], ["--check"], ["--hint", "--only", "1A"]):
        shown("solve", *options, file)
    shown("explain", file, "1A,2D")
    for command in (
        ["solve", "--format", "json"],
        ["solve", "--check", "--format", "json"],
        ["explain", "--format", "json"],
    ):
        written = shown(*command, file, *["1A"] * (command[0] == "explain"))
        assert written.isascii() and written.count("\n") == 1 and json.loads(written)
    for page in (shown("solve", "--format", "html", "--grade", file), regis.solve(file, index=index)._repr_html_()):
        assert not NO_PLAIN_SCREEN.search(page)
        seen = Page(page)
        assert not {"script", "img"} & set(seen.tags) and not [x for x, _ in seen.attributes if x.startswith("on")]
    ET.fromstring(shown("solve", "--format", "svg", file))
    if find_spec("PIL"):
        shown("solve", "--format", "png", "--output", tmp_path / "a.png", file)
    puzzle = regis.read_puzzle(file)
    for target in WRITABLE_FORMATS:
        for again in (tmp_path / f"made.{target}", tmp_path / f"solved.{target}"):
            command = ["convert", file, again]
            shown(*(["solve", "--format", target, "--output", again, file] if again.stem == "solved" else command))
            read = regis.read_puzzle(again)
            assert {**read.clues} == {**puzzle.clues} and read.title == puzzle.title
    shown("bench", file, "--seen", "--json", tmp_path / "b.json", "--html", tmp_path / "b.html")
    assert "script" not in Page((tmp_path / "b.html").read_text(encoding="utf-8")).tags
    json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    shown("guess", MALICE[name].replace("\0", " "), "4")
    assert time.process_time() - begun < PATIENCE


@pytest.mark.parametrize("form", ["utf-8", "utf-16", "cp1252", "cp437", "utf-7", "utf-32", "shift-jis"])
@pytest.mark.parametrize("name", ["sampler.xd", "sampler.txt", "sampler.ipuz", "sampler.jpz"])
def test_the_wrong_encoding_is_no_malice(name: str, form: str):
    """Half characters and characters of other alphabets don't get through anywhere."""
    data = (Path(__file__).parents[1] / "examples" / "formats" / name).read_text(encoding="utf-8")
    try:
        puzzle, _ = formats.read_puzzle(PuzzleFile("x", data.encode(form, "replace") + b"\xed\xa0\x80\xff"))
    except regis.errors.PuzzleError as error:
        assert str(error).isprintable()
    else:
        assert all(typed.isprintable() for typed in (puzzle.title, puzzle.author, puzzle.notes, *puzzle.clues.values()))


def test_the_puzzles_of_a_zip_come_one_at_a_time(index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(12):
            archive.writestr(f"{n}.puz", b"\0" * MAX_FILE_BYTES)
    command = ["solve", "--index", str(index), str(path)]
    assert cli.main(command) == 1, "imports take memory, too"
    capsys.readouterr()
    tracemalloc.start()
    assert cli.main(command) == 1
    assert tracemalloc.get_traced_memory()[1] < 5 * MAX_FILE_BYTES
    tracemalloc.stop()
    assert capsys.readouterr().err.count("isn't a puzzle file") == 12


def test_names_that_are_no_utf8(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """They appear with a question mark; an index can't have such a name, because libraries open its tables."""
    odd, puzzle = (tmp_path / os.fsdecode(b"caf\xe9" + suffix) for suffix in (b"", b".puz"))
    try:
        shutil.copy(Path(__file__).parents[1] / "examples" / "mini.puz", puzzle)
    except OSError:
        pytest.skip("this disk takes no such names")
    source, index = f"xd-clues={tiny.corpus(tmp_path / f'{odd.name}.tsv')}", str(tmp_path / "index")
    for command in (
        ["build", "--source", source, "--hold-out", str(puzzle), "--output", index],
        ["add", "--index", index, str(puzzle)],
        ["bench", "--index", index, "--seen", "--json", f"{odd}.json", "--html", f"{odd}.html", str(puzzle)],
        ["index", "--index", index, "--all"],
    ):
        assert cli.main(command) == 0, capsys.readouterr().err
    assert (shown := capsys.readouterr().out).isascii() and "caf?.tsv" in shown and "caf?.puz" in shown
    assert cli.main(["build", "--source", source, "--output", str(odd)]) == 2
    assert "caf? can't hold an index (its name isn't UTF-8); choose another" in capsys.readouterr().err


LONG = 100_000
XD = "Title: {}\nAuthor: y\n\n\nAB\nCD\n\n\nA1. {} ~ AB\nA3. b ~ CD\n\nD1. c ~ AC\nD2. d ~ BD\n"
JPZ = (
    '<crossword-compiler><rectangular-puzzle><metadata><title>{}</title></metadata><crossword><grid width="2" '
    'height="2"><cell x="1" y="1" number="1"/><cell x="2" y="1" number="2"/><cell x="1" y="2" number="3"/>'
    '<cell x="2" y="2"/></grid>{}<clues><title>Across</title><clue word="1" number="1">{}</clue></clues></crossword>'
    "</rectangular-puzzle></crossword-compiler>"
)
ENDLESS = {
    "spaces in a clue": XD.format("x", " " * LONG + "x"),
    "a number of 5,000 digits": XD.format("x", "a").replace("A1.", f"A{'1' * 5000}."),
    "marks of two kinds": XD.format("x", "e" + "\u0301\u0323" * (LONG // 2)),
    "a long namespace": JPZ.format("x", "<n xmlns:a='" + "x" * LONG + "'>" + "<a:b/>" * (LONG // 5) + "</n>", "a"),
    "clues in clues with a text": JPZ.format(
        "x", "<clues>" * 6 + "<clue>" * 6 + "é" * 3 * LONG + "</clue>" * 6 + "</clues>" * 6, "a"
    ),
    "clues without end": '{"puzzle": [[0, 0]], "clues": {"Across": [' + "0," * 400_000 + "0]}}",
    "words in words": JPZ.format("x", "<word id='1' x='1-2' y='1'>" * 30_000 + "</word>" * 30_000, "a"),
    "clues in clues": JPZ.format("x", "<clues>" * 5_000 + "<clue>a</clue>" + "</clues>" * 5_000, "a"),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_no_text_takes_long(what: str):
    """The slowest takes less than a second; some used to take minutes."""
    data, start = ENDLESS[what].encode(), time.process_time()
    with contextlib.suppress(PuzzleError):
        formats.read_puzzle(PuzzleFile("x", data))
    assert time.process_time() - start < 2
