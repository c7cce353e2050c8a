"""Scores: right letters and words, why entries are wrong, and confidence compared with the results."""

import dataclasses
import datetime as dt

import pytest
import tiny

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.evaluation import calibration, losses, score
from regis.evaluation import records as counted
from regis.evaluation.calibration import Claim
from regis.evaluation.losses import Cause, Losses
from regis.evaluation.score import EntryMark, Score
from regis.puzzle import Grid, formats
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


SQUARE = tiny.grid()


def marks(
    grid: Grid, wrong: set[tuple[int, int]], ranks: dict[str, int | None], rank: int | None = 1
) -> list[EntryMark]:
    """Mark a grid with these wrong cells; right answers have `rank` unless `ranks` has the slot ('1A')."""
    return [EntryMark(s, ranks.get(str(s), rank), frozenset(s.cells) & wrong, 0.5) for s in grid.slots]


def causes(wrong: set[tuple[int, int]], ranks: dict[str, int | None], rank: int | None = 1) -> dict[str, Cause]:
    return {
        loss.entry: loss.cause for loss in losses.find_losses(SQUARE, marks(SQUARE, wrong, ranks, rank)).wrong_entries
    }


def test_all_right_is_no_loss_and_an_unchecked_cell_has_nothing_to_knock_it_out():
    assert losses.find_losses(SQUARE, marks(SQUARE, set(), {"1A": None})).wrong_entries == ()
    assert losses.merge_losses([]) == Losses((0, 0, 0, 0, 0, 0), ())
    grid = tiny.grid(("ABC",))
    (found,) = losses.find_losses(grid, marks(grid, {(0, 1)}, {}, 7)).wrong_entries
    assert found.cause == Cause.OTHER


@pytest.mark.parametrize(
    ("rank", "cause"),
    [(None, Cause.UNLISTED), (101, Cause.DEEP), (1, Cause.LOST), (2, Cause.OTHER), (100, Cause.OTHER)],
)
def test_the_rank_decides(rank, cause):
    assert causes({(0, 0)}, {"1A": rank}) == {"1A": cause, "1D": Cause.LOST}


@pytest.mark.parametrize(("culprit", "out"), [(None, True), (101, True), (100, False), (1, False)])
def test_knocked_out_by_a_crossing_whose_answer_was_out_of_reach(culprit, out):
    assert causes({(0, 0)}, {"1A": 2, "1D": culprit})["1A"] is (Cause.KNOCKED_OUT if out else Cause.OTHER)


def test_only_crossings_at_wrong_cells_knock_out():
    """2-Down is wrong and in no list, but wrong below the cell that it shares with 1-Across."""
    ranks = {"1A": 2, "2D": None}
    assert causes({(0, 0), (1, 1)}, ranks)["1A"] is Cause.OTHER
    assert causes({(0, 0), (0, 1)}, ranks)["1A"] is Cause.KNOCKED_OUT


def claims(said: float, right: int, wrong: int) -> list[Claim]:
    return [Claim(said, True)] * right + [Claim(said, False)] * wrong


def test_bins_have_what_was_said_and_what_was_right():
    found = {
        b.low_confidence: b for b in calibration.bin_claims(claims(0.6, 1, 1) + claims(0.7, 2, 0) + claims(1.0, 9, 1))
    }
    assert len(found) == 7 and found[0.5].claim_count == 4
    assert (found[0.5].mean_confidence, found[0.5].right_share) == (pytest.approx(0.65), 0.75)
    assert (found[0.999].mean_confidence, found[0.999].right_share) == (1.0, 0.9)
    assert (found[0.0].claim_count, found[0.0].mean_confidence, found[0.0].right_share) == (0, None, None)


def test_calibration_error_weighs_the_bins():
    assert calibration.calibration_error(claims(0.75, 3, 1)) == 0
    assert calibration.calibration_error(claims(0.75, 3, 1) + claims(1.0, 9, 3)) == pytest.approx(0.25 * 12 / 16)
    assert calibration.calibration_error([]) == 0
