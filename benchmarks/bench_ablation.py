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

import cli_options
import installation  # noqa: F401
import numpy as np
import plain_puzzles

from regis.candidates.ranking import ranker
from regis.index import Index
from regis.models.strings.letter_model import LetterModel
from regis.models.strings.string_model import StringModel
from regis.puzzle import Puzzle
from regis.solving.filler import Fill, SolverInput
from regis.solving.inference import propagation
from regis.solving.inference.local_search import LocalSearch
from regis.solving.moves import reader_pass
from regis.solving.rebus.search import RebusSearch
from regis.solving.themes.search import ThemeSearch


def independent_letters(index: Index) -> mock._patch_dict:
    """Patch in letters that know nothing of their neighbours, only their frequency in answers, and no phrases."""
    counts = index.letter_model.transitions.mean(axis=(0, 1))
    alone = StringModel(LetterModel(np.broadcast_to(counts / counts.sum(), (27, 27, 27)).copy()))
    return plain_puzzles.with_string_model(index, alone)


def trigrams_only(index: Index) -> mock._patch_dict:
    """Patch in the letter model without phrases."""
    return plain_puzzles.with_string_model(
        index, StringModel(index.letter_model, short_strings=index.string_model.short_strings)
    )


def keep_letters(self: LocalSearch, cells: dict, *_: object) -> dict:
    """Stand in for the local search: change nothing."""
    return dict(cells)


def scale_reader(factor: float) -> Callable[[Index], object]:
    """Return a patch that counts the reader's odds `factor` times."""
    return lambda index: (
        mock.patch.object(index.cross_encoder, "trust", factor) if index.has_cross_encoder else nullcontext()
    )


def without_hypotheses(index: Index) -> ExitStack:
    """Patch out the searches for rebus squares and themes."""
    patches = ExitStack()
    patches.enter_context(mock.patch.object(RebusSearch, "find_squares", lambda self, fill, squares: ({}, fill)))
    patches.enter_context(mock.patch.object(ThemeSearch, "find_theme", lambda self, fill: (None, self.inputs, fill)))
    return patches


def keep_fill(puzzle: Puzzle, inputs: SolverInput, fill: Fill, deadline: float) -> Fill:
    """Stand in for a step of the solver: change nothing."""
    return fill


def without_reader(index: Index) -> ExitStack:
    """Patch out the reader."""
    patches = ExitStack()
    patches.enter_context(mock.patch("regis.solving.pipeline.run_reader_pass", lambda *arguments: arguments[1:3]))
    patches.enter_context(mock.patch("regis.solving.pipeline.apply_letter_swaps", keep_fill))
    return patches


def without_restarts(index: Index) -> ExitStack:
    """Patch out giving up, and beginning a grid again with the reader's evidence."""
    patches = ExitStack()
    patches.enter_context(mock.patch.object(propagation, "GIVE_UP_SHARE", 1.0))
    patches.enter_context(mock.patch.object(reader_pass, "COLLAPSED_SHARE", 1.0))
    return patches


VARIANTS: dict[str, Callable[[Index], object]] = {
    "as it is": lambda index: nullcontext(),
    "independent letters": independent_letters,
    "trigrams, no phrases": trigrams_only,
    "clue does not lean phrases": lambda index: mock.patch.dict(vars(index), clue_bias=0.0),
    "most likely letters (no local search)": lambda index: mock.patch.object(LocalSearch, "improve", keep_letters),
    "no second look": without_reader,
    "no close calls": lambda index: mock.patch("regis.solving.pipeline.apply_letter_swaps", keep_fill),
    "looked at once": lambda index: mock.patch.object(reader_pass, "MAX_ROUNDS", 1),
    "collapsed grids are not begun again": without_restarts,
    "only answers in lists are read": lambda index: mock.patch.object(reader_pass, "_swapped_strings", lambda *_: []),
    "squares below 99.9 % are in doubt": lambda index: mock.patch.object(reader_pass, "SURE_LETTER_P", 0.999),
    "8 strings of a slot are read": lambda index: mock.patch.object(reader_pass, "MAX_STRINGS_PER_SLOT", 8),
    "the reader is trusted 0.5 times": scale_reader(0.5),
    "the reader is trusted 1.5 times": scale_reader(1.5),
    "names of entries not read": lambda index: mock.patch(
        "regis.solving.retrieval.resolve_references",
        lambda puzzle, believed: {s: puzzle.clues.get(s, "") for s in puzzle.grid.slots},
    ),
    "answers do not join clues": lambda index: mock.patch.object(propagation, "CONFIDENT_ANSWER_P", 2.0),
    "no search for squares and themes": without_hypotheses,
    "messages do not begin gently": lambda index: mock.patch.object(propagation, "WARMUP_ROUNDS", 0),
    "5 rounds": lambda index: mock.patch.object(propagation, "MAX_ROUNDS", 5),
    "10 rounds": lambda index: mock.patch.object(propagation, "MAX_ROUNDS", 10),
    "100 rounds": lambda index: mock.patch.object(propagation, "MAX_ROUNDS", 100),
    "lists cut at 5,000": lambda index: mock.patch.object(ranker, "MAX_LIST_LENGTH", 5000),
    "lists cut at 1,000": lambda index: mock.patch.object(ranker, "MAX_LIST_LENGTH", 1000),
    "lists cut at 100": lambda index: mock.patch.object(ranker, "MAX_LIST_LENGTH", 100),
}


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True)
    parser.add_argument("--only", choices=list(VARIANTS), action="append", help="only this row; may be repeated")
    arguments = parser.parse_args()
    index, items = Index.open(arguments.index), plain_puzzles.read_items(arguments)
    print(f"{len(items)} puzzles, index {index.fingerprint}")
    print(f"{'':<38}{plain_puzzles.SHARE_HEADINGS} {'seconds':>7}")
    for name in arguments.only or VARIANTS:
        with VARIANTS[name](index):
            row, _ = plain_puzzles.solve_items(items, index, name)
        print(f"{name:<38}{plain_puzzles.format_shares(row)} {row.median_seconds:7.2f}", flush=True)


if __name__ == "__main__":
    main()
