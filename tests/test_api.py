"""Regis as a library: what a program or a notebook gets from `import regis`."""

import dataclasses
import gc
import inspect
import io
import itertools
import json
import math
import pickle
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import make_puzzles
import numpy as np
import pytest
import tiny
from test_pages import Page

import regis
from regis import cli, errors
from regis.index import Index
from regis.puzzle import Direction, Grid, Puzzle, Slot, formats
from regis.render import RENDERERS
from regis.system.paths import INDEX_VARIABLE
from regis.system.terminal import Screen

ROOT = Path(__file__).parent.parent
GRID = ("LION#", "I#TOE", "MOUSE", "ASTER", "#EELS")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    known = {"1A": "Proud roarer", "1D": "City with a bean", "6A": "Cheese nibbler"}
    clues = [known.get(str(slot), f"Clue {slot}") for slot in make_puzzles.shape(GRID).slots]
    path = tmp_path / "animals.puz"
    path.write_bytes(make_puzzles.puz_bytes(GRID, clues, title="A & B"))
    return path


@pytest.fixture
def result(file: Path, whole: Index) -> regis.Result:
    return regis.solve(file, index=whole)


def test_every_public_name_is_there_told_of_and_typed():
    assert set(regis.__all__) <= set(dir(regis)) and (Path(regis.__file__).parent / "py.typed").is_file()
    for name in set(regis.__all__) - {"__version__"}:
        assert getattr(regis, name).__doc__
    with pytest.raises(AttributeError, match="magic"):
        regis.magic  # noqa: B018


def test_a_file_is_solved_with_an_index_that_may_be_left_out(file: Path, whole: Index, monkeypatch):
    for index in (whole, whole.folder, str(whole.folder)):
        result = regis.solve(file, index=index)
        assert result["1A"].answer == "LION" and result["1a"].clue == "Proud roarer"
        assert result.cells[0, 0] == "L" and 0 < result.confidence[0, 0] <= 1
    assert [str(answer.slot) for answer in result.answers] == [str(s) for s in make_puzzles.shape(GRID).slots]
    monkeypatch.setenv(INDEX_VARIABLE, str(whole.folder))
    assert regis.solve(str(file))["1A"].answer == "LION" and regis.open_index().fingerprint == whole.fingerprint
    monkeypatch.setenv(INDEX_VARIABLE, str(file.with_name("none")))
    with pytest.raises(errors.IndexMissing, match="regis build"):
        regis.solve(file)


def test_mistakes_are_errors_of_regis(tmp_path: Path, whole: Index, result: regis.Result, file: Path):
    for call, error, said in (
        (lambda: regis.read_puzzle(tmp_path / "none.puz"), errors.PuzzleError, "doesn't exist"),
        (lambda: regis.read_puzzle(tiny.archive(tmp_path / "two", ["a", "b"])), errors.UsageError, "2 puzzles"),
        (lambda: result["99A"], errors.PuzzleError, "no entry 99A"),
        (lambda: result.select_entries("seventeen"), errors.UsageError, "17A"),
        (lambda: regis.guess("x", "", index=whole), errors.UsageError, "pattern"),
        (lambda: regis.solve(file, index=whole, filler="magic"), errors.UsageError, "belief"),
        (lambda: result.save(tmp_path / "a.docx"), errors.UsageError, ".ipuz"),
        (lambda: result.save(tmp_path), errors.UsageError, ".ipuz"),
        (lambda: result.save(tmp_path / "none" / "a.txt"), errors.OutputError, "can't be written"),
    ):
        with pytest.raises(error, match=said):
            call()


class Evil:
    """An object that can't be printed, and doesn't name a file."""

    def __repr__(self) -> str:
        raise RuntimeError

    def __fspath__(self) -> bytes:
        return b"a.puz"


NUMBERS = [0, -1, 10**400, -(10**5000), 0.0, -0.5, math.nan, math.inf, -math.inf, 1j, Fraction(-1, 2), Decimal("NaN")]
WRONG = [
    *(True, False, None, *NUMBERS, np.float32("nan"), np.array([1, 2]), 1, 0.5, np.int64(2), 2**63),
    *(
        "", " ", "\0", "a\0b", "\n", "\ud800", "x" * 5000, "none.puz", "/dev/null", "tests", "magic", "BELIEF", "17A",
        "99A",
    ),
    *("1A,1D", "0A", "²A", "٤", "?" * 26, b"", b"a.puz", bytearray(b"x"), [], ["1A"], (), {}, {"a": 1}, set(), ...),
    *(object(), Evil(), print, regis, regis.Index, regis.Puzzle, Path("none.puz"), Path("tests"), range(3), iter("ab")),
]  # fmt: skip
"""Wrong for most parameters; if one is right after all, the call must succeed."""


def asked(result: regis.Result, file: Path) -> dict[Callable[..., object], dict[str, object]]:
    """Return every function of the library with parameters, and right arguments for it."""
    index, own = result.index, file.with_name("own")
    if not own.exists():
        shutil.copytree(index.folder, own)
    return {
        regis.read_puzzle: {"path": file, "page": None, "grid": None},
        regis.puzzle_from_rows: {"rows": ["AB", ".."], "clues": {"1A": "x"}, "title": "y"},
        regis.solve_many: {
            "puzzles": [file], "index": index, "filler": "belief", "seconds": 60.0, "skip_unreadable": True,
            "words": (), "jobs": 1, "progress": print,
        },
        result.save: {"path": file.with_name("saved.ipuz")},
        regis.open_index: {"path": index.folder},
        regis.solve: {"puzzle": file, "index": index, "filler": "belief", "seconds": 60.0, "reveal": True,
                      "words": ()},
        regis.guess: {"clue": "Proud roarer", "pattern": 4, "index": index, "limit": 1},
        result.select_entries: {"entries": "1A"},
        result.explain: {"entry": "1A", "limit": 1},
        regis.add: {"sources": [file], "layer": "mine", "index": own},
        regis.convert: {"source": file, "target": file.with_name("converted.xd"), "format": "xd"},
        result.puzzle.save: {"path": file.with_name("own.ipuz")},
        result.puzzle.score: {"letters": {(0, 0): "L"}},
    }  # fmt: skip


def refused(call: Callable[..., object], *args: object, **named: object) -> str:
    """Return the error message of a call; '' if it succeeds."""
    try:
        call(*args, **named)
    except errors.RegisError as error:
        return str(error)
    return ""


def test_functions_raise_only_errors_of_regis_for_any_argument(file: Path, whole: Index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    functions = asked(regis.solve(file, index=whole), file)
    for call, fine in functions.items():
        assert not refused(call, **fine) and set(inspect.signature(call).parameters) == set(fine), call
        for name, value in itertools.product(fine, WRONG):
            refused(call, **fine | {name: value})
        assert "argument" in refused(call, *range(9)) and "'more'" in refused(call, **fine, more=1)


def test_every_function_is_checked(file: Path, whole: Index):
    public = [getattr(regis, name) for name in regis.__all__]
    public += [*vars(regis.Result).values(), *vars(regis.Puzzle).values()]
    taking = {
        one.__name__ for one in public if inspect.isfunction(one) and set(inspect.signature(one).parameters) - {"self"}
    }
    assert {call.__name__ for call in asked(regis.solve(file, index=whole), file)} == {
        name for name in taking if not (name.startswith("__") and name.endswith("__"))
    }


@pytest.mark.parametrize("number", NUMBERS, ids=range(len(NUMBERS)))
def test_seconds_and_limits_are_above_0(number: object, file: Path, result: regis.Result):
    for call, name in (
        (regis.solve, "seconds"),
        (regis.guess, "limit"),
        (regis.guess, "pattern"),
        (result.explain, "limit"),
    ):
        assert f"{name} must be" in refused(call, **asked(result, file)[call] | {name: number})


def test_what_is_wrong_is_told_in_words(file: Path, whole: Index):
    seen = refused(regis.solve, file, index=whole, seconds=math.nan)
    assert seen == "solve: seconds must be a number above 0 or None, not nan"
    assert refused(regis.solve) == "solve: missing a required argument: 'puzzle'"
    puzzle = regis.read_puzzle(file)
    for part in {one.name for one in dataclasses.fields(Puzzle)}:
        assert f"in puzzle, {part} must be" in refused(regis.solve, dataclasses.replace(puzzle, **{part: 5}))
    assert refused(regis.read_puzzle, "").startswith("read_puzzle: path is empty; it must be the name of a file")
    assert "index=" in refused(regis.solve, file, whole)
    part = regis.solve(file, index=whole).select_entries("1A")
    assert "narrowed" in refused(part.__getitem__, "1D") and "several" in refused(part.explain, "1A,1D")


def test_letters_of_a_program_are_taken_as_written(file: Path, whole: Index):
    puzzle = regis.read_puzzle(file)
    small = dataclasses.replace(puzzle, given={(0, 1): "i", (1, 2): "é"})
    great = dataclasses.replace(puzzle, given={(0, 1): "I", (1, 2): "E"})
    assert regis.solve(small, index=whole).cells == regis.solve(great, index=whole).cells
    rebus = regis.solve(dataclasses.replace(puzzle, given={(0, 1): "qu"}), index=whole)
    assert rebus.cells[0, 1] == "QU"


def test_what_a_file_may_hold_a_puzzle_may(file: Path, whole: Index):
    """Digits, as in a rebus: `solve` takes what `read_puzzle` returns, and gives the same result for both."""
    file.write_bytes(formats.convert_file(formats.open_file(file), "puz", {(0, 0): "7", (1, 2): "2B"})[0])
    puzzle = regis.read_puzzle(file)
    assert puzzle.given == {(0, 0): "7", (1, 2): "2B"}
    assert regis.solve(puzzle, index=whole).cells == regis.solve(file, index=whole).cells
    assert regis.solve(regis.puzzle_from_rows(["7..", "..."]), index=whole).cells[0, 0] == "7"


SLOT = make_puzzles.shape(GRID).slots[0]


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        *[("given", {(0, 1): wrong}, "A to Z") for wrong in ("", "A/B", "&", "?", "Ж", "\ud800", "A" * 99)],
        *[("given", {cell: "A"}, "a white square") for cell in ((0, 5), (-1, 0), (0, 4), (9, 9), (0, -1))],
        *[("given", wrong, "") for wrong in ({(0, 0, 0): "A"}, {"1A": "A"}, {(0, 0): None}, [((0, 0), "A")])],
        *[("clues", wrong, "") for wrong in (None, {"1A": "x"}, {SLOT: b"x"})],
        ("clues", {make_puzzles.shape(("ABC",)).slots[0]: "x"}, "an entry of the grid"),
        *[("grid", Grid(rows), "") for rows in ((), ("",), ("...", ".."), ("." * 101,), (None,))],
        *[("grid", Grid(("....",), given_slots=tuple(Slot(n, Direction.ACROSS, w) for n, w in enumerate(words))),
           "an entry needs")
          for words in ([((0, 0),)], [((0, 0), (0, 4))], [((0, 0), (0, 0))], [((0, 0), (0, 1)), ((0, 1), (0, 2))])],
        ("grid", Grid(("....",), given_slots=tuple(Slot(1, Direction.ACROSS, ((0, i), (0, i + 1))) for i in (0, 2))),
         "same"),
        ("grid", Grid(("..",), bars=frozenset({(0, 1)})), ""),
        ("circles", frozenset({(9, 9)}), "a white square"), ("title", None, ""), ("date", "2014-01-01", ""),
    ],
)  # fmt: skip
def test_a_puzzle_that_makes_no_sense_is_refused(file: Path, whole: Index, part: str, value: object, said: str):
    puzzle = dataclasses.replace(regis.read_puzzle(file), **{part: value})
    sentence = refused(regis.solve, puzzle, index=whole)
    assert sentence and said in sentence and "\n" not in sentence


def test_a_result_tells_what_is_asked(file: Path, whole: Index):
    begun = dataclasses.replace(regis.read_puzzle(file), given={(0, 0): "Q", (0, 1): "I"})
    result = regis.solve(begun, index=whole)
    assert list(result.doubted_letters) == [(0, 0)] and not result.is_confident and result["1A"].answer == "QION"
    assert regis.solve(begun, index=whole, reveal=True)["1A"].answer == "LION"
    part = result.select_entries("1A")
    assert [str(answer.slot) for answer in part.answers] == ["1A"] and set(part.cells) == {(0, c) for c in range(4)}
    hint = regis.solve(regis.read_puzzle(file), index=whole).select_entries("1A").hint()
    assert hint is None or str(hint.slot) == "1A"
    assert result.explain("1A").answer.answer == "LION"


def test_a_result_is_what_the_command_line_prints(file: Path, result: regis.Result):
    assert str(result) + "\n" == RENDERERS["text"](result.solved, str(file), Screen())
    assert result.json() == json.loads(RENDERERS["json"](result.solved, str(file), Screen()))
    assert repr(result).startswith(f"<Result {file}: {len(result.answers)} entries, ")


def test_a_puzzle_is_read_from_bytes_and_open_files(file: Path, whole: Index):
    data = file.read_bytes()
    with file.open("rb") as opened:
        assert (
            regis.read_puzzle(opened)
            == regis.read_puzzle(data)
            == regis.read_puzzle(file)
            == regis.read_puzzle(io.BytesIO(data))
        )
        assert "already read" in refused(regis.read_puzzle, opened)
    assert regis.solve(data, index=whole).cells == regis.solve(file, index=whole).cells
    with file.open(encoding="latin-1") as opened:
        assert "text mode" in refused(regis.read_puzzle, opened)
    assert "larger than 1 MiB" in refused(regis.read_puzzle, bytes(2**20 + 1))


def test_a_puzzle_is_drawn_in_rows(whole: Index):
    puzzle = regis.puzzle_from_rows(["L.O.#", "I###.", "....."], {"1A": "Proud roarer", "2 down": "Be"}, title="Mine")
    assert puzzle.grid.rows == ("....#", ".###.", ".....") and puzzle.given == {(0, 0): "L", (0, 2): "O", (1, 0): "I"}
    assert [puzzle.clues[slot] for slot in puzzle.grid.slots] == ["Proud roarer", "", "Be", ""]
    assert regis.solve(puzzle, index=whole)["1A"].answer == "LION"
    assert regis.puzzle_from_rows("AB#\n...") == regis.puzzle_from_rows(iter(["AB#", "   "]))
    assert "same length" in refused(regis.puzzle_from_rows, ["..", "..."])
    assert "100 rows and columns at most" in refused(regis.puzzle_from_rows, ["." * 101] * 3)
    assert "1-Across has two clues" in refused(regis.puzzle_from_rows, [".."], {"1A": "one", "1-Across": "two"})
    assert "no entry 9A" in refused(regis.puzzle_from_rows, [".."], {"9A": "x"})
    assert "A to Z" in refused(regis.puzzle_from_rows, ["A&"])


def test_many_puzzles_are_solved_with_one_index(file: Path, whole: Index, tmp_path: Path):
    broken = tmp_path / "broken.puz"
    broken.write_bytes(b"broken")
    one, two = regis.solve_many([file, regis.read_puzzle(file)], index=whole)
    assert one.cells == two.cells and one.name == str(file)
    assert len(list(regis.solve_many(iter([file, broken, file]), index=whole, skip_unreadable=True))) == 2
    found = regis.solve_many([file, broken], index=whole)
    assert next(found)["1A"].answer == "LION"
    with pytest.raises(errors.PuzzleError, match="broken"):
        next(found)
    assert len(list(regis.solve_many(tiny.archive(tmp_path / "two", ["a", "b"]), index=whole))) == 2
    assert "filler" in refused(regis.solve_many, [file], index=whole, filler="magic")
    assert "must be a regis.Puzzle" in refused(lambda: list(regis.solve_many(iter([5]), index=whole)))


def test_a_result_is_a_collection_of_answers_and_two_arrays(result: regis.Result):
    assert [answer.answer for answer in result.values()][:1] == ["LION"] and len(result) == len(result.answers)
    shape = (result.solved.puzzle.grid.height, result.solved.puzzle.grid.width)
    assert result.letter_grid.shape == result.confidence_grid.shape == shape
    assert list(result.letter_grid[0]) == ["L", "I", "O", "N", "#"] and math.isnan(result.confidence_grid.data[0, 4])
    assert result.confidence_grid[0, 0] == result.confidence[0, 0]
    assert result.confidence_grid.min() == min(result.confidence.values())
    assert result.confidence_grid.mean() == pytest.approx(np.mean([*result.confidence.values()]))
    assert "<svg" in result.html and result.svg.startswith("<svg")


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.html", "a.svg", "a.puz", "a.ipuz", "a.xd", "a.IPUZ"])
def test_a_result_is_saved_as_its_name_says(file: Path, whole: Index, tmp_path: Path, name: str):
    for result in (regis.solve(regis.read_puzzle(file), index=whole), regis.solve(file, index=whole)):
        result.save(tmp_path / name)
        data = (tmp_path / name).read_bytes()
        if name.lower().endswith(("puz", "xd")):
            again = regis.read_puzzle(data)
            assert again.given == result.cells or name == "a.xd"
            assert again.grid.rows == result.solved.puzzle.grid.rows and again.title == "A & B"
        else:
            assert b"LION" in data.upper() or b"</svg>" in data


def test_the_file_that_was_solved_is_not_written_over(file: Path, whole: Index, tmp_path: Path):
    """But its letters can be saved into the .puz, which keeps everything else."""
    drawn = tmp_path / "own.xd"
    regis.solve(file, index=whole).save(drawn)
    before = drawn.read_bytes()
    with drawn.open("rb") as opened:
        results = [regis.solve(drawn, index=whole), regis.solve(opened, index=whole)]
    results += regis.solve_many([drawn], index=whole)
    results += [one for one in regis.solve_many(tmp_path, index=whole) if one.name.endswith("own.xd")]
    assert len(results) == 4
    for result in results:
        assert "won't be overwritten" in refused(result.save, drawn) and drawn.read_bytes() == before
    result = regis.solve(file, index=whole)
    own = tmp_path / "own.puz"
    result.save(own)
    again = regis.solve(own, index=whole)
    again.save(own)
    assert regis.read_puzzle(own).given == again.cells
    named = own.rename(tmp_path / "named.ipuz")
    assert "won't be overwritten" in refused(regis.solve(named, index=whole).save, named)


def test_a_puzzle_that_came_from_no_file_takes_no_solution_away(file: Path, whole: Index, tmp_path: Path):
    before = file.read_bytes()
    result = regis.solve(regis.read_puzzle(file), index=whole)
    assert "has a solution that would be lost" in refused(result.save, file) and file.read_bytes() == before
    for _ in "ab":  # twice
        for kind in formats.WRITABLE_FORMATS:
            result.save(tmp_path / f"beside.{kind}")
    assert regis.read_puzzle(tmp_path / "beside.puz").given == result.cells


def test_what_regis_does_not_read_stays_in_the_file(file: Path, whole: Index):
    opened = formats.open_file(file)
    own = {(0, 0): "C/D", (0, 1): "&"}
    file.write_bytes(formats.convert_file(opened, "puz", own)[0])
    for reveal in (False, True):
        regis.solve(file, index=whole, reveal=reveal).save(file)
        assert formats.read_unusable_letters(formats.open_file(file)) == own and len(regis.read_puzzle(file).given) > 5
        seen = cli.main(["solve", "--index", str(whole.folder), "--format", "puz", "-o", str(file), str(file)])
        assert seen in (0, 3)
        assert formats.read_unusable_letters(formats.open_file(file)) == own
    regis.solve(file, index=whole).save(drawn := file.with_name("drawn.xd"))  # the letters would become its solution
    assert not set(own.values()) & set((formats.read_solution(formats.open_file(drawn)) or {}).values())


def test_guess_takes_a_pattern_or_a_number(whole: Index):
    assert {regis.guess("Proud roarer", x, index=whole)[0].answer for x in (4, "l??n")} == {"LION"}
    assert len(regis.guess("Proud roarer", 4, index=whole, limit=3)) == 3


def test_a_result_is_a_mapping_of_entries(file: Path, whole: Index, result: regis.Result):
    assert "1A" in result and "1 across" in result and "99A" not in result and "lion" not in result and 5 not in result
    assert list(result) == list(result.keys()) == [str(entry) for entry in result.puzzle]
    assert result.get("1A") == result["1A"] and result.get("99A") is None and dict(result)["1A"].answer == "LION"
    for missing in ("99A", "lion", "1A,1D", 5):
        with pytest.raises(KeyError):
            result[missing]
    with pytest.raises(KeyError, match=r"^this result was narrowed"):
        result.select_entries("1A")["1D"]
    assert result.seconds > 0 and not result.timed_out
    assert regis.solve(file, index=whole, seconds=1e-9).timed_out


def test_errors_are_those_that_python_has_for_them(file: Path, whole: Index, tmp_path: Path):
    for call in (regis.read_puzzle, regis.solve, regis.open_index, regis.add):
        with pytest.raises(FileNotFoundError):
            call(tmp_path / "none")
    for call, named in ((regis.solve, {"secs": 5}), (regis.solve, {"seconds": "5"}), (regis.guess, {"clue": 5})):
        with pytest.raises(TypeError):
            call(**named)
    for call in (regis.solve_many, regis.add):
        with pytest.raises(TypeError, match=rf"^{call.__name__}: "):
            call(regis.read_puzzle(file))


def test_results_and_puzzles_are_values(file: Path, whole: Index):
    one, same = (regis.solve(file, index=whole) for _ in range(2))
    other = regis.solve(file, index=whole, filler="singletons")
    assert one == same and hash(one) == hash(same) and one != other and one != 5 and len({one, same}) == 1
    assert one.puzzle == regis.read_puzzle(file) and len({one.puzzle, regis.read_puzzle(file)}) == 1
    assert pickle.loads(pickle.dumps(one.puzzle)) == one.puzzle
    for result in (one, other, one.select_entries("1A")):
        again = pickle.loads(pickle.dumps(result))
        assert again == result and again.json() == result.json() and again.hint() == result.hint()
        assert again.explain("1A").why == result.explain("1A").why and again.svg == result.svg


def test_a_puzzle_has_entries_clues_and_a_solution(file: Path, tmp_path: Path):
    puzzle = regis.read_puzzle(file)
    assert (puzzle.width, puzzle.height) == (5, 5) and list(puzzle) == list(puzzle.entries)
    first = puzzle.entries[0]
    assert (str(first), first.number, first.direction.name, first.length) == ("1A", 1, "ACROSS", 4)
    slot = puzzle.grid.slots[0]
    assert first.clue == puzzle.clues["1A"] == puzzle.clues["1 across"] == puzzle.clues[slot] == "Proud roarer"
    assert "1A" in puzzle.clues and slot in puzzle.clues and "99A" not in puzzle.clues and "x" not in puzzle.clues
    assert puzzle.clues.get("99A") is None and puzzle.clues.get("99A", "none") == "none" and len(puzzle.clues) == 10
    solution = puzzle.solution
    assert solution and "".join(solution[cell] for cell in slot.cells) == "LION"
    assert puzzle.score(solution) == (22, 22, 10, 10, True) and puzzle.score({(0, 0): "X"}).letters_right == 0
    drawn = regis.puzzle_from_rows(["AB", ".."])
    assert drawn.solution is None
    with pytest.raises(errors.PuzzleError, match="no solution"):
        drawn.score({})


def test_a_result_is_scored_on_request(file: Path, whole: Index):
    for given in (file, regis.read_puzzle(file)):
        score = regis.solve(given, index=whole).score()
        assert score.letter_count == 22 and score.letters_right > 10


@pytest.mark.parametrize("kind", formats.WRITABLE_FORMATS)
def test_a_puzzle_is_saved_with_its_letters(file: Path, tmp_path: Path, kind: str):
    puzzle, place = regis.read_puzzle(file), tmp_path / f"saved.{kind}"
    puzzle.save(place)
    assert regis.read_puzzle(place).solution == puzzle.solution
    begun = dataclasses.replace(puzzle, given={(0, 0): "Q"})
    if kind == "xd":  # its only grid has either
        assert "would be lost" in refused(begun.save, place)
        place.unlink()
    begun.save(place)
    assert regis.read_puzzle(place).given == begun.given
    changed = dataclasses.replace(begun, clues={**puzzle.clues, puzzle.grid.slots[0]: "Other"})
    changed.save(tmp_path / f"changed.{kind}")
    assert regis.read_puzzle(tmp_path / f"changed.{kind}").clues["1A"] == "Other"
    assert ".ipuz" in refused(puzzle.save, tmp_path / "a.docx")


def test_files_are_converted(file: Path, tmp_path: Path):
    assert regis.convert(file, tmp_path / "a.xd") == ()
    assert regis.read_puzzle(tmp_path / "a.xd").solution == regis.read_puzzle(file).solution
    sampler = ROOT / "examples" / "formats" / "sampler.ipuz"
    (lost,) = regis.convert(sampler, tmp_path / "a.bin", format="puz")
    assert "italics" in lost and (tmp_path / "a.bin").read_bytes()[2:].startswith(b"ACROSS&DOWN")
    assert "is an input" in refused(regis.convert, file, file)
    assert "there's no format" in refused(regis.convert, file, tmp_path / "b.x")


def test_words_may_be_answers(file: Path, whole: Index):
    puzzle = regis.puzzle_from_rows(["..........."], {"1A": "My aunt"})
    without = regis.solve(puzzle, index=whole)
    result = regis.solve(puzzle, index=whole, words=["Aunt Ottilie"])
    assert "AUNTOTTILIE" in {one.answer for one in result.explain("1A").candidates if one.clue_rank}
    assert "AUNTOTTILIE" not in {one.answer for one in without.explain("1A").candidates if one.clue_rank}
    assert "give several" in refused(regis.solve, puzzle, index=whole, words="Aunt")
    assert refused(regis.solve, puzzle, index=whole, words=["?"]).startswith("none of the words can be an answer;")
    folder = result.index.folder
    assert folder.exists()
    del result
    gc.collect()
    assert not folder.exists()


def test_an_index_of_ones_own_is_added_to(file: Path, whole: Index, tmp_path: Path):
    copied = shutil.copytree(whole.folder, tmp_path / "copy")
    (tmp_path / "mywords.txt").write_text("Zyzzyva\n")
    done = regis.add([tmp_path / "mywords.txt", file], index=copied)
    assert done.new_puzzles == 1 and done.new_answers > 0
    assert regis.guess("x", "zyzzyva", index=copied)[0].answer == "ZYZZYVA"
    assert "doesn't exist" in refused(regis.add, tmp_path / "none.txt", index=copied)


@pytest.mark.slow
def test_processes_solve_the_same_in_order(file: Path, whole: Index, tmp_path: Path):
    broken = tmp_path / "broken.puz"
    broken.write_bytes(b"broken")
    drawn = regis.puzzle_from_rows(["L.O.#", "I###.", "....."], {"1A": "Proud roarer"})
    counts: list[int] = []
    given = [file, broken, drawn, file]
    alone = list(regis.solve_many(given, index=whole, skip_unreadable=True))
    shared = list(regis.solve_many(given, index=whole, skip_unreadable=True, jobs=2, progress=counts.append))
    assert shared == alone and counts == [1, 2, 3] and [one.name for one in shared] == [str(file), "puzzle", str(file)]
    assert [one.json() | {"seconds": 0} for one in shared] == [one.json() | {"seconds": 0} for one in alone]
    assert shared[0].explain("1A").why == alone[0].explain("1A").why and shared[2].hint() == alone[2].hint()


def test_threads_share_an_index(file: Path, whole: Index):
    index = regis.open_index(whole.folder)
    expected = regis.solve(file, index=index).letter_grid.tolist()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: regis.solve(file, index=index).letter_grid.tolist(), range(8)))
    assert all(result == expected for result in results)


def test_puzzles_and_explanations_draw_themselves_in_a_notebook(file: Path, whole: Index):
    begun = dataclasses.replace(regis.read_puzzle(file), given={(0, 0): "L"})
    explained = regis.solve(begun, index=whole).explain()
    for shown, words in ((begun, ("A & B", "Proud roarer", "L···")), (explained, (explained.why, "no list"))):
        page = Page(shown._repr_html_())
        assert all(word in page.text for word in words)
    assert "LION" not in begun._repr_html_() and str(explained).startswith(str(explained.answer.slot))


def test_messages_name_arguments_and_no_options(file: Path, whole: Index, tmp_path: Path):
    (tmp_path / "list.txt").write_text("Zyzzyva\n")
    messages = [
        refused(regis.solve, file, index=tmp_path / "none"), refused(regis.read_puzzle, whole.folder),
        refused(regis.add, tmp_path / "list.txt", layer="puzzles", index=whole.folder),
        refused(regis.solve, file, whole), refused(regis.guess, "x", "9" * 9, index=whole),
    ]  # fmt: skip
    result = regis.solve(file, index=whole, seconds=1e-9)
    assert all(messages) and not [text for text in (*messages, str(result)) if "--" in text]
