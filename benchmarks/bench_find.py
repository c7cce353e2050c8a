"""How good the finders are before any grid is touched: `python benchmarks/bench_find.py ARCHIVE --index DIR`.

Every clue of the archive is asked alone, and the rank and the probability of the right answer in the weighed list are
noted: recall at 1, 10, 100 and 1,000, the share of answers in any list, mean reciprocal rank, log loss (the probability
of a missing answer counts as that of each string of letters in the letter model), expected calibration error, and
milliseconds a clue. `--without FINDER` leaves one out; `--by weekday|length` splits the table.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from regis import formats, letters
from regis.finders import FINDERS
from regis.index import Index
from regis.solving import candidates

BINS = 20


class Outcome(NamedTuple):
    """What became of one clue."""

    weekday: str
    length: int
    rank: float  # 0 is first; inf where the answer is in no list
    loss: float  # natural log
    best: float  # probability of the first candidate
    right: bool  # whether the first candidate is right
    seconds: float


def outcomes(archive: Path, index: Index, per_weekday: int | None) -> Iterator[Outcome]:
    """Asks all clues of the archive's plain puzzles."""
    seen: dict[str, int] = defaultdict(int)
    for file in formats.open_files(archive):
        puzzle, _ = formats.read(file)
        truth = formats.solution(file)
        weekday = puzzle.date.strftime("%a") if puzzle.date else "-"
        if truth is None or any(len(content) != 1 or not content.isalpha() for content in truth.values()):
            continue
        seen[weekday] += 1
        if per_weekday and (seen[weekday] % 8 != 1 or seen[weekday] > 8 * per_weekday):
            continue
        for slot in puzzle.grid.slots:
            answer = "".join(truth[cell] for cell in slot.cells)
            start = time.perf_counter()
            found = candidates(puzzle.clues[slot], "?" * len(slot), index)
            seconds = time.perf_counter() - start
            place = found.find(answer)
            unlisted = np.log(max(found.missing, 1e-9)) + _string(answer, index)
            loss = -(unlisted if place is None else found.logp[place])
            best = float(np.exp(found.logp[0])) if len(found) else 0.0
            rank = float("inf") if place is None else place
            yield Outcome(weekday, len(slot), rank, float(loss), best, place == 0, seconds)


def _string(answer: str, index: Index) -> float:
    """The letter model's log probability of `answer` among strings of its length."""
    return index.letters.string(letters.codes(answer)) - index.letters.base(len(answer))


def row(name: str, some: list[Outcome]) -> str:
    rank = np.array([o.rank for o in some])
    recall = " ".join(f"{100 * (rank < k).mean():6.1f}" for k in (1, 10, 100, 1000, np.inf))
    best, right = np.array([o.best for o in some]), np.array([o.right for o in some])
    bins = np.minimum((best * BINS).astype(int), BINS - 1)
    error = sum(abs(best[bins == b].sum() - right[bins == b].sum()) for b in range(BINS)) / len(some)
    ms = 1000 * np.mean([o.seconds for o in some])
    loss = np.mean([o.loss for o in some])
    return f"{name:<8}{len(some):7d} {recall} {(1 / (1 + rank)).mean():6.3f} {loss:6.2f} {100 * error:6.2f} {ms:6.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--per-weekday", type=int, help="only so many puzzles of each weekday")
    others = [name for name in FINDERS if name != "pattern"]
    parser.add_argument("--without", choices=others, action="append", default=[])
    parser.add_argument("--by", choices=["weekday", "length"], default="weekday")
    arguments = parser.parse_args()
    for name in arguments.without:
        del FINDERS[name]
    done = list(outcomes(arguments.archive, Index.open(arguments.index), arguments.per_weekday))
    headings = ("@1", "@10", "@100", "@1000", "any", "mrr", "loss", "ece%", "ms")
    print(f"{'':<8}{'clues':>7} {' '.join(f'{heading:>6}' for heading in headings)}")
    groups: dict[object, list[Outcome]] = defaultdict(list)
    for outcome in done:
        groups[getattr(outcome, arguments.by)].append(outcome)
    order = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "-"]
    for name in sorted(groups, key=lambda g: order.index(g) if g in order else g):
        print(row(str(name), groups[name]))
    print(row("all", done))


if __name__ == "__main__":
    main()
