"""Puzzles unlike the corpus: `python benchmarks/bench_shift.py ARCHIVE --index DIR --per-weekday 6`.

Shares of the answers that were ever used are hidden from all lists, the rarest and of these the newest first, and
nobody is told: only lists forget them, what was learned from their clues stays. The plain puzzles of an archive are
solved so: letters, words and whole grids, with and without the second look, and for each span of confidence how much of
it was right.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")

import installed  # noqa: F401
import numpy as np
from bench_ablation import plain
from tqdm import tqdm

from regis.candidates.candidate_list import CandidateList
from regis.candidates.ranking import Ranker
from regis.evaluation import archive, calibration, score
from regis.evaluation.calibration import Claim
from regis.index import Index, Partition
from regis.puzzle import formats
from regis.puzzle.alphabet import row_hashes
from regis.solving.pipeline import solve
from regis.system.progress import silent


def hidden(part: Partition, share: float) -> np.ndarray:
    """The rows of the answers of one length that are hidden."""
    used = np.flatnonzero(part.count > 0)
    order = np.lexsort((-part.last[used].astype(np.int64), part.count[used]))
    return used[order[: int(share * len(used))]]


def hiding(index: Index, share: float) -> mock._patch:
    """Lists without the hidden answers, all else of a list made likelier in proportion."""
    gone = {part.length: row_hashes(part.letters[hidden(part, share)]) for part in index.parts()}
    ranked: Callable[..., CandidateList] = Ranker.ranked

    def kept(self: Ranker, *arguments: object, **named: object) -> CandidateList:
        found = ranked(self, *arguments, **named)
        left = found.keep(~np.isin(row_hashes(found.letters), gone.get(found.letters.shape[1], [])))
        more = np.log(max(np.exp(found.logp).sum(), 1e-12) / max(np.exp(left.logp).sum(), 1e-12))
        return CandidateList(left.letters, left.logp + more, left.missing, left.from_clue, left.explain)

    return mock.patch.object(Ranker, "ranked", kept)


def measure(items: list[archive.Item], index: Index, label: str) -> str:
    """One row of the table, and below it how honest the confidence of letters was."""
    right = letters = words_right = words = whole = 0
    claims: list[Claim] = []
    for item in tqdm(items, desc=label, leave=False, disable=None):
        truth = score.truth(item.file)
        puzzle = formats.read(item.file)[0]
        solution = solve(puzzle, index).solution
        got, cells = score.score(solution, puzzle, truth), score.right_cells(solution, puzzle, truth)
        claims += [Claim(p, cell in cells) for cell, p in solution.confidence.items()]
        right, letters = right + got.letters_right, letters + got.letters
        words_right, words, whole = words_right + got.words_right, words + got.words, whole + got.whole
    numbers = f"{100 * right / letters:8.2f} {100 * words_right / words:7.2f} {100 * whole / len(items):7.1f}"
    spans = ", ".join(
        f"{one.label}: {100 * one.right:.1f} of {one.claims}"
        for one in calibration.bins(claims)
        if one.right is not None
    )
    return f"{label:<34}{numbers} {100 * calibration.calibration_error(claims):7.2f}\n    {spans}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--per-weekday", type=int, help="only so many puzzles of each weekday")
    parser.add_argument("--hidden", type=int, nargs="+", default=[0, 10, 20, 30], metavar="PERCENT")
    arguments = parser.parse_args()
    index = Index.open(arguments.index)
    items, _ = archive.read(arguments.archive, silent)
    items = archive.sample(list(plain(items)), None, arguments.per_weekday)
    print(f"{len(items)} puzzles, index {index.fingerprint}; of letters called so sure, in per cent, so many are right")
    print(f"{'answers hidden':<34}{'letters':>8} {'words':>7} {'whole':>7} {'error':>7}")
    for share in arguments.hidden:
        with hiding(index, share / 100):
            for name, looked in (
                ("", nullcontext()),
                (", no second look", mock.patch("regis.solving.pipeline.look", lambda *known: known[1:3])),
            ):
                with looked:
                    print(measure(items, index, f"{share} %{name}"), flush=True)


if __name__ == "__main__":
    main()
