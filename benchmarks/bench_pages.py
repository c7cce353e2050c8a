"""How well real pages are read: `python benchmarks/bench_pages.py FOLDER`.

FOLDER has PDFs or pictures, and truth.json: for each file name the rows of the grid ('#' for a block), the clues by
name ('17A'), and the title. One row per maker (the beginning of the file name) says how many grids, clues, and pages
are right, how many clues are wrong although Regis is sure of them, and how many pages are doubted needlessly.
Typography doesn't count: straight and curved quotation marks, dashes, spaces, and the length of blanks.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import installation  # noqa: F401

from regis.errors import PuzzleError
from regis.puzzle import DOUBTFUL_BELOW, formats

STRAIGHT = str.maketrans("“”‘’–—", "\"\"''--")
COLUMNS = ("pages", "read", "grids", "clues", "of", "perfect", "sure and wrong", "needless doubt", "titles")


def plain(text: str) -> str:
    """Return a text without its typography."""
    return re.sub("_+", "_", "".join(text.translate(STRAIGHT).replace("…", "...").split())).casefold()


def score_page(path: Path, truth: dict[str, Any]) -> Counter[str]:
    """Count what is right on a page."""
    counts = Counter({"pages": 1, "of": len(truth["clues"])})
    file = formats.open_file(path)
    try:
        puzzle, confidence = formats.read_puzzle(file)[0], formats.read_confidence(file)
    except PuzzleError:
        return counts
    clues = {str(slot): clue for slot, clue in puzzle.clues.items()}
    is_right = {name: plain(clues.get(name, "")) == plain(clue) for name, clue in truth["clues"].items()}
    has_grid = ["".join("#" if x == "#" else "." for x in row) for row in puzzle.grid.rows] == truth["rows"]
    is_perfect = has_grid and all(is_right.values())
    sure = {str(slot) for slot, probability in confidence.clues.items() if probability >= DOUBTFUL_BELOW}
    counts.update({
        "read": 1, "grids": int(has_grid), "clues": sum(is_right.values()), "perfect": int(is_perfect),
        "sure and wrong": sum(not right and name in sure for name, right in is_right.items()),
        "needless doubt": int(is_perfect and not confidence.is_sure),
        "titles": int(plain(puzzle.title) == plain(truth.get("title", ""))),
    })  # fmt: skip
    return counts


def main() -> None:
    """Print a row for each maker, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    by_maker: dict[str, Counter[str]] = defaultdict(Counter)
    for name, truth in sorted(json.loads((folder / "truth.json").read_text(encoding="utf-8")).items()):
        counts = score_page(folder / name, truth)
        by_maker[name.split("-")[0]].update(counts)
        by_maker["all"].update(counts)
    print("| maker |", " | ".join(COLUMNS), "|")
    print("|---|" + "--:|" * len(COLUMNS))
    for maker, counts in sorted(by_maker.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"| {maker} |", " | ".join(str(counts[column]) for column in COLUMNS), "|")


if __name__ == "__main__":
    main()
