"""What each list adds: `python benchmarks/bench_lists.py ARCHIVE --list FILE --list READER=FILE ...`.

Solves the plain puzzles with an index (the starter, unless you name another) and on top of it no list, each list alone,
and all of them, each added as by `regis add`. `--together A,B` adds a row for some of them, by their layers' names. For
each: seconds to add, megabytes on disk, the share of right answers on no list, letters, words, and perfect grids, and
processor seconds compared with the first row.

A list newer than the puzzles contains their theme answers: use older ones.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import cli_options
import plain_puzzles

from regis import evaluation
from regis.building.personal_layers import add_layers
from regis.corpora.entry import Source
from regis.corpora.readers import text_files
from regis.corpora.sources import parse_added_source
from regis.evaluation import records
from regis.index import Index
from regis.index.layers import layer_files
from regis.system import paths
from regis.system.progress import show_nothing

TABLE_HEADINGS = (
    f"{'':<28}{'add, s':>7} {'MB':>5} {'in no list':>10} {'letters':>8} {'words':>7} {'whole':>6} {'times':>6}"
)


def measure_lists(
    label: str, sources: Sequence[Source], arguments: argparse.Namespace, first_seconds: float | None
) -> float:
    """Print one row; return the processor seconds for its puzzles."""
    with tempfile.TemporaryDirectory(dir=arguments.work) as place:
        index_copy = Path(place) / "index"
        shutil.copytree(arguments.index, index_copy)
        start = time.process_time()
        if sources:
            add_layers(sources, index_copy)
        seconds = time.process_time() - start
        size = sum(path.stat().st_size for path in index_copy.rglob("*") if path.is_file()) / 1e6
        plan = evaluation.BenchmarkPlan(arguments.archive, index_copy, "belief", per_weekday=arguments.per_weekday)
        start = time.process_time()
        done = evaluation.run_benchmark(plan, show_nothing)
        spent = time.process_time() - start
        row = records.summarize_records(done.records)[records.PLAIN_LABEL]
        entries = records.collect_losses(done.records).entries_by_band
        shares = f"{100 * entries[-1] / sum(entries):10.2f} {100 * row.letter_share:8.2f} {100 * row.word_share:7.2f}"
        times = spent / (first_seconds or spent)
        print(f"{label:<28}{seconds:7.1f} {size:5.0f} {shares} {row.whole_count:6} {times:6.2f}", flush=True)
        return spent


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True, default_index=paths.starter_folder())
    parser.add_argument("--list", action="append", required=True, help="a list, or READER=FILE; may be repeated")
    parser.add_argument("--together", action="append", default=[], help="a row of these layers, with commas between")
    parser.add_argument("--only", action="append", help="only these rows of one list; may be repeated, 'none' for none")
    parser.add_argument("--work", type=Path, help="where to make the indexes (default: where temporary files go)")
    arguments = parser.parse_args()
    plain_puzzles.read_items(arguments)  # or report that there are none
    sources = [parse_added_source(word) for word in arguments.list]
    named = {layer_files.make_layer_name(text_files.list_name(source.path)): source for source in sources}
    rows = {"none": ()} | {name: (source,) for name, source in named.items()}
    rows = {name: row for name, row in rows.items() if name in (arguments.only or rows)}
    rows |= {several: tuple(named[name] for name in several.split(",")) for several in arguments.together}
    print(f"on top of {Index.open(arguments.index).fingerprint}\n{TABLE_HEADINGS}", flush=True)
    first_seconds = None
    for label, row in rows.items():
        spent = measure_lists(label, row, arguments, first_seconds)
        first_seconds = first_seconds or spent


if __name__ == "__main__":
    main()
