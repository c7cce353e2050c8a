"""What you wait for, in units of an import: `python benchmarks/bench_speed.py PUZZLE...`.

Solves each puzzle in its own process, again and again, alternating with a process that only imports numpy,
scipy.sparse, and pyarrow.parquet. Both are counted in processor seconds, with children and threads. A puzzle's are also
given in units of the import next to it, because seconds mean little on a busy machine, but these ratios are the same
everywhere. For each puzzle: the whole process (median, 90th and 99th percentile), its steps, and peak memory.

`--other FOLDER` alternates with the Regis of another checkout. Each uses its own starter. `--index FOLDER` adds an
index you built. `--filler` can be repeated.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import installation  # noqa: F401
import numpy as np

from regis.render.tables import RULE_ROW, format_table

ROOT_FOLDER = Path(__file__).resolve().parent.parent
IMPORT_CODE = "import numpy, scipy.sparse, pyarrow.parquet"
STEP_NAMES = ("start", "open", "find", "fill", "render")
TABLE_HEADINGS = ("puzzle", "index", "Regis", "filler", "imports", "p90", "p99", *STEP_NAMES, "seconds", "MB")

SOLVE_CODE = """
import json, resource, sys, time
from pathlib import Path
times = []
def step():
    times.append(time.process_time())
from regis.system.process import use_one_thread
use_one_thread()
from regis.cli import main
from regis.index import Index
from regis.puzzle import formats
from regis.render import RENDERERS
from regis.solving import pipeline
from regis.system.terminal import Screen
from regis.ancestors import find_filler
puzzle = formats.read_puzzle(formats.open_file(Path(sys.argv[1])))[0]
step()
index = Index.open(Path(sys.argv[2]))
step()
inputs = pipeline.retrieve_candidates(puzzle, index)
step()
solved = pipeline.solve_from_lists(puzzle, inputs, pipeline.Method(find_filler(sys.argv[3])))
step()
RENDERERS["text"](solved, "puzzle", Screen())
step()
steps = [time - before for time, before in zip(times, [0.0, *times])]
print(json.dumps([steps, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def run_timed(
    code: str, arguments: Sequence[str] = (), checkout: Path = ROOT_FOLDER, cache_folder: str = ""
) -> tuple[float, str]:
    """Run `code` with the Regis of `checkout`; return its processor seconds and its output.

    Compiled Python goes into `cache_folder`, whatever the environment says, as after installation by pip.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment |= {"PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": cache_folder, "REGIS_CACHE": cache_folder}
    begun = os.times()
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    ended = os.times()
    spent = ended.children_user + ended.children_system - begun.children_user - begun.children_system
    return spent, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="+", type=Path, metavar="PUZZLE")
    parser.add_argument("--index", type=Path, action="append", default=[], help="an index besides the starter")
    parser.add_argument("--other", type=Path, action="append", default=[], help="another checkout of Regis")
    parser.add_argument("--filler", action="append", help="belief where none is named")
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()

    checkouts = {"this": ROOT_FOLDER} | {str(folder): folder.resolve() for folder in arguments.other}
    ratios, spent, peak = defaultdict(list), defaultdict(list), defaultdict(list)
    steps: dict[tuple[str, ...], list[list[float]]] = defaultdict(list)
    indexes, fillers = [None, *arguments.index], arguments.filler or ["belief"]
    each = list(itertools.product(arguments.puzzles, indexes, checkouts.items(), fillers))
    turns = range(arguments.turns + 1)  # the first fills the caches, and doesn't count
    with TemporaryDirectory() as cache_folder:
        for turn, (puzzle, index, (name, checkout), filler) in itertools.product(turns, each):
            unit, _ = run_timed(IMPORT_CODE, cache_folder=cache_folder)
            asked = [str(puzzle), str(index or checkout / "data" / "starter"), filler]
            whole, printed = run_timed(SOLVE_CODE, asked, checkout, cache_folder)
            if not turn:
                continue
            key = str(puzzle), str(index or "starter"), name, filler
            took, memory = json.loads(printed)
            ratios[key].append(whole / unit)
            spent[key].append(whole)
            steps[key].append([one / unit for one in took])
            peak[key].append(memory)
    rows = []
    for key, found in ratios.items():
        parts = (statistics.median(column) for column in zip(*steps[key], strict=True))
        high = (np.percentile(found, share) for share in (90, 99))
        numbers = (statistics.median(found), *high, *parts, statistics.median(spent[key]))
        rows.append((*key, *(f"{number:.2f}" for number in numbers), f"{max(peak[key]):.0f}"))
    print(f"processor time of {arguments.turns} turns; columns to 'render' in units of the imports\n")
    print(format_table(TABLE_HEADINGS, [RULE_ROW, *rows]), end="")


if __name__ == "__main__":
    main()
