"""The ancestors: five published student systems that Regis descends from, each as a filler beside its own, `belief`.

`FILLERS` is the table of all fillers. The name is the word on the command line, the file, the row in the benchmark and
the line in docs/how.md. `board` and `descent` are no fillers: they are what those that search share. Nothing in
`regis.solving` knows of this room; who calls the solver hands it a filler.
"""

from __future__ import annotations

from regis.ancestors import backtrack, cells, climb, domains, singletons
from regis.errors import unknown_name
from regis.solving.belief import BELIEF
from regis.solving.filler import Filler, NamedFiller

FILLERS: dict[str, Filler] = {
    BELIEF.name: BELIEF.fill,
    "singletons": singletons.fill,
    "domains": domains.fill,
    "climb": climb.fill,
    "backtrack": backtrack.fill,
    "cells": cells.fill,
}


def find_filler(name: str) -> NamedFiller:
    """Return the filler of this name.

    Raises
    ------
    UsageError : there is none.
    """
    if name not in FILLERS:
        raise unknown_name("filler", name, FILLERS)
    return NamedFiller(name, FILLERS[name])
