"""Why entries are wrong: every wrong entry gets one cause, and the counts add up."""

import re

import pytest
import tiny

from regis.evaluation import losses, report
from regis.evaluation.losses import RANK_BANDS, Cause, Loss, Losses
from regis.evaluation.score import EntryMark
from regis.puzzle import Grid

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


@pytest.mark.parametrize(
    ("rank", "band"),
    [(1, "1"), (2, "2-10"), (10, "2-10"), (11, "11-100"), (100, "11-100"), (101, "101-1,000"), (1000, "101-1,000"),
     (1001, "deeper"), (20_000, "deeper"), (None, "in no list")],
)  # fmt: skip
def test_bands_hold_their_last_rank(rank, band):
    assert RANK_BANDS[losses.rank_band(rank)] == band


def test_all_right_is_no_loss():
    assert losses.find_losses(SQUARE, marks(SQUARE, set(), {"1A": None})).wrong_entries == ()


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


def test_an_unchecked_cell_has_nothing_to_knock_it_out():
    grid = tiny.grid(("ABC",))
    found = [loss.cause for loss in losses.find_losses(grid, marks(grid, {(0, 1)}, {}, 7)).wrong_entries]
    assert found == [Cause.OTHER]


def test_nothing_together_is_nothing():
    assert losses.merge_losses([]) == Losses((0, 0, 0, 0, 0, 0), ())


def test_tables_of_losses():
    wrong = (Loss("1A", None, Cause.UNLISTED), Loss("2A", 1, Cause.LOST), Loss("3A", 1, Cause.LOST))
    lost = Losses((16, 0, 0, 0, 0, 4), wrong)
    rows = {line.rsplit(maxsplit=5)[0]: line.split()[-5:] for line in report.band_table(lost).splitlines()[1:] if line}
    assert rows["1"] == ["16", "80.0", "2", "12.5", "66.7"]
    assert rows["in no list"] == ["4", "20.0", "1", "25.0", "33.3"]
    assert report.band_table(lost).splitlines()[2].split() == ["2-10", "0", "0.0", "0", "0.0"]
    shown = report.cause_table(lost, 7)
    assert "right at first, lost in the fill      2        66.7" in shown
    assert re.search(r"in irregular grids +7", shown) and "all                                   3" in shown
    assert "irregular" not in report.cause_table(lost, 0)
