"""Calibrated confidence of letters: less than the messages say, and the less, the less the clues explain the grid.

Messages go in loops, lists are overconfident about what they leave out, and a reader's mistakes are correlated. So log
odds are scaled down (temperature: Guo et al., "On Calibration of Modern Neural Networks", 2017), more so if many
answers are in no list.

Clues of another puzzle or language leave two signs together: the entries are improbable in their lists, and letters are
in doubt. Then log odds are also shifted down. A third sign adds to them: lists that were sure of something and all
wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Puzzle, Slot
from regis.solving.filler import Beliefs, Fill
from regis.solving.settings import CONFIDENCE

HARDLY_EXPLAINED_SHARE = 0.2
"""Unexplained share from which clues hardly explain a grid. (Measured: docs/experiments/confidence.md.)"""


def temperature_scale(fill: Fill, puzzle: Puzzle, list_beliefs: Beliefs, unexplained_part: float = 0.0) -> Fill:
    """Lower a grid's confidences by its share of unlisted answers and its unexplained share.

    Given letters stay certain, and the order of letters by confidence stays.
    """
    p_in_list = list(list_beliefs.p_in_list.values())
    unlisted_share = 1 - float(np.mean(p_in_list)) if p_in_list else 0.0
    exponent = max(CONFIDENCE.kept_share - CONFIDENCE.unlisted_loss * unlisted_share, CONFIDENCE.min_kept_share)
    excess = max(unexplained_part - CONFIDENCE.max_unexplained_share, 0.0)
    exponent *= float(np.exp(-CONFIDENCE.unexplained_loss * excess))
    open_cells = {cell: p for cell, p in fill.confidence.items() if cell not in puzzle.given}
    p = np.clip(np.array(list(open_cells.values())), 1e-6, 1 - 1e-6)
    scaled = 1 / (1 + (1 / p - 1) ** exponent * np.exp(CONFIDENCE.unexplained_shift * excess))
    return replace(fill, confidence={**fill.confidence, **dict(zip(open_cells, scaled.tolist(), strict=True))})


def unexplained_share(fill: Fill, puzzle: Puzzle, lists: Mapping[Slot, CandidateList]) -> float:
    """Return how much of a grid neither its clues nor its crossings explain, at most 1.

    (1 - mean probability of the entries by their clues alone, plus more if the lists expected more) times (1 - mean
    confidence of the letters).
    """
    open_probs = [p for cell, p in fill.confidence.items() if cell not in puzzle.given]
    rows = {slot: candidates.find_answer(fill.answer(slot)) for slot, candidates in lists.items()}
    list_probs = [0.0 if row is None else float(np.exp(lists[slot].logp[row])) for slot, row in rows.items()]
    if not list_probs or not open_probs:
        return 0.0
    p, expected = np.mean(list_probs), np.mean([np.exp(2 * candidates.logp).sum() for candidates in lists.values()])
    surprise = max(1 - p / expected, 0.0) if expected > 0 else 0.0
    return min(float((1 - p + CONFIDENCE.surprise_weight * surprise) * (1 - np.mean(open_probs))), 1.0)


def remaining_mass_factor(p: float, other_mass: float) -> float:
    """Return the factor that lowers probabilities, `other_mass` in sum, to what one of `p` leaves of 1."""
    return min(1.0, (1 - p) / other_mass) if other_mass > 0 else 1.0


def frechet_clip(p: float, letter_probs: Sequence[float]) -> float:
    """Clip an answer's probability to the bounds that P(right) of its letters sets (Frechet 1935)."""
    return min(max(p, 1 - sum(1 - letter for letter in letter_probs)), min(letter_probs))
