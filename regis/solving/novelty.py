"""How much oftener than was fitted the answers of a puzzle are in no list.

That is fitted on the newest year of an index, which is mostly the New York Times. Others have more new names and
abbreviations, and every year brings more. With longer answers, of which many are new anywhere, it makes no difference.
"""

from __future__ import annotations

import re

from regis.puzzle import Puzzle

AFFECTED_LENGTHS = range(3, 6)

OTHER_PUBLISHER_ODDS = 1.0
ODDS_PER_YEAR = 0.4
"""What to add to 1, as odds, for a puzzle of other publishers, and for every year from the second after the newest of
the index on? (Measured: docs/experiments/unlisted-prior.md.)"""

UNDATED_YEARS = 2  # years that it counts as, where it is of other publishers and does not say when it was printed

MAX_ODDS_FACTOR = 6.0  # the factor's bound, however late a puzzle is

_FITTED_PUBLISHER = re.compile(r"(?i)\bnew york times\b|\bn\.?y\.? ?times\b|\bnyt\b")


def missing_odds_factor(puzzle: Puzzle, newest_year: int | None) -> float:
    """Return the factor on the odds that an answer of AFFECTED_LENGTHS is in no list, by an index of `newest_year`."""
    is_fitted = _FITTED_PUBLISHER.search(f"{puzzle.title} {puzzle.author} {puzzle.copyright} {puzzle.publisher}")
    if puzzle.date is not None and newest_year is not None:
        years_later = max(puzzle.date.year - newest_year - 1, 0)
    else:
        years_later = 0 if is_fitted else UNDATED_YEARS
    return min(1.0 + (0.0 if is_fitted else OTHER_PUBLISHER_ODDS) + ODDS_PER_YEAR * years_later, MAX_ODDS_FACTOR)
