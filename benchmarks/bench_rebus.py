"""What the search for rebus squares is worth: `python benchmarks/bench_rebus.py ARCHIVE --index DIR`.

Each puzzle is filled by `belief`, then searched for rebus squares. Two rows, of rebus and other irregular grids and of
plain ones: letters, words and whole grids right before and after the search, the squares found that are right and
that are wrong, and the seconds of processor time that the search took. In a plain grid every square found is wrong. The
solution is read by regis/evaluation/score.py.
"""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import replace
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import asked
import installed  # noqa: F401

from regis.evaluation import archive, score
from regis.evaluation.archive import Item
from regis.evaluation.score import Score
from regis.index import Index
from regis.puzzle import formats
from regis.solving.asking import known
from regis.solving.fillers import belief
from regis.solving.rebus.search import Rebus
from regis.solving.rebus.squares import shown
from regis.system.deadline import FOREVER
from regis.system.progress import silent


class Outcome(NamedTuple):
    """What became of one puzzle."""

    irregular: bool
    before: Score
    after: Score
    right: int  # squares found that hold what they should
    wrong: int
    seconds: float  # of the search


def outcome(item: Item, index: Index) -> Outcome | None:
    """Fills the puzzle and searches it; None for one without a solution."""
    truth = score.truth(item.file)
    if truth is None:
        return None
    puzzle = replace(formats.read(item.file)[0], given={})
    among = known(puzzle, index)
    plain = belief.fill(puzzle, among, FOREVER)
    start = time.process_time()
    squares, solution = Rebus(puzzle, among, belief.fill, FOREVER).find(plain)
    seconds = time.process_time() - start
    right = sum(truth[cell] == content for cell, content in squares.items())
    before, after = score.score(plain, puzzle, truth), score.score(shown(solution, squares), puzzle, truth)
    return Outcome(score.irregular(truth), before, after, right, len(squares) - right, seconds)


def report(label: str, outcomes: list[Outcome]) -> str:
    """The two lines of a row."""
    lines = []
    for when, scores in (("before", [one.before for one in outcomes]), ("after", [one.after for one in outcomes])):
        letters = sum(s.letters_right for s in scores) / sum(s.letters for s in scores)
        words = sum(s.words_right for s in scores) / sum(s.words for s in scores)
        whole = sum(s.whole for s in scores)
        lines.append(f"{label:9} {when:6} letters {letters:.2%}  words {words:.2%}  whole {whole} of {len(scores)}")
    seconds = [one.seconds for one in outcomes]
    found = f"squares right {sum(one.right for one in outcomes)}, wrong {sum(one.wrong for one in outcomes)}"
    lines[1] += f"  {found}  seconds: median {statistics.median(seconds):.1f}, most {max(seconds):.1f}"
    return "\n".join(lines)


def main() -> None:
    parser = asked.parser(__doc__)
    parser.add_argument("--plain", type=int, default=0, help="how many plain puzzles besides, spread over the weekdays")
    arguments = parser.parse_args()
    index = Index.open(arguments.index)
    items, _ = archive.read(arguments.archive, silent)
    truths = {id(item): score.truth(item.file) or {} for item in items}
    irregular = [item for item in items if score.irregular(truths[id(item)])]
    plain = [item for item in items if item not in irregular]
    chosen = irregular + (archive.sample(plain, arguments.plain, None) if arguments.plain else [])
    outcomes = [one for one in (outcome(item, index) for item in chosen) if one]
    for label, which in (("irregular", True), ("plain", False)):
        if several := [one for one in outcomes if one.irregular == which]:
            print(report(label, several))


if __name__ == "__main__":
    main()
