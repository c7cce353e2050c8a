"""How sure a letter is: less than the messages say, and the less so the less the clues explain of the grid.

Messages go in loops and come back as if somebody else had said the same, lists are believed in everything that they
leave out, and a reader's mistakes are of one kind. So the log odds of a letter are taken by a share of what they are
(temperature: Guo et al., "On Calibration of Modern Neural Networks", 2017). A puzzle whose answers are in the lists
shows it, and keeps most; one with many that are in none loses most.

Clues that belong to no grid like this (those of another puzzle, of another language) leave two signs together: what
stands has little probability in their lists, and letters are in doubt all the same. One alone means little: hard clues
give little and the crossings make up for it. Where both are there, letters are less likely right than any one of them
shows, and their log odds are shifted down as well. A third makes them weigh more: lists know how much they should give
to what is right, and of clues that were mixed up they give a third of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Puzzle, Slot
from regis.solving.filler import Beliefs, Fill

KEPT_SHARE = 0.73
UNLISTED_LOSS = 2.25
"""The share of the log odds that is kept, and how much less it is for each answer of a puzzle that is in no list, as a
share of all. (Measured: docs/experiments/confidence.md.)"""

MAX_UNEXPLAINED_SHARE = 0.1
UNEXPLAINED_LOSS = 1.2
UNEXPLAINED_SHIFT = 3.1
"""How much of a grid may neither clues nor crossings explain (`unexplained_share`) before its letters count as less
sure? For what is beyond: the negative log of the share of the log odds that is kept then, and the nats by which they
are lower. Fitted by benchmarks/fit_confidence.py. (Measured: docs/experiments/confidence.md.)"""

SURPRISE_WEIGHT = 1.3
"""How much more is unexplained where lists that are sure of something are all wrong? (Measured:
docs/experiments/confidence.md.)"""

HARDLY_EXPLAINED_SHARE = 0.2
"""From which such share on do clues hardly explain a grid? (Measured: docs/experiments/confidence.md.)"""

MIN_KEPT_SHARE = 0.2  # share of the log odds that is always kept
PROBABILITY_MARGIN = 1e-6  # probabilities nearer to 0 or 1 count as this far from it


def temperature_scale(fill: Fill, puzzle: Puzzle, list_beliefs: Beliefs, unexplained_part: float = 0.0) -> Fill:
    """Lower the confidences of a grid by how much is in no list, as beliefs from lists alone say, and by what is odd.

    Given letters stay certain, and the order of the letters by how sure they are stays as well. `unexplained_part` is
    the `unexplained_share` of the grid.
    """
    p_in_list = list(list_beliefs.p_in_list.values())
    unlisted_share = 1 - float(np.mean(p_in_list)) if p_in_list else 0.0
    exponent = max(KEPT_SHARE - UNLISTED_LOSS * unlisted_share, MIN_KEPT_SHARE)
    excess = max(unexplained_part - MAX_UNEXPLAINED_SHARE, 0.0)
    exponent *= float(np.exp(-UNEXPLAINED_LOSS * excess))
    open_cells = {cell: p for cell, p in fill.confidence.items() if cell not in puzzle.given}
    p = np.clip(np.array(list(open_cells.values())), PROBABILITY_MARGIN, 1 - PROBABILITY_MARGIN)
    scaled = 1 / (1 + (1 / p - 1) ** exponent * np.exp(UNEXPLAINED_SHIFT * excess))
    return replace(fill, confidence={**fill.confidence, **dict(zip(open_cells, scaled.tolist(), strict=True))})


def unexplained_share(fill: Fill, puzzle: Puzzle, lists: Mapping[Slot, CandidateList]) -> float:
    """Return how much of a grid neither its clues nor its crossings explain.

    Parameters
    ----------
    fill : the grid, its confidences as messages have them.
    puzzle : its given letters are not counted.
    lists : what each clue alone says.

    Returns
    -------
    What the probability of what stands lacks of 1, in the mean over the lists, and more where lists expected to give it
    more, times what that of the letters lacks; 1 at most.
    """
    open_probs = [p for cell, p in fill.confidence.items() if cell not in puzzle.given]
    rows = {slot: candidates.find_answer(fill.answer(slot)) for slot, candidates in lists.items()}
    list_probs = [0.0 if row is None else float(np.exp(lists[slot].logp[row])) for slot, row in rows.items()]
    if not list_probs or not open_probs:
        return 0.0
    p, expected = np.mean(list_probs), np.mean([np.exp(2 * candidates.logp).sum() for candidates in lists.values()])
    surprise = max(1 - p / expected, 0.0) if expected > 0 else 0.0
    return min(float((1 - p + SURPRISE_WEIGHT * surprise) * (1 - np.mean(open_probs))), 1.0)


def remaining_mass_factor(p: float, other_mass: float) -> float:
    """Return the factor that lowers probabilities, `other_mass` in sum, to at most what one of `p` leaves of 1."""
    return min(1.0, (1 - p) / other_mass) if other_mass > 0 else 1.0


def frechet_clip(p: float, letter_probs: Sequence[float]) -> float:
    """Clip the probability of an answer, as its list has it, to what P(right) of its letters leaves.

    It is no more than the least of them, and no less than 1 less what they all lack (Frechet 1935): a list knows
    nothing of the same string as an answer on no list.
    """
    return min(max(p, 1 - sum(1 - letter for letter in letter_probs)), min(letter_probs))
