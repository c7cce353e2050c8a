"""What looking for themes is worth: `python benchmarks/bench_themes.py ARCHIVE --index DIR --labels TABLE`.

Thursdays, Sundays and irregular grids are filled twice from the same lists: by `belief` alone, then with the searches
for rebus squares and themes, and with a second look where the index has a reader. Rows by kind of puzzle and by kind of
theme: grids whole before and after, letters right after, and themes named right, wrong and missed. A theme is named
right if it is of the kind that the labels say. The labels are a table with a date and a kind for each puzzle:

    added, left out, replaced, swapped, reversed   one edit of letters; so, too, moved, anagram, repeated
    sound                                          spellings that sound the same
    rebus, two-way, either, symbols                squares that hold more than a letter: the same in both directions,
                                                   another down than across, either of two, digits and signs
    other                                          answers changed in ways that Regis does not know
    plain                                          answers as they are in lists

Then the processor seconds of the searches and of everything, by size of grid: median, and the 99th percentile.
"""

from __future__ import annotations

import csv
import datetime as dt
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import cli_options
import numpy as np
from tqdm import tqdm

from regis.evaluation import archive, score
from regis.evaluation.archive import ArchivePuzzle
from regis.evaluation.score import Score
from regis.index import Index
from regis.puzzle import formats
from regis.solving import belief, pipeline, retrieval
from regis.solving.report import report_answers
from regis.solving.solved_puzzle import CONTENT_SEPARATOR, SolvedPuzzle
from regis.system.deadline import FOREVER
from regis.system.progress import show_nothing

PLAIN_KIND = "plain"
THEME_DAYS = {3: "Thursday", 6: "Sunday"}
MAX_DAILY_CELLS = 300  # white squares: more has a Sunday
THEME_KINDS = {
    "added": "added", "left out": "left out", " for ": "replaced", "changed": "replaced", "swapped": "swapped",
    "reverse": "reversed", "moved": "moved", "another order": "anagram", "written twice": "repeated", "sound": "sound",
}  # fmt: skip
"""Words of what Regis says of a theme, and the kind that it means."""


class ThemeOutcome(NamedTuple):
    """What became of one puzzle."""

    group: str  # "Thursday", "Sunday" or "irregular"
    kind: str  # by the labels; '' where there is none
    named_kind: str  # by Regis; '' where it names none
    n_cells: int
    before: Score
    after: Score
    seconds: float  # of processor time, for all of it
    search_seconds: float  # and without the lists and the first fill


def classify_theme(solved: SolvedPuzzle) -> str:
    """Return the kind of theme that Regis believes in, "" for none."""
    if solved.rebus_squares:
        return "two-way" if any(CONTENT_SEPARATOR in content for content in solved.rebus_squares.values()) else "rebus"
    if solved.two_answer_entries:
        return "either"
    said = solved.theme.description if solved.theme else ""
    return next((kind for words, kind in THEME_KINDS.items() if words in said), "")


def solve_item(item: ArchivePuzzle, index: Index, labels: Mapping[dt.date, str]) -> ThemeOutcome | None:
    """Solve the puzzle twice; return None for one without a solution or date, and for other days."""
    truth = score.read_truth(item.file)
    if truth is None or item.date is None:
        return None
    irregular = score.has_irregular_content(truth)
    if not irregular and item.date.weekday() not in THEME_DAYS:
        return None
    puzzle = replace(formats.read_puzzle(item.file)[0], given={})
    start = time.process_time()
    known = retrieval.retrieve_candidates(puzzle, index)
    asked = time.process_time()
    plain = belief.fill(puzzle, known, FOREVER)
    once = time.process_time()
    solved = report_answers(pipeline.fill_grid(puzzle, known), reveal=False)
    seconds = time.process_time() - once
    group = "irregular" if irregular else THEME_DAYS[item.date.weekday()]
    kinds = labels.get(item.date, ""), classify_theme(solved)
    before, after = (score.score_fill(fill, puzzle, truth) for fill in (plain, solved.fill))
    times = asked - start + seconds, seconds - (once - asked)
    return ThemeOutcome(group, *kinds, len(puzzle.grid.cells), before, after, *times)


def format_row(label: str, outcomes: list[ThemeOutcome]) -> str:
    """Format the counts of some puzzles."""
    letters = sum(one.after.letters_right for one in outcomes) / sum(one.after.letter_count for one in outcomes)
    before, after = sum(one.before.is_whole for one in outcomes), sum(one.after.is_whole for one in outcomes)
    told = [one for one in outcomes if one.named_kind]
    right = sum(one.named_kind == one.kind for one in told)
    missed = sum(not one.named_kind and one.kind not in ("", PLAIN_KIND) for one in outcomes)
    numbers = f"{len(outcomes):7} {before:7} {after:7} {letters:9.2%} {right:7} {len(told) - right:7} {missed:7}"
    return f"{label:12}{numbers}"


def format_groups(outcomes: list[ThemeOutcome], group_of: Callable[[ThemeOutcome], str], order: Iterable[str]) -> str:
    """Format a row for each group of puzzles, in this order."""
    groups = defaultdict(list)
    for one in outcomes:
        groups[group_of(one)].append(one)
    return "\n".join(format_row(label or "no label", groups[label]) for label in order if label in groups)


def format_times(label: str, outcomes: list[ThemeOutcome]) -> str:
    """Format the processor seconds of some puzzles."""
    seconds, searching = ([getattr(o, name) for o in outcomes] for name in ("seconds", "search_seconds"))
    middle, most = np.median(seconds), np.percentile(seconds, 99)
    search = f"{np.median(searching):8.2f} {np.percentile(searching, 99):8.2f}"
    return f"{label:12}{len(outcomes):7} {middle:8.2f} {most:8.2f} {most / middle:7.1f} {search}"


def main() -> None:
    parser = cli_options.archive_parser(__doc__)
    parser.add_argument("--labels", type=Path, required=True, help="a table of dates and kinds of themes")
    arguments = parser.parse_args()
    if not arguments.labels.is_file():
        parser.error(f"there is no table {arguments.labels}; check the name behind --labels")
    with arguments.labels.open(encoding="utf-8", newline="") as lines:
        labels = {dt.date.fromisoformat(line["date"]): line["kind"] for line in csv.DictReader(lines, delimiter="\t")}
    index = Index.open(arguments.index)
    items, _ = archive.read_archive(arguments.archive, show_nothing)
    found = [one for item in tqdm(items, leave=False, disable=None) if (one := solve_item(item, index, labels))]
    print(f"{len(found)} puzzles, index {index.fingerprint}\n")
    head = f"{'':12}{'puzzles':>7} {'before':>7} {'whole':>7} {'letters':>9} {'right':>7} {'wrong':>7} {'missed':>7}"
    print(head, format_groups(found, lambda one: one.group, [*THEME_DAYS.values(), "irregular"]), sep="\n", end="\n\n")
    print(head, format_groups(found, lambda one: one.kind, sorted({one.kind for one in found})), sep="\n", end="\n\n")
    print(f"{'seconds':12}{'puzzles':>7} {'median':>8} {'99 %':>8} {'times':>7} {'search':>8} {'99 %':>8}")
    for label, large in (("15x15", False), ("21x21", True)):
        if several := [one for one in found if (one.n_cells > MAX_DAILY_CELLS) == large]:
            print(format_times(label, several))


if __name__ == "__main__":
    main()
