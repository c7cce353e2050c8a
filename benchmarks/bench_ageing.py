"""How an index ages: `python benchmarks/bench_ageing.py ARCHIVE... --index DIR --index DIR... --per-weekday 6`.

Solves the plain puzzles of each archive with every index that is older. A row says how many years lie between them, and
how many letters, words, and grids are right. Make indexes of several years with `regis build --until YEAR` on a starter
that knows no later year.

`--out NAME` writes the table to benchmarks/results/NAME.txt.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cli_options
import plain_puzzles

from regis.evaluation.records import SummaryRow
from regis.index import Index

TABLE_HEADINGS = f"{'archive':<14} {'index to':>8} {'puzzles':>8} {'letters %':>9} {'words %':>8} {'whole %':>8}"


class AgeingRow(NamedTuple):
    archive: str
    index_year: int
    summary: SummaryRow

    @property
    def whole_share(self) -> float:
        return self.summary.whole_count / self.summary.puzzle_count


def measure_archives(arguments: argparse.Namespace) -> Iterator[AgeingRow]:
    """Solve every archive with every index that ends before it."""
    indexes = sorted((Index.open(folder) for folder in arguments.index), key=lambda index: index.manifest.latest_year)
    for folder in arguments.archive:
        items = plain_puzzles.read_items(argparse.Namespace(archive=folder, per_weekday=arguments.per_weekday))
        first_year = min(item.date.year for item in items if item.date)
        for index in indexes:
            year = index.manifest.latest_year or 0
            if year < first_year:
                summary, _ = plain_puzzles.solve_items(items, index, f"{folder.name}, {year}")
                yield AgeingRow(folder.name, year, summary)


def format_row(row: AgeingRow) -> str:
    shares = f"{100 * row.summary.letter_share:9.2f} {100 * row.summary.word_share:8.2f} {100 * row.whole_share:8.1f}"
    return f"{row.archive:<14} {row.index_year:8} {row.summary.puzzle_count:8} {shares}"


def main() -> None:
    parser = cli_options.make_parser(__doc__)
    parser.add_argument("archive", type=Path, nargs="+")
    parser.add_argument("--index", type=Path, action="append", required=True, help="may be repeated")
    parser.add_argument("--per-weekday", type=int, help="only so many puzzles of each weekday")
    cli_options.add_output_option(parser)
    arguments = parser.parse_args()
    print(TABLE_HEADINGS, flush=True)
    rows = []
    for row in measure_archives(arguments):
        rows.append(row)
        print(format_row(row), flush=True)
    if arguments.out:
        text = "\n".join([TABLE_HEADINGS, *map(format_row, rows)]) + "\n"
        (cli_options.RESULTS_FOLDER / f"{arguments.out}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
