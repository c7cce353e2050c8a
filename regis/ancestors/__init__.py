"""The ancestors: five published student systems that Regis descends from, each as a filler.

`FILLERS` is the table of all fillers; `board` and `descent` are shared by those that search.
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
    """Return the filler of this name; raises UsageError."""
    if name not in FILLERS:
        raise unknown_name("filler", name, FILLERS)
    return NamedFiller(name, FILLERS[name])
