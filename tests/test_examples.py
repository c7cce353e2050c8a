"""The examples that a newcomer meets first: the files are what their drawings say, and Regis solves them."""

import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import barred
import pytest

from regis import text
from regis.building.build import build_index
from regis.corpora.entry import Entry, Source
from regis.corpora.readers import READERS
from regis.index import Index
from regis.puzzle import BLOCK, Puzzle, formats
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
MINIS = [name for name in DRAWINGS if name.startswith("minis/")]
SOLVED = ["mini", "midi"]  # those that `make example` solves


def import_program(name: str) -> ModuleType:
    """One of the programs beside the examples."""
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


def test_there_are_minis_to_compare_fillers_with() -> None:
    assert len(MINIS) >= 10
    clues = [clue for name in MINIS for clue in answers(name)]
    assert len(set(clues)) == len(clues), "no clue stands in two of them"
    assert all((puzzle(name).grid.height, puzzle(name).grid.width) == (5, 5) for name in MINIS)


def test_of_the_minis_as_much_is_in_the_corpus_as_is_said(entries: list[Entry]) -> None:
    found = [pair for name in MINIS for pair in answers(name).items()]
    listed = {entry.answer for entry in entries}
    same = {(entry.clue, entry.answer) for entry in entries}
    each = {answer for _, answer in found}
    said = (
        f"of their {len(each)} answers {len(each & listed)} are in the small corpus too, {len(same & set(found))} with"
    )
    assert said in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_a_drawing_without_one_of_its_clues_is_refused(make: ModuleType, tmp_path: Path) -> None:
    drawing = tmp_path / "mini.txt"
    lines = (EXAMPLES / "mini.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    drawing.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(make.DrawingError, match=r"mini\.txt: .*5D"):
        make.draw_puz(drawing)


@pytest.mark.parametrize("name", DRAWINGS)
def test_each_puzzle_keeps_the_rules_of_american_crosswords(name: str) -> None:
    grid = puzzle(name).grid
    assert [row[::-1] for row in grid.rows[::-1]] == list(grid.rows)
    assert all(crossing is not None for crossings in grid.crossings.values() for crossing in crossings)
    assert min(len(slot) for slot in grid.slots) >= 3
    assert not [answer for answer, count in Counter(answers(name).values()).items() if count > 1]
    assert any(BLOCK in row for row in grid.rows)
    reached, edge = set(), [grid.slots[0].cells[0]]
    while edge:
        cell = edge.pop()
        if cell not in reached:
            reached.add(cell)
            edge += [other for slot in grid.slots if cell in slot.cells for other in slot.cells]
    assert reached == set(grid.cells), "no part is cut off from the rest"


@pytest.mark.parametrize("name", DRAWINGS)
def test_no_clue_gives_its_answer_away(name: str) -> None:
    told = {clue: re.findall(r"\w+", clue.upper()) for clue in answers(name)}
    assert all(told.values()) and not [clue for clue, answer in answers(name).items() if answer in told[clue]]


def test_there_is_a_puzzle_for_a_minute_a_break_and_a_morning() -> None:
    grids = [puzzle(name).grid for name in ("mini", "midi", "daily")]
    assert [(grid.height, grid.width) for grid in grids] == [(5, 5), (9, 9), (15, 15)]
    daily = grids[-1]
    assert len(daily.slots) <= 78 and sum(row.count(BLOCK) for row in daily.rows) <= 42


def test_the_theme_stands_in_the_longest_entries_each_opposite_another() -> None:
    """And the clue that reveals it names the others."""
    clues = puzzle("daily").clues
    theme = {slot: clue for slot, clue in clues.items() if len(slot) >= 10}
    turned = [{(14 - row, 14 - column) for row, column in slot.cells} for slot in theme]
    assert len(theme) == 4 and all(set(slot.cells) in turned for slot in theme)
    (revealer,) = (slot for slot, clue in theme.items() if "-Across" in clue)
    assert re.findall(r"\d+", clues[revealer]) == [str(slot.number) for slot in theme if slot != revealer]


def test_the_table_has_no_row_that_is_rejected_or_twice_there(entries: list[Entry]) -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()[1:]
    assert 400 <= len(lines) == len(entries) <= 800
    assert len({(entry.answer, text.clue_key(entry.clue)) for entry in entries}) == len(entries)


@pytest.mark.parametrize("name", SOLVED)
def test_solving_is_more_than_looking_up(entries: list[Entry], name: str) -> None:
    known_pairs = {(entry.answer, text.clue_key(entry.clue)) for entry in entries}
    wanted = [(answer, text.clue_key(clue)) for clue, answer in answers(name).items()]
    assert sum(pair in known_pairs for pair in wanted) <= len(wanted) / 3
    rivals = Counter(len(answer) for answer in {entry.answer for entry in entries})
    assert min(rivals[len(answer)] for answer, _ in wanted) >= 30


def test_the_pictures_are_what_regis_draws(index: Index) -> None:
    """The page's own is seen by `test_pages`; a screenshot differs from one browser to the next."""
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


def test_pictures_are_small_enough_for_a_page() -> None:
    pictures = [path for path in EXAMPLES.iterdir() if path.suffix in (".svg", ".png")]
    assert len(pictures) == 8 and all(path.stat().st_size < 150_000 for path in pictures)


@pytest.mark.parametrize("name", SOLVED)
def test_the_small_index_is_enough(index: Index, name: str) -> None:
    solved = solve(puzzle(name), index)
    found = {answer.clue: answer.answer for answer in solved.answers}
    assert found == answers(name)
    sure = list(solved.fill.confidence.values())
    assert min(sure) >= VERY_DOUBTFUL_BELOW, "it asks whether a letter is right"
    assert sum(sure) / len(sure) >= 0.95
