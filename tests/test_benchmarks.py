"""The programs in benchmarks/ match the package: everything that they import or replace exists."""

import argparse
import ast
import importlib
from pathlib import Path

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


def test_an_archive_without_plain_puzzles_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(HOME)
    plain_puzzles = importlib.import_module("plain_puzzles")
    tiny.puz(tmp_path / "rebus.puz", rows=("lACK", *tiny.ROWS[1:]))
    with pytest.raises(UsageError, match="has no plain puzzle with its solution"):
        plain_puzzles.read_items(argparse.Namespace(archive=tmp_path, per_weekday=None))
    tiny.puz(tmp_path / "plain.puz")
    assert len(plain_puzzles.read_items(argparse.Namespace(archive=tmp_path, per_weekday=None))) == 1


def test_every_row_of_the_ablation_solves(strong_index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(HOME)
    ablation = importlib.import_module("bench_ablation")
    assert len(ablation.VARIANTS) + len(ablation.PLANS) > 20
    for name, variant in ablation.VARIANTS.items():
        with variant(strong_index):
            assert solve(tiny.puzzle(), strong_index).fill.cells, name
    for name, plan in ablation.PLANS.items():
        assert solve(tiny.puzzle(), strong_index, plan=plan).fill.cells, name


def test_the_finders_alone_fill_grids_without_letters_of_a_person(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(HOME)
    written = ArchivePuzzle(PuzzleFile("written.puz", puz_bytes(tiny.ROWS, fill=tiny.ROWS)), None)
    (item,) = importlib.import_module("bench_find").read_solved_items([written])
    assert item.puzzle.given == {} and item.truth == tiny.cells()
