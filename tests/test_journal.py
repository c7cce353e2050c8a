"""The journal of a benchmark: finished puzzles aren't solved again, and the report is the same as from one run."""

import dataclasses
import json
from pathlib import Path

import pytest
import tiny
from test_bench import NAMES

from regis import evaluation
from regis.errors import OutputError, UsageError
from regis.evaluation import BenchmarkPlan, runner
from regis.evaluation.journal import Journal
from regis.evaluation.records import PuzzleRecord
from regis.evaluation.report import BenchmarkReport
from regis.system.parallel.workers import Workers
from regis.system.progress import show_nothing
from regis.system.terminal import Screen


@pytest.fixture
def plan(tmp_path: Path, unseen: Path) -> BenchmarkPlan:
    """Plan four puzzles and one with a rebus square; the journal doesn't exist yet."""
    folder = tiny.archive(tmp_path / "puzzles", NAMES)
    tiny.puz(folder / "rebus.puz", rows=("lACK", *tiny.ROWS[1:]), title="Rebus")
    return BenchmarkPlan(folder, unseen, "belief", journal_path=tmp_path / "run.jsonl")


def timeless(records: tuple[PuzzleRecord, ...]) -> list[PuzzleRecord]:
    return [dataclasses.replace(record, seconds=None) for record in records]


def kept(plan: BenchmarkPlan) -> Path:
    assert plan.journal_path
    return plan.journal_path


@pytest.fixture
def whole(plan: BenchmarkPlan) -> BenchmarkReport:
    """Return the report of a complete run, which filled the journal."""
    return evaluation.run_benchmark(plan, show_nothing)


def test_a_run_that_is_done_is_read_and_not_solved(plan, whole, monkeypatch):
    monkeypatch.setattr(runner, "solve", lambda *_: pytest.fail("solved"))
    again = evaluation.run_benchmark(plan, show_nothing)
    assert again == whole and again.render_text(Screen()) == whole.render_text(Screen())
    assert again.render_json() == whole.render_json()
    assert len(kept(plan).read_text().splitlines()) == 6


@pytest.mark.parametrize("jobs", [1, 2])
def test_only_the_rest_is_done(jobs, plan, whole):
    """The journal ends early, at every place, with half a line."""
    data = kept(plan).read_bytes()
    cuts = [len(line) for line in data.splitlines(keepends=True)[:3]]
    kept(plan).write_bytes(data[: sum(cuts) + (40 if jobs == 1 else 0)])
    again = evaluation.run_benchmark(dataclasses.replace(plan, workers=Workers(jobs)), show_nothing)
    assert timeless(again.records) == timeless(whole.records)
    lines = kept(plan).read_bytes().splitlines(keepends=True)
    assert b"".join(lines[:3]) == data[: sum(cuts)], "what was there stays"
    assert sorted(json.loads(line)["record"]["file_name"] for line in lines[1:]) == sorted(
        r.file_name for r in whole.records
    )


def test_more_puzzles_of_the_same_run_are_added_and_one_that_changed_is_solved_again(plan):
    evaluation.run_benchmark(dataclasses.replace(plan, puzzle_limit=2), show_nothing)
    assert len(evaluation.run_benchmark(plan, show_nothing).records) == 5
    assert len(kept(plan).read_text().splitlines()) == 6
    tiny.puz(plan.archive / f"{NAMES[0]}.puz", title="Another")
    evaluation.run_benchmark(plan, show_nothing)
    assert len(kept(plan).read_text().splitlines()) == 7


def test_what_failed_is_tried_again(plan, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(runner, "solve", lambda *_: {}["memory"])
        assert all(record.failure_reason for record in evaluation.run_benchmark(plan, show_nothing).records)
    assert not any(record.failure_reason for record in evaluation.run_benchmark(plan, show_nothing).records)
    assert not any(record.failure_reason for record in evaluation.run_benchmark(plan, show_nothing).records)


@pytest.mark.parametrize("content", ["my notes", "my notes\nand more\n", "{}\n", "[1]\n", '"a"\n', "7\n"])
def test_a_file_of_others_is_left_alone(plan, content):
    kept(plan).write_text(content)
    with pytest.raises(UsageError, match="choose another"):
        evaluation.run_benchmark(plan, show_nothing)
    assert kept(plan).read_text() == content


def test_a_run_of_another_kind_is_refused(plan, whole, tmp_path, monkeypatch):
    other = tiny.index(tmp_path, ("1A",), (2001,))
    changes = {"index": {"index": other}, "filler": {"filler": "domains"}, "without limit, not 5": {"seconds": 5.0}}
    before = kept(plan).read_bytes()
    for name, change in changes.items():
        with pytest.raises(UsageError, match=f"a different run .*{name}.*choose another"):
            evaluation.run_benchmark(dataclasses.replace(plan, **change), show_nothing)
    monkeypatch.setattr(runner, "__version__", "0.0.9")
    with pytest.raises(UsageError, match=r"regis .*, not 0\.0\.9"):
        evaluation.run_benchmark(plan, show_nothing)
    assert kept(plan).read_bytes() == before


@pytest.mark.parametrize("spoil", [lambda line: "{}", lambda line: "[" * 100_000, lambda line: line.replace("1", "2")])
def test_a_damaged_line_is_named_before_anything_is_solved(plan, whole, monkeypatch, spoil):
    first, line, *lines = kept(plan).read_text().splitlines()
    kept(plan).write_text("\n".join([first, spoil(line), *lines]) + "\n")
    monkeypatch.setattr(runner, "solve", lambda *_: pytest.fail("solved"))
    with pytest.raises(UsageError, match="line 2 of"):
        evaluation.run_benchmark(plan, show_nothing)


def test_two_runs_do_not_share_a_journal(plan, whole):
    run = json.loads(kept(plan).read_text().splitlines()[0])
    del run["checksum"]
    with Journal(kept(plan), run), pytest.raises(UsageError, match="another run"):
        evaluation.run_benchmark(plan, show_nothing)


FULL = OutputError("run.jsonl can't be written (No space left on device); its content is complete")


@pytest.mark.parametrize(
    ("error", "said", "lines"), [(FULL, "No space left", 3), (KeyboardInterrupt(), "interrupted", 4)]
)
def test_a_run_that_stops_leaves_a_table(plan, monkeypatch, error, said, lines):
    """The puzzle finished just before an interrupt is kept, too."""
    right, writes = Journal._write, []

    def stops(journal, value):
        writes.append(value)
        if len(writes) == 4:
            raise error
        right(journal, value)

    monkeypatch.setattr(Journal, "_write", stops)
    report = evaluation.run_benchmark(plan, show_nothing)
    assert len(report.records) == 3 and said in report.stop_reason
    assert len(kept(plan).read_text().splitlines()) == lines
