"""What each part of the fill is worth: `python benchmarks/bench_ablation.py ARCHIVE --index DIR --per-weekday 6`.

The plain puzzles of an archive are solved again and again, each time with one part of the program switched off or
changed, and scored: letters, words, whole grids, and the median of the seconds.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")

import installed  # noqa: F401
import numpy as np
from tqdm import tqdm

from regis.candidates import ranking
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.evaluation import archive, score
from regis.index import Index
from regis.models.ngram import LetterModel
from regis.models.unlisted import StringModel
from regis.puzzle import formats
from regis.solving import propagation, second_look
from regis.solving.local_search import LocalSearch
from regis.solving.pipeline import solve
from regis.system.progress import silent


def independent(index: Index) -> mock._patch:
    """Letters that know nothing of their neighbours: how often each stands in answers, and no phrases."""
    counts = index.letters.transition.mean(axis=(0, 1))
    alone = StringModel(LetterModel(np.broadcast_to(counts / counts.sum(), (27, 27, 27)).copy()))
    return _strings(index, alone)


def trigram(index: Index) -> mock._patch:
    """The letter model without phrases."""
    return _strings(index, StringModel(index.letters))


def _strings(index: Index, strings: StringModel) -> mock._patch:
    return mock.patch.multiple(Index, strings=strings, _derived={UnlistedPrior: UnlistedPrior(index, strings)})


def unrepaired(self: LocalSearch, cells: dict, *_: object) -> dict:
    return dict(cells)


def trusted(times: float) -> Callable[[Index], object]:
    """The reader's odds count so much."""
    return lambda index: mock.patch.object(index.reader, "trust", times) if index.reads else nullcontext()


VARIANTS: dict[str, Callable[[Index], object]] = {
    "as it is": lambda index: nullcontext(),
    "independent letters": independent,
    "trigrams, no phrases": trigram,
    "clue does not lean phrases": lambda index: mock.patch.object(Index, "lean", 0.0),
    "most likely letters (no local search)": lambda index: mock.patch.object(LocalSearch, "improve", unrepaired),
    "no second look": lambda index: mock.patch("regis.solving.pipeline.look", lambda *known: known[1:3]),
    "looked at once": lambda index: mock.patch.object(second_look, "ROUNDS", 1),
    "only answers in lists are read": lambda index: mock.patch.object(second_look, "_made", lambda *_: []),
    "only squares below 99 % are in doubt": lambda index: mock.patch.object(second_look, "DOUBTFUL", 0.99),
    "8 strings of a slot are read": lambda index: mock.patch.object(second_look, "STRINGS", 8),
    "the reader is trusted 0.5 times": trusted(0.5),
    "the reader is trusted 1.5 times": trusted(1.5),
    "names of entries not read": lambda index: mock.patch(
        "regis.solving.pipeline.wordings",
        lambda puzzle, believed: {s: puzzle.clues.get(s, "") for s in puzzle.grid.slots},
    ),
    "answers do not join clues": lambda index: mock.patch.object(propagation, "BELIEVED", 2.0),
    "5 rounds": lambda index: mock.patch.object(propagation, "ROUNDS", 5),
    "30 rounds": lambda index: mock.patch.object(propagation, "ROUNDS", 30),
    "lists cut at 5,000": lambda index: mock.patch.object(ranking, "LIMIT", 5000),
    "lists cut at 1,000": lambda index: mock.patch.object(ranking, "LIMIT", 1000),
    "lists cut at 100": lambda index: mock.patch.object(ranking, "LIMIT", 100),
}


def measure(items: list[archive.Item], index: Index, name: str) -> str:
    """One row of the table."""
    right = letters = words_right = words = whole = 0
    seconds = []
    with VARIANTS[name](index):
        for item in tqdm(items, desc=name, leave=False, disable=None):
            truth = score.truth(item.file)
            puzzle = formats.read(item.file)[0]
            start = time.perf_counter()
            solved = solve(puzzle, index)
            seconds.append(time.perf_counter() - start)
            got = score.score(solved.solution, puzzle, truth)
            right, letters = right + got.letters_right, letters + got.letters
            words_right, words, whole = words_right + got.words_right, words + got.words, whole + got.whole
    numbers = f"{100 * right / letters:8.2f} {100 * words_right / words:7.2f} {100 * whole / len(items):7.1f}"
    return f"{name:<38}{numbers} {np.median(seconds):7.2f}"


def plain(items: list[archive.Item]) -> Iterator[archive.Item]:
    for item in items:
        truth = score.truth(item.file)
        if truth is not None and not score.irregular(truth):
            yield item


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--per-weekday", type=int, help="only so many puzzles of each weekday")
    parser.add_argument("--only", choices=list(VARIANTS), action="append", help="only this row; may be repeated")
    arguments = parser.parse_args()
    index = Index.open(arguments.index)
    items, _ = archive.read(arguments.archive, silent)
    items = archive.sample(list(plain(items)), None, arguments.per_weekday)
    print(f"{len(items)} puzzles, index {index.fingerprint}")
    print(f"{'':<38}{'letters':>8} {'words':>7} {'whole':>7} {'seconds':>7}")
    for name in arguments.only or VARIANTS:
        print(measure(items, index, name), flush=True)


if __name__ == "__main__":
    main()
