"""The ancestors: five published student systems that Regis descends from, each as a filler.

`FILLERS` is the table of all fillers. The ancestors that search share `board`, and two of them share `descent`.
"""

from __future__ import annotations

from regis.ancestors import climb, descent, domains, singletons
from regis.errors import unknown_name
from regis.solving.belief import BELIEF
from regis.solving.filler import Filler, NamedFiller

FILLERS: dict[str, Filler] = {
    BELIEF.name: BELIEF.fill,
    "singletons": singletons.fill,
    "domains": domains.fill,
    "climb": climb.fill,
    "backtrack": descent.fill_smallest_first,
    "cells": descent.fill_in_order,
}


def find_filler(name: str) -> NamedFiller:
    """Return the filler of this name; raises UsageError."""
    if name not in FILLERS:
        raise unknown_name("filler", name, FILLERS)
    return NamedFiller(name, FILLERS[name])
