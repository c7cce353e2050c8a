import dataclasses
import datetime as dt

import pytest
import tiny

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.evaluation import records as counted
from regis.evaluation import score
from regis.evaluation.score import Score
from regis.puzzle import formats
from regis.solving.filler import Fill
from regis.solving.rebus.squares import is_right_content
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.solving.state import State


def scored(rows: tuple[str, ...], truth_rows: tuple[str, ...] = tiny.ROWS) -> Score:
    letters = {cell: x for cell, x in tiny.cells(rows).items() if x != "."}
    return score.score_fill(Fill(letters, {}, {}), tiny.puzzle(rows), tiny.cells(truth_rows))


@pytest.mark.parametrize(
    ("rows", "truth", "expected"),
    [
        (tiny.ROWS, tiny.ROWS, Score(16, 16, 8, 8, True)),
        (("LACK", "IRON", "MORE", "BAKE"), tiny.ROWS, Score(15, 16, 6, 8, False)),
        (("LACK", "I.ON", "MERE", "BAKE"), tiny.ROWS, Score(15, 16, 6, 8, False)),
        (("....",) * 4, tiny.ROWS, Score(0, 16, 0, 8, False)),
        ((".#BC", "####"), ("A#BC", "####"), Score(2, 3, 1, 1, False)),
    ],
    ids=["all right", "a wrong letter spoils both its words", "as does an empty square", "nothing", "in no word"],
)
def test_letters_and_words_are_counted(rows: tuple[str, ...], truth: tuple[str, ...], expected: Score):
    assert scored(rows, truth) == expected


def test_rebus_is_right_only_as_a_whole():
    truth = {**tiny.cells(), (0, 0): "STAR"}
    partly = score.score_fill(Fill({**truth, (0, 0): "S"}, {}, {}), tiny.puzzle(), truth)
    assert partly == Score(15, 16, 6, 8, False)
    assert score.score_fill(Fill(truth, {}, {}), tiny.puzzle(), truth).is_whole


@pytest.mark.parametrize(
    ("content", "true", "right"),
    [*(("WE/NS", true, True) for true in ("WENS", "NSWE", "WE/NS", "NS/WE")),
     *(("WE/NS", true, False) for true in ("WE", "NS", "WN", "")), ("W", "WE", False),
     ("TO/TOO", "2", True), ("TWO", "2", True), ("AND", "&", True), ("AND", "+", True), ("PI", "Π", True),
     ("TO/FOR", "2", False), ("T", "2", False), ("TWO", "4", False), ("2", "TWO", False), ("", "2", False),
     ("AT", "A", False)],
)  # fmt: skip
def test_two_contents_are_right_in_either_order_and_signs_by_their_readings(content: str, true: str, right: bool):
    assert is_right_content(content, true) == right


@pytest.mark.parametrize("content", ["AB", "7", "&", "é", "a", ""])
def test_irregular_is_whatever_is_not_one_letter(content):
    assert not score.has_irregular_content(tiny.cells())
    assert score.has_irregular_content({**tiny.cells(), (2, 2): content})


def test_pairs_leave_out_what_is_unknown():
    puzzle = tiny.puzzle(clues={"1A": "Be without", "1D": "Arm or branch"})
    truth = tiny.cells()
    assert score.clue_answer_pairs(puzzle, truth) == [("Be without", "LACK"), ("Arm or branch", "LIMB")]
    del truth[3, 0]
    assert score.clue_answer_pairs(puzzle, truth) == [("Be without", "LACK")]


def with_lists(rows: tuple[str, ...], lists: dict[str, CandidateList]) -> SolvedPuzzle:
    """Return the square filled with `rows`; slots without a list have an empty one."""
    letters = {cell: x for cell, x in tiny.cells(rows).items() if x != "."}
    solved = tiny.solved(tiny.puzzle(), letters)
    slots = solved.puzzle.grid.slots
    every = {slot: lists.get(str(slot), unlisted(len(slot))) for slot in slots}
    inputs = tiny.candidates(every)
    return dataclasses.replace(solved, state=State(solved.puzzle, inputs, inputs, solved.fill))


def test_marks_have_the_rank_of_the_right_answer():
    lists = {"1A": tiny.listed(["LICE", "LACE", "LACK"]), "1D": tiny.listed(["LIMB"])}
    marks = {
        str(m.slot): m for m in score.mark_entries(with_lists(("LICE", "IRON", "MER.", "BAKE"), lists), tiny.cells())
    }
    assert (marks["1A"].rank, marks["1A"].wrong_cells) == (3, {(0, 1), (0, 3)})
    assert (marks["1D"].rank, marks["1D"].wrong_cells) == (1, frozenset())
    assert (marks["6A"].rank, marks["6A"].wrong_cells) == (None, {(2, 3)})
    assert marks["1A"].confidence == 0.99 and marks["6A"].confidence == 0
    assert len(marks) == 8


def test_marks_of_an_answer_that_is_not_known_or_no_word():
    truth = {**tiny.cells(), (0, 0): "É"}
    del truth[3, 3]
    lists = {"7A": tiny.listed(["BAKE"])}
    marks = {str(m.slot): m.rank for m in score.mark_entries(with_lists(tiny.ROWS, lists), truth)}
    assert marks["1A"] is None and marks["7A"] is None


def test_truth_is_the_solution_in_the_file(tmp_path):
    with_it, without = tiny.puz(tmp_path / "a.puz"), tiny.puz(tmp_path / "b.puz", solution=False)
    assert [score.read_truth(file) for file in formats.open_files(with_it)] == [tiny.cells()]
    assert [score.read_truth(file) for file in formats.open_files(without)] == [None]


def record(name: str, day: int | None, right: int, letters: int, **more) -> counted.PuzzleRecord:
    date = dt.date(2014, 9, day) if day else None  # 1 September 2014 was a Monday
    result = Score(right, letters, right // 4, letters // 4, right == letters)
    return dataclasses.replace(counted.PuzzleRecord(name, date, score=result, seconds=1.0), **more)


def test_rows_pool_letters_and_keep_irregular_grids_apart():
    records = [
        record("a", 1, 10, 20), record("b", 8, 80, 80, seconds=3.0), record("c", 7, 10, 10), record("d", None, 1, 10),
        record("e", 1, 0, 50, is_irregular=True), counted.PuzzleRecord("f", failure_reason="broken"),
        counted.PuzzleRecord("g", seconds=1.0),
    ]  # fmt: skip
    rows = counted.summarize_records(records)
    assert list(rows) == ["Mon", "Sun", "undated", "all plain", "irregular"]
    monday = rows["Mon"]
    assert (monday.puzzle_count, monday.letter_share, monday.mean_letter_share, monday.whole_count) == (2, 0.9, 0.75, 1)
    assert (monday.median_seconds, monday.max_seconds) == (2.0, 3.0)
    assert (rows["all plain"].puzzle_count, rows["all plain"].letter_share) == (4, 101 / 120)
    assert rows["irregular"].letter_share == 0


def test_worst_first_by_letters():
    records = [record("a", 1, 10, 20), record("b", 1, 20, 20), record("c", 1, 1, 20), counted.PuzzleRecord("d")]
    assert [r.file_name for r in counted.worst_records(records, 1)] == ["c"]
    assert [r.file_name for r in counted.worst_records(records, 5)] == ["c", "a"]
    assert counted.summarize_records([record("a", 1, 0, 0)])["Mon"].letter_share == 0, "a grid without letters"
