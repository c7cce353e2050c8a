"""Another processor adds in another order; everything kept, learned, listed, and solved is the same.

The number libraries choose their routines by the processor, so sums differ in their last digits. Two programs use
different routines here; their decisions and letters are compared, but no digits.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import corpus
import pytest
import shared
import test_embedding
import test_learn
import test_list_prior
import tiny
from numpy._core._multiarray_umath import __cpu_dispatch__ as OPTIONAL_INSTRUCTIONS

from regis.building import build
from regis.building.training import train
from regis.index import Index
from regis.puzzle import Puzzle
from regis.solving.hint import find_hint
from regis.solving.pipeline import solve
from regis.solving.retrieval import retrieve_clue_candidates
from regis.system.progress import show_nothing

ROOT = Path(__file__).parent.parent

PROCESSORS = {
    "new": {"OPENBLAS_CORETYPE": "Haswell"},
    "old": {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": " ".join(OPTIONAL_INSTRUCTIONS)},
}
"""What the libraries are told of the processor, each in an environment of its own."""


def learn(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Train an index twice, the second time with nothing new; return what it then lists, fills, and hints."""
    test_embedding.few_buckets(patch)
    test_learn.few_clues(patch)
    index = shared.copied(corpus.rows((2004, 2005)), folder)
    is_kept = [train.learn_encoder(index.folder, epochs=1, progress=show_nothing).is_kept for _ in range(2)]
    learned = Index.open(index.folder)
    asked = list(corpus.HINTS.items())[::3]
    grid = tiny.grid(corpus.GRID)
    solved = solve(Puzzle(grid, {slot: corpus.CLUES.get(str(slot), "") for slot in grid.slots}), learned)
    hint = find_hint(solved)
    return {
        "is kept": is_kept,
        "first": [retrieve_clue_candidates(clue, "?" * len(answer), learned).answer(0) for answer, clue in asked],
        "letters": sorted(solved.fill.cells.items()),
        "hint": hint and (hint.cell, hint.letter, hint.answers),
    }


def keep(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the strings of lists that an index keeps."""
    test_list_prior.fewer_strings(patch)
    lists = {"good": test_list_prior.GOOD, "bad": test_list_prior.BAD}
    return {"kept": sorted(test_list_prior.built(folder, lists, max_listed=700)[1])}


def decide(folder: Path) -> None:
    """Print all decisions as JSON."""
    shared.at(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(build.READERS, "rows", corpus.read)
        print(json.dumps(learn(folder / "learn", patch) | keep(folder / "keep", patch)))


def test_no_decision_depends_on_the_processor(tmp_path: Path) -> None:
    code = "import sys, pathlib, test_processors; test_processors.decide(pathlib.Path(sys.argv[1]))"
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    programs = []
    for name, environment in PROCESSORS.items():
        (tmp_path / name).mkdir()
        line = [sys.executable, "-c", code, str(tmp_path / name)]
        programs.append(
            subprocess.Popen(line, env={**os.environ, **environment, "PYTHONPATH": path}, text=True, stdout=-1)
        )
    new, old = (json.loads(program.communicate()[0]) for program in programs)
    assert new["is kept"] == [True, False] and 1000 < len(new["kept"]) < 2500 and new["hint"]
    assert {what: value for what, value in new.items() if old[what] != value} == {}
