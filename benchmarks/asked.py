"""What most programs here are asked with: an archive, an index, and perhaps a sample of the puzzles."""

from __future__ import annotations

import argparse
from pathlib import Path

import installed  # noqa: F401


def parser(description: str | None, *, sample: bool = False, index: Path | None = None) -> argparse.ArgumentParser:
    """Takes these, `index` where no other is named, if there is one; each program adds what it alone is asked."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("archive", type=Path)
    made.add_argument("--index", type=Path, required=index is None, default=index)
    if sample:
        made.add_argument("--per-weekday", type=int, help="only so many puzzles of each weekday")
    return made
