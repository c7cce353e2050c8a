"""Answers never get in: solving is the same if the file's solution is overwritten, scrambled, or absent."""

import ast
import os
import pickle
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import make_puzzles
import pytest

from regis.ancestors import FILLERS, find_filler
from regis.index import Index
from regis.puzzle import Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.solving.pipeline import solve
from regis.solving.solved_puzzle import SolvedPuzzle

ROOT = Path(__file__).parent.parent
GRID = ("LION#", "I#TOE", "MOUSE", "ASTER", "#EELS")


def seen_by_solver(solved: SolvedPuzzle) -> bytes:
    """Return everything from a solver except its time, to the byte."""
    solution = replace(solved.fill, ranked_answers=dict(solved.fill.ranked_answers))
    if beliefs := solution.beliefs:  # without what is only there to go on from
        solution = replace(
            solution, beliefs=replace(beliefs, ranked_answers=solution.ranked_answers, message_state=None)
        )
    return pickle.dumps((solved.puzzle, solution, solved.answers, solved.filler, solved.index_fingerprint))


def read(data: bytes) -> Puzzle:
    return formats.read_puzzle(PuzzleFile("puzzle.puz", data))[0]


@pytest.mark.parametrize("name", FILLERS)
def test_solving_is_the_same_whatever_the_solution_is(name: str, whole: Index):
    data = make_puzzles.puz_bytes(GRID, title="Animals")
    before = solve(read(data), whole, find_filler(name))
    assert before.fill.cells, "a solver that fills nothing proves nothing"
    for junk in (b"X", b"?", b"-", b"\xff", b"\0", b"ZQJ", b"NOTTHIS"):
        other = make_puzzles.with_solution(data, junk)
        assert other != data and len(other) == len(data)
        assert repr(seen_by_solver(solve(read(other), whole, find_filler(name)))) == repr(seen_by_solver(before)), junk


def test_a_rebus_in_the_solution_stays_there(whole: Index):
    plain = make_puzzles.puz_bytes(GRID)
    rebus = make_puzzles.puz_bytes(GRID, rebus={(0, 0): "HEART", (2, 2): "STAR"})
    before, after = (solve(read(version), whole) for version in (plain, rebus))
    assert before.fill == after.fill and before.answers == after.answers


def test_a_puzzle_has_no_room_for_answers():
    about = {"title", "author", "copyright", "publisher", "notes", "date", "circles", "shaded"}
    assert set(Puzzle.__dataclass_fields__) == {"grid", "clues", "given"} | about


SOLUTIONS = ("read_solution", "usable_solution", "solution")
ALLOWED = (
    "regis/evaluation/score.py", "regis/corpora/readers/puzzle_archive.py", "regis/puzzle/formats/",
    "regis/play/file_verdict.py", "regis/api/puzzle.py",
)  # fmt: skip


def test_only_scoring_corpus_reading_verdicts_and_programs_ask_for_solutions():
    """Any function of `formats` for solutions, any import of its name, or the type that contains one."""
    asking = set()
    for path in sorted((ROOT / "regis").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            attribute = isinstance(node, ast.Attribute) and node.attr in SOLUTIONS and isinstance(node.value, ast.Name)
            of_format = attribute and node.value.id in ("formats", "format", "document")
            by_name = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("regis.puzzle.formats")
            if of_format or (
                by_name and any(alias.name in (*SOLUTIONS, "Document", "document") for alias in node.names)
            ):
                asking.add(path.relative_to(ROOT).as_posix())
    assert "regis/evaluation/score.py" in asking, "the test looks for what is there"
    assert [name for name in asking if not name.startswith(ALLOWED)] == []


ALONE = textwrap.dedent("""
    import sys
    from pathlib import Path

    def watch(event, arguments):
        if event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "urllib.")):
            raise RuntimeError(event)
        if event == "open" and any(mode in str(arguments[1]) for mode in "wax+"):
            raise RuntimeError(f"wrote {arguments[0]}")

    from regis.ancestors import find_filler
    from regis.index import Index
    from regis.puzzle import formats
    from regis.solving.pipeline import solve

    sys.addaudithook(watch)
    puzzle, _ = formats.read_puzzle(next(iter(formats.open_files(Path(sys.argv[2])))))
    for filler in ("belief", "singletons"):
        solved = solve(puzzle, Index.open(Path(sys.argv[1])), find_filler(filler))
        assert solved.fill.cells
""")


def test_solving_needs_no_network_and_writes_nothing(whole: Index, tmp_path: Path):
    file = tmp_path / "animals.puz"
    file.write_bytes(make_puzzles.puz_bytes(GRID))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-B", "-c", ALONE, str(whole.folder), str(file)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
