"""How sure a letter is: as sure as messages make it, tempered by what is in no list."""

from dataclasses import replace

import numpy as np
import pytest
import tiny

from regis.puzzle import Cell
from regis.solving.filler import Beliefs, Fill
from regis.solving.inference.confidence import KEPT_SHARE, MIN_KEPT_SHARE, UNLISTED_LOSS, temperature_scale

GIVEN: Cell = (0, 0)


def claimed(p: dict[Cell, float], listed: float) -> Fill:
    """A solution that claims `p`, and every of whose answers is in its list with probability `listed`."""
    puzzle = replace(tiny.puzzle(), given={GIVEN: "L"})
    beliefs = Beliefs({}, {}, {}, dict.fromkeys(puzzle.grid.slots, listed), {}, 1, "settled")
    return temperature_scale(Fill(dict.fromkeys(p, "A"), p, {}, beliefs=beliefs), puzzle, beliefs)


@pytest.mark.parametrize(
    ("listed", "kept"), [(1.0, KEPT_SHARE), (0.9, KEPT_SHARE - 0.1 * UNLISTED_LOSS), (0.0, MIN_KEPT_SHARE)]
)
def test_the_log_odds_are_a_share_of_what_they_were(listed: float, kept: float):
    sure = claimed({(0, 1): 0.9, (1, 1): 0.2}, listed).confidence
    for cell, p in (((0, 1), 0.9), ((1, 1), 0.2)):
        assert np.log(sure[cell] / (1 - sure[cell])) == pytest.approx(kept * np.log(p / (1 - p)))


def test_what_is_certain_and_what_is_impossible_have_odds():
    sure = claimed({GIVEN: 1.0, (0, 1): 1.0, (1, 1): 0.0, (1, 2): 0.5}, 1.0).confidence
    assert sure[GIVEN] == 1
    assert 0.9999 < sure[0, 1] < 1
    assert 0 < sure[1, 1] < 0.0001
    assert sure[1, 2] == pytest.approx(0.5)


def test_order_stays_and_cells_stay():
    p = {(0, i): chance for i, chance in enumerate((0.3, 0.999, 0.9999, 0.6), start=1)}
    found = claimed(p, 0.8)
    assert sorted(found.confidence, key=found.confidence.get) == sorted(p, key=p.get)  # type: ignore[arg-type]
    assert found.cells == dict.fromkeys(p, "A")
