"""How sure a letter is: as sure as messages make it, less for unlisted answers."""

import json
from dataclasses import replace

import numpy as np
import pytest
import tiny

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Cell, Direction
from regis.puzzle.alphabet import letter_codes
from regis.render import json as as_json
from regis.render import text_grid
from regis.solving.filler import Beliefs, Fill, StopReason
from regis.solving.report import temperature_scale, unexplained_share
from regis.solving.settings import CONFIDENCE
from regis.system.terminal import Screen

GIVEN: Cell = (0, 0)


def claimed(p: dict[Cell, float], listed: float, unexplained: float = 0.0) -> Fill:
    """Return a solution with confidences `p`, in which every answer is in its list with probability `listed`."""
    puzzle = replace(tiny.puzzle(), given={GIVEN: "L"})
    beliefs = Beliefs({}, {}, {}, dict.fromkeys(puzzle.grid.slots, listed), {}, 1, StopReason.DONE)
    return temperature_scale(Fill(dict.fromkeys(p, "A"), p, {}, beliefs=beliefs), puzzle, beliefs, unexplained)


@pytest.mark.parametrize(
    ("listed", "kept"),
    [
        (1.0, CONFIDENCE.kept_share),
        (0.9, CONFIDENCE.kept_share - 0.1 * CONFIDENCE.unlisted_loss),
        (0.0, CONFIDENCE.min_kept_share),
    ],
)
def test_the_log_odds_are_a_share_of_what_they_were(listed: float, kept: float):
    sure = claimed({(0, 1): 0.9, (1, 1): 0.2}, listed).confidence
    for cell, p in (((0, 1), 0.9), ((1, 1), 0.2)):
        assert np.log(sure[cell] / (1 - sure[cell])) == pytest.approx(kept * np.log(p / (1 - p)))


@pytest.mark.parametrize("unexplained", [0.0, 0.3, 1.0])
def test_order_stays_and_cells_stay(unexplained: float):
    p = {(0, i): chance for i, chance in enumerate((0.3, 0.999, 0.9999, 0.6), start=1)}
    found = claimed(p, 0.8, unexplained)
    assert sorted(found.confidence, key=found.confidence.get) == sorted(p, key=p.get)  # type: ignore[arg-type]
    assert found.cells == dict.fromkeys(p, "A")


def test_unexplained_parts_lower_all_confidences_and_explained_parts_lower_none():
    p = {(0, 1): 0.9, (1, 1): 0.2, (1, 2): 0.9999}
    plain, at_limit, beyond = (
        claimed(p, 1.0, CONFIDENCE.max_unexplained_share + excess) for excess in (-0.1, 0.0, 0.3)
    )
    assert plain == at_limit == claimed(p, 1.0)
    for cell in p:
        before, after = (np.log(sure.confidence[cell] / (1 - sure.confidence[cell])) for sure in (plain, beyond))
        assert after == pytest.approx(
            before * np.exp(-0.3 * CONFIDENCE.unexplained_loss) - 0.3 * CONFIDENCE.unexplained_shift
        )


@pytest.mark.parametrize(("p_wrong", "surprise"), [(0.4, 0.0), (0.9, 1 - 0.2 / ((0.4**2 + 0.9**2) / 2))])
def test_how_much_of_a_grid_is_unexplained(p_wrong: float, surprise: float):
    """The entries across have 0.4 in their lists, those down have nothing, and half of the open letters are sure."""
    puzzle = replace(tiny.puzzle(), given={GIVEN: "L"})
    cells = tiny.cells()
    p = {cell: 0.5 if cell[0] % 2 else 1.0 for cell in cells}
    fill = Fill(cells, p, {})
    lists = {}
    for slot in puzzle.grid.slots:
        right = slot.direction is Direction.ACROSS
        word, p_list = (fill.answer(slot), 0.4) if right else ("ZZZZ", p_wrong)
        codes, logp = letter_codes(word)[None], np.log([p_list])
        lists[slot] = CandidateList(codes, logp, 1 - p_list, lambda i: ())
    expected = (1 - 0.2 + CONFIDENCE.surprise_weight * surprise) * (1 - (8 * 0.5 + 7) / 15)
    assert unexplained_share(fill, puzzle, lists) == pytest.approx(expected)
    assert unexplained_share(fill, replace(puzzle, given=cells), lists) == 0.0
    assert unexplained_share(fill, puzzle, {}) == 0.0


@pytest.mark.parametrize(
    ("share", "reason", "told"),
    [(0.2, StopReason.DONE, 1), (0.19, StopReason.DONE, 0), (0.9, StopReason.OUT_OF_TIME, 0)],
)
def test_a_grid_that_its_clues_hardly_explain_is_reported(share: float, reason: StopReason, told: bool):
    solved = tiny.solved(tiny.puzzle(), tiny.cells())
    solved = replace(solved, fill=replace(solved.fill, stop_reason=reason), unexplained_share=share)
    assert solved.is_hardly_explained is bool(told)
    assert text_grid.grid_legend(solved, Screen()).count("hardly explain") == told
    value = json.loads(as_json.render(solved, "a.puz", Screen()))
    assert (value["hardly_explained"], value["unexplained_share"]) == (bool(told), share)
