"""The programs in benchmarks/ go with the package as it is: what they import is there, and so is what they replace."""

import argparse
import ast
import importlib
import itertools
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
import tiny
from make_puzzles import puz_bytes

from regis.errors import UsageError
from regis.evaluation.archive import ArchivePuzzle
from regis.index import Index
from regis.puzzle.formats import PuzzleFile
from regis.solving.pipeline import solve

HOME = Path(__file__).parents[1] / "benchmarks"
PROGRAMS = sorted(HOME.glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_what_a_benchmark_imports_is_there(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "regis":
            module = importlib.import_module(node.module)
            for name in node.names:
                assert hasattr(module, name.name) or importlib.util.find_spec(f"{node.module}.{name.name}")


@pytest.mark.parametrize("name", [path.stem for path in PROGRAMS if "def main" in path.read_text(encoding="utf-8")])
def test_a_benchmark_says_what_it_is_asked(name: str, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.syspath_prepend(HOME)
    monkeypatch.setattr("sys.argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(name).main()
    assert not ended.value.code and f"usage: {name}.py" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--only", ".puz", "unknown"], ["--show", "unknown", "1"]])
def test_a_reader_that_there_is_not_is_told_of(words: list[str], monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.syspath_prepend(HOME)
    fuzz = importlib.import_module("fuzz")
    monkeypatch.setattr(fuzz, "fuzz_subjects", lambda places: {".puz": None})
    monkeypatch.setattr("sys.argv", ["fuzz.py", *words])
    with pytest.raises(SystemExit) as ended:
        fuzz.main()
    assert ended.value.code == 2 and "there is no reader unknown; there are: .puz\n" in capsys.readouterr().err


def test_what_regis_refuses_is_told_in_one_sentence(tmp_path: Path, strong_index: Index):
    words = [tmp_path / "nothing", "--index", strong_index.folder]
    done = subprocess.run([sys.executable, HOME / "bench_rebus.py", *words], capture_output=True, text=True)
    said = f"bench_rebus.py: {tmp_path / 'nothing'} is not there; name a puzzle file, or a folder or zip of them\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_an_archive_without_plain_puzzles_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(HOME)
    plain_puzzles = importlib.import_module("plain_puzzles")
    tiny.puz(tmp_path / "rebus.puz", rows=("lACK", *tiny.ROWS[1:]))
    with pytest.raises(UsageError, match="has no plain puzzle with its solution"):
        plain_puzzles.read_items(argparse.Namespace(archive=tmp_path, per_weekday=None))
    tiny.puz(tmp_path / "plain.puz")
    assert len(plain_puzzles.read_items(argparse.Namespace(archive=tmp_path, per_weekday=None))) == 1


def test_a_table_of_themes_that_is_not_there_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.syspath_prepend(HOME)
    words = [str(tmp_path), "--index", str(tmp_path), "--labels", str(tmp_path / "none.tsv")]
    monkeypatch.setattr("sys.argv", ["bench_themes.py", *words])
    with pytest.raises(SystemExit) as ended:
        importlib.import_module("bench_themes").main()
    assert ended.value.code == 2 and f"there is no table {tmp_path / 'none.tsv'}" in capsys.readouterr().err


def test_every_row_of_the_ablation_solves(strong_index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(HOME)
    ablation = importlib.import_module("bench_ablation")
    assert len(ablation.VARIANTS) + len(ablation.PLANS) > 20
    for name, variant in ablation.VARIANTS.items():
        with variant(strong_index):
            assert solve(tiny.puzzle(), strong_index).fill.cells, name
    for name, plan in ablation.PLANS.items():
        assert solve(tiny.puzzle(), strong_index, plan=plan).fill.cells, name


def test_whatever_is_timed_has_a_row_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys):
    """Puzzles, indexes and checkouts of the same name in two folders, none with the times of another."""
    monkeypatch.syspath_prepend(HOME)
    speed = importlib.import_module("bench_speed")
    took = {path: float(number) for number, path in enumerate(("a/x.puz", "b/x.puz", "a/index", "b/index"), 1)}

    def run_timed(code: str, asked: Sequence[str] = (), *_: object, **__: object) -> tuple[float, str]:
        return sum(took.get(path, 0.0) for path in asked) or 1.0, json.dumps([[0.0] * len(speed.STEP_NAMES), 1])

    monkeypatch.setattr(speed, "run_timed", run_timed)
    indexes, homes = ["--index", "a/index", "--index", "b/index"], ["--other", "a/regis", "--other", "b/regis"]
    monkeypatch.setattr("sys.argv", ["bench_speed.py", "a/x.puz", "b/x.puz", *indexes, *homes, "--turns", "2"])
    speed.main()
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "x.puz" in line]
    every = itertools.product(("a/x.puz", "b/x.puz"), ("starter", "a/index", "b/index"), ("this", "a/regis", "b/regis"))
    assert [tuple(row[:3]) for row in rows] == list(every)
    assert all(float(row[4]) == took[row[0]] + took.get(row[1], 0.0) for row in rows)


def test_the_median_of_an_even_number_lies_between_two(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(HOME)
    rebus = importlib.import_module("bench_rebus")
    score = rebus.Score(16, 16, 8, 8, True)
    outcomes = [rebus.SearchOutcome(False, score, score, 0, 0, seconds) for seconds in (4.0, 1.0, 2.0, 9.0)]
    assert "seconds: median 3.0, most 9.0" in rebus.format_report("plain", outcomes)


def test_builds_that_grow_begin_with_nothing(monkeypatch: pytest.MonkeyPatch, capsys):
    """The starter, which is many times what they are made of, is no part of them."""
    monkeypatch.syspath_prepend(HOME)
    bench_build = importlib.import_module("bench_build")
    rows, options = [], []

    def built(sources: list[str], out: Path, *with_: str) -> tuple[float, float]:
        rows.append(len(Path(sources[0].partition("=")[2]).read_text().splitlines()) - 1)
        options.append(with_)
        return 1.0, 0.1

    monkeypatch.setattr(bench_build, "measure_build", built)
    monkeypatch.setattr("sys.argv", ["bench_build.py", "clues", "--rows", "100", "200"])
    bench_build.main()
    assert rows == [100, 200] and options == [("--without-starter",)] * 2
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()[1:]] == ["10000.0", "5000.0"]


def test_the_finders_alone_fill_grids_without_letters_of_a_person(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(HOME)
    written = ArchivePuzzle(PuzzleFile("written.puz", puz_bytes(tiny.ROWS, fill=tiny.ROWS)), None)
    (item,) = importlib.import_module("bench_find").read_solved_items([written])
    assert item.puzzle.given == {} and item.truth == tiny.cells()


@pytest.mark.parametrize(
    ("tasks", "lines"), [(1, ["1"]), (4, ["1", "2", "3", "4"]), (20, ["4", "8", "12", "16", "20"])]
)
def test_what_tasks_cost_is_told_five_times_at_most(tasks: int, lines: list[str], monkeypatch, capsys):
    monkeypatch.syspath_prepend(HOME)
    bench_cluster = importlib.import_module("bench_cluster")
    monkeypatch.setattr(bench_cluster, "map_tasks", lambda make, items, workers: enumerate(items))
    monkeypatch.setattr(bench_cluster, "resident_megabytes", lambda pid: 1.0)
    bench_cluster.measure_overhead(SimpleNamespace(address="", scheduler=SimpleNamespace(pid=1)), tasks)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]] == lines
