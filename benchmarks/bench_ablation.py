"""What each part of the fill is worth: `python benchmarks/bench_ablation.py ARCHIVE --index DIR --per-weekday 6`.

The plain puzzles of an archive are solved again and again, each time with one part of the program switched off or
changed, and scored: letters, words, whole grids, and the median of the seconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")

import asked
import installed  # noqa: F401
import numpy as np
import plain

from regis.candidates import ranking
from regis.index import Index
from regis.models.ngram import LetterModel
from regis.models.unlisted import StringModel
from regis.puzzle import Puzzle
from regis.solving import propagation, second_look
from regis.solving.local_search import LocalSearch
from regis.solving.rebus.search import Rebus
from regis.solving.solution import Candidates, Solution
from regis.solving.themes.search import Themes


def independent(index: Index) -> mock._patch_dict:
    """Letters that know nothing of their neighbours: how often each stands in answers, and no phrases."""
    counts = index.letters.transition.mean(axis=(0, 1))
    alone = StringModel(LetterModel(np.broadcast_to(counts / counts.sum(), (27, 27, 27)).copy()))
    return plain.with_strings(index, alone)


def trigram(index: Index) -> mock._patch_dict:
    """The letter model without phrases."""
    return plain.with_strings(index, StringModel(index.letters, short=index.strings.short))


def unrepaired(self: LocalSearch, cells: dict, *_: object) -> dict:
    return dict(cells)


def trusted(times: float) -> Callable[[Index], object]:
    """The reader's odds count so much."""
    return lambda index: mock.patch.object(index.reader, "trust", times) if index.reads else nullcontext()


def unsearched(index: Index) -> ExitStack:
    """Neither rebus squares nor a theme."""
    patches = ExitStack()
    patches.enter_context(mock.patch.object(Rebus, "find", lambda self, solution, own: ({}, solution)))
    patches.enter_context(mock.patch.object(Themes, "find", lambda self, solution: (None, self.among, solution)))
    return patches


def as_it_stands(puzzle: Puzzle, known: Candidates, solution: Solution, deadline: float) -> Solution:
    return solution


def unread(index: Index) -> ExitStack:
    """Nothing is read."""
    patches = ExitStack()
    patches.enter_context(mock.patch("regis.solving.pipeline.look", lambda *known: known[1:3]))
    patches.enter_context(mock.patch("regis.solving.pipeline.settled", as_it_stands))
    return patches


def patient(index: Index) -> ExitStack:
    """Nothing is given up, and no grid is begun again with what is read."""
    patches = ExitStack()
    patches.enter_context(mock.patch.object(propagation, "MOST_DOUBTED", 1.0))
    patches.enter_context(mock.patch.object(second_look, "COLLAPSED", 1.0))
    return patches


VARIANTS: dict[str, Callable[[Index], object]] = {
    "as it is": lambda index: nullcontext(),
    "independent letters": independent,
    "trigrams, no phrases": trigram,
    "clue does not lean phrases": lambda index: mock.patch.dict(vars(index), lean=0.0),
    "most likely letters (no local search)": lambda index: mock.patch.object(LocalSearch, "improve", unrepaired),
    "no second look": unread,
    "no close calls": lambda index: mock.patch("regis.solving.pipeline.settled", as_it_stands),
    "looked at once": lambda index: mock.patch.object(second_look, "ROUNDS", 1),
    "collapsed grids are not begun again": patient,
    "only answers in lists are read": lambda index: mock.patch.object(second_look, "_made", lambda *_: []),
    "squares below 99.9 % are in doubt": lambda index: mock.patch.object(second_look, "SURE", 0.999),
    "8 strings of a slot are read": lambda index: mock.patch.object(second_look, "STRINGS", 8),
    "the reader is trusted 0.5 times": trusted(0.5),
    "the reader is trusted 1.5 times": trusted(1.5),
    "names of entries not read": lambda index: mock.patch(
        "regis.solving.asking.wordings",
        lambda puzzle, believed: {s: puzzle.clues.get(s, "") for s in puzzle.grid.slots},
    ),
    "answers do not join clues": lambda index: mock.patch.object(propagation, "BELIEVED", 2.0),
    "no search for squares and themes": unsearched,
    "messages do not begin gently": lambda index: mock.patch.object(propagation, "GENTLE", 0),
    "5 rounds": lambda index: mock.patch.object(propagation, "ROUNDS", 5),
    "10 rounds": lambda index: mock.patch.object(propagation, "ROUNDS", 10),
    "100 rounds": lambda index: mock.patch.object(propagation, "ROUNDS", 100),
    "lists cut at 5,000": lambda index: mock.patch.object(ranking, "LIMIT", 5000),
    "lists cut at 1,000": lambda index: mock.patch.object(ranking, "LIMIT", 1000),
    "lists cut at 100": lambda index: mock.patch.object(ranking, "LIMIT", 100),
}


def main() -> None:
    parser = asked.parser(__doc__, sample=True)
    parser.add_argument("--only", choices=list(VARIANTS), action="append", help="only this row; may be repeated")
    arguments = parser.parse_args()
    index, items = Index.open(arguments.index), plain.puzzles(arguments)
    print(f"{len(items)} puzzles, index {index.fingerprint}")
    print(f"{'':<38}{plain.HEADS} {'seconds':>7}")
    for name in arguments.only or VARIANTS:
        with VARIANTS[name](index):
            row, _ = plain.solve(items, index, name)
        print(f"{name:<38}{plain.shares(row)} {row.median_seconds:7.2f}", flush=True)


if __name__ == "__main__":
    main()
