"""Fillers: from weighed candidates to a grid, each by another idea, all of one type (`fill.Filler`).

The name is the word on the command line, the file, the row in the benchmark and the line in the README.
"""

from __future__ import annotations

from regis.fill import Filler
from regis.fillers import belief, singletons

FILLERS: dict[str, Filler] = {
    "belief": belief.fill,
    "singletons": singletons.fill,
}
