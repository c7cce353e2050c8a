"""The options that most programs here share: an archive, an index, and a sample of the puzzles.

If imported before numpy, it limits numpy to one thread, so that seconds can be compared.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import installation  # noqa: F401

os.environ.setdefault("OMP_NUM_THREADS", "1")

RESULTS_FOLDER = Path(__file__).parent / "results"


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Make a parser that shows the description as it is."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def add_output_option(parser: argparse.ArgumentParser) -> None:
    """Add --out, for a table in the folder of results."""
    parser.add_argument("--out", metavar="NAME", help="write results/NAME.txt")


def archive_parser(
    description: str | None, *, with_sample: bool = False, default_index: Path | None = None
) -> argparse.ArgumentParser:
    """Make a parser for archive, index, and maybe a sample; each program adds its own options."""
    parser = make_parser(description)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--index", type=Path, required=default_index is None, default=default_index)
    if with_sample:
        parser.add_argument("--per-weekday", type=int, help="only so many puzzles of each weekday")
    return parser
