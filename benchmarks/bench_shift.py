"""Puzzles unlike the corpus: `python benchmarks/bench_shift.py ARCHIVE --index DIR --per-weekday 6`.

Hides shares of the used answers from all lists, the rarest and newest first. Only lists forget them; what was learned
from their clues stays. Then it solves the plain puzzles of an archive: letters, words, and perfect grids, with and
without the second look, and for each range of confidence how much was right. `--unheard` also makes every clue a new
one: it silences what remembers the words of past clues, and the transformer that read them (see MEANING).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from unittest import mock

import cli_options
import numpy as np
import plain_puzzles

from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import FinderResult, QueryResults
from regis.candidates.finders import FINDERS
from regis.candidates.ranking import ranker
from regis.candidates.ranking.ranker import Ranker
from regis.evaluation import calibration
from regis.evaluation.records import collect_claims
from regis.index import Index, Partition
from regis.models.arrays import MIN_PROBABILITY
from regis.models.strings.string_model import ShortStrings
from regis.puzzle.alphabet import row_hashes
from regis.solving.moves import PLAN, plan_without

UNSHAKEN_FINDERS = ("meaning", "reference", "blanks", "pattern")  # these still know a clue without precedent


def hidden_rows(partition: Partition, share: float) -> np.ndarray:
    """Return the rows of the answers of one length that are hidden.

    Parameters
    ----------
    share : of the used answers, 0 to 1.

    Returns
    -------
    (hidden,) integers, rows of `partition`.
    """
    used = np.flatnonzero(partition.use_counts > 0)
    order = np.lexsort((-partition.last_years[used].astype(np.int64), partition.use_counts[used]))
    return used[order[: int(share * len(used))]]


@contextmanager
def hide_answers(index: Index, share: float) -> Iterator[None]:
    """Hide answers from all lists, and make the rest of each list likelier in proportion."""
    hidden = ((part, hidden_rows(part, share)) for part in index.partitions())
    hidden_hashes = {part.length: row_hashes(part.answer_letters[rows]) for part, rows in hidden}

    def visible_letters(length: int) -> np.ndarray:
        letters = index[length].answer_letters
        return letters[~np.isin(row_hashes(letters), hidden_hashes.get(length, []))]

    strings = replace(index.string_model, short_strings=ShortStrings(index.letter_model, visible_letters))
    ranked: Callable[..., CandidateList] = Ranker.rank_results

    def rank_visible(self: Ranker, *arguments: object, **named: object) -> CandidateList:
        full = ranked(self, *arguments, **named)
        left = full.keep_rows(~np.isin(row_hashes(full.letters), hidden_hashes.get(full.letters.shape[1], [])))
        more = np.log(max(np.exp(full.logp).sum(), MIN_PROBABILITY) / max(np.exp(left.logp).sum(), MIN_PROBABILITY))
        return CandidateList(left.letters, left.logp + more, left.missing, left.explain)

    with mock.patch.object(Ranker, "rank_results", rank_visible), plain_puzzles.with_string_model(index, strings):
        yield


def silence_past_clues(share: float = 1.0) -> mock._patch:
    """For a share of the clues, silence the finders that learn from past clues with the same words."""
    ask = ranker.ask_finders
    assert set(UNSHAKEN_FINDERS) <= set(FINDERS), "no such finder"
    silent = {name for name in FINDERS if name not in UNSHAKEN_FINDERS}

    def ask_silenced(*arguments: object, **named: object) -> Iterator[tuple[int, QueryResults]]:
        for place, query_results in ask(*arguments, **named):
            if zlib.crc32(query_results.query.clue.encode()) < share * 2**32:
                nothing = {name: FinderResult.empty() for name in query_results.results.keys() & silent}
                query_results = query_results._replace(results={**query_results.results, **nothing})
            yield place, query_results

    return mock.patch.object(ranker, "ask_finders", ask_silenced)


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True)
    parser.add_argument("--hidden", type=int, nargs="+", default=[0, 10, 20, 30], metavar="PERCENT")
    parser.add_argument("--unheard", action="store_true", help="clues are like none before")
    arguments = parser.parse_args()
    index, items = Index.open(arguments.index), plain_puzzles.read_items(arguments)
    print(f"{len(items)} puzzles, index {index.fingerprint}; of letters called so sure, in per cent, so many are right")
    print(f"{'answers hidden':<34}{plain_puzzles.SHARE_HEADINGS} {'error':>7}")
    for share in arguments.hidden:
        for name, plan in (("", PLAN), (", no second look", plan_without("reader pass"))):
            with ExitStack() as patches:
                patches.enter_context(hide_answers(index, share / 100))
                patches.enter_context(silence_past_clues() if arguments.unheard else nullcontext())
                row, records = plain_puzzles.solve_items(items, index, f"{share} %{name}", plan)
            claims, _ = collect_claims(records)
            error = 100 * calibration.calibration_error(claims)
            print(f"{row.label:<34}{plain_puzzles.format_shares(row)} {error:7.2f}")
            bins = (one for one in calibration.bin_claims(claims) if one.right_share is not None)
            shares = (f"{one.label}: {100 * one.right_share:.1f} of {one.claim_count}" for one in bins)
            print(f"    {', '.join(shares)}", flush=True)


if __name__ == "__main__":
    main()
