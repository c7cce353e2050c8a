"""How sure a letter is: less than the messages say, and the less so the more of the puzzle is in no list.

Messages go in loops and come back as if somebody else had said the same, lists are believed in everything that they
leave out, and a reader's mistakes are of one kind. So the log odds of a letter are taken by a share of what they are
(temperature: Guo et al., "On Calibration of Modern Neural Networks", 2017). A puzzle whose answers are in the lists
shows it, and keeps most; one with many that are in none loses most.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regis.puzzle import Puzzle
from regis.solving.solution import Beliefs, Solution

HELD, LOST = 0.73, 2.25
"""The share of the log odds that is kept, and how much less it is for each answer of a puzzle that is in no list, as a
share of all. (Measured: docs/measured.md.)"""

LEAST = 0.2  # share of the log odds that is always kept
NEARLY = 1e-6  # beyond it from 0 and 1, no probability is told from them


def beside(sure: float, others: float) -> float:
    """By what share probabilities, `others` together, are lowered beside one that is `sure`: all are 1 at most."""
    return min(1.0, (1 - sure) / others) if others > 0 else 1.0


def tempered(solution: Solution, puzzle: Puzzle, before: Beliefs) -> Solution:
    """`solution` as sure of its letters as one may be who believed `before` what lists alone say.

    What the person wrote stays certain. The order of the letters, by how sure they are, stays as well.
    """
    unlisted = 1 - float(np.mean(list(before.listed.values()))) if before.listed else 0.0
    kept = max(HELD - LOST * unlisted, LEAST)
    open_ = {cell: p for cell, p in solution.confidence.items() if cell not in puzzle.given}
    p = np.clip(np.array(list(open_.values())), NEARLY, 1 - NEARLY)
    sure = 1 / (1 + (1 / p - 1) ** kept)
    return replace(solution, confidence={**solution.confidence, **dict(zip(open_, sure.tolist(), strict=True))})
