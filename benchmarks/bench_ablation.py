"""What each part of the fill is worth: `python benchmarks/bench_ablation.py ARCHIVE --index DIR --per-weekday 6`.

Solves the plain puzzles of an archive again and again, each time with one part switched off or changed, and scores
them: letters, words, perfect grids, and median seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from types import ModuleType
from unittest import mock

import cli_options
import numpy as np
import plain_puzzles

from regis.candidates.ranking import ranker
from regis.index import Index
from regis.models.strings.letter_model import LetterModel
from regis.models.strings.string_model import StringModel
from regis.solving.belief import LocalSearch
from regis.solving.inference import propagation
from regis.solving.moves import PLAN, Move, plan_without, reader_pass


def independent_letters(index: Index) -> mock._patch_dict:
    """Patch in letters that depend only on their frequency in answers, not on their neighbors, and no phrases."""
    counts = index.letter_model.transitions.mean(axis=(0, 1))
    alone = StringModel(LetterModel(np.broadcast_to(counts / counts.sum(), (27, 27, 27)).copy()))
    return plain_puzzles.with_string_model(index, alone)


def trigrams_only(index: Index) -> mock._patch_dict:
    """Patch in the letter model without phrases."""
    return plain_puzzles.with_string_model(
        index, StringModel(index.letter_model, short_strings=index.string_model.short_strings)
    )


def keep_letters(self: LocalSearch, cells: dict, *_: object) -> dict:
    """Replace the local search: change nothing."""
    return dict(cells)


def scale_reader(factor: float) -> Callable[[Index], object]:
    """Return a patch that multiplies the reader's odds by `factor`."""
    return lambda index: (
        mock.patch.object(index.cross_encoder, "trust", factor) if index.has_cross_encoder else nullcontext()
    )


def with_setting(module: ModuleType, table: str, **changes: float) -> object:
    """Patch numbers of a module's table of settings."""
    return mock.patch.object(module, table, replace(getattr(module, table), **changes))


VARIANTS: dict[str, Callable[[Index], object]] = {
    "as it is": nullcontext,
    "independent letters": independent_letters,
    "trigrams, no phrases": trigrams_only,
    "clue does not lean phrases": lambda index: mock.patch.dict(vars(index), clue_bias=0.0),
    "most likely letters (no local search)": lambda index: mock.patch.object(LocalSearch, "improve", keep_letters),
    "the reader is trusted 0.5 times": scale_reader(0.5),
    "the reader is trusted 1.5 times": scale_reader(1.5),
    "names of entries not read": lambda index: mock.patch(
        "regis.solving.retrieval.resolve_references",
        lambda puzzle, believed: {s: puzzle.clues.get(s, "") for s in puzzle.grid.slots},
    ),
    "answers do not join clues": lambda index: mock.patch.object(propagation, "DOUBTFUL_BELOW", 2.0),
    "messages do not begin gently": lambda index: with_setting(propagation, "PROPAGATION", warmup_rounds=0),
    "5 rounds": lambda index: with_setting(propagation, "PROPAGATION", max_rounds=5),
    "10 rounds": lambda index: with_setting(propagation, "PROPAGATION", max_rounds=10),
    "100 rounds": lambda index: with_setting(propagation, "PROPAGATION", max_rounds=100),
    "lists cut at 5,000": lambda index: with_setting(ranker, "CANDIDATES", max_list_length=5000),
    "lists cut at 1,000": lambda index: with_setting(ranker, "CANDIDATES", max_list_length=1000),
    "lists cut at 100": lambda index: with_setting(ranker, "CANDIDATES", max_list_length=100),
    "looked at once": lambda index: with_setting(reader_pass, "READER_PASS", max_rounds=1),
    "collapsed grids are not begun again": lambda index: with_setting(reader_pass, "READER_PASS", collapsed_share=1.0),
    "only answers in lists are read": lambda index: with_setting(reader_pass, "READER_PASS", min_letter_p=1.0),
    "squares below 99.9 % are in doubt": lambda index: with_setting(reader_pass, "READER_PASS", sure_letter_p=0.999),
    "8 strings of a slot are read": lambda index: with_setting(reader_pass, "READER_PASS", max_strings_per_slot=8),
    "no grid is given up": lambda index: with_setting(propagation, "PROPAGATION", give_up_share=1.0),
}
"""Patches for parts that aren't moves."""

PLANS: dict[str, Mapping[str, Move]] = {
    "no second look": plan_without("reader pass", "letter swaps"),
    "no close calls": plan_without("letter swaps"),
    **{f"no {name}": plan_without(name) for name in PLAN if name not in ("reader pass", "letter swaps")},
}
"""The plan less a row."""


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True)
    parser.add_argument("--only", choices=[*VARIANTS, *PLANS], action="append", help="only this row; may be repeated")
    arguments = parser.parse_args()
    index, items = Index.open(arguments.index), plain_puzzles.read_items(arguments)
    print(f"{len(items)} puzzles, index {index.fingerprint}")
    print(f"{'':<38}{plain_puzzles.SHARE_HEADINGS} {'seconds':>7}")
    for name in arguments.only or [*VARIANTS, *PLANS]:
        with VARIANTS.get(name, nullcontext)(index):
            row, _ = plain_puzzles.solve_items(items, index, name, PLANS.get(name, PLAN))
        print(f"{name:<38}{plain_puzzles.format_shares(row)} {row.median_seconds:7.2f}", flush=True)


if __name__ == "__main__":
    main()
