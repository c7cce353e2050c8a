"""How good the finders are before any grid is filled: `python benchmarks/bench_find.py ARCHIVE --index DIR`.

Looks up every clue of the archive and notes the rank and probability of the right answer: recall at 1, 10, 100, and
1,000, the share of answers on any list, mean reciprocal rank, log loss (a missing answer has the probability of its
string in the letter model), expected calibration error, and milliseconds per clue. `--by weekday|length|kind` splits
the table. `--reliability` shows how often the first candidate is right by how sure it is. `--ablation` shows what each
finder gives alone and what is lost without it. Three more columns show the letters, words, and grids that `belief` then
gets right. It fits the weights again for each row, but learns no reranker.

As in solving, the clues of a puzzle are looked up together, and those that name others ("See 17-Across") are worded by
`resolve_references`, with no answer known yet.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import cli_options
import numpy as np
import plain_puzzles

from regis.building.settings import ENCODERS
from regis.building.training import ranking_weights
from regis.building.training.train import hide_newest_year
from regis.candidates.finder import Query
from regis.candidates.finders import FINDERS
from regis.candidates.ranking.ranker import Ranker
from regis.evaluation import score
from regis.evaluation.archive import ArchivePuzzle
from regis.index import Index
from regis.index.tables import schema
from regis.models.strings.string_model import StringModel
from regis.models.text import clue_form
from regis.puzzle import Cell, Puzzle, alphabet
from regis.solving.pipeline import solve
from regis.solving.retrieval import resolve_references
from regis.system.parallel.workers import Workers, map_tasks, results_in_order
from regis.system.progress import show_nothing

CALIBRATION_BINS = 20


class ClueOutcome(NamedTuple):
    weekday: str
    length: int
    kind: str
    rank: float  # 0 is first; inf if the answer is in no list
    loss: float  # natural log
    best_probability: float  # probability of the first candidate
    first_is_right: bool
    seconds: float


class SolvedItem(NamedTuple):
    puzzle: Puzzle
    truth: Mapping[Cell, str]
    weekday: str


def read_solved_items(items: Iterable[ArchivePuzzle]) -> Iterator[SolvedItem]:
    """Read the puzzles of `items`, without letters that somebody wrote in, and their solutions."""
    for item in items:
        yield SolvedItem(*plain_puzzles.read_solved(item.file), item.date.strftime("%a") if item.date else "-")


@dataclass(frozen=True)
class AskTask:
    """How to query puzzles: everything that workers get (regis.system.parallel.workers)."""

    index_folder: Path
    fingerprint: str

    def __call__(self) -> Callable[[SolvedItem], list[ClueOutcome]]:
        index = Index.open_by_fingerprint(self.index_folder, self.fingerprint)
        return lambda item: list(ask_clues([item], index))


def ask_clues(puzzles: Iterable[SolvedItem], index: Index) -> Iterator[ClueOutcome]:
    """Query all clues of the puzzles."""
    ranker = index.get_cached(Ranker)
    strings = StringModel(index.letter_model, short_strings=index.string_model.short_strings)
    for puzzle, truth, weekday in puzzles:
        start = time.perf_counter()
        queries = [Query(clue, "?" * len(slot)) for slot, clue in resolve_references(puzzle, {}).items()]
        if index.transformer is not None:
            index.transformer.begin_puzzle(query.clue for query in queries)
        lists = ranker.rank_queries(queries)
        seconds = (time.perf_counter() - start) / len(lists)
        for slot, found in zip(puzzle.grid.slots, lists, strict=True):
            answer = "".join(truth[cell] for cell in slot.cells)
            place = found.find_answer(answer)
            unlisted = np.log(max(found.missing, 1e-9)) + strings.string_loglik(alphabet.letter_codes(answer))
            loss = -(unlisted if place is None else found.logp[place])
            best = float(np.exp(found.logp[0])) if len(found) else 0.0
            rank, kind = float("inf") if place is None else place, clue_form.classify_clue(puzzle.clues[slot])
            yield ClueOutcome(weekday, len(slot), kind, rank, float(loss), best, place == 0, seconds)


def format_row(label: str, outcomes: list[ClueOutcome]) -> str:
    """Format the ranks, losses, calibration error, and milliseconds of some clues."""
    rank = np.array([o.rank for o in outcomes])
    recall = " ".join(f"{100 * (rank < k).mean():6.1f}" for k in (1, 10, 100, 1000, np.inf))
    best, right = np.array([o.best_probability for o in outcomes]), np.array([o.first_is_right for o in outcomes])
    bins = np.minimum((best * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    error = sum(abs(best[bins == b].sum() - right[bins == b].sum()) for b in range(CALIBRATION_BINS)) / len(outcomes)
    ms = 1000 * np.mean([o.seconds for o in outcomes])
    loss = np.mean([o.loss for o in outcomes])
    reciprocal_rank = (1 / (1 + rank)).mean()
    return f"{label:<20}{len(outcomes):7d} {recall} {reciprocal_rank:6.3f} {loss:6.2f} {100 * error:6.2f} {ms:6.2f}"


def reliability_rows(outcomes: list[ClueOutcome]) -> Iterator[str]:
    """Yield how often the first candidate is right, by tenths of its probability."""
    yield f"{'first claimed to be':<20}{'clues':>7} {'said %':>7} {'right %':>7}"
    for tenth in range(10):
        those = [o for o in outcomes if min(int(10 * o.best_probability), 9) == tenth]
        if those:
            claimed, right = np.mean([o.best_probability for o in those]), np.mean([o.first_is_right for o in those])
            yield f"{f'{10 * tenth} to {10 * tenth + 10} %':<20}{len(those):7d} {100 * claimed:7.1f} {100 * right:7.1f}"


def fill_shares(puzzles: Sequence[SolvedItem], index: Index) -> str:
    """Format the percentages of letters, words, and whole grids that are right."""
    scores = [score.score_fill(solve(puzzle, index).fill, puzzle, truth) for puzzle, truth, _ in puzzles]
    rows = [(one.letters_right, one.words_right, one.is_whole, one.letter_count, one.word_count, 1) for one in scores]
    right, all_ = np.split(np.sum(rows, axis=0), 2)
    return "".join(f"{share:7.1f}" for share in 100 * right / all_)


def ablation_rows(
    puzzles: Sequence[SolvedItem], index_folder: Path, chosen_rows: Sequence[str] | None
) -> Iterator[str]:
    """Yield a row for the index as it is; then, with weights fitted again, for all finders, each alone, all but each.

    They are fitted with the newest year hidden, on a base encoder learned for that, and without the reranker, so the
    first two rows show what these add.
    """
    all_finders = {name: finder for name, finder in FINDERS.items() if name != "pattern"}
    rest = {"pattern": FINDERS["pattern"]}
    rows = {"all": all_finders, "pattern alone": {}}
    rows |= {f"{name} alone": {name: finder} for name, finder in all_finders.items()}
    rows |= {f"no {name}": {k: f for k, f in all_finders.items() if k != name} for name in all_finders}
    index = Index.open_with_clues(index_folder)
    yield format_row("as it is", list(ask_clues(puzzles, index))) + fill_shares(puzzles, index)
    ranking_weights.RANKING = replace(ranking_weights.RANKING, rerank_clues=0)
    with tempfile.TemporaryDirectory() as place:
        before = hide_newest_year(index, Path(place), ENCODERS.epochs, show_nothing)
        for title, finders in rows.items():
            if chosen_rows and title not in chosen_rows:
                continue
            FINDERS.clear()
            FINDERS.update(finders | rest)
            index = Index.open(index_folder)
            weights = ranking_weights.fit_weights(index, before).to_json()
            index.fitted_values = index.fitted_values | {schema.WEIGHTS_KEY: weights}
            yield format_row(title, list(ask_clues(puzzles, index))) + fill_shares(puzzles, index)


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True)
    parser.add_argument("--by", choices=["weekday", "length", "kind"], default="weekday")
    parser.add_argument("--reliability", action="store_true")
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side; not for the ablation")
    parser.add_argument("--cluster", help="the address of a Dask scheduler (docs/cluster.md); not for the ablation")
    parser.add_argument("--only", action="append", help="only this row of the ablation; may be repeated")
    arguments = parser.parse_args()
    headings = ["@1", "@10", "@100", "@1000", "any", "mrr", "loss", "ece%", "ms"]
    headings += ["letter", "word", "whole"] if arguments.ablation else []
    print(f"{'':<20}{'clues':>7} {' '.join(f'{heading:>6}' for heading in headings)}")
    puzzles = read_solved_items(plain_puzzles.read_items(arguments))
    if arguments.ablation:
        for line in ablation_rows(list(puzzles), arguments.index, arguments.only):
            print(line, flush=True)
        return
    workers = Workers(arguments.jobs, arguments.cluster or "", lambda sentence: print(sentence, file=sys.stderr))
    index = Index.open(arguments.index)
    tasks = map_tasks(AskTask(index.folder.absolute(), index.fingerprint), puzzles, workers)
    done = [one for some in results_in_order(tasks) for one in some]
    groups: dict[object, list[ClueOutcome]] = defaultdict(list)
    for outcome in done:
        groups[getattr(outcome, arguments.by)].append(outcome)
    order = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "-"]
    for name in sorted(groups, key=lambda g: order.index(g) if g in order else g):
        print(format_row(str(name), groups[name]))
    print(format_row("all", done))
    if arguments.reliability:
        print("", *reliability_rows(done), sep="\n")


if __name__ == "__main__":
    main()
