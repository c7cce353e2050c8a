"""How much oftener than was fitted the answers of a puzzle are in no list.

That is fitted on the newest year of an index, which is mostly the New York Times. Others have more new names and
abbreviations, and every year brings more. With longer answers, of which many are new anywhere, it makes no difference.
"""

from __future__ import annotations

import re

from regis.puzzle import Puzzle

LENGTHS = range(3, 6)

ELSEWHERE, YEARLY = 1.0, 0.4
"""What to add to 1, as odds, for a puzzle of other publishers, and for every year from the second after the newest of
the index on? (Measured: docs/measured.md.)"""

UNDATED = 2  # years that it counts as, where it is of other publishers and does not say when it was printed

MOST = 6.0  # that is the sum, however late a puzzle is

_FITTED = re.compile(r"(?i)\bnew york times\b|\bn\.?y\.? ?times\b|\bnyt\b")


def oftener(puzzle: Puzzle, newest: int | None) -> float:
    """How many times as likely as was fitted, as odds, it is that an answer of LENGTHS is in no list; the index is of
    the year `newest`."""
    fitted = _FITTED.search(f"{puzzle.title} {puzzle.author} {puzzle.copyright} {puzzle.publisher}")
    if puzzle.date is not None and newest is not None:
        later = max(puzzle.date.year - newest - 1, 0)
    else:
        later = 0 if fitted else UNDATED
    return min(1.0 + (0.0 if fitted else ELSEWHERE) + YEARLY * later, MOST)
