"""How much time and memory a build takes, and how both grow: `python benchmarks/bench_build.py`.

    python benchmarks/bench_build.py real --source xd-clues=FILE --source wikipedia-titles=FILE
    python benchmarks/bench_build.py titles --rows 4625000 9250000 18500000
    python benchmarks/bench_build.py clues --rows 1600000 3200000 6400000

`real` builds from the sources you name and also times how long the index takes to open. `titles` and `clues` build from
made-up corpora of growing size (benchmarks/generate.py), without the starter, which would hide the growth. The time per
row should stay the same. Each build runs in its own process, whose peak memory the system reports.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import installation  # noqa: F401

BENCHMARK_FOLDER = Path(__file__).parent
OPEN_CODE = "import sys, time; from pathlib import Path; from regis.index import Index; t = time.perf_counter(); \
Index.open(Path(sys.argv[1])).letter_model; print(f'{time.perf_counter() - t:.3f}')"


class CommandCost(NamedTuple):
    """The cost of a command in its own process."""

    seconds: float
    processor_seconds: float
    gigabytes: float  # at most; pages of mapped files count


def measure_command(
    arguments: Sequence[str], environment: Mapping[str, str] | None = None, good_codes: Collection[int] = (0,)
) -> CommandCost:
    """Run a command of Regis; exit unless its exit code is one of `good_codes`."""
    command = [sys.executable, "-m", "regis", *arguments]
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in good_codes:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    gigabytes = usage.ru_maxrss * unit / 1e9
    return CommandCost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, gigabytes)


def measure_build(sources: list[str], index_folder: Path, *options: str) -> tuple[float, float]:
    """Build in a separate process; return seconds, and peak memory in GB."""
    named = [word for source in sources for word in ("--source", source)]
    cost = measure_command(["build", *options, "--output", str(index_folder), *named])
    return cost.seconds, cost.gigabytes


def time_real_build(sources: list[str]) -> None:
    """Print the cost of a build from real corpora."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, memory = measure_build(sources, Path(folder) / "index")
        command = [sys.executable, "-c", OPEN_CODE, f"{folder}/index"]
        opened = sorted(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(5))
        size = sum(p.stat().st_size for p in Path(folder).rglob("*") if p.is_file())
    print(f"build {seconds:.1f} s, peak memory {memory:.2f} GB, index {size / 1e6:.0f} MB, open {opened[2]:.3f} s")


def time_growing_builds(kind: str, row_counts: list[int]) -> None:
    """Print the cost of builds from made-up corpora of growing size."""
    reader = {"titles": "wikipedia-titles", "clues": "xd-clues"}[kind]
    print(f"{'rows':>12} {'seconds':>8} {'us a row':>9} {'GB':>6}")
    for count in row_counts:
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / {"titles": "titles.gz", "clues": "clues.tsv"}[kind]
            generate = BENCHMARK_FOLDER / "generate.py"
            subprocess.run([sys.executable, generate, kind, corpus, "--rows", str(count)], check=True)
            seconds, memory = measure_build([f"{reader}={corpus}"], Path(folder) / "index", "--without-starter")
            print(f"{count:12,d} {seconds:8.1f} {1e6 * seconds / count:9.1f} {memory:6.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("real").add_argument("--source", action="append", required=True)
    for kind in ("titles", "clues"):
        what.add_parser(kind).add_argument("--rows", type=int, nargs="+", required=True)
    arguments = parser.parse_args()
    if arguments.what == "real":
        time_real_build(arguments.source)
    else:
        time_growing_builds(arguments.what, arguments.rows)


if __name__ == "__main__":
    main()
