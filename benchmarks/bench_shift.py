"""Puzzles unlike the corpus: `python benchmarks/bench_shift.py ARCHIVE --index DIR --per-weekday 6`.

Shares of the answers that were ever used are hidden from all lists, the rarest and of these the newest first, and
nobody is told: only lists forget them, what was learned from their clues stays. The plain puzzles of an archive are
solved so: letters, words and whole grids, with and without the second look, and for each span of confidence how much of
it was right. With `--unheard` every clue is, besides, like none before: what remembers the words of past clues, and the
transformer that read them, is silent (MEANING says who is not).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")

import asked
import installed  # noqa: F401
import numpy as np
import plain

from regis.candidates import ranking
from regis.candidates.candidate_list import LEAST, CandidateList
from regis.candidates.finders import FINDERS
from regis.candidates.found import Findings, Found
from regis.candidates.ranking import Ranker
from regis.evaluation import calibration
from regis.evaluation.calibration import Claim
from regis.evaluation.records import claims as claimed
from regis.index import Index, Partition
from regis.models.short_strings import ShortStrings
from regis.puzzle.alphabet import row_hashes

MEANING = ("meaning", "reference", "blanks", "pattern")  # the finders that still speak of a clue like none before


def hidden(part: Partition, share: float) -> np.ndarray:
    """The rows of the answers of one length that are hidden."""
    used = np.flatnonzero(part.count > 0)
    order = np.lexsort((-part.last[used].astype(np.int64), part.count[used]))
    return used[order[: int(share * len(used))]]


@contextmanager
def hiding(index: Index, share: float) -> Iterator[None]:
    """Lists without the hidden answers, all else of a list made likelier in proportion."""
    gone = {part.length: row_hashes(part.letters[hidden(part, share)]) for part in index.parts()}

    def listed(length: int) -> np.ndarray:
        letters = index[length].letters
        return letters[~np.isin(row_hashes(letters), gone.get(length, []))]

    strings = replace(index.strings, short=ShortStrings(index.letters, listed))
    ranked: Callable[..., CandidateList] = Ranker.ranked

    def kept(self: Ranker, *arguments: object, **named: object) -> CandidateList:
        found = ranked(self, *arguments, **named)
        left = found.keep(~np.isin(row_hashes(found.letters), gone.get(found.letters.shape[1], [])))
        more = np.log(max(np.exp(found.logp).sum(), LEAST) / max(np.exp(left.logp).sum(), LEAST))
        return CandidateList(left.letters, left.logp + more, left.missing, left.from_clue, left.explain)

    with mock.patch.object(Ranker, "ranked", kept), plain.with_strings(index, strings):
        yield


def unheard(share: float = 1.0) -> mock._patch:
    """For such a share of clues, lists of which past clues with the same words, or who read them, know nothing."""
    search = ranking.search
    assert set(MEANING) <= set(FINDERS), "no such finder"
    silent = {name for name in FINDERS if name not in MEANING}

    def found(*arguments: object, **named: object) -> Iterator[tuple[int, Findings]]:
        for place, findings in search(*arguments, **named):
            if zlib.crc32(findings.query.clue.encode()) < share * 2**32:
                nothing = {name: Found.nothing() for name in findings.found.keys() & silent}
                findings = findings._replace(found={**findings.found, **nothing})
            yield place, findings

    return mock.patch.object(ranking, "search", found)


def main() -> None:
    parser = asked.parser(__doc__, sample=True)
    parser.add_argument("--hidden", type=int, nargs="+", default=[0, 10, 20, 30], metavar="PERCENT")
    parser.add_argument("--unheard", action="store_true", help="clues are like none before")
    arguments = parser.parse_args()
    index, items = Index.open(arguments.index), plain.puzzles(arguments)
    print(f"{len(items)} puzzles, index {index.fingerprint}; of letters called so sure, in per cent, so many are right")
    print(f"{'answers hidden':<34}{plain.HEADS} {'error':>7}")
    for share in arguments.hidden:
        for name, looked in (
            ("", nullcontext()),
            (", no second look", mock.patch("regis.solving.pipeline.look", lambda *known: known[1:3])),
        ):
            with ExitStack() as changed:
                changed.enter_context(hiding(index, share / 100))
                changed.enter_context(looked)
                changed.enter_context(unheard() if arguments.unheard else nullcontext())
                row, records = plain.solve(items, index, f"{share} %{name}")
            claims, _ = claimed(records)
            print(f"{row.label:<34}{plain.shares(row)} {100 * calibration.calibration_error(claims):7.2f}")
            print(f"    {', '.join(spans(claims))}", flush=True)


def spans(claims: Sequence[Claim]) -> Iterator[str]:
    """For each span of confidence how much was right."""
    for one in calibration.bins(claims):
        if one.right is not None:
            yield f"{one.label}: {100 * one.right:.1f} of {one.claims}"


if __name__ == "__main__":
    main()
