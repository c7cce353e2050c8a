"""How good the finders are before any grid is touched: `python benchmarks/bench_find.py ARCHIVE --index DIR`.

Every clue of the archive is asked alone, and the rank and the probability of the right answer in the weighed list are
noted: recall at 1, 10, 100 and 1,000, the share of answers in any list, mean reciprocal rank, log loss (the probability
of a missing answer counts as that of each string of letters in the letter model), expected calibration error, and
milliseconds a clue. `--by weekday|length|kind` splits the table; `--reliability` shows how often the first candidate is
right by how sure it is. `--ablation` shows what each finder gives alone and what is lost without it, and, in three more
columns, what that does to the grids: letters, words and whole grids that `belief` gets right. For each row the weights
are fitted again, so that the others may do what they can, but no reranker is learned.

As the solver does, all clues of a puzzle are asked together, and those that name others ("See 17-Across") as
`cross_references` words them while no answer is known yet.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import asked
import installed  # noqa: F401
import numpy as np
import plain

from regis.building.training import weights
from regis.building.training.train import EPOCHS, hidden
from regis.candidates.finders import FINDERS
from regis.candidates.query import Query
from regis.candidates.ranking import Ranker
from regis.evaluation import score
from regis.evaluation.archive import Item
from regis.index import Index, schema
from regis.models import clue_form
from regis.models.unlisted import StringModel
from regis.puzzle import Cell, Puzzle, alphabet, formats
from regis.solving.cross_references import wordings
from regis.solving.pipeline import solve
from regis.system import crew
from regis.system.crew import Crew
from regis.system.progress import silent

BINS = 20


class Outcome(NamedTuple):
    """What became of one clue."""

    weekday: str
    length: int
    kind: str
    rank: float  # 0 is first; inf where the answer is in no list
    loss: float  # natural log
    best: float  # probability of the first candidate
    right: bool  # whether the first candidate is right
    seconds: float


class Known(NamedTuple):
    """A puzzle and its solution."""

    puzzle: Puzzle
    truth: Mapping[Cell, str]
    weekday: str


def known(items: Iterable[Item]) -> Iterator[Known]:
    """The puzzles of `items`, without letters that somebody wrote in, with their solutions."""
    for item in items:
        truth = score.truth(item.file)
        assert truth is not None, "it is plain"
        yield Known(
            replace(formats.read(item.file)[0], given={}), truth, item.date.strftime("%a") if item.date else "-"
        )


@dataclass(frozen=True)
class Asking:
    """How puzzles are asked: all that goes to the workers (regis.system.crew)."""

    folder: Path
    fingerprint: str

    def __call__(self) -> Callable[[Known], list[Outcome]]:
        index = Index.same(self.folder, self.fingerprint)
        return lambda known: list(outcomes([known], index))


def shared_out(puzzles: Iterable[Known], index: Index, workers: Crew) -> Iterator[Outcome]:
    """The same as `outcomes`, by others too."""
    make = Asking(index.folder.absolute(), index.fingerprint)
    for some in crew.in_turn(crew.results(make, puzzles, workers)):
        yield from some


def outcomes(puzzles: Iterable[Known], index: Index) -> Iterator[Outcome]:
    """Asks all clues of the puzzles."""
    ranker = index.derived(Ranker)
    for puzzle, truth, weekday in puzzles:
        start = time.perf_counter()
        queries = [Query(clue, "?" * len(slot)) for slot, clue in wordings(puzzle, {}).items()]
        if index.transformer is not None:
            index.transformer.begin(query.clue for query in queries)
        lists = ranker.lists(queries)
        seconds = (time.perf_counter() - start) / len(lists)
        for slot, found in zip(puzzle.grid.slots, lists, strict=True):
            answer = "".join(truth[cell] for cell in slot.cells)
            place = found.find(answer)
            unlisted = np.log(max(found.missing, 1e-9)) + _string(answer, index)
            loss = -(unlisted if place is None else found.logp[place])
            best = float(np.exp(found.logp[0])) if len(found) else 0.0
            rank = float("inf") if place is None else place
            yield Outcome(
                weekday, len(slot), clue_form.kind(puzzle.clues[slot]), rank, float(loss), best, place == 0, seconds
            )


def _string(answer: str, index: Index) -> float:
    """The log probability of `answer` among strings of its length that are in no list, by its letters."""
    return StringModel(index.letters, short=index.strings.short).string(alphabet.codes(answer))


def row(name: str, some: list[Outcome]) -> str:
    rank = np.array([o.rank for o in some])
    recall = " ".join(f"{100 * (rank < k).mean():6.1f}" for k in (1, 10, 100, 1000, np.inf))
    best, right = np.array([o.best for o in some]), np.array([o.right for o in some])
    bins = np.minimum((best * BINS).astype(int), BINS - 1)
    error = sum(abs(best[bins == b].sum() - right[bins == b].sum()) for b in range(BINS)) / len(some)
    ms = 1000 * np.mean([o.seconds for o in some])
    loss = np.mean([o.loss for o in some])
    return f"{name:<20}{len(some):7d} {recall} {(1 / (1 + rank)).mean():6.3f} {loss:6.2f} {100 * error:6.2f} {ms:6.2f}"


def reliability(some: list[Outcome]) -> Iterator[str]:
    """How often the first candidate is right, by how sure it is, in tenths."""
    yield f"{'first said to be':<20}{'clues':>7} {'said %':>7} {'right %':>7}"
    for tenth in range(10):
        those = [o for o in some if min(int(10 * o.best), 9) == tenth]
        if those:
            said, right = np.mean([o.best for o in those]), np.mean([o.right for o in those])
            yield f"{f'{10 * tenth} to {10 * tenth + 10} %':<20}{len(those):7d} {100 * said:7.1f} {100 * right:7.1f}"


def filled(puzzles: Sequence[Known], index: Index) -> str:
    """Percentages of letters, words and whole grids that come out right."""
    scores = [score.score(solve(puzzle, index).solution, puzzle, truth) for puzzle, truth, _ in puzzles]
    rows = [(one.letters_right, one.words_right, one.whole, one.letters, one.words, 1) for one in scores]
    right, all_ = np.split(np.sum(rows, axis=0), 2)
    return "".join(f"{share:7.1f}" for share in 100 * right / all_)


def ablation(puzzles: Sequence[Known], folder: Path, only: Sequence[str] | None) -> Iterator[str]:
    """A row for the index as it is; then, with weights fitted again, for all finders, each alone and all but each.

    They are fitted where the newest year is hidden, from the base encoder as well, which is learned for that; nothing
    is looked at again (regis.models.reranker), so the first two rows tell what that brings.
    """
    every = {name: finder for name, finder in FINDERS.items() if name != "pattern"}
    rest = {"pattern": FINDERS["pattern"]}
    rows = {"all": every, "pattern alone": {}}
    rows |= {f"{name} alone": {name: finder} for name, finder in every.items()}
    rows |= {f"no {name}": {k: f for k, f in every.items() if k != name} for name in every}
    index = Index.with_clues(folder)
    yield row("as it is", list(outcomes(puzzles, index))) + filled(puzzles, index)
    weights.LOOKS = 0
    with tempfile.TemporaryDirectory() as place:
        before = hidden(index, Path(place), EPOCHS, silent)
        for title, finders in rows.items():
            if only and title not in only:
                continue
            FINDERS.clear()
            FINDERS.update(finders | rest)
            index = Index.open(folder)
            index.learned = index.learned | {schema.WEIGHTS: weights.fit(index, before).to_json()}
            yield row(title, list(outcomes(puzzles, index))) + filled(puzzles, index)


def main() -> None:
    parser = asked.parser(__doc__, sample=True)
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
    puzzles = known(plain.puzzles(arguments))
    if arguments.ablation:
        for line in ablation(list(puzzles), arguments.index, arguments.only):
            print(line, flush=True)
        return
    workers = Crew(arguments.jobs, arguments.cluster or "", lambda sentence: print(sentence, file=sys.stderr))
    done = list(shared_out(puzzles, Index.open(arguments.index), workers))
    groups: dict[object, list[Outcome]] = defaultdict(list)
    for outcome in done:
        groups[getattr(outcome, arguments.by)].append(outcome)
    order = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "-"]
    for name in sorted(groups, key=lambda g: order.index(g) if g in order else g):
        print(row(str(name), groups[name]))
    print(row("all", done))
    if arguments.reliability:
        print("", *reliability(done), sep="\n")


if __name__ == "__main__":
    main()
