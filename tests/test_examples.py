"""The examples that beginners see first: the files match their drawings, and Regis solves them."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import barred
import pytest

from regis import text
from regis.building.build import build_index
from regis.corpora.entry import Entry, Source
from regis.corpora.readers import READERS
from regis.index import Index
from regis.puzzle import Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.render import RENDERERS
from regis.solving.pipeline import solve
from regis.solving.solved_puzzle import VERY_DOUBTFUL_BELOW
from regis.system.terminal import Screen

EXAMPLES = Path(__file__).parents[1] / "examples"
TABLE = EXAMPLES / "clues.tsv"
DRAWINGS = sorted(
    path.relative_to(EXAMPLES).with_suffix("").as_posix()
    for path in EXAMPLES.rglob("*.txt")
    if path.parent.name != "formats"
)
SOLVED = ["mini", "midi"]  # `make example` solves these


def import_program(name: str) -> ModuleType:
    """Import one of the programs next to the examples."""
    spec = importlib.util.spec_from_file_location(f"examples_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def make() -> ModuleType:
    return import_program("make")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    out = tmp_path_factory.mktemp("example") / "index"
    build_index([Source("xd-clues", TABLE)], out)
    return Index.open(out)


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    rows = list(READERS["xd-clues"](TABLE))
    return [row for row in rows if isinstance(row, Entry)]


def puz_file(name: str) -> PuzzleFile:
    return PuzzleFile(name, (EXAMPLES / f"{name}.puz").read_bytes())


def puzzle(name: str) -> Puzzle:
    read, warnings = formats.read_puzzle(puz_file(name))
    assert not warnings
    return read


def answers(name: str) -> dict[str, str]:
    """Clue -> answer."""
    solution = formats.read_solution(puz_file(name))
    assert solution is not None
    read = puzzle(name)
    return {clue: "".join(solution[cell] for cell in slot.cells) for slot, clue in read.clues.items()}


@pytest.mark.parametrize("name", DRAWINGS)
def test_each_file_is_what_its_drawing_makes(make: ModuleType, name: str) -> None:
    assert (EXAMPLES / f"{name}.puz").read_bytes() == make.draw_puz(EXAMPLES / f"{name}.txt")


def test_each_puzzle_has_a_drawing() -> None:
    files = (path.relative_to(EXAMPLES).with_suffix("") for path in EXAMPLES.rglob("*.puz"))
    assert sorted(path.as_posix() for path in files) == DRAWINGS


def test_the_barred_puzzle_is_the_one_that_tests_are_made_of() -> None:
    file = PuzzleFile("barred.ipuz", (EXAMPLES / "barred.ipuz").read_bytes())
    read, warnings = formats.read_puzzle(file)
    assert (read.grid, formats.read_solution(file), warnings) == (barred.GRID, barred.ANSWERS, ())
    assert {str(slot): clue for slot, clue in read.clues.items()} == barred.CLUES


def test_the_table_has_no_row_that_is_rejected_or_twice_there(entries: list[Entry]) -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()[1:]
    assert 400 <= len(lines) == len(entries) <= 800
    assert len({(entry.answer, text.clue_key(entry.clue)) for entry in entries}) == len(entries)


def test_the_pictures_are_what_regis_draws(index: Index) -> None:
    """`test_pages` checks the page; a screenshot differs between browsers."""
    pictures = import_program("pictures")
    doubtful = pictures.DOUBTFUL_PUZZLE
    drawn = {
        "midi.svg": RENDERERS["svg"](solve(puzzle("midi"), index), "midi.puz", Screen()),
        "terminal.svg": pictures.draw_terminal(pictures.solve_example(doubtful, index.folder), doubtful),
    }
    for name, picture in drawn.items():
        shown = (EXAMPLES / name).read_text(encoding="utf-8")
        masked = [re.sub(r"\d+%|[0-9.]+ s with index [0-9a-f]+", "", x) for x in (picture, shown)]
        assert masked[0] == masked[1], f"draw {name} again: make pictures"


@pytest.mark.parametrize("name", SOLVED)
def test_the_small_index_is_enough(index: Index, name: str) -> None:
    solved = solve(puzzle(name), index)
    found = {answer.clue: answer.answer for answer in solved.answers}
    assert found == answers(name)
    sure = list(solved.fill.confidence.values())
    assert min(sure) >= VERY_DOUBTFUL_BELOW, "it asks whether a letter is right"
    assert sum(sure) / len(sure) >= 0.95
