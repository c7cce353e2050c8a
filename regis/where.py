"""Where the index is when nobody says so: one rule, the same for every command that needs it.

In this order: the folder given with --index (or --out); $REGIS_INDEX; `data/index` in the current folder; `data/index`
in the repository that this package lies in, if it does. Where none of these is there, the answer is the place where
`regis build` would make one: in the repository if there is one, else in the current folder.
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "REGIS_INDEX"
USUAL = Path("data") / "index"
REPOSITORY = Path(__file__).resolve().parents[1]


def index(given: Path | None = None) -> Path:
    """The folder of the index to use; it need not exist."""
    if given is not None:
        return given
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    if USUAL.is_dir() or not (REPOSITORY / "pyproject.toml").is_file():
        return USUAL
    return REPOSITORY / USUAL
