"""What most programs here are asked with: an archive, an index, and perhaps a sample of the puzzles."""

from __future__ import annotations

import argparse
from pathlib import Path

import installation  # noqa: F401


def archive_parser(
    description: str | None, *, with_sample: bool = False, default_index: Path | None = None
) -> argparse.ArgumentParser:
    """Make a parser for archive, index and perhaps a sample; each program adds its own options."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--index", type=Path, required=default_index is None, default=default_index)
    if with_sample:
        parser.add_argument("--per-weekday", type=int, help="only so many puzzles of each weekday")
    return parser
