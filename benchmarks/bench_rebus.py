"""What the search for rebus squares is worth: `python benchmarks/bench_rebus.py ARCHIVE --index DIR`.

Fills each puzzle with `belief`, then searches it for rebus squares. Two rows, for irregular and for plain grids, show
letters, words, and grids that are right before and after the search, how many of the squares found are right and wrong,
and the processor seconds of the search. In a plain grid, every square found is wrong. regis/evaluation/score.py reads
the solution.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from typing import NamedTuple

import cli_options

from regis.evaluation import archive, score
from regis.evaluation.archive import ArchivePuzzle
from regis.evaluation.score import Score
from regis.index import Index
from regis.puzzle import formats
from regis.solving import belief
from regis.solving.moves import search_rebus_squares
from regis.solving.rebus.squares import expand_fill
from regis.solving.retrieval import retrieve_candidates
from regis.solving.state import State
from regis.system.progress import FOREVER, show_nothing


class SearchOutcome(NamedTuple):
    irregular: bool
    before: Score
    after: Score
    n_right: int  # squares found with the right content
    n_wrong: int
    search_seconds: float  # of the search


def search_item(item: ArchivePuzzle, index: Index) -> SearchOutcome | None:
    """Fill the puzzle, then search it for rebus squares; return None if it has no solution."""
    truth = score.read_truth(item.file)
    if truth is None:
        return None
    puzzle = replace(formats.read_puzzle(item.file)[0], given={})
    inputs = retrieve_candidates(puzzle, index)
    plain = belief.fill(puzzle, inputs, FOREVER)
    state = State(puzzle, inputs, inputs, plain)
    start = time.process_time()
    found = search_rebus_squares(state, belief.fill, FOREVER)
    seconds = time.process_time() - start
    squares, solution = found.squares, found.fill
    right = sum(truth[cell] == content for cell, content in squares.items())
    fills = plain, expand_fill(solution, squares)
    before, after = (score.score_fill(fill, puzzle, truth) for fill in fills)
    return SearchOutcome(score.has_irregular_content(truth), before, after, right, len(squares) - right, seconds)


def format_report(label: str, outcomes: list[SearchOutcome]) -> str:
    lines = []
    for when, scores in (("before", [one.before for one in outcomes]), ("after", [one.after for one in outcomes])):
        letters = sum(s.letters_right for s in scores) / sum(s.letter_count for s in scores)
        words = sum(s.words_right for s in scores) / sum(s.word_count for s in scores)
        whole = sum(s.is_whole for s in scores)
        lines.append(f"{label:9} {when:6} letters {letters:.2%}  words {words:.2%}  whole {whole} of {len(scores)}")
    seconds = [one.search_seconds for one in outcomes]
    found = f"squares right {sum(one.n_right for one in outcomes)}, wrong {sum(one.n_wrong for one in outcomes)}"
    lines[1] += f"  {found}  seconds: median {statistics.median(seconds):.1f}, most {max(seconds):.1f}"
    return "\n".join(lines)


def main() -> None:
    parser = cli_options.archive_parser(__doc__)
    parser.add_argument("--plain", type=int, default=0, help="how many plain puzzles besides, spread over the weekdays")
    arguments = parser.parse_args()
    index = Index.open(arguments.index)
    items, _ = archive.read_archive(arguments.archive, show_nothing)
    truths = {id(item): score.read_truth(item.file) or {} for item in items}
    irregular = [item for item in items if score.has_irregular_content(truths[id(item)])]
    plain = [item for item in items if item not in irregular]
    chosen = irregular + (archive.sample_puzzles(plain, arguments.plain, None) if arguments.plain else [])
    outcomes = [one for one in (search_item(item, index) for item in chosen) if one]
    for label, which in (("irregular", True), ("plain", False)):
        if several := [one for one in outcomes if one.irregular == which]:
            print(format_report(label, several))


if __name__ == "__main__":
    main()
