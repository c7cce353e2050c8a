"""Regis as a library: what a program or a notebook gets from `import regis`."""

import dataclasses
import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import make_puzzles
import outside
import pytest
import tiny

import regis
from regis import errors
from regis.index import Index
from regis.puzzle import Puzzle
from regis.render import RENDERERS
from regis.system.paths import VARIABLE
from regis.system.terminal import Screen

GRID = ("LION#", "I#TOE", "MOUSE", "ASTER", "#EELS")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    known = {"1A": "Proud roarer", "1D": "City with a bean", "6A": "Cheese nibbler"}
    clues = [known.get(str(slot), f"Clue {slot}") for slot in make_puzzles.shape(GRID).slots]
    path = tmp_path / "animals.puz"
    path.write_bytes(make_puzzles.puz_bytes(GRID, clues, title="A & B"))
    return path


def test_every_public_name_is_there_and_told_of():
    assert set(regis.__all__) <= set(dir(regis))
    for name in set(regis.__all__) - {"__version__"}:
        assert getattr(regis, name).__doc__
    with pytest.raises(AttributeError, match="magic"):
        regis.magic  # noqa: B018


def test_solve_is_the_function_whatever_was_imported_before():
    code = "import sys, regis.solving.pipeline, regis.api, regis.cli.table; sys.exit(not callable(regis.solve))"
    root = Path(__file__).parent.parent
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_a_file_is_solved(file: Path, whole: Index):
    for index in (whole, whole.folder, str(whole.folder)):
        result = regis.solve(file, index=index)
        assert result["1A"].answer == "LION" and result["1a"].clue == "Proud roarer"
        assert result.cells[0, 0] == "L" and 0 < result.confidence[0, 0] <= 1
    assert [str(answer.slot) for answer in result.answers] == [str(s) for s in make_puzzles.shape(GRID).slots]


def test_the_index_may_be_left_out(file: Path, whole: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(VARIABLE, str(whole.folder))
    assert regis.solve(str(file))["1A"].answer == "LION"
    assert regis.open_index().fingerprint == whole.fingerprint
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    with pytest.raises(errors.IndexMissing, match="regis build"):
        regis.solve(file)


def test_a_puzzle_is_solved_too(file: Path, whole: Index):
    puzzle = regis.read(file)
    assert isinstance(puzzle, Puzzle) and puzzle.title == "A & B"
    assert regis.solve(puzzle, index=whole).cells == regis.solve(file, index=whole).cells
    with pytest.raises(errors.UsageError, match="belief"):
        regis.solve(puzzle, index=whole, filler="magic")


def test_mistakes_are_errors_of_regis(tmp_path: Path, whole: Index, file: Path):
    with pytest.raises(errors.PuzzleError, match="not there"):
        regis.read(tmp_path / "none.puz")
    folder = tiny.archive(tmp_path / "two", ["a", "b"])
    with pytest.raises(errors.UsageError, match="2 puzzles"):
        regis.read(folder)
    result = regis.solve(file, index=whole)
    with pytest.raises(errors.PuzzleError, match="no entry 99A"):
        result["99A"]
    with pytest.raises(errors.UsageError, match="17A"):
        result.only("seventeen")
    with pytest.raises(errors.UsageError, match="pattern"):
        regis.guess("x", "", index=whole)


def test_a_result_tells_what_is_asked(file: Path, whole: Index):
    begun = dataclasses.replace(regis.read(file), given={(0, 0): "Q", (0, 1): "I"})
    result = regis.solve(begun, index=whole)
    assert list(result.doubts) == [(0, 0)] and not result.sure and result["1A"].answer == "QION"
    assert regis.solve(begun, index=whole, reveal=True)["1A"].answer == "LION"
    part = result.only("1A")
    assert [str(answer.slot) for answer in part.answers] == ["1A"] and set(part.cells) == {(0, c) for c in range(4)}
    hint = regis.solve(regis.read(file), index=whole).only("1A").hint()
    assert hint is None or str(hint.slot) == "1A"
    assert result.explain("1A").answer.answer == "LION"


def test_a_result_is_what_the_command_line_prints(file: Path, whole: Index):
    result = regis.solve(file, index=whole)
    assert str(result) + "\n" == RENDERERS["text"](result.solved, str(file), Screen())
    assert result.json() == json.loads(RENDERERS["json"](result.solved, str(file), Screen()))
    assert repr(result).startswith(f"<Result {file}: {len(result.answers)} entries, ")


def test_guess_takes_a_pattern_or_a_number(whole: Index):
    assert regis.guess("Proud roarer", 4, index=whole)[0].answer == "LION"
    assert regis.guess("Proud roarer", "l??n", index=whole, limit=1)[0].answer == "LION"
    assert len(regis.guess("Proud roarer", 4, index=whole, limit=3)) == 3


class Tags(HTMLParser):
    """Checks that what is opened is closed, and remembers tags and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_notebook_shows_grid_and_entries(file: Path, whole: Index):
    result = regis.solve(file, index=whole)
    page = Tags()
    page.feed(result._repr_html_())
    assert page.open == [] and page.tags.count("td") == 4 * len(result.answers)
    assert page.tags.count("svg") == 1 and page.tags.count("g") - page.tags.count("title") == 25
    assert "A & B" in page.text and "Proud roarer" in page.text and "b" not in page.tags
    assert page.text.upper().count("LION") == 1


def test_hostile_text_does_nothing_in_a_notebook(whole: Index):
    evil = '<script>alert(1)</script>"\x1b[2J\u202e'
    grid = tiny.grid(("LION",))
    given = {(0, 0): "<"}
    result = regis.solve(Puzzle(grid, {grid.slots[0]: evil}, given, evil), index=whole)
    html = result._repr_html_()
    page = Tags()
    page.feed(html)
    assert "script" not in page.tags and page.open == [] and "alert(1)" in page.text
    assert all(c.isprintable() or c == "\n" for c in html)


def test_a_program_of_somebody_else_runs_as_its_types_say(file: Path, whole: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, str(whole.folder))
    answer, letter, best, entry, sure, why, error, shown = outside.report(file, whole.folder)
    assert (answer, letter, best) == ("LION", "L", "LION") and entry in ("ACROSS", "none") and sure in ("True", "False")
    assert "LION" in why and "belief" in error and "Proud roarer" in shown


def test_types_are_shipped():
    assert (Path(regis.__file__).parent / "py.typed").is_file()
