"""How sure a letter is: less than the messages say, and the less so the more of the puzzle is in no list.

Messages go in loops and come back as if somebody else had said the same, lists are believed in everything that they
leave out, and a reader's mistakes are of one kind. So the log odds of a letter are taken by a share of what they are
(temperature: Guo et al., "On Calibration of Modern Neural Networks", 2017). A puzzle whose answers are in the lists
shows it, and keeps most; one with many that are in none loses most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from regis.puzzle import Puzzle
from regis.solving.filler import Beliefs, Fill

KEPT_SHARE = 0.73
UNLISTED_LOSS = 2.25
"""The share of the log odds that is kept, and how much less it is for each answer of a puzzle that is in no list, as a
share of all. (Measured: docs/measured.md.)"""

MIN_KEPT_SHARE = 0.2  # share of the log odds that is always kept
PROBABILITY_MARGIN = 1e-6  # probabilities nearer to 0 or 1 count as this far from it


def temperature_scale(fill: Fill, puzzle: Puzzle, list_beliefs: Beliefs) -> Fill:
    """Lower the confidences of a grid by what beliefs from lists alone say of how much is in no list.

    Given letters stay certain, and the order of the letters by how sure they are stays as well.
    """
    p_in_list = list(list_beliefs.p_in_list.values())
    unlisted_share = 1 - float(np.mean(p_in_list)) if p_in_list else 0.0
    exponent = max(KEPT_SHARE - UNLISTED_LOSS * unlisted_share, MIN_KEPT_SHARE)
    open_cells = {cell: p for cell, p in fill.confidence.items() if cell not in puzzle.given}
    p = np.clip(np.array(list(open_cells.values())), PROBABILITY_MARGIN, 1 - PROBABILITY_MARGIN)
    scaled = 1 / (1 + (1 / p - 1) ** exponent)
    return replace(fill, confidence={**fill.confidence, **dict(zip(open_cells, scaled.tolist(), strict=True))})


def remaining_mass_factor(p: float, other_mass: float) -> float:
    """Return the factor that lowers probabilities, `other_mass` in sum, to at most what one of `p` leaves of 1."""
    return min(1.0, (1 - p) / other_mass) if other_mass > 0 else 1.0


def frechet_clip(p: float, letter_probs: Sequence[float]) -> float:
    """Clip the probability of an answer, as its list has it, to what P(right) of its letters leaves.

    It is no more than the least of them, and no less than 1 less what they all lack (Frechet 1935): a list knows
    nothing of the same string as an answer in no list.
    """
    return min(max(p, 1 - sum(1 - letter for letter in letter_probs)), min(letter_probs))
