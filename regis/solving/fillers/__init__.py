"""Fillers: from ranked candidates to a grid, each by another idea, all of one type (solution.Filler).

The name is the word on the command line, the file, the row in the benchmark and the line in docs/how.md. `board` and
`descent` among the ancestors are no fillers: they are what those that search share.
"""

from __future__ import annotations

from regis.errors import unknown
from regis.solving.fillers import belief
from regis.solving.fillers.ancestors import backtrack, cells, climb, domains, singletons
from regis.solving.solution import Filler

FILLERS: dict[str, Filler] = {
    "belief": belief.fill,
    "singletons": singletons.fill,
    "domains": domains.fill,
    "climb": climb.fill,
    "backtrack": backtrack.fill,
    "cells": cells.fill,
}


def check(name: str) -> None:
    """Raises UsageError where no filler has this name."""
    if name not in FILLERS:
        raise unknown("filler", name, FILLERS)
