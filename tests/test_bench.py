"""The benchmark on a world of one puzzle: what it counts, refuses, reports, and survives."""

import dataclasses
import datetime as dt
import json
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
import tiny
from markupsafe import escape

from regis import evaluation
from regis.building.build import build_index
from regis.building.personal_layers import add_layers
from regis.cli.progress import show_progress
from regis.corpora.entry import Source
from regis.errors import IndexDamaged, SeenPuzzles
from regis.evaluation import BenchmarkPlan, archive, runner
from regis.evaluation.archive import ArchivePuzzle
from regis.evaluation.losses import Cause
from regis.evaluation.report import SEEN_HEADING
from regis.index import Index
from regis.index.storage import publish, validation
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile
from regis.system import paths
from regis.system.parallel.workers import Workers
from regis.system.progress import show_nothing
from regis.system.terminal import Screen

MONDAY = dt.date(2014, 9, 1)
NAMES = [f"tst2014-09-{day:02}" for day in (1, 2, 3, 8)]


def items(days: int, undated: int = 0) -> list[ArchivePuzzle]:
    """Return one puzzle a day from a Monday on, then some without a date."""
    dated = [ArchivePuzzle(PuzzleFile(f"d{i:03}", b""), MONDAY + dt.timedelta(i)) for i in range(days)]
    return dated + [ArchivePuzzle(PuzzleFile(f"u{i:03}", b""), None) for i in range(undated)]


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> Path:
    """Return an index up to 2002 that knows all of the puzzle's clues."""
    return tiny.index(tmp_path_factory.mktemp("seen"), tuple(tiny.CLUES))


@pytest.mark.parametrize("limit", [1, 7, 10, 30, 100])
def test_limit_is_spread_over_weekdays(limit):
    assert archive.sample_puzzles(items(9, 2), None, None) == items(9, 2)
    chosen = archive.sample_puzzles(items(28, 2), limit, None)
    assert len(chosen) == min(limit, 30)
    per_day = [sum(p.date is not None and p.date.weekday() == day for p in chosen) for day in range(7)]
    assert max(per_day) - min(per_day) <= 1
    assert chosen == archive.sample_puzzles(items(28, 2), limit, None)


@pytest.mark.parametrize("known", ["years", "clues"])
def test_seen_puzzles_are_refused_before_solving(tmp_path, seen, monkeypatch, known):
    names = NAMES if known == "years" else ["undated"]
    where = tiny.index(tmp_path, ("1A",), (2013, 2014)) if known == "years" else seen
    said = {
        "years": r"4 of 4 .*tst2014-09-01.puz .*2014.*`regis build --hold-out .*--seen",
        "clues": r"1 of 1 .*has 100% of its clue-answer pairs",
    }[known]
    folder = tiny.archive(tmp_path / "puzzles", names)
    monkeypatch.setattr(runner, "solve", lambda *_, **__: pytest.fail("solved"))
    with pytest.raises(SeenPuzzles, match=said):
        evaluation.run_benchmark(BenchmarkPlan(folder, where, "belief"), show_progress)


def test_seen_puzzles_in_a_layer_are_reported_as_removable(tmp_path, monkeypatch):
    where = tiny.index(tmp_path, ("1A",), (2001, 2002))
    folder = tiny.archive(tmp_path / "puzzles", NAMES)
    other = tiny.puz(tmp_path / "tst2020-09-01.puz", ("ABCD", "EFGH", "IJKL", "MNOP"))
    add_layers([Source("puzzle-archive", other)], where)
    (tmp_path / "words.txt").write_text("OSLO\n")
    add_layers([Source("word-list", tmp_path / "words.txt")], where)
    with pytest.raises(SeenPuzzles, match=r"4 of 4 .*clues up to 2020") as refused:
        evaluation.run_benchmark(BenchmarkPlan(folder, where, "belief"), show_progress)
    assert f"; take them out with `regis remove --index {where} puzzles`, or " in str(refused.value)


def test_content_is_seen_only_above_the_threshold(tmp_path, unseen):
    folder = tiny.archive(tmp_path / "puzzles", NAMES[:1])
    report = evaluation.run_benchmark(BenchmarkPlan(folder, unseen, "belief"), show_progress)
    assert (report.records[0].share_in_index, report.records[0].seen_reason) == (0.25, "")
    assert SEEN_HEADING not in report.render_text(Screen())


def test_told_so_it_measures_seen_puzzles_and_says_so(tmp_path, seen):
    folder = tiny.archive(tmp_path / "puzzles", NAMES[:1])
    report = evaluation.run_benchmark(BenchmarkPlan(folder, seen, "belief", include_seen=True), show_progress)
    assert report.render_text(Screen()).startswith(SEEN_HEADING)
    assert report.records[0].score == (16, 16, 8, 8, True)


def test_held_out_archive_is_not_seen_by_date(tmp_path):
    folder = tiny.archive(tmp_path / "puzzles", NAMES[:1])
    corpus = tiny.corpus(tmp_path / "clues.tsv", (2013, 2014), ("1A",))
    build_index([Source("xd-clues", corpus)], tmp_path / "index", held_out_archives=[folder])
    report = evaluation.run_benchmark(BenchmarkPlan(folder, tmp_path / "index", "belief"), show_progress)
    assert report.records[0].seen_reason == "" and report.latest_year == 2014


def test_broken_and_ungraded_files_are_reported_and_not_fatal(tmp_path, unseen):
    folder = tiny.archive(tmp_path / "puzzles", NAMES[:1])
    (folder / "broken.puz").write_bytes(b"not a puzzle")
    tiny.puz(folder / "unsolved.puz", solution=False, title="No solution")
    tiny.puz(folder / "rebus.puz", rows=("lACK", *tiny.ROWS[1:]), title="Rebus")
    report = evaluation.run_benchmark(BenchmarkPlan(folder, unseen, "belief"), show_progress)
    text = report.render_text(Screen())
    assert "Not solved: broken.puz: " in text and "usable solution: 1." in text
    rows = {line.split()[0]: line.split()[1] for line in text.splitlines() if line.startswith(("Mon", "irregular"))}
    assert rows == {"Mon": "1", "irregular": "1"}
    assert "all plain        1" in text


STOPS: list[tuple[BaseException, list[str], str]] = [
    (ValueError("no luck"), ["", "ValueError: no luck", ""], ""),
    (IndexDamaged("letters.npy is damaged"), [""], "stopped: letters.npy is damaged"),
    (KeyboardInterrupt(), [""], evaluation.INTERRUPTED_REASON),
]


@pytest.mark.parametrize(("error", "reasons", "stop"), STOPS, ids=["of one puzzle", "of the index", "interrupted"])
def test_a_solver_that_fails_leaves_a_table(tmp_path, unseen, monkeypatch, error, reasons, stop):
    """If it fails on one puzzle, the rest is still solved."""
    folder = tiny.archive(tmp_path / "puzzles", NAMES[:3])
    right = runner.solve

    def fails_on_tuesday(puzzle, *rest, **named):
        if puzzle.title == NAMES[1]:
            raise error
        return right(puzzle, *rest, **named)

    monkeypatch.setattr(runner, "solve", fails_on_tuesday)
    report = evaluation.run_benchmark(BenchmarkPlan(folder, unseen, "belief"), show_progress)
    assert ([record.failure_reason for record in report.records], report.stop_reason) == (reasons, stop)
    said = "interrupted after 1 of 3 puzzles." in report.render_text(Screen())
    assert said == isinstance(error, KeyboardInterrupt)


def test_letters_written_into_a_file_are_taken_out(tmp_path, unseen, monkeypatch):
    folder = tiny.archive(tmp_path / "puzzles", NAMES[:1])
    right, given = runner.solve, []
    read = formats.read_puzzle

    def with_letters(file):
        puzzle, warnings = read(file)
        return dataclasses.replace(puzzle, given=tiny.cells()), warnings

    monkeypatch.setattr(formats, "read_puzzle", with_letters)
    monkeypatch.setattr(
        runner, "solve", lambda puzzle, *rest, **named: given.append(puzzle.given) or right(puzzle, *rest, **named)
    )
    evaluation.run_benchmark(BenchmarkPlan(folder, unseen, "belief"), show_progress)
    assert given == [{}]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_index_that_is_replaced_meanwhile_costs_nothing(jobs: int, tmp_path: Path, unseen: Path, seen: Path):
    """All puzzles are solved with the first index, even by workers that open it later."""
    folder, out = tiny.archive(tmp_path / "puzzles", NAMES[:3]), tmp_path / "index"
    shutil.copytree(unseen, out)
    expected = evaluation.run_benchmark(BenchmarkPlan(folder, out, "belief"), show_nothing)

    @contextmanager
    def replacing(label: str, total: int | None):
        if label == "solving":
            with publish.open_workshop(out) as place:
                shutil.copytree(paths.index_home(seen), place / "index", dirs_exist_ok=True)
                publish.publish_index(place / "index", out, validation.read_manifest(paths.index_home(seen)))
        with show_nothing(label, total) as nothing:
            yield nothing

    report = evaluation.run_benchmark(BenchmarkPlan(folder, out, "belief", workers=Workers(jobs)), replacing)
    assert Index.open(out).fingerprint == Index.open(seen).fingerprint != report.index_fingerprint
    assert [record.score for record in report.records] == [record.score for record in expected.records]


def test_losses_and_reliability_count_every_entry_and_cell(tmp_path, unseen):
    folder = tiny.archive(tmp_path / "puzzles", NAMES[:2])
    tiny.puz(folder / "rebus.puz", rows=("lACK", *tiny.ROWS[1:]), title="Rebus")
    report = evaluation.run_benchmark(BenchmarkPlan(folder, unseen, "belief"), show_progress)
    plain, odd = ([r for r in report.records if r.is_irregular is kind] for kind in (False, True))
    assert len(plain) == 2 and len(odd) == 1
    for record in plain:
        lost, result = record.losses, record.score
        assert (sum(lost.entries_by_band), len(lost.wrong_entries)) == (8, 8 - result.words_right)
        assert (len(record.cell_claims), sum(c.is_right for c in record.cell_claims)) == (16, result.letters_right)
        assert sum(e.is_right for e in record.entry_claims) == result.words_right
        assert lost.entries_by_band[-1] == 6, "the index knows two of the eight answers"
        assert lost.cause_counts[Cause.UNLISTED] == lost.by_band[-1][2] > 0
    assert odd[0].losses is None and odd[0].cell_claims == ()
    value = json.loads(report.render_json())
    assert list(value["losses"]) == ["Mon", "Tue", "all plain"]
    everything, wrong = value["losses"]["all plain"], sum(8 - record.score.words_right for record in plain)
    assert sum(row["wrong_count"] for row in everything["ranks"]) == sum(everything["causes"].values()) == wrong > 0
    counted = [value["calibration"][what]["bins"] for what in ("cells", "entries")] + [everything["ranks"]]
    counts = [sum(row.get("claim_count", row.get("entry_count")) for row in rows) for rows in counted]
    assert counts == [32, 16, 16]
    puzzle = next(one for one in value["puzzles"] if one["losses"])
    assert set(puzzle["losses"][0]) == {"entry", "rank", "cause"} and not {"cells", "entries"} & set(puzzle)


def test_page_plots_what_the_tables_say(tmp_path, unseen):
    folder = tiny.archive(tmp_path / "<i>puzzles", NAMES)
    report = evaluation.run_benchmark(BenchmarkPlan(folder, unseen, "belief"), show_progress)
    page = report.render_html()
    assert "<i>" not in page and "&lt;i&gt;puzzles" in page and str(escape(report.render_text(Screen()))) in page
    assert page.count("<figure>") == 7
    for row in json.loads(report.render_json())["summary"]:
        assert f">{row['label']}</text>" in page and f">{100 * row['letter_share']:.1f}</text>" in page


def test_json_says_where_the_figures_come_from(tmp_path, unseen):
    folder = tiny.archive(tmp_path / "puzzles", NAMES)
    report = evaluation.run_benchmark(BenchmarkPlan(folder, unseen, "belief", per_weekday=1), show_progress)
    value = json.loads(report.render_json())
    assert (value["filler"], value["archive"], value["index"]) == ("belief", "puzzles", report.index_fingerprint)
    assert [p["weekday"] for p in value["puzzles"]] == ["Mon", "Tue", "Wed"]
    assert value["puzzles"][0]["date"] == "2014-09-01" and value["puzzles"][0]["score"]["letter_count"] == 16
    assert [row["label"] for row in value["summary"]] == ["Mon", "Tue", "Wed", "all plain"]
    assert {"mean_letter_share", "letter_share"} <= set(value["summary"][0])
    assert value["mean_share_in_index"] == 0.25
